"""Count events of the processes of all hosts in one hash of Redis, and show the counts to Prometheus.

The multiprocess mode of prometheus-client shares files, which web servers and workers on other hosts or in other
containers cannot see. A restart of Redis resets the counters, which Prometheus expects; an outage loses counts only.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import Any

import redis
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin
from kombu.exceptions import OperationalError as BrokerError
from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

_KEY = "flashdb:counters"
# name -> (help text, label). A new counter is one row.
COUNTERS = {
    "flashdb_submissions_accepted": ("new reports by channel", "channel"),
    "flashdb_submissions_refused": ("requests that the API refused, by code of the error", "code"),
    "flashdb_submissions_finished": ("processed submissions by their new state", "state"),
    "flashdb_batches_broken": ("batches that one report or the database broke", "reason"),
    "flashdb_requests": ("answered requests by first digit of the status", "status"),
}
# name -> help text.
HISTOGRAMS = {
    "flashdb_batch_seconds": "time of a worker for one batch of submissions",
    "flashdb_request_seconds": "time until an answer began",
}
_BUCKETS_S = (0.01, 0.03, 0.1, 0.3, 1, 3, 10)
# name -> help text. The database knows the time of the last fit.
TIMES = {
    "flashdb_sweep_time_seconds": "end of the last sweep, which a beat asks for",
    "flashdb_dump_time_seconds": "completion of the newest dump",
}

# A Redis that hangs delays one request by PATIENCE_S; then this process does not ask it for PAUSE_S.
PATIENCE_S, PAUSE_S = 0.05, 5.0
_PATIENCE_OF_READERS_S = 0.25

# Set while a call waits in the queue that no worker has started. They expire, because a broker may lose the call.
WORKER, JUDGE = "flashdb:called", "flashdb:judge"
_CALL_LASTS_S = 5
_NOTHING: Mapping[str, int] = MappingProxyType({})
# How many seconds the workers are behind. It expires, because workers that do not run are not behind.
_LAG, _LAG_LASTS_S = "flashdb:lag", 10


class Outage:
    """A pause in which no thread of this process asks Redis, because Redis did not answer one of them."""

    _until = 0.0

    def begin(self) -> None:
        """Start the pause of PAUSE_S seconds."""
        self._until = time.monotonic() + PAUSE_S

    def lasts(self) -> bool:
        """Return whether the pause has not ended yet."""
        return time.monotonic() < self._until


outage = Outage()


class CountRequests(MiddlewareMixin):
    """Middleware that counts every answer by status and time, in one round trip to Redis."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        response: HttpResponse = self.get_response(request)
        status = {f"flashdb_requests|{response.status_code // 100}xx": 1}
        _add(_observe("flashdb_request_seconds", time.monotonic() - began) | status)
        return response


def count_event(name: str, label: str) -> None:
    """Add one to a counter of COUNTERS; do nothing when Redis does not answer."""
    assert name in COUNTERS, name
    _add({f"{name}|{label}": 1})


def call_once(call: str, queue: Callable[[], object], accepted: Mapping[str, int] = _NOTHING) -> float:
    """Queue a call of a worker unless the call waits in the queue already. Return the lag of the workers in seconds.

    `accepted` has the number of new submissions by channel, and of known submissions under "". If the broker does not
    answer, the lag is 0, and the sweep (a periodic task) wakes a worker later.
    """
    try:
        is_new, lag_s = _note_call(call, accepted)
        if is_new:
            queue()
    except (BrokerError, redis.RedisError) as error:
        logger.warning("the broker is not reached (%s); what waits is found by the sweep", error)
        return 0.0
    return lag_s


def _note_call(call: str, accepted: Mapping[str, int]) -> tuple[bool, float]:
    """Return whether the call is not queued yet, and the lag in seconds. Raise redis.RedisError; one round trip."""
    pipeline = redis_client(patience_s=2).pipeline(transaction=False)
    for channel, by in accepted.items():
        if channel:
            pipeline.hincrbyfloat(_KEY, f"flashdb_submissions_accepted|{channel}", by)
    pipeline.get(_LAG)
    pipeline.set(call, 1, nx=True, ex=_CALL_LASTS_S)
    *_, lag_s, is_new = pipeline.execute()
    return bool(is_new), float(lag_s or 0)


def note_lag(seconds: float) -> None:
    """Store the lag: the seconds that the submissions of the next batch have waited; do nothing without Redis."""
    with suppress(redis.RedisError):
        redis_client(patience_s=2).set(_LAG, seconds, ex=_LAG_LASTS_S)


def forget_call(call: str = WORKER) -> None:
    """Allow `call` to be queued again, because a worker has started it; do nothing without Redis."""
    with suppress(redis.RedisError):
        redis_client(patience_s=2).delete(call)


def note_batch(finished: Mapping[str, int], *, seconds: float) -> None:
    """Count the time of a worker for one batch of submissions, and the submissions by state."""
    states = {f"flashdb_submissions_finished|{state}": by for state, by in finished.items() if by}
    _add(_observe("flashdb_batch_seconds", seconds) | states)


def note_time(name: str, at: float) -> None:
    """Store the time at which an event of TIMES happened last; do nothing without Redis."""
    assert name in TIMES, name
    with suppress(redis.RedisError):
        redis_client(patience_s=2).hset(_KEY, name, at)


def render_metrics() -> bytes:
    """Return all metrics in Prometheus' text format 0.0.4, with one query and one round trip to Redis."""
    return generate_latest(_Collector())


def _observe(name: str, seconds: float) -> dict[str, float]:
    bucket = next((bound for bound in _BUCKETS_S if seconds <= bound), "+Inf")
    return {f"{name}|{bucket}": 1, f"{name}_sum": seconds}


def _add(amounts: Mapping[str, float]) -> None:
    if outage.lasts():
        return
    try:
        pipeline = redis_client(patience_s=PATIENCE_S).pipeline(transaction=False)
        for field, by in amounts.items():
            pipeline.hincrbyfloat(_KEY, field, by)
        pipeline.execute()
    except redis.RedisError as error:
        outage.begin()
        logger.debug("not counted: %s", error)


def _read_amounts() -> dict[str, float] | None:
    """Return the count of every field of the hash; None, not zeros, if Redis does not answer."""
    if outage.lasts():
        return None
    try:
        amounts: Any = redis_client(patience_s=_PATIENCE_OF_READERS_S).hgetall(_KEY)
    except redis.RedisError:
        return None
    return {field.decode(): float(amount) for field, amount in amounts.items()}


def redis_client(*, patience_s: float) -> redis.Redis:
    """Return the Redis client of this process with this patience; every Redis client is made here.

    `patience_s`: the longest time that a Redis that hangs keeps the caller waiting.
    """
    return _make_client(settings.REDIS_URL, patience_s)


@cache
def _make_client(url: str, patience_s: float) -> redis.Redis:
    # A restarted Redis has closed its connections, so a command is repeated once; a timeout is not.
    retry = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
    return redis.Redis.from_url(
        url, socket_timeout=patience_s, socket_connect_timeout=patience_s, retry=retry
    )


# Count, age of the oldest and retried ones of the waiting submissions, and the time of the last full fit.
_WAITING = """
    SELECT count(*), coalesce(extract(epoch FROM now() - min(received_at)), 0), count(*) FILTER (WHERE attempts > 1),
        coalesce((SELECT extract(epoch FROM max(made_at)) FROM submissions_fit), 0)
    FROM submissions_submission WHERE state = 'received'
"""


class _Collector(Collector):
    def collect(self) -> Iterator[Metric]:
        yield from _gauges()
        amounts = _read_amounts()
        yield GaugeMetricFamily("flashdb_redis_up", "whether Redis answers", value=int(amounts is not None))
        for name, meaning in TIMES.items():
            yield GaugeMetricFamily(name, f"{meaning}; 0: unknown", value=(amounts or {}).get(name, 0))
        yield from (_counter(name, amounts or {}) for name in COUNTERS)
        yield from (_histogram(name, amounts or {}) for name in HISTOGRAMS)


def _gauges() -> Iterator[Metric]:
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        waiting, oldest_s, retried, fit_at = cursor.fetchone() or (0, 0, 0, 0)
    for name, value, meaning in (
        ("flashdb_submissions_waiting", waiting, "submissions not worked out yet"),
        ("flashdb_oldest_waiting_seconds", max(0.0, float(oldest_s)), "age of the oldest of them"),
        ("flashdb_submissions_retried", retried, "of them, begun more than once"),
        ("flashdb_fit_time_seconds", round(float(fit_at), 3), "when the last full fit was made; 0: never"),
        ("flashdb_scrape_time_seconds", round(time.time(), 3), "clock of the web server"),
    ):
        yield GaugeMetricFamily(name, meaning, value=value)


def _counter(name: str, amounts: Mapping[str, float]) -> Metric:
    meaning, label = COUNTERS[name]
    counter = CounterMetricFamily(name, meaning, labels=[label])
    for field, amount in sorted(amounts.items()):
        if field.startswith(f"{name}|"):
            counter.add_metric([field.partition("|")[2]], amount)
    return counter


def _histogram(name: str, amounts: Mapping[str, float]) -> Metric:
    bounds = [*map(str, _BUCKETS_S), "+Inf"]
    cumulated = list(accumulate(amounts.get(f"{name}|{bound}", 0) for bound in bounds))
    return HistogramMetricFamily(
        name,
        HISTOGRAMS[name],
        buckets=list(zip(bounds, cumulated, strict=True)),
        sum_value=amounts.get(f"{name}_sum", 0),
    )
