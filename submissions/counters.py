"""What happened, counted in Redis: one account for all web processes and workers of all hosts.

Shown in Prometheus' text format beside what the database knows of the queue. A counter that starts again at nought
after a restart of Redis is what Prometheus expects; a Redis that does not answer costs a count, never a submission.
"""

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import accumulate
from threading import Lock, local
from types import MappingProxyType
from typing import Any

import redis
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from hiredis import pack_command
from kombu.exceptions import OperationalError as BrokerError
from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.connection import ConnectionInterface

logger = logging.getLogger(__name__)

_KEY, _TIMES = "flashdb:counters", "flashdb:times"
# name -> (what it says, label). A new counter is one row.
COUNTERS = {
    "flashdb_submissions_accepted": ("reports kept for the first time, by the way they came", "channel"),
    "flashdb_submissions_refused": ("requests refused by the API, by the code of the error", "code"),
    "flashdb_submissions_finished": ("submissions worked out, by what they came to", "state"),
    "flashdb_batches_broken": ("batches that one report or the database broke", "reason"),
    "flashdb_requests": ("requests answered, by the first digit of the status", "status"),
}
# name -> what it says. Their upper bounds in seconds follow.
HISTOGRAMS = {
    "flashdb_batch_seconds": "time a worker took for one batch of submissions",
    "flashdb_request_seconds": "time until an answer began",
}
_BUCKETS_S = (0.01, 0.03, 0.1, 0.3, 1, 3, 10)
# name -> what it is the time of. Each is written by `note_time`; the fit's stands in the database.
TIMES = {
    "flashdb_sweep_time_seconds": "when the last sweep ended, which a beat asks for",
    "flashdb_dump_time_seconds": "when the newest dump was complete",
}

# How long a Redis that hangs may keep a request waiting for a count, and how long it is then not asked again.
PATIENCE_S, PAUSE_S = 0.05, 5.0
_SEND_EVERY_S, _PATIENCE_OF_READERS_S = 1.0, 0.25


# Set while a call is queued that no worker has heard yet: that something waits, or is to be judged. They expire soon: a
# broker may lose the call.
WORKER, JUDGE = "flashdb:called", "flashdb:judge"
_FORGOTTEN_S = 5
_NOTHING: Mapping[str, int] = MappingProxyType({})
# How far workers are behind, in seconds. It expires: while no worker says so, nobody waits for them.
_LAG, _LAG_LASTS_S = "flashdb:lag", 10


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


class Tally:
    """What this process has counted and not sent yet."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._amounts: Counter[str] = Counter()
        self._sent_at = 0.0

    def add(self, amounts: Mapping[str, float]) -> dict[str, float]:
        """Adds them; about once a second it returns all there is, to be sent."""
        with self._lock:
            for field, by in amounts.items():
                self._amounts[field] += by  # type: ignore[assignment]
            if time.monotonic() - self._sent_at < _SEND_EVERY_S:
                return {}
            taken, self._amounts, self._sent_at = self._amounts, Counter(), time.monotonic()
            return dict(taken)


outage, _requests = Outage(), Tally()


class CountRequests:
    """Middleware: status and time of every answer. One request a second brings them to Redis."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        response = self.get_response(request)
        amounts = _in_bucket("flashdb_request_seconds", time.monotonic() - began)
        if due := _requests.add(amounts | {f"flashdb_requests|{response.status_code // 100}xx": 1}):
            _add(due)
        return response


def count(name: str, label: str, by: int = 1) -> None:
    """Add to a counter of COUNTERS; nothing when Redis does not answer."""
    _add({_field(name, label): by})


def call_once(call: str, queue: Callable[[], object], accepted: Mapping[str, int] = _NOTHING) -> float:
    """Queue a call of a worker, unless the same call waits in the queue already. Return the lag of the workers in s.

    `accepted` counts the submissions that came just now by channel; under "" those that were there already. When the
    broker does not answer, the lag is 0 and the sweep wakes a worker later.
    """
    try:
        is_new, lag_s = _count_call(call, accepted)
        if is_new:
            queue()
    except (BrokerError, redis.RedisError) as error:
        logger.warning("the broker is not reached (%s); what waits is found by the sweep", error)
        return 0.0
    return lag_s


def _count_call(call: str, accepted: Mapping[str, int]) -> tuple[bool, float]:
    """One round trip. Raises redis.RedisError."""
    pipeline = _client().pipeline(transaction=False)
    for channel, by in accepted.items():
        if channel:
            pipeline.hincrbyfloat(_KEY, _field("flashdb_submissions_accepted", channel), by)
    pipeline.get(_LAG)
    pipeline.set(call, 1, nx=True, ex=_FORGOTTEN_S)
    *_, lag_s, is_new = pipeline.execute()
    return bool(is_new), float(lag_s or 0)


def note_lag(seconds: float) -> None:
    """How long what a worker begins now has waited. Nothing when Redis does not answer."""
    with suppress(redis.RedisError):
        _client().set(_LAG, seconds, ex=_LAG_LASTS_S)


def forget_call(call: str = WORKER) -> None:
    """A worker has heard the call: the next one is queued again. Nothing when Redis does not answer."""
    with suppress(redis.RedisError):
        _client().delete(call)


def _field(name: str, label: str) -> str:
    assert name in COUNTERS, name
    return f"{name}|{label}"


def note_batch(finished: Mapping[str, int], *, seconds: float) -> None:
    """How long a worker took for one batch, and how many submissions came to which state."""
    states = {f"flashdb_submissions_finished|{state}": by for state, by in finished.items() if by}
    _add(_in_bucket("flashdb_batch_seconds", seconds) | states)


def _in_bucket(name: str, seconds: float) -> dict[str, float]:
    fitting = next((bound for bound in _BUCKETS_S if seconds <= bound), "+Inf")
    return {f"{name}|{fitting}": 1, f"{name}_sum|": seconds}


def note_time(name: str, at: float) -> None:
    """Remember when something happened last; `name`: of TIMES. Nothing when Redis does not answer."""
    assert name in TIMES, name
    with suppress(redis.RedisError):
        _client().hset(_TIMES, name, at)


def exposition() -> bytes:
    """All of it in Prometheus' text format, version 0.0.4. One query, one round trip to Redis."""
    return generate_latest(_Collector())


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


def _read() -> dict[str, float] | None:
    """Counts and times. None when Redis does not answer."""
    if outage.lasts():
        return None
    try:
        pipeline = redis_client(patience_s=_PATIENCE_OF_READERS_S).pipeline(transaction=False)
        pipeline.hgetall(_KEY)
        pipeline.hgetall(_TIMES)
        both: list[dict[bytes, bytes]] = pipeline.execute()
    except redis.RedisError:
        return None
    return {field.decode(): float(amount) for amounts in both for field, amount in amounts.items()}


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


def ask_redis(*command: str | float, patience_s: float) -> Any:
    """The answer to one command, on a line that this thread keeps: to take one from the pool costs more than to ask.

    Raises redis.RedisError.
    """
    line = _line(settings.REDIS_URL, patience_s)
    try:
        return _answer(line, command)
    except redis.ConnectionError:  # Redis was restarted, or hung up: once more on a new line
        return _answer(line, command)


def _answer(line: ConnectionInterface, command: tuple[str | float, ...]) -> Any:
    packed = pack_command(command)  # type: ignore[arg-type]  # its stub knows tuples of one
    line.send_packed_command([packed])
    return line.read_response()


class _Lines(local):
    """Of one thread. A process that was forked shares none with its parent, so its number is part of the key."""

    def __init__(self) -> None:
        self.open: dict[tuple[int, str, float], ConnectionInterface] = {}


_lines = _Lines()


def _line(url: str, patience_s: float) -> ConnectionInterface:
    key = os.getpid(), url, patience_s
    if key not in _lines.open:
        _lines.open[key] = _redis_client(url, patience_s).connection_pool.make_connection()
    return _lines.open[key]


# What waits, how long the oldest does, how often broken submissions were begun, when the last full fit was made.
_WAITING = """
    SELECT count(*), coalesce(extract(epoch FROM now() - min(received_at)), 0), count(*) FILTER (WHERE attempts > 1),
        coalesce((SELECT extract(epoch FROM max(made_at)) FROM submissions_fit), 0)
    FROM submissions_submission WHERE state = 'received'
"""


class _Collector(Collector):
    def collect(self) -> Iterator[Metric]:
        yield from _gauges()
        amounts = _read()
        yield GaugeMetricFamily("flashdb_redis_up", "whether Redis answers", value=int(amounts is not None))
        for name, meaning in TIMES.items():
            yield GaugeMetricFamily(name, f"{meaning}; 0: not known", value=(amounts or {}).get(name, 0))
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
        sum_value=amounts.get(f"{name}_sum|", 0),
    )
