"""What happened, counted in Redis: one account for all web processes and workers of all hosts.

Shown in Prometheus' text format beside what the database knows of the queue. A counter that starts again at nought
after a restart of Redis is what Prometheus expects; a Redis that does not answer costs a count, never a submission.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import accumulate
from time import time

import redis
from django.conf import settings
from django.db import connection
from prometheus_client import generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

logger = logging.getLogger(__name__)

_KEY = "flashdb:counters"
# name -> (what it says, label). A new counter is one row.
COUNTERS = {
    "flashdb_submissions_accepted": ("reports kept for the first time, by the way they came", "channel"),
    "flashdb_submissions_refused": ("requests refused by the API, by the code of the error", "code"),
    "flashdb_submissions_finished": ("submissions worked out, by what they came to", "state"),
    "flashdb_batches_broken": ("batches that one report or the database broke", "reason"),
}
_BATCH = "flashdb_batch_seconds"
# Upper bounds in seconds of the histogram of batches.
_BUCKETS_S = (0.01, 0.03, 0.1, 0.3, 1, 3, 10)


# Set while a wake-up call is queued that no worker has heard yet. It expires soon: a broker may lose the call.
_CALLED, _FORGOTTEN_S = "flashdb:called", 5


def count(name: str, label: str, by: int = 1) -> None:
    """Add to a counter of COUNTERS; nothing when Redis does not answer."""
    _add({_field(name, label): by})


def count_call(accepted: Mapping[str, int]) -> bool:
    """Whether a worker has yet to be called; after this, one is. One round trip, with `accepted` by channel counted.

    Raises redis.RedisError.
    """
    pipeline = _client().pipeline(transaction=False)
    for channel, by in accepted.items():
        if channel:
            pipeline.hincrbyfloat(_KEY, _field("flashdb_submissions_accepted", channel), by)
    pipeline.set(_CALLED, 1, nx=True, ex=_FORGOTTEN_S)
    return bool(pipeline.execute()[-1])


def forget_call() -> None:
    """A worker has heard the call: the next one is queued again. Nothing when Redis does not answer."""
    with suppress(redis.RedisError):
        _client().delete(_CALLED)


def _field(name: str, label: str) -> str:
    assert name in COUNTERS, name
    return f"{name}|{label}"


def note_batch(finished: Mapping[str, int], *, seconds: float) -> None:
    """How long a worker took for one batch, and how many submissions came to which state."""
    fitting = next((bound for bound in _BUCKETS_S if seconds <= bound), "+Inf")
    states = {f"flashdb_submissions_finished|{state}": by for state, by in finished.items() if by}
    _add({f"{_BATCH}|{fitting}": 1, f"{_BATCH}_sum|": seconds} | states)


def exposition() -> bytes:
    """All of it in Prometheus' text format, version 0.0.4. One query, one round trip to Redis."""
    return generate_latest(_Collector())


def _add(amounts: dict[str, float]) -> None:
    try:
        pipeline = _client().pipeline(transaction=False)
        for field, by in amounts.items():
            pipeline.hincrbyfloat(_KEY, field, by)
        pipeline.execute()
    except redis.RedisError as error:
        logger.debug("not counted: %s", error)


def _read() -> dict[str, float] | None:
    """None when Redis does not answer."""
    try:
        amounts: dict[bytes, bytes] = _client().hgetall(_KEY)  # type: ignore[assignment]
    except redis.RedisError:
        return None
    return {field.decode(): float(amount) for field, amount in amounts.items()}


def _client() -> redis.Redis:
    return redis_client(patience_s=2)


def redis_client(*, patience_s: float) -> redis.Redis:
    """One client per address and patience in this process, for all its threads: here every Redis client is made.

    `patience_s`: how long a Redis that hangs may keep the caller waiting.
    """
    return _redis_client(settings.REDIS_URL, patience_s)


@cache
def _redis_client(url: str, patience_s: float) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=patience_s, socket_connect_timeout=patience_s)


# What waits, how long the oldest does, how often broken submissions were begun. The index of what is to do answers.
_WAITING = """
    SELECT count(*), coalesce(extract(epoch FROM now() - min(received_at)), 0), count(*) FILTER (WHERE attempts > 1)
    FROM submissions_submission WHERE state = 'received'
"""


class _Collector(Collector):
    def collect(self) -> Iterator[Metric]:
        yield from _gauges()
        amounts = _read()
        yield GaugeMetricFamily("flashdb_redis_up", "whether Redis answers", value=int(amounts is not None))
        yield from (_counter(name, amounts or {}) for name in COUNTERS)
        yield _histogram(amounts or {})


def _gauges() -> Iterator[Metric]:
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        waiting, oldest_s, retried = cursor.fetchone() or (0, 0, 0)
    for name, value, meaning in (
        ("flashdb_submissions_waiting", waiting, "submissions not worked out yet"),
        ("flashdb_oldest_waiting_seconds", max(0.0, float(oldest_s)), "age of the oldest of them"),
        ("flashdb_submissions_retried", retried, "of them, begun more than once"),
        ("flashdb_scrape_time_seconds", round(time(), 3), "clock of the web server"),
    ):
        yield GaugeMetricFamily(name, meaning, value=value)


def _counter(name: str, amounts: Mapping[str, float]) -> Metric:
    meaning, label = COUNTERS[name]
    counter = CounterMetricFamily(name, meaning, labels=[label])
    for field, amount in sorted(amounts.items()):
        if field.startswith(f"{name}|"):
            counter.add_metric([field.partition("|")[2]], amount)
    return counter


def _histogram(amounts: Mapping[str, float]) -> Metric:
    bounds = [*map(str, _BUCKETS_S), "+Inf"]
    cumulated = list(accumulate(amounts.get(f"{_BATCH}|{bound}", 0) for bound in bounds))
    return HistogramMetricFamily(
        _BATCH,
        "time a worker took for one batch of submissions",
        buckets=list(zip(bounds, cumulated, strict=True)),
        sum_value=amounts.get(f"{_BATCH}_sum|", 0),
    )
