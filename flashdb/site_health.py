"""Report whether the site works, for health checks, load balancers and monitoring."""

from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

PATIENCE_S = 0.25


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Answer `{"database": true, "redis": true}`, with 503 if the database is down.

    Without Redis reports are still accepted, and a restart of the web server would not help.
    """
    answers = {"database": _ask_database("SELECT 1") is not None, "redis": _redis_answers()}
    return JsonResponse(answers, status=200 if answers["database"] else 503)


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 503 if the database is down or lacks a migration, so that a load balancer sends no visitors here.

    The answer also shows Redis and the queue, which do not change its status: without Redis, or with a long queue,
    submissions are still accepted.
    """
    migrated = _missing_migrations()
    answers: dict[str, Any] = {
        "database": migrated is not None,
        "missing_migrations": migrated or [],
        "redis": _redis_answers(),
        "queue": _measure_queue(),
    }
    return JsonResponse(answers, status=200 if migrated == [] else 503)


def _missing_migrations() -> list[str] | None:
    """Return the names of missing migrations, but None if the database does not answer."""
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return None
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


_QUEUE = """
    SELECT count(*), extract(epoch FROM now() - min(received_at)) FROM submissions_submission WHERE state = 'received'
"""


def _measure_queue() -> dict[str, float] | None:
    """Return the number of waiting submissions and the age of the oldest in seconds; None if the database is down."""
    answer = _ask_database(_QUEUE)
    if answer is None:
        return None
    waiting, oldest_s = answer
    return {"waiting": waiting, "oldest_waiting_s": max(0.0, round(float(oldest_s or 0), 1))}


def _ask_database(query: str) -> Any:
    """Return the first row of the result of a query, but None if the database does not answer."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchone()
    except DatabaseError:
        return None


def _redis_answers() -> bool:
    patience = {"socket_timeout": PATIENCE_S, "socket_connect_timeout": PATIENCE_S}
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **patience) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
