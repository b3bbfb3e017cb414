"""Define the fixtures of all tests: a database and a message broker per process, a Celery worker, a patient wait."""

import gc
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import pytest_django
from celery import current_app
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import Client

# The duration of an example depends more on the machine than on the code.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

# Debian keeps losetup, mkfs and ip where the PATH of an ordinary user does not look.
os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])

PROJECT = Path(__file__).parent.parent
# No other worker uses this broker, and to look for one would take a second.
WORKER = [sys.executable, "-m", "celery", "-A", "flashdb", "worker", "--concurrency", "1", "-l", "warning"]
WORKER += ["--without-mingle", "--without-gossip"]


# Tests that start servers, browsers and programs take longest; the slowest come first here.
SLOW = (
    *(
        "tests/chaos/",
        "tests/replica/",
        "tests/e2e/test_everybody.py",
        "tests/flashdb/test_run_site.py",
        "tests/e2e/test_stories.py",
    ),
    *(
        "tests/security/test_private_placements.py",
        "tests/submissions/test_tasks.py",
    ),
    *("tests/flashdb/test_hosts.py", "tests/flashdb/test_web_server.py", "tests/submissions/test_draws.py"),
    "tests/client/measuring/",
    *("tests/submissions/dumps/", "tests/client/cli/", "tests/flashdb/", "tests/e2e/", "tests/security/"),
    *("tests/submissions/sandbox/", "tests/client/target/", "tests/submissions/writing/test_two_workers.py"),
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Pause Python's garbage collector while tests are collected, because it would scan the growing list repeatedly."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Distribute the slow tests among the workers of xdist, which each get one contiguous part of the list.

    Each part begins with its share of the slow tests and ends with quick ones, so that no worker waits for a last long
    test. The tests of a file stay together.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    slow = sorted(filter(_rank_duration, files), key=_rank_duration, reverse=True)
    quick = iter([item for file in files if not _rank_duration(file) for item in files[file]])
    shares = [[item for file in slow[worker::workers] for item in files[file]] for worker in range(workers)]
    size = len(items) // workers
    items[:] = [one for share in shares for one in (*share, *islice(quick, max(0, size - len(share))))]
    items.extend(quick)


def _rank_duration(file: str) -> int:
    # Returns 0 for a file with quick tests.
    return next((len(SLOW) - place for place, name in enumerate(SLOW) if file.startswith(name)), 0)


def pytest_report_header() -> list[str]:
    """Return the lines of the header that name the database and the Redis of the tests."""
    return [f"{name}: {os.environ.get(name, 'not set')}" for name in ("DATABASE_URL", "REDIS_URL")]


def _choose_redis_database(url: str, worker_id: str) -> str:
    number = int(worker_id.removeprefix("gw") or 0) + 1 if worker_id != "master" else 1
    return re.sub(r"(virtual_host=|db=|/)\d+$", rf"\g<1>{number}", url)


@pytest.fixture(scope="session", autouse=True)
def redis_url(worker_id: str) -> str:
    """Give every test process its own Redis database, so that a cache never contains values of another process."""
    url = _choose_redis_database(settings.REDIS_URL, worker_id)
    settings.REDIS_URL = settings.CACHES["default"]["LOCATION"] = url
    return url


@pytest.fixture(scope="session", autouse=True)
def broker_url(worker_id: str) -> str:
    """Give every test process its own message broker, so that no worker takes the tasks of another process."""
    url = _choose_redis_database(settings.CELERY_BROKER_URL, worker_id)
    current_app.conf.broker_url = current_app.conf.broker_read_url = current_app.conf.broker_write_url = url
    return url


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker) -> None:
    """Switch PostgreSQL's autovacuum off for every table.

    After autovacuum has analyzed an empty table, PostgreSQL plans to read it row by row, which takes minutes once a
    test has filled the table.
    """
    off = "ALTER TABLE {} SET (autovacuum_enabled = off)"
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for table in connection.introspection.django_table_names():
            cursor.execute(off.format(connection.ops.quote_name(table)))


@pytest.fixture(scope="session", autouse=True)
def quick_flush() -> Iterator[None]:
    """Delete the rows of used tables after a test with transactions of its own, unless there are many rows.

    Django would truncate every table instead, which creates some 200 new files.
    """
    truncate = DatabaseOperations.sql_flush

    def sql_flush(
        operations: DatabaseOperations, style: Any, tables: Sequence[str], **options: Any
    ) -> list[str]:
        quoted = list(map(operations.quote_name, tables))
        is_used = "SELECT '{0}', pg_relation_size('{0}') > 1000000 WHERE EXISTS (SELECT FROM {0})"
        with operations.connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(map(is_used.format, quoted)))
            used = dict(cursor.fetchall())
        if any(used.values()):
            return truncate(operations, style, tables, **options)
        return [f"DELETE FROM {table}" for table in used]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> None:
    """Hash passwords in one round instead of the million rounds of the site."""
    PBKDF2PasswordHasher.iterations = 1


@pytest.fixture(scope="session", autouse=True)
def same_priority_for_reading() -> None:
    """Run the process that reads texts at the priority of the tests; at the lowest it would take long."""
    from submissions.sandbox import limited_call

    limited_call.NICENESS = 0


@pytest.fixture(scope="session")
def load_starter(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[[], None]:
    """Return a function that puts the starter data into the empty database of a test."""
    from tests import starter

    own = tmp_path_factory.getbasetemp()
    return partial(starter.load, (own if worker_id == "master" else own.parent) / "starter")


@pytest.fixture
def empty_broker(broker_url: str) -> None:
    """Delete every task of earlier tests from the message broker, and empty the cache."""
    from submissions.visitors import admitting  # the settings come first

    admitting.arrivals.wait()
    with current_app.connection_for_write() as broker:
        broker.default_channel.client.flushdb()
    cache.clear()


@pytest.fixture
def admin_client(admin_user: User) -> Client:
    """Return a client of a superuser who is logged in with password and second factor."""
    client = Client()
    client.force_login(admin_user)
    show_second_factor(client, admin_user)
    return client


def show_second_factor(client: Client, account: User) -> None:
    """Mark the session of a client as verified by a second factor, as the page for it does."""
    from django_otp.plugins.otp_static.models import StaticDevice

    device = StaticDevice.objects.create(user=account, name="of a test")
    session = client.session
    session["second_factor"] = [device.persistent_id, time.time()]
    session.save()


class Worker:
    """A Celery worker in a process of its own, on the database of this test."""

    def __init__(self, *, broker_url: str, redis_url: str) -> None:
        self._servers = {
            "DATABASE_URL": database_url(),
            "CELERY_BROKER_URL": broker_url,
            "REDIS_URL": redis_url,
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Worker":
        environment = os.environ | self._servers
        self._process = subprocess.Popen(WORKER, cwd=PROJECT, env=environment, start_new_session=True)
        return self

    def kill(self) -> None:
        """Kill the worker and its children with SIGKILL, as the kernel does when memory runs out."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process and self._process.poll() is None:
            os.killpg(self._process.pid, how)
            self._process.wait(timeout=60)


def database_url() -> str:
    """Return the DATABASE_URL of the environment, with the name of the test database."""
    name = connection.settings_dict["NAME"]
    return re.sub(r"^(postgres\w*://[^/]*)/[^?]*", rf"\g<1>/{name}", os.environ["DATABASE_URL"])


@pytest.fixture
def worker(transactional_db: None, broker_url: str, redis_url: str, empty_broker: None) -> Iterator[Worker]:
    """Yield a Celery worker that the test starts itself; kill it afterwards."""
    worker = Worker(broker_url=broker_url, redis_url=redis_url)
    yield worker
    worker.kill()


@pytest.fixture
def wait_until() -> Callable[[Callable[[], object]], None]:
    """Return a function that waits until a condition holds, for results of a worker or a browser.

    Its limit in seconds only ends a test that has failed anyway.
    """

    def wait(condition: Callable[[], object], seconds: float = 180) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "it did not happen in time"
            time.sleep(0.05)

    return wait
