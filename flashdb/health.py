"""Is the site able to work? For the health check of a container and for whoever watches from outside."""

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

PATIENCE_S = 2


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """`{"database": true, "redis": true}` with 200; with 503 when one of them is false."""
    answers = {"database": _database_answers(), "redis": _redis_answers()}
    return JsonResponse(answers, status=200 if all(answers.values()) else 503)


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
