"""One card, all the way: build the engine, measure, submit, process, read the ranking."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from submissions.models import Measurement, Submission
from tests.conftest import PROJECT, Worker

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


def test_a_directory_is_measured_with_the_real_engine(
    engine: Path,
    tmp_path: Path,
    live_server: Any,
    worker: Worker,
    wait_until: Callable[..., None],
    client: Client,
) -> None:
    worker.start()
    label = ["--brand", "Filebacked", "--line", "Test"]
    cardbench(
        "run",
        str(tmp_path),
        "--engine",
        str(engine),
        "-o",
        "report.json",
        "--json",
        *label,
        directory=tmp_path,
    )
    answer = cardbench("submit", "report.json", "--server", live_server.url, "--json", directory=tmp_path)
    assert answer.stdout
    submission = Submission.objects.get()
    wait_until(lambda: Submission.objects.get(pk=submission.pk).state == "processed")
    assert Measurement.objects.exclude(figure="").filter(verdict__in=["ok", "at_least"]).count() >= 4
    interface = submission.run.host.interface
    assert "Filebacked Test" in client.get(f"/?interface={interface}").content.decode()


def test_the_simulated_card_reaches_its_own_ranking(
    tmp_path: Path, live_server: Any, worker: Worker, wait_until: Callable[..., None], client: Client
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
