"""Queries whose SQL Django writes once, and that are then asked with other parameters.

Django takes about as long to write the SQL of a short query as to ask it, and a worker asks the same queries of every
report. Written once, and with a quarter of the memory for PostgreSQL, one more report took a third of the processor
time it had taken (CHANGELOG; `make bench-load`). Anywhere else a plain queryset is simpler.

This rests on private parts of Django: SQLCompiler, and what iterables read of a queryset. Should a version of Django
change them, set PREPARED_QUERIES = False in the settings: every query is then a plain queryset, compiled at each call.
A test asks all of them both ways and compares the rows. PostgreSQL plans each of them once for a connection
(`bulk.asked`).
"""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BooleanField, Expression, F, Field, Func, QuerySet, TextField
from django.db.models.sql.compiler import SQLCompiler

from submissions.sql import bulk, columns

_ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class _Slot:
    """Stands among the parameters of prepared SQL for the value of this name."""

    name: str


# The values of the call that is being compiled; None while SQL is prepared for any values.
_values: ContextVar[Mapping[str, Any] | None] = ContextVar("values of a query", default=None)


class Param(Expression):
    """A value that each call passes under this name."""

    def __init__(self, name: str, kind: "Field[Any, Any]") -> None:
        super().__init__(output_field=kind)
        self.name = name

    def as_sql(self, *_: Any, **__: Any) -> Any:
        values = _values.get()
        return "%s", (_Slot(self.name) if values is None else values[self.name],)


class AnyOf(Func):
    """A condition: the column is one of those in the list that each call passes under this name."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()

    def __init__(self, column: str, name: str) -> None:
        super().__init__(F(column), Param(name, ArrayField(TextField())))


class PreparedQuery:
    """A queryset as a function of its parameters: values, or instances with their selected relations; no prefetching.

    `queryset` takes no arguments. What it compares with `Param` and `AnyOf` is passed with every call, by name.
    """

    def __init__(self, queryset: Callable[[], "QuerySet[Any, Any]"]) -> None:
        self._queryset = queryset

    def __call__(self, **values: Any) -> list[Any]:
        """One query. `AnyOf` wants lists, not sets. Raises KeyError for a value that is missing."""
        if not getattr(settings, "PREPARED_QUERIES", True):
            return self._asked_plainly(values)
        compiler, iterable = self._written
        return list(iterable(_Asked(compiler.with_values(values)), chunk_size=_ROWS_AT_ONCE))

    def columns(self, types: dict[str, str], **values: Any) -> dict[str, Any]:
        """The rows as columns of numbers; `types` as `sql.columns` has them. One query."""
        if getattr(settings, "PREPARED_QUERIES", True):
            sql, parameters = self._written[0].with_values(values).as_sql()
            return columns.of_sql(sql, parameters, types)
        token = _values.set(values)
        try:
            return columns.columns(self._queryset(), types)
        finally:
            _values.reset(token)

    def _asked_plainly(self, values: Mapping[str, Any]) -> list[Any]:
        token = _values.set(values)
        try:
            return list(self._queryset())
        finally:
            _values.reset(token)

    @cached_property
    def _written(self) -> "tuple[_Written, Any]":
        queryset = self._queryset()
        if queryset._prefetch_related_lookups:  # type: ignore[attr-defined]
            raise ValueError("a prepared query is one query: what is prefetched would be missing")
        return _Written(queryset.query), queryset._iterable_class


class _Written(SQLCompiler):
    """A compiler whose SQL is written: what is left to it is to read the rows."""

    def __init__(self, query: Any) -> None:
        super().__init__(query, connections[DEFAULT_DB_ALIAS], using=None)
        sql, parameters = cast(tuple[str, Sequence[Any]], super().as_sql())
        self._sql = sql.replace("%%", "%%%%") % tuple(map(_as_sql, parameters))
        self._slots = [parameter for parameter in parameters if isinstance(parameter, _Slot)]
        self._parameters: Sequence[Any] = ()
        self._converters = super().get_converters([column for column, *_ in self.select[: self.col_count]])

    def with_values(self, values: Mapping[str, Any]) -> "_Written":
        """A copy for one call, on the connection of the calling thread; `copy.copy` takes several times as long."""
        own = object.__new__(_Written)
        own.__dict__.update(self.__dict__)
        own.connection = connections[DEFAULT_DB_ALIAS]
        own._parameters = [values[slot.name] for slot in self._slots]
        return own

    def as_sql(self, *_: Any, **__: Any) -> Any:
        return self._sql, self._parameters

    def execute_sql(self, *_: Any, **__: Any) -> Any:
        """All rows in one piece."""
        return [bulk.asked(self._sql, self._parameters)]

    def get_converters(self, _: Any) -> Any:
        return self._converters


def _as_sql(parameter: Any) -> str:
    """A constant is part of the SQL: PostgreSQL plans a query for any parameters, and would not know otherwise that an
    index of some rows holds all that are asked for."""
    return "%s" if isinstance(parameter, _Slot) else bulk.literal(parameter)


class _Asked:
    """As much of a queryset, and of its query, as Django's iterables read."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: dict[Any, Any] = {}

    def __init__(self, compiler: _Written) -> None:
        self.query = self
        self._compiler = compiler

    def get_compiler(self, using: str | None = None) -> _Written:
        return self._compiler
