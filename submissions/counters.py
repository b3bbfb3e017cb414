"""What happened, counted in Redis: one account for all web processes and workers of all hosts.

Shown in Prometheus' text format beside what the database knows of the queue. A counter that starts again at nought
after a restart of Redis is what Prometheus expects; a Redis that does not answer costs a count, never a submission.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from time import time

import redis
from django.db import connection

from submissions.redis import client

logger = logging.getLogger(__name__)

_KEY = "flashdb:counters"
# name -> (type, what it says, label). A new counter is one row.
COUNTERS = {
    "flashdb_submissions_accepted": (
        "counter",
        "reports kept for the first time, by the way they came",
        "channel",
    ),
    "flashdb_submissions_refused": (
        "counter",
        "requests refused by the API, by the code of the error",
        "code",
    ),
    "flashdb_submissions_finished": ("counter", "submissions worked out, by what they came to", "state"),
    "flashdb_batches_broken": ("counter", "batches that one report or the database broke", "reason"),
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


def exposition() -> str:
    """All of it in Prometheus' text format, version 0.0.4. One query, one round trip to Redis."""
    return "\n".join((*_gauges(), *_counted(_read()))) + "\n"


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
        known: dict[bytes, bytes] = _client().hgetall(_KEY)  # type: ignore[assignment]
    except redis.RedisError:
        return None
    return {field.decode(): float(amount) for field, amount in known.items()}


def _client() -> "redis.Redis":
    return client(patience_s=2)


# What waits, how long the oldest does, how often broken submissions were begun. The index of what is to do answers.
_WAITING = """
    SELECT count(*), coalesce(extract(epoch FROM now() - min(received_at)), 0), count(*) FILTER (WHERE attempts > 1)
    FROM submissions_submission WHERE state = 'received'
"""


def _gauges() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        waiting, oldest_s, retried = cursor.fetchone() or (0, 0, 0)
    yield from _metric(
        "flashdb_submissions_waiting", "gauge", "submissions not worked out yet", {"": waiting}
    )
    yield from _metric(
        "flashdb_oldest_waiting_seconds",
        "gauge",
        "age of the oldest of them",
        {"": max(0.0, float(oldest_s))},
    )
    yield from _metric("flashdb_submissions_retried", "gauge", "of them, begun more than once", {"": retried})
    yield from _metric(
        "flashdb_scrape_time_seconds", "gauge", "clock of the web server", {"": round(time(), 3)}
    )


def _counted(known: dict[str, float] | None) -> Iterator[str]:
    yield from _metric("flashdb_redis_up", "gauge", "whether Redis answers", {"": int(known is not None)})
    for name, (kind, told, label) in COUNTERS.items():
        of_name = {
            f'{{{label}="{field.partition("|")[2]}"}}': amount
            for field, amount in sorted((known or {}).items())
            if field.startswith(f"{name}|")
        }
        yield from _metric(f"{name}_total", kind, told, of_name)
    yield from _histogram(known or {})


def _histogram(known: dict[str, float]) -> Iterator[str]:
    yield f"# HELP {_BATCH} time a worker took for one batch of submissions"
    yield f"# TYPE {_BATCH} histogram"
    cumulated = 0.0
    for bound in (*map(str, _BUCKETS_S), "+Inf"):
        cumulated += known.get(f"{_BATCH}|{bound}", 0)
        yield f'{_BATCH}_bucket{{le="{bound}"}} {cumulated:g}'
    yield f"{_BATCH}_sum {known.get(f'{_BATCH}_sum|', 0):g}"
    yield f"{_BATCH}_count {cumulated:g}"


def _metric(name: str, kind: str, told: str, values: dict[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values.items():
        yield f"{name}{labels} {value!r}"
