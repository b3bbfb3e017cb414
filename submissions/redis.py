"""Makes Redis clients. Each has its own patience: how long a Redis that hangs may keep it waiting."""

from functools import cache

import redis
from django.conf import settings


def client(*, patience_s: float) -> redis.Redis:
    """One client per address and patience in this process, for all its threads."""
    return _client(settings.REDIS_URL, patience_s)


@cache
def _client(url: str, patience_s: float) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=patience_s, socket_connect_timeout=patience_s)
