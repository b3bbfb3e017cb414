"""Read in bulk from a replica, if settings.REPLICA_URL names one, so that fits and dumps cost the primary little.

Rows of the replica may be a little older than rows of the primary, so a caller must compare before it writes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS

_alias: ContextVar[str] = ContextVar("database to read", default=DEFAULT_DB_ALIAS)


def reading_alias() -> str:
    """Return the alias (key in DATABASES) of the database from which the current block reads."""
    return _alias.get()


@contextmanager
def reading_from_replica() -> Iterator[None]:
    """Read from the replica in the block, or from the primary if there is no replica. The block must not write."""
    token = _alias.set("replica" if "replica" in settings.DATABASES else DEFAULT_DB_ALIAS)
    try:
        yield
    finally:
        _alias.reset(token)


class Router:
    """A database router of Django: reads go to `reading_alias`, and every row is written to the primary."""

    def db_for_read(self, *_: Any, **__: Any) -> str:
        return _alias.get()

    def db_for_write(self, *_: Any, **__: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, *_: Any, **__: Any) -> bool:
        return True
