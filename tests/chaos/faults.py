"""Define the faults that a site must survive. A new fault is one row."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from tests.chaos.stack import Stack, kill
from tests.flashdb.supervision import descendants


def kill_one_process(part: str) -> Callable[[Stack], None]:
    """Return a fault that kills one child process of a part: a PostgreSQL backend, a pool worker or a web process."""

    def inflict(stack: Stack) -> None:
        pids = sorted(descendants(stack.children[part].pid))
        if pids:
            kill({stack.random.choice(pids)})

    return inflict


def restart(part: str) -> Callable[[Stack], None]:
    def inflict(stack: Stack) -> None:
        stack.restart(part)

    return inflict


def cut_power(stack: Stack) -> None:
    """Kill all parts and start them again, as after a power cut."""
    for part in reversed(stack.PARTS):
        stack.kill(part)
    stack.start(*stack.PARTS)


def lock_database(stack: Stack) -> None:
    """Lock the table of submissions for up to two seconds."""
    with stack.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE submissions_submission IN ACCESS EXCLUSIVE MODE")
        time.sleep(stack.random.uniform(0.2, 2))


def empty_broker(stack: Stack) -> None:
    """Pause the worker while reports come in, and restart the message broker without its tasks."""
    stack.signal("worker", signal.SIGSTOP)
    time.sleep(0.3)
    stack.restart("redis")
    stack.signal("worker", signal.SIGCONT)


def pause_worker(stack: Stack) -> None:
    """Pause the worker in the middle of its tasks, and let it continue after a moment."""
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
    "a web process is killed": kill_one_process("web"),
    "a worker process is killed": kill_one_process("worker"),
    "a database process is killed": kill_one_process("database"),
    "the power is cut": cut_power,
    "the database is slow": lock_database,
    "the broker forgets what is queued": empty_broker,
    "the worker stands still": pause_worker,
}
