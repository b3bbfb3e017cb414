"""Run a whole live site of real processes; each can be killed at any moment and started again."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from secrets import token_hex

import psycopg

from flashdb.local_services import LocalServicesError
from flashdb.local_services.binaries import find_postgres, find_redis
from flashdb.local_services.children import Child, spawn, stop
from flashdb.local_services.places import choose_place, claim, temporary_state
from flashdb.local_services.postgres import postgres
from flashdb.local_services.redis import redis
from flashdb.local_services.service_user import change_owner
from tests.flashdb.supervision import descendants

PROJECT = Path(__file__).parents[2]
PATIENCE_S = int(os.environ.get("PATIENCE_S") or 90)  # more where the machine does other work, too
CLOCK = PROJECT / "tests" / "chaos" / "clock"
CLEAN = "clean"
SETTINGS = {
    "DEBUG": "False",
    "SECRET_KEY": token_hex(32),
    "IDENTITY_SECRET": token_hex(32),
    "ALLOWED_HOSTS": "127.0.0.1",
    "SECURE_COOKIES": "False",
    "SWEEP_S": "1",
    "RATE_LIMITS": "off",
    "PYTHONPATH": os.pathsep.join([str(CLOCK), str(PROJECT), str(PROJECT / "client")]),
}


class Stack:
    """A whole site of real processes. PARTS: its parts in the order of their start.

    `disk`: the folder for the files of the database, if it is not in `state`.
    """

    PARTS: tuple[str, ...] = ("database", "redis", "web", "worker", "beat")
    SERVERS: tuple[str, ...] = ("database", "redis")
    JUDGING: tuple[str, ...] = ("beat", "worker")
    clock_shifts_s: tuple[int, ...] = (0, 86_400, -86_400)

    def __init__(self, state: Path, *, random: Random, disk: Path | None = None) -> None:
        self.random = random
        self.state = state
        self.place = choose_place(state)
        if disk:
            change_owner(disk, self.place.user)
            self.place = self.place._replace(home=disk)
        self.environment = {**os.environ, **SETTINGS}
        self.children: dict[str, Child] = {}
        self.ended_by_themselves: Counter[str] = Counter()
        self._running: dict[str, ExitStack] = {}
        self.url = free_url()

    def start(self, *parts: str) -> None:
        for part in parts:
            entered = ExitStack()
            self.children[part] = self._enter_part(part, entered)
            self._running[part] = entered

    def _enter_part(self, part: str, entered: ExitStack) -> Child:
        # After PostgreSQL is killed, its backends need a moment to notice and end.
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return entered.enter_context(self._part(part))
            except LocalServicesError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def kill(self, part: str) -> None:
        """Kill a part and its children, as the kernel does when memory runs out."""
        child = self.children[part]
        kill({child.pid, *descendants(child.pid)})
        child.wait(timeout=PATIENCE_S)
        self._running.pop(part).close()

    def restart(self, part: str) -> None:
        self.kill(part)
        self.start(part)

    def restart_ended_parts(self) -> None:
        """Start every part again that ended by itself, as `restart: unless-stopped` does in docker compose."""
        for part, child in list(self.children.items()):
            if child.poll() is not None and part in self._running:
                self.ended_by_themselves[part] += 1
                self._running.pop(part).close()
                self.start(part)

    def close(self) -> None:
        """Stop all parts; only the database and Redis get time to finish."""
        for part in reversed(self.PARTS):
            if part not in self.SERVERS and part in self._running:
                self.kill(part)
            elif part in self._running:
                self._running.pop(part).close()

    def signal(self, part: str, signum: signal.Signals) -> None:
        child = self.children[part]
        for pid in {child.pid, *descendants(child.pid)}:
            with suppress(ProcessLookupError):
                os.kill(pid, signum)

    def manage(self, *arguments: str, database_url: str = "") -> None:
        environment = self.environment | ({"DATABASE_URL": database_url} if database_url else {})
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health/", timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def connect(self) -> psycopg.Connection:
        """Connect to the database, waiting while it recovers; return the connection."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return psycopg.connect(self.environment["DATABASE_URL"], autocommit=True)
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def eventually(self, condition: Callable[[], object], what: str) -> None:
        """Wait until a condition of the live site holds. The time limit only ends a test that has failed anyway."""
        deadline = time.monotonic() + PATIENCE_S
        while not holds(condition):
            assert time.monotonic() < deadline, f"not within {PATIENCE_S} s: {what}"
            self.restart_ended_parts()
            time.sleep(0.05)

    def count(self, condition: str = "true") -> int:
        """Return the number of submissions for which an SQL condition holds."""
        with self.connect() as connection:
            row = connection.execute(
                f"SELECT count(*) FROM submissions_submission WHERE {condition}"
            ).fetchone()
        return int(row[0]) if row else 0

    def _part(self, part: str) -> AbstractContextManager[Child]:
        match part:
            case "database":
                return self._database()
            case "redis":
                return self._redis()
            case "web":
                return self._web(self.url)
            case "worker":
                return self._worker("worker")
            case _:
                beat = ["beat", "--loglevel", "warning", "--pidfile", ""]
                return self._python("beat", "celery", "-A", "flashdb", *beat)

    @contextmanager
    def _database(self) -> Iterator[Child]:
        with postgres(self.place, find_postgres(self.place.user), durable=True) as (url, child):
            self.environment["DATABASE_URL"] = url
            yield child

    @contextmanager
    def _redis(self) -> Iterator[Child]:
        with redis(self.place, find_redis(self.place.user)) as (url, child):
            self.environment["REDIS_URL"] = url
            yield child

    def _web(self, url: str, **environment: str) -> AbstractContextManager[Child]:
        options = ["--config", "python:flashdb.web_server", "--log-level", "error"]
        bind = ["--bind", url.removeprefix("http://")]
        return self._python("web", "gunicorn", "flashdb.wsgi", *bind, *options, **environment)

    def _worker(self, name: str) -> AbstractContextManager[Child]:
        options = ["--concurrency", "2", "--loglevel", "warning", "--without-mingle", "-n", name]
        return self._python(name, "celery", "-A", "tests.chaos.planted", "worker", *options)

    @contextmanager
    def _python(self, name: str, module: str, *arguments: str, **environment: str) -> Iterator[Child]:
        # Each process has a shifted clock of its own.
        environment = (
            self.environment | environment | {"CLOCK_SHIFT_S": str(self.random.choice(self.clock_shifts_s))}
        )
        log = self.place.logs / f"{name}-{time.monotonic_ns()}.log"
        child = spawn([sys.executable, "-m", module, *arguments], env=environment, log=log)
        try:
            yield child
        finally:
            stop(child, grace_s=5)


def free_url() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def kill(pids: set[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def live_site(*, random: Random, disk: Path | None = None) -> Iterator[Stack]:
    """Run a whole migrated site and a second, empty database; remove both afterwards."""
    with temporary_state() as state, claim(state):
        stack = Stack(state, random=random, disk=disk)
        try:
            stack.start("database", "redis")
            stack.manage("migrate", "--verbosity", "0")
            with stack.connect() as connection:
                connection.execute(f"CREATE DATABASE {CLEAN} TEMPLATE flashdb")
            stack.start("web", "worker", "beat")
            stack.eventually(stack.is_healthy, "the site answers")
            yield stack
        finally:
            stack.close()


def holds(condition: Callable[[], object]) -> bool:
    """Return whether a condition holds; False also while the database does not respond."""
    try:
        return bool(condition())
    except psycopg.OperationalError:
        return False
