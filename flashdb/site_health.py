"""Answer whether the site can work, for health checks, a load balancer and monitoring from outside."""

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
    """Answer `{"database": true, "redis": true}`, with 503 only without a database.

    Reports are accepted without Redis, too, and a restart of the web server would not bring it back.
    """
    answers = {"database": _database_answers(), "redis": _redis_answers()}
    return JsonResponse(answers, status=200 if answers["database"] else 503)


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Tell a load balancer whether to send visitors: 503 without a database, or while it lacks a migration.

    Redis and the queue are shown and turn no visitor away: without Redis submissions are still accepted, and a long
    queue is no reason to take a web server out of service.
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
    """Return None when the database does not answer."""
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
    """Return None without a database; ages are in seconds."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(_QUEUE)
            waiting, oldest_s = cursor.fetchone() or (0, 0)
    except DatabaseError:
        return None
    return {"waiting": waiting, "oldest_waiting_s": max(0.0, round(float(oldest_s or 0), 1))}


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _redis_answers() -> bool:
    patience = {"socket_timeout": PATIENCE_S, "socket_connect_timeout": PATIENCE_S}
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **patience) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
