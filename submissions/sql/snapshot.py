"""Read the snapshot of the whole database, and cache results until it changes: the same snapshot has the same rows."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from django.db import connection, connections, models, router

_SNAPSHOT = "SELECT concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time())"


def read_snapshot(model: type[models.Model]) -> str:
    """Return the snapshot of the database from which a Django model is read; one short query.

    Return "" within a transaction, because its snapshot does not change with its own writes.
    """
    if connection.in_atomic_block:
        return ""
    with connections[router.db_for_read(model)].cursor() as cursor:
        cursor.execute(_SNAPSHOT)
        (snapshot,) = cursor.fetchone()
    return str(snapshot)


_Asked = ParamSpec("_Asked")
_Told = TypeVar("_Told")


def keep_results(
    model: type[models.Model], *, most: int
) -> Callable[[Callable[_Asked, _Told]], Callable[_Asked, _Told]]:
    """Return a decorator that caches the last `most` results of a function until anything in the database is written.

    Each call of the function sends one short query. `model` tells the database from which the function reads.
    """

    def decorate(load: Callable[_Asked, _Told]) -> Callable[_Asked, _Told]:
        once: Callable[..., _Told] = lru_cache(maxsize=most)(
            lambda _snapshot, *args, **named: load(*args, **named)
        )

        @wraps(load)
        def load_once(*args: _Asked.args, **named: _Asked.kwargs) -> _Told:
            snapshot = read_snapshot(model)
            return once(snapshot, *args, **named) if snapshot else load(*args, **named)

        return load_once

    return decorate
