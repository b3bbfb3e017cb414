"""PostgreSQL's advisory locks, and the order in which all locks are taken.

Workers never wait for each other in a ring, because every transaction takes its locks in this order:

    1 NAMES_LOCK
    2 submissions, by id; then results, by the least number of each
    3 what is new: models by slug, silicon, cards by key. A row that is inserted is locked until its transaction ends
    4 cards, by key
    5 new hosts, then new former slugs, each sorted
    6 models, by id
    7 new words, sorted

REFIT_LOCK and DUMP_LOCK are held by a session, and taken before any of these. For DESCRIBE_LOCK nobody waits.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection

from submissions.sql import bulk

# Each number is any that stands for nothing else.
# Which names lead to which model: shared by all who file cards, exclusive for a correction or a full fit.
NAMES_LOCK = 7_270_153
# The full fit: one at a time.
REFIT_LOCK = 7_270_154
# Describing models: one worker at a time, so that others are left for new reports.
DESCRIBE_LOCK = 7_270_155
# The directory of dumps: one is written at a time.
DUMP_LOCK = 4_827_113


def hold(lock: int, *, exclusive: bool) -> None:
    """Wait for the lock and keep it until the transaction ends. Shared, it may be held by several at once."""
    function = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    bulk.asked(f"SELECT {function}(%s)", [lock])


def hold_each(numbers: Iterable[int]) -> None:
    """Wait for a lock of each of these numbers, ascending, and keep them until the transaction ends; one query."""
    if ascending := sorted(set(numbers)):
        bulk.asked("SELECT pg_advisory_xact_lock(n) FROM unnest(%s::bigint[]) AS n", [ascending])


def take(lock: int) -> bool:
    """Whether the lock is ours until the transaction ends; False at once while another one holds it."""
    ((is_ours,),) = bulk.asked("SELECT pg_try_advisory_xact_lock(%s)", [lock])
    return bool(is_ours)


@contextmanager
def held_alone(lock: int) -> Iterator[bool]:
    """Yields whether the lock is ours within the block; False at once while another session holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [lock])
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [lock])
