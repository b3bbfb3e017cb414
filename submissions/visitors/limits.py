"""Limit the rate of requests, counted atomically in Redis, so that all web processes share the counts.

While Redis is down nothing is limited, because accepting reports matters more than limiting them.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from ipaddress import ip_network
from math import inf
from typing import NamedTuple, TypeAlias

import redis
from django.conf import settings

from submissions.counters import PAUSE_S, outage, redis_client
from submissions.models import keys
from submissions.visitors.visitor import Visitor

logger = logging.getLogger(__name__)

# The rates of a token, and of an account, are so many times those of a network.
WITH_TOKEN = 10
# By version of IP: the prefix length of each network, and its rate as a multiple of the smallest network's rate.
# A home has an IPv6 /56, a rented server a /48, so that another address of the same network gains little.
NETWORKS = {4: ((32, 1), (24, 10)), 6: ((64, 1), (56, 10), (48, 100))}
# For so long after a login from a network, others who try the password cannot lock out logins from that network.
LOGIN_REMEMBERED_S = 90 * 86_400
BYTES_FOR_ONE = 100_000
# The longest wait for Redis. After that it is not asked for PAUSE_S.
PATIENCE_S = 0.05
# The generic cell rate algorithm (ITU-T I.371): for each bucket it stores only the time when it will be empty again.
# KEYS: buckets. ARGV: the capacity of each in seconds, then the cost for each in seconds. Returns the seconds to wait,
# or 0 if the request was counted in all of them; and the seconds until the first bucket is empty.
_GCRA = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1e6
local wait, empty = 0, {}
for place, key in ipairs(KEYS) do
    empty[place] = math.max(tonumber(redis.call('GET', key) or now), now) + ARGV[place + 1]
    wait = math.max(wait, empty[place] - now - ARGV[1])
end
if wait > 1e-6 then return string.format('%.3f %.3f', wait, empty[1] - now - ARGV[2]) end
for place, key in ipairs(KEYS) do
    redis.call('SET', key, string.format('%.6f', empty[place]), 'PX', math.ceil((empty[place] - now) * 1000))
end
return string.format('0 %.3f', empty[1] - now)
"""

# (owner, how many times the rate of a single network).
Buckets: TypeAlias = tuple[tuple[str, int], ...]


class Balance(NamedTuple):
    """The state of a visitor's rate limit `name` of `most` requests in `period_s` seconds.

    `left` requests remain, and all `most` again after `reset_s`. `wait_s` is the time to wait after a refusal.
    """

    name: str
    most: int
    period_s: int
    left: int
    reset_s: float
    wait_s: float | None


def spend(name: str, visitor: Visitor, *, cost: int = 1, subject: str = "") -> float | None:
    """Count a request as `count_request` does, and return None if it is allowed, else the seconds to wait."""
    balance = count_request(name, visitor, cost=cost, subject=subject)
    return balance.wait_s if balance else None


def count_request(name: str, visitor: Visitor, *, cost: int = 1, subject: str = "") -> Balance | None:
    """Count a request against the limit `name` of `settings.RATE_LIMITS`; return None if it is not limited.

    The request counts for the network of the visitor, for the larger networks around it, for the account, and for the
    `subject`: the account for which a password was tried. A `cost` above a whole limit counts as the whole limit.
    Requests from the server itself are not limited unless settings.LIMIT_LOOPBACK is set.
    """
    if not _is_limited(name, visitor) or outage.lasts():
        return None
    try:
        buckets = (*_own_buckets(visitor), *_buckets_of(subject, visitor))
        return _count_in_buckets(name, buckets, cost)
    except redis.RedisError as error:
        outage.begin()
        logger.warning("Redis is not reached (%s): nobody is limited for %.0f s", error, PAUSE_S)
        return None


def _count_in_buckets(name: str, buckets: Buckets, cost: int) -> Balance:
    """Count a cost in the counts of all owners (buckets), or in none if one is full. Raise redis.RedisError."""
    count, period_s = settings.RATE_LIMITS[name]
    costs = [min(cost, count * times) * period_s / (count * times) for _, times in buckets]
    taken_from = [_key(name, owner) for owner, _ in buckets]
    script = redis_client(patience_s=PATIENCE_S).register_script(_GCRA)
    wait_s, reset_s = map(float, script(keys=taken_from, args=[period_s, *costs]).split())
    limit = count * buckets[0][1]
    left = max(0, int(limit * (1 - reset_s / period_s)))
    return Balance(name, limit, period_s, left, reset_s, wait_s or None)


def largest_cost(name: str, visitor: Visitor) -> float:
    """Return the largest cost that the limit `name` allows the visitor at once; inf if nothing limits the visitor."""
    if not _is_limited(name, visitor):
        return inf
    return float(settings.RATE_LIMITS[name][0] * (WITH_TOKEN if visitor.by_token else 1))


def remember_login(subject: str, visitor: Visitor) -> None:
    """Store a login from the visitor's network, so that others who guess passwords do not lock the owner out there."""
    with suppress(redis.RedisError):
        redis_client(patience_s=PATIENCE_S).set(_login_key(subject, visitor), 1, ex=LOGIN_REMEMBERED_S)


def _is_limited(name: str, visitor: Visitor) -> bool:
    return name in settings.RATE_LIMITS and (settings.LIMIT_LOOPBACK or not visitor.is_local)


def _own_buckets(visitor: Visitor) -> Iterator[tuple[str, int]]:
    times, how = (WITH_TOKEN, "token") if visitor.by_token else (1, "page")
    for network, wider in _list_networks(visitor.network):
        yield f"{how} {network}", times * wider
    if visitor.account:
        yield f"{how} account {visitor.account.pk}", WITH_TOKEN


@lru_cache(maxsize=1024)
def _list_networks(network: str) -> tuple[tuple[str, int], ...]:
    # One person may have all addresses of these networks.
    try:
        inner = ip_network(network)
    except ValueError:  # this machine, or unknown
        return ((network, 1),)
    return tuple((str(inner.supernet(new_prefix=bits)), times) for bits, times in NETWORKS[inner.version])


def _buckets_of(subject: str, visitor: Visitor) -> Iterator[tuple[str, int]]:
    # An owner who has logged in from this network is not locked out by others.
    if subject and not redis_client(patience_s=PATIENCE_S).exists(_login_key(subject, visitor)):
        yield f"subject {subject}", 1


def _login_key(subject: str, visitor: Visitor) -> str:
    return _key("login", f"{subject} {_list_networks(visitor.network)[-1][0]}")


@lru_cache(maxsize=4096)
def _key(name: str, owner: str) -> str:
    """Return the key of a bucket in Redis: a keyed hash, because Redis must not store addresses and names."""
    return f"limit:{name}:{keys.submitter_key('limit', f'{name} {owner}')}"


def cost_of_request(headers: Mapping[str, object]) -> int:
    """Return the cost of a request for rate limits, from WSGI headers: 1, and 1 more for each 100 kB of its body."""
    length = str(headers.get("CONTENT_LENGTH") or "")
    return 1 + (int(length) // BYTES_FOR_ONE if length.isdecimal() else 0)


def explain_refusal(wait_s: float) -> str:
    """Return a sentence for a visitor who was refused by a rate limit, with the time to wait."""
    minutes = round(wait_s / 60)
    words = f"{minutes} minutes" if minutes > 1 else f"{max(1, round(wait_s))} seconds"
    return f"You have done this too often. Try again in {words}. With the token of an account you may do it more often."
