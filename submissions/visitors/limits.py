"""Rate limits. Counted in Redis in one atomic step, so that they hold for any number of web processes. When Redis is
not reached, nothing is limited: taking reports matters more than counting them.
"""

import logging
import time
from functools import cache
from threading import Lock

import redis
from django.conf import settings
from redis.commands.core import Script

from submissions.counters import redis_client
from submissions.visitors.visitor import Visitor

logger = logging.getLogger(__name__)

# The rates of a token are so many times those of a network.
WITH_TOKEN = 10
# A Redis that does not answer delays one request so long; then it is not asked during the pause.
PATIENCE_S, PAUSE_S = 0.25, 5.0
# The generic cell rate algorithm (ITU-T I.371): all that is kept is when the bucket will be empty again.
# KEYS: whose bucket. ARGV: seconds one costs, seconds it holds. -> seconds to wait, 0 when it was taken.
_GCRA = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1e6
local empty = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + ARGV[1]
local wait = empty - now - ARGV[2]
if wait > 1e-6 then return string.format('%.3f', wait) end
redis.call('SET', KEYS[1], string.format('%.6f', empty), 'PX', math.ceil((empty - now) * 1000))
return '0'
"""


class Outage:
    """A pause in which no thread of this process asks Redis, after one of them got no answer."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._until = 0.0

    def begin(self) -> None:
        with self._lock:
            self._until = time.monotonic() + PAUSE_S

    def lasts(self) -> bool:
        with self._lock:
            return time.monotonic() < self._until


outage = Outage()


def spend(name: str, visitor: Visitor, *, cost: int = 1) -> float | None:
    """Count `cost` of what `settings.RATE_LIMITS` calls `name`. None: go on; else the seconds to wait before.

    All tokens of an account count together, everything else by network. Requests from the server itself are free.
    """
    if visitor.is_local or name not in settings.RATE_LIMITS or outage.lasts():
        return None
    count, period_s = settings.RATE_LIMITS[name]
    count *= WITH_TOKEN if visitor.by_token else 1
    whose = visitor.submitter if visitor.by_token else visitor.network
    try:
        wait = _take_from_bucket()(
            keys=[f"limit:{name}:{whose}"], args=[min(cost, count) * period_s / count, period_s]
        )
    except redis.RedisError as error:
        outage.begin()
        logger.warning("Redis is not reached (%s): nobody is limited for %.0f s", error, PAUSE_S)
        return None
    return float(wait) or None


def sentence(wait_s: float) -> str:
    """The refusal in words, with the time to wait."""
    minutes = round(wait_s / 60)
    words = f"{minutes} minutes" if minutes > 1 else f"{max(1, round(wait_s))} seconds"
    return (
        f"That was often enough for now: come back in {words}. An account with a token may do it more often."
    )


def _take_from_bucket() -> Script:
    """The script above, to be run on the Redis of the settings."""
    return _registered(redis_client(patience_s=PATIENCE_S))


@cache
def _registered(client: redis.Redis) -> Script:
    """Once per client: its digest need not be worked out for each request."""
    return client.register_script(_GCRA)
