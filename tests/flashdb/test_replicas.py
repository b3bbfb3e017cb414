"""A real streaming replica: pages come from it, and survive its loss."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flashdb.local_services.accounts import give
from flashdb.local_services.binaries import ENV, find_postgres
from flashdb.local_services.children import Child, spawn, stop
from flashdb.local_services.places import Place, choose_place, claim, temporary_state
from flashdb.local_services.postgres import postgres
from tests.conftest import PROJECT
from tests.factories import body, uuid

Wait = Callable[[Callable[[], object]], None]
MODEL = "/models/kingston-4-gb/"


@dataclass(frozen=True, slots=True)
class Pair:
    """A site on a primary with a replica; what to send, and what to ask."""

    url: str
    environment: dict[str, str]
    replica_url: str
    replica: Child

    def submit(self, number: int) -> str:
        """The path of its status, once it is worked out on the primary."""
        card = {"label": {"brand": "Kingston", "capacity_gb": 4}, "specimen": str(number)}
        request = urllib.request.Request(
            f"{self.url}/api/v1/submissions/",
            data=body(uuid=uuid(number), card=card),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            public_id = json.load(response)["id"]
        manage(self.environment, "reprocess")
        return f"/api/v1/submissions/{public_id}/"

    def status(self, path: str) -> int:
        try:
            with urllib.request.urlopen(self.url + path) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code

    def json(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path) as response:
            return json.load(response)

    def on_replica(self, command: str) -> None:
        with psycopg.connect(self.replica_url, autocommit=True) as connection:
            connection.execute(command)


def manage(environment: dict[str, str], *arguments: str) -> None:
    subprocess.run([sys.executable, "manage.py", *arguments, "-v0"], cwd=PROJECT, env=environment, check=True)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with ExitStack() as running:
        state = running.enter_context(temporary_state())
        running.enter_context(claim(state))
        place = choose_place(state)
        server = find_postgres(place.user)
        primary, _ = running.enter_context(postgres(place, server, durable=False))
        other = _copied(place, primary)
        replica_url, replica = running.enter_context(postgres(other, server, durable=False))
        environment = os.environ | {
            "DATABASE_URL": primary,
            "REPLICA_URL": replica_url,
            "DEBUG": "False",
            "SECRET_KEY": "replica " * 4,
            "IDENTITY_SECRET": "identity " * 4,
            "ALLOWED_HOSTS": "127.0.0.1",
        }
        manage(environment, "migrate")
        url = running.enter_context(_web(environment, place.logs / "web.log"))
        yield Pair(url, environment, replica_url, replica)


def _copied(place: Place, primary: str) -> Place:
    """A place beside the other's with a base backup that follows it."""
    home = place.home / "replica"
    sockets = Path(f"{place.sockets}-2")
    for folder in (home, sockets):
        folder.mkdir(mode=0o700)
        give(folder, place.user)
    server = find_postgres(place.user)
    program = server.program.executable.with_name("pg_basebackup")
    target = home / f"pg-{server.major}"
    command = [str(program), "--write-recovery-conf", f"--dbname={primary}", f"--pgdata={target}"]
    account = place.user.popen_arguments() if place.user else {}
    subprocess.run([*command, "--checkpoint=fast"], env=ENV, check=True, capture_output=True, **account)
    return replace(place, home=home, sockets=sockets)


@contextmanager
def _web(environment: dict[str, str], log: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    options = ["--bind", address, "--no-control-socket"]
    child = spawn([sys.executable, "-m", "gunicorn", "flashdb.wsgi", *options], env=environment, log=log)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://{address}/health/").close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://{address}"
    finally:
        stop(child)


def test_it_works(pair: Pair, wait_until: Wait) -> None:
    """What has not reached the replica is not on the pages yet; one's own report is."""
    pair.on_replica("SELECT pg_wal_replay_pause()")
    own = pair.submit(1)
    assert pair.json(own)["state"] == "processed"
    assert pair.status(MODEL) == 404
    pair.on_replica("SELECT pg_wal_replay_resume()")
    wait_until(lambda: pair.status(MODEL) == 200)


def test_an_answer_of_the_replica_is_not_kept_for_too_long(pair: Pair, wait_until: Wait) -> None:
    runs = "/api/v1/runs/"
    known = len(pair.json(runs)["results"])
    pair.submit(2)
    wait_until(lambda: len(pair.json(runs)["results"]) == known + 1)


def test_pages_survive_its_loss(pair: Pair) -> None:
    pair.replica.kill()
    pair.replica.wait()
    for path in ("/", MODEL, "/api/v1/models/", "/api/v1/runs/"):
        assert pair.status(path) == 200
    assert pair.json(pair.submit(3))["state"] == "processed"
