"""Workers run on several hosts, each in a network of its own, with one PostgreSQL and one Redis over TCP."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import psycopg
import pytest

from flashdb.local_services.binaries import ENV, find_postgres, find_redis
from flashdb.local_services.children import Child, spawn, stop
from flashdb.local_services.places import choose_place, claim, temporary_state
from flashdb.local_services.postgres import postgres
from tests.conftest import PROJECT, WORKER
from tests.factories import body, uuid

BRIDGE, NETWORK = "flashdb-br", "10.213.77"
HOSTS = ("flashdb-h1", "flashdb-h2")
SUBMISSIONS, WAVES = 100, 8
WORKED = re.compile(r"process_waiting\[.*succeeded")
Wait = Callable[[Callable[[], object]], None]


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[tuple[str, ...]]:
    """Yield the names of two network namespaces on one bridge, which serve as two hosts."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("needs root and iproute2")
    try:
        ip("netns", "add", HOSTS[0])
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no network namespaces here: {error.stderr.decode().strip()}")
    try:
        _connect()
        yield HOSTS
    finally:
        for host in HOSTS:
            with suppress(subprocess.CalledProcessError):
                ip("netns", "del", host)
        with suppress(subprocess.CalledProcessError):
            ip("link", "del", BRIDGE)


def _connect() -> None:
    ip("netns", "add", HOSTS[1])
    ip("link", "add", BRIDGE, "type", "bridge")
    ip("addr", "add", f"{NETWORK}.1/24", "dev", BRIDGE)
    ip("link", "set", BRIDGE, "up")
    for number, host in enumerate(HOSTS, start=2):
        ip("link", "add", f"{host}-a", "type", "veth", "peer", "name", f"{host}-b")
        ip("link", "set", f"{host}-a", "master", BRIDGE, "up")
        ip("link", "set", f"{host}-b", "netns", host)
        ip("-n", host, "addr", "add", f"{NETWORK}.{number}/24", "dev", f"{host}-b")
        ip("-n", host, "link", "set", f"{host}-b", "up")


@pytest.fixture
def environment(hosts: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield the environment variables of a worker on any host; PostgreSQL and Redis listen on the bridge."""
    with ExitStack() as running:
        state = running.enter_context(temporary_state())
        running.enter_context(claim(state))
        place = choose_place(state)
        server = find_postgres(place.user)
        cluster = place.home / f"pg-{server.major}"
        with postgres(place, server, durable=False):
            pass  # makes the cluster
        rules = cluster / "pg_hba.conf"
        rules.write_text(f"host all all {NETWORK}.0/24 trust\n{rules.read_text()}")
        listen = ["-c", f"listen_addresses={NETWORK}.1", "-c", "fsync=off", "-k", str(place.sockets)]
        redis: list[str | Path] = [
            find_redis(place.user).program.executable,
            "--port",
            "6399",
            "--bind",
            f"{NETWORK}.1",
        ]
        programs: dict[str, list[str | Path]] = {
            "postgres": [server.program.executable, "-D", cluster, "-p", "5499", *listen],
            "redis": [*redis, "--protected-mode", "no", "--save", ""],
        }
        for name, argv in programs.items():
            child = spawn(argv, env=ENV, log=place.logs / f"{name}-tcp.log", user=place.user)
            running.callback(stop, child, grace_s=5)
        yield os.environ | {
            "DATABASE_URL": f"postgresql://flashdb@{NETWORK}.1:5499/flashdb",
            "REDIS_URL": f"redis://{NETWORK}.1:6399/0",
            "LOGS": str(place.logs),
        }


def _worker_on(host: str, environment: dict[str, str]) -> Child:
    options = ["-n", f"w@{host}", "-l", "info"]
    command = ["ip", "netns", "exec", host, *WORKER, *options]
    return spawn(command, env=environment, log=Path(environment["LOGS"]) / f"{host}.log")


def _count(environment: dict[str, str], state: str) -> int:
    with suppress(psycopg.OperationalError), psycopg.connect(environment["DATABASE_URL"]) as connection:
        row = connection.execute(
            "SELECT count(*) FROM submissions_submission WHERE state = %s", [state]
        ).fetchone()
        return int(row[0]) if row else 0
    return -1


def _is_processed(environment: dict[str, str], count: int) -> bool:
    return _count(environment, "processed") == count


def _manage(environment: dict[str, str], *arguments: str) -> bool:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=PROJECT, env=environment, check=False).returncode == 0


def test_workers_of_two_hosts_share_the_work(
    hosts: tuple[str, ...], environment: dict[str, str], wait_until: Wait, tmp_path: Path
) -> None:
    """Reports are sent in waves: which worker gets a notice is random, but each must get some."""
    logs = [Path(environment["LOGS"]) / f"{host}.log" for host in hosts]
    wait_until(lambda: _manage(environment, "migrate", "-v0"))
    with ExitStack() as running:
        for host in hosts:
            running.callback(stop, _worker_on(host, environment), grace_s=5)
        wait_until(lambda: all("ready." in log.read_text() for log in logs))
        for wave in range(WAVES):
            numbers = range(wave * SUBMISSIONS, (wave + 1) * SUBMISSIONS)
            reports = tmp_path / f"{wave}.jsonl"
            reports.write_bytes(b"\n".join(body(uuid=uuid(n), note=str(n)) for n in numbers))
            assert _manage(environment, "load_reports", str(reports), "-v0")
            wait_until(partial(_is_processed, environment, numbers.stop))
            if all(WORKED.search(log.read_text()) for log in logs):
                return
    pytest.fail("\n".join(log.read_text() for log in logs))
