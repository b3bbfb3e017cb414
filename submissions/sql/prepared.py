"""Queries that Django writes as SQL once, and that are then asked again and again with other parameters.

To write the SQL of a short query takes Django about as long as to ask it. For what a worker asks about every report;
anywhere else a plain queryset is simpler.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BooleanField, Expression, F, Field, Func, QuerySet, TextField
from django.db.models.sql.compiler import SQLCompiler

_ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class _Place:
    """Stands among the parameters of the SQL for what is given later under this name."""

    name: str


class Param(Expression):
    """A value that is given under this name whenever the query is asked."""

    def __init__(self, name: str, kind: "Field[Any, Any]") -> None:
        super().__init__(output_field=kind)
        self.name = name

    def as_sql(self, *_: Any, **__: Any) -> Any:
        return "%s", (_Place(self.name),)


class AnyOf(Func):
    """A condition: the column is one of those in the list that is given under this name."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()

    def __init__(self, column: str, name: str) -> None:
        super().__init__(F(column), Param(name, ArrayField(TextField())))


class PreparedQuery:
    """What a queryset finds: values, or instances with all that is selected with them, but nothing prefetched.

    `queryset` is called once. What it compares with `Param` and `AnyOf` is given with every call.
    """

    def __init__(self, queryset: Callable[[], "QuerySet[Any, Any]"]) -> None:
        self._queryset = queryset

    def __call__(self, **given: Any) -> list[Any]:
        """One query. Lists, not sets, for what is `AnyOf`."""
        compiler, iterable = self._written
        return list(iterable(_Asked(compiler.giving(given)), chunk_size=_ROWS_AT_ONCE))

    @cached_property
    def _written(self) -> "tuple[_Written, Any]":
        queryset = self._queryset()
        if queryset._prefetch_related_lookups:  # type: ignore[attr-defined]
            raise ValueError("a statement is one query: what is prefetched would be missing")
        return _Written(queryset.query), queryset._iterable_class


class _Written(SQLCompiler):
    """A compiler that is done: it knows the SQL, and how to read the rows."""

    def __init__(self, query: Any) -> None:
        super().__init__(query, connections[DEFAULT_DB_ALIAS], using=None)
        self._sql, self._parameters = super().as_sql()

    def giving(self, given: Mapping[str, Any]) -> "_Written":
        """For one call, in the thread of whoever asks."""
        own = copy(self)
        own.connection = connections[DEFAULT_DB_ALIAS]
        own._parameters = tuple(
            given[one.name] if isinstance(one, _Place) else one for one in self._parameters
        )
        return own

    def as_sql(self, *_: Any, **__: Any) -> Any:
        return self._sql, self._parameters


class _Asked:
    """As much of a queryset, and of its query, as Django's iterables want to know."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: dict[Any, Any] = {}

    def __init__(self, compiler: _Written) -> None:
        self.query = self
        self._compiler = compiler

    def get_compiler(self, using: str | None = None) -> _Written:
        return self._compiler
