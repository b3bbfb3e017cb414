"""What happens to the site. A new fault is one row."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from tests.chaos.stack import Stack, kill
from tests.flashdb.supervision import descendants


def kill_one_process_of(part: str) -> Callable[[Stack], None]:
    """One of its children: a backend of PostgreSQL, a process of the worker pool, a web process."""

    def inflict(stack: Stack) -> None:
        pids = sorted(descendants(stack.children[part].pid))
        if pids:
            kill({stack.random.choice(pids)})

    return inflict


def restart(part: str) -> Callable[[Stack], None]:
    def inflict(stack: Stack) -> None:
        stack.restart(part)

    return inflict


def everything_at_once(stack: Stack) -> None:
    """A power cut."""
    for part in reversed(stack.PARTS):
        stack.kill(part)
    stack.start(*stack.PARTS)


def slow_database(stack: Stack) -> None:
    """Nobody gets at the submissions for a while."""
    with stack.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE submissions_submission IN ACCESS EXCLUSIVE MODE")
        time.sleep(stack.random.uniform(0.2, 2))


def broker_forgets_what_is_queued(stack: Stack) -> None:
    """The worker stands still while reports come in, and the broker comes back empty."""
    stack.signal("worker", signal.SIGSTOP)
    time.sleep(0.3)
    stack.restart("redis")
    stack.signal("worker", signal.SIGCONT)


def worker_stands_still(stack: Stack) -> None:
    """With whatever it holds; then it goes on as if nothing had been."""
    stack.signal("worker", signal.SIGSTOP)
    time.sleep(stack.random.uniform(0.1, 1.5))
    with suppress(ProcessLookupError):
        os.kill(stack.children["worker"].pid, signal.SIGCONT)
    stack.signal("worker", signal.SIGCONT)


FAULTS: dict[str, Callable[[Stack], None]] = {
    "web is killed": restart("web"),
    "worker is killed": restart("worker"),
    "beat is killed": restart("beat"),
    "database is killed": restart("database"),
    "redis is killed": restart("redis"),
    "a web process is killed": kill_one_process_of("web"),
    "a worker process is killed": kill_one_process_of("worker"),
    "a database process is killed": kill_one_process_of("database"),
    "the power is cut": everything_at_once,
    "the database is slow": slow_database,
    "the broker forgets what is queued": broker_forgets_what_is_queued,
    "the worker stands still": worker_stands_still,
}
