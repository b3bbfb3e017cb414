"""One card, all the way: build the engine, measure, submit, process, read the ranking."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from submissions.models import Measurement, Submission
from tests.conftest import PROJECT, Worker

Wait = Callable[[Callable[[], object]], None]

pytestmark = pytest.mark.django_db(transaction=True)


def cardbench(*arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(PROJECT / "client")}
    command = [sys.executable, "-m", "cardbench", *arguments]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=True)


@pytest.fixture(scope="session")
def engine() -> Path:
    """The measuring engine, built from source."""
    subprocess.run(["make", "-C", str(PROJECT / "client" / "engine")], check=True, capture_output=True)
    return PROJECT / "client" / "engine" / "build" / "cardbench-engine"


@pytest.fixture
def card() -> Iterator[Path]:
    """A directory on the disk of this checkout: /tmp is memory on many machines, and no card is as fast as that."""
    with tempfile.TemporaryDirectory(prefix=".card-", dir=PROJECT) as directory:
        yield Path(directory)


def test_a_directory_is_measured_with_the_real_engine(
    engine: Path, card: Path, live_server: Any, worker: Worker, wait_until: Wait, client: Client
) -> None:
    worker.start()
    run = ["run", str(card), "--engine", str(engine), "-o", "report.json", "--brand", "Filebacked", "--json"]
    cardbench(*run, directory=card)
    cardbench("submit", "report.json", "--server", live_server.url, "--json", directory=card)
    submission = Submission.objects.get()
    wait_until(lambda: Submission.objects.get(pk=submission.pk).state == "processed")
    figures = Measurement.objects.exclude(figure="")
    assert {figure.figure for figure in figures} == {"seq_read", "seq_write", "rand_read_4k", "rand_write_4k"}
    assert figures.rankable().count() >= 2, "a disk may be faster than any card in sequence, not at random"
    assert "Filebacked" in client.get(f"/?interface={submission.run.host.interface}").content.decode()


def test_the_simulated_card_reaches_its_own_ranking(
    tmp_path: Path, live_server: Any, worker: Worker, wait_until: Wait, client: Client
) -> None:
    worker.start()
    cardbench("demo", "-o", "demo.json", "--json", directory=tmp_path)
    assert json.loads((tmp_path / "demo.json").read_text())["simulated"] is True
    for _ in range(2):
        cardbench("submit", "demo.json", "--server", live_server.url, "--json", directory=tmp_path)
    submission = Submission.objects.get()
    wait_until(lambda: Submission.objects.get(pk=submission.pk).state == "processed")
    ranked = client.get("/api/v1/models/?simulated=1").json()["results"]
    assert [row["simulated"] for row in ranked] == [True]
    assert ranked[0]["score"]["covered"] >= 4
    assert client.get("/api/v1/models/").json()["results"] == []
