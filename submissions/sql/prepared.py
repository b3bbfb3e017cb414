"""Prepared queries: Django compiles their SQL once, and each call only passes other parameters.

Django takes about as long to compile a short query as to execute it, and a worker executes the same queries for every
report; prepared queries saved most of its processor time (`make bench-load`). Elsewhere use a plain queryset, which is
simpler.

This depends on private parts of Django: SQLCompiler, and the attributes of a queryset that its iterables read. If a
version of Django changes them, set PREPARED_QUERIES = False in the settings: every query is then a plain queryset. A
test runs all of them both ways and compares the rows.
"""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BooleanField, Expression, F, Field, Func, QuerySet, TextField
from django.db.models.sql.compiler import SQLCompiler

from submissions.sql import bulk
from submissions.sql import columns as sql_columns

_ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class _Slot:
    """A placeholder among the parameters of prepared SQL for the value of this name."""

    name: str


# The values of the call that is being compiled; None while SQL is prepared for any values.
_values: ContextVar[Mapping[str, Any] | None] = ContextVar("values of a query", default=None)


class Param(Expression):
    """A parameter of a prepared query; each call of the query passes the value by this name."""

    def __init__(self, name: str, kind: "Field[Any, Any]") -> None:
        super().__init__(output_field=kind)
        self.name = name

    def as_sql(self, *_: Any, **__: Any) -> Any:
        values = _values.get()
        return "%s", (_Slot(self.name) if values is None else values[self.name],)


class AnyOf(Func):
    """A condition in a prepared query: the column has one of the values in a list that each call passes by `name`."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()

    def __init__(self, column: str, name: str) -> None:
        super().__init__(F(column), Param(name, ArrayField(TextField())))


class PreparedQuery:
    """A decorator for a function that returns a queryset: calls then execute it and return a list of its rows.

    Calls pass the values for `Param` and `AnyOf` by name. The queryset must not prefetch.
    """

    def __init__(self, queryset: Callable[[], "QuerySet[Any, Any]"]) -> None:
        self._queryset = queryset

    def __call__(self, **values: Any) -> list[Any]:
        """Return the rows of the query; raise KeyError if a value is missing. Pass lists for `AnyOf`, not sets."""
        if not getattr(settings, "PREPARED_QUERIES", True):
            return self._read_plainly(values, list)
        compiler, iterable = self._statement
        return list(iterable(_CompiledQuery(compiler.with_values(values)), chunk_size=_ROWS_AT_ONCE))

    def columns(self, types: dict[str, str], **values: Any) -> dict[str, Any]:
        """Return the columns of the query as NumPy arrays by name, as `columns.fetch` does."""
        if getattr(settings, "PREPARED_QUERIES", True):
            sql, parameters = self._statement[0].with_values(values).as_sql()
            return sql_columns.fetch(sql, parameters, types)
        return self._read_plainly(values, partial(sql_columns.fetch_queryset, types=types))

    def _read_plainly(self, values: Mapping[str, Any], read: Callable[["QuerySet[Any, Any]"], Any]) -> Any:
        token = _values.set(values)
        try:
            return read(self._queryset())
        finally:
            _values.reset(token)

    @cached_property
    def _statement(self) -> "tuple[_PreparedCompiler, Any]":
        queryset = self._queryset()
        if queryset._prefetch_related_lookups:  # type: ignore[attr-defined]
            raise ValueError("a prepared query is one query: prefetched rows would be missing")
        return _PreparedCompiler(queryset.query), queryset._iterable_class


class _PreparedCompiler(SQLCompiler):
    """A compiler of Django that compiles its SQL when it is made, and later only fetches rows."""

    def __init__(self, query: Any) -> None:
        super().__init__(query, connections[DEFAULT_DB_ALIAS], using=None)
        sql, parameters = cast(tuple[str, Sequence[Any]], super().as_sql())
        self._sql = sql.replace("%%", "%%%%") % tuple(map(_as_sql, parameters))
        self._slots = [parameter for parameter in parameters if isinstance(parameter, _Slot)]
        self._parameters: Sequence[Any] = ()
        self._converters = super().get_converters([column for column, *_ in self.select[: self.col_count]])

    def with_values(self, values: Mapping[str, Any]) -> "_PreparedCompiler":
        """Return a copy for one call on the connection of this thread, without `copy.copy`, which is much slower."""
        own = object.__new__(_PreparedCompiler)
        own.__dict__.update(self.__dict__)
        own.connection = connections[DEFAULT_DB_ALIAS]
        own._parameters = [values[slot.name] for slot in self._slots]
        return own

    def as_sql(self, *_: Any, **__: Any) -> Any:
        return self._sql, self._parameters

    def execute_sql(self, *_: Any, **__: Any) -> Any:
        """Execute the statement and return all rows in one chunk."""
        return [bulk.fetch_rows(self._sql, self._parameters)]

    def get_converters(self, _: Any) -> Any:
        return self._converters


def _as_sql(parameter: Any) -> str:
    # Constants become part of the SQL: PostgreSQL's plan is for any parameters, so it would not use a partial index.
    return "%s" if isinstance(parameter, _Slot) else bulk.literal(parameter)


class _CompiledQuery:
    """A substitute for a queryset and its query, with the attributes that Django's iterables read."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: dict[Any, Any] = {}

    def __init__(self, compiler: _PreparedCompiler) -> None:
        self.query = self
        self._compiler = compiler

    def get_compiler(self, using: str | None = None) -> _PreparedCompiler:
        return self._compiler
