"""Read replicas: pages and lists that nobody is waiting for may come from a copy of the database.

With REPLICA_URL set, anonymous reading goes to the replica. Everything else goes to the primary: writing, workers,
commands, whoever is logged in, and whatever shows a tester what became of their own report, which must not lag behind.
A replica that is lost costs one more try: the primary answers, and for PAUSE_S nobody asks the replica again.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.models import Model
from django.http import HttpRequest, HttpResponse

REPLICA = "replica"
PAUSE_S = 5.0
# Here people look at what they have just written.
_OWN = (
    "/submissions/",
    "/api/v1/submissions/",
    "/account/",
    "/admin/",
    "/submit/",
    "/health/",
    "/ready/",
    "/metrics/",
)
_reading: ContextVar[bool] = ContextVar("reading_from_a_replica", default=False)


class ReplicaRouter:
    """Where a query goes. Only within a request that `ReadFromReplica` has marked is it the replica."""

    def db_for_read(self, model: type[Model], **_: Any) -> str | None:
        return REPLICA if _reading.get() else None

    def allow_relation(self, *_: Any, **__: Any) -> bool:
        return True

    def allow_migrate(self, db: str, *_: Any, **__: Any) -> bool:
        return db != REPLICA


class ReadFromReplica:
    """Middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._lost_until = 0.0

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not self._may_lag(request):
            return self.get_response(request)
        if _is_lost():
            self._lost_until = time.monotonic() + PAUSE_S
            return self.get_response(request)
        with _from_replica():
            response = self.get_response(request)
        if response.status_code < 500:
            return response
        if _is_lost():
            self._lost_until = time.monotonic() + PAUSE_S
        return self.get_response(request)

    def _may_lag(self, request: HttpRequest) -> bool:
        return (
            REPLICA in settings.DATABASES
            and request.method in ("GET", "HEAD")
            and time.monotonic() >= self._lost_until
            and settings.SESSION_COOKIE_NAME not in request.COOKIES
            and "Authorization" not in request.headers
            and not request.path.startswith(_OWN)
        )


@contextmanager
def _from_replica() -> Iterator[None]:
    token = _reading.set(True)
    try:
        yield
    finally:
        _reading.reset(token)


def _is_lost() -> bool:
    """Asks it: a connection that was kept may lead to a server that is gone."""
    connection = connections[REPLICA]
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        connection.close()
        return True
    return False
