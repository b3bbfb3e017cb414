"""Take PostgreSQL's advisory locks, in the order in which all locks are taken.

Workers never deadlock, because every transaction takes its locks in this order:

    1 NAMES_LOCK
    2 submissions, by id; then results, by the lowest fingerprint of each
    3 new rows: models by slug, variants, cards by key. A row that is inserted is locked until its transaction ends
    4 cards, by key
    5 new hosts, then new former slugs, each sorted
    6 models, by id
    7 new words, sorted

REFIT_LOCK and the locks of files are held by a session and taken first. No worker waits for DESCRIBE_LOCK: a worker
that does not get it skips the work.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection

from submissions.sql import bulk

# The numbers have no meaning; they only differ.
# The names of models: shared to file cards, exclusive for a correction or a full fit.
NAMES_LOCK = 7_270_153
# The full fit: one at a time.
REFIT_LOCK = 7_270_154
# Describing models: one worker at a time, so that others are left for new reports.
DESCRIBE_LOCK = 7_270_155
# Files that the site gives out: one host makes those of a kind.
DUMP_LOCK, MIRROR_LOCK, CLIENT_LOCK = 4_827_113, 4_827_114, 4_827_115


def hold(lock: int, *, exclusive: bool) -> None:
    """Wait for an advisory lock and keep it until the transaction ends. Unless `exclusive`, others may share it."""
    function = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    bulk.fetch_rows(f"SELECT {function}(%s)", [lock])


def hold_each(numbers: Iterable[int]) -> None:
    """Wait for an advisory lock of each number, ascending, and keep all until the transaction ends; one query."""
    if ascending := sorted(set(numbers)):
        bulk.fetch_rows("SELECT pg_advisory_xact_lock(n) FROM unnest(%s::bigint[]) AS n", [ascending])


def try_hold(lock: int) -> bool:
    """Take an advisory lock until the transaction ends, or return False at once if another transaction holds it."""
    ((is_ours,),) = bulk.fetch_rows("SELECT pg_try_advisory_xact_lock(%s)", [lock])
    return bool(is_ours)


@contextmanager
def try_hold_for_session(lock: int) -> Iterator[bool]:
    """Take an advisory lock for the block and yield True, or yield False at once if another session holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [lock])
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [lock])
