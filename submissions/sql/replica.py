"""Read in bulk from a replica, if settings.REPLICA_URL names one, so that fits and dumps cost the primary little.

These rows may be a little older than those of the primary, so a caller must compare before it writes anything by them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS

_alias: ContextVar[str] = ContextVar("database to read", default=DEFAULT_DB_ALIAS)


def reading_alias() -> str:
    """Return the alias of the database that answers queries here."""
    return _alias.get()


@contextmanager
def reading_from_replica() -> Iterator[None]:
    """Read from the replica in the block, or from the primary without one. The block must not write."""
    token = _alias.set("replica" if "replica" in settings.DATABASES else DEFAULT_DB_ALIAS)
    try:
        yield
    finally:
        _alias.reset(token)


class Router:
    """Django's router: querysets are read where this block reads, and every row is written to the primary."""

    def db_for_read(self, *_: Any, **__: Any) -> str:
        return _alias.get()

    def db_for_write(self, *_: Any, **__: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, *_: Any, **__: Any) -> bool:
        return True
