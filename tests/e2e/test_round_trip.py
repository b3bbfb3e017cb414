"""One card passes through the whole system: build the engine, measure, submit, process, read the ranking."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from submissions.models import Measurement, Submission
from tests.conftest import PROJECT, Worker

Wait = Callable[[Callable[[], object]], None]

pytestmark = pytest.mark.django_db(transaction=True)


def cardbench(*arguments: str, directory: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(PROJECT / "client")}
    command = [sys.executable, "-m", "cardbench", *arguments]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=True)


def read_command(site: str) -> str:
    """Return the command that the README shows, with a different URL of the site."""
    lines = (PROJECT / "README.md").read_text(encoding="utf-8").splitlines()
    (command,) = [line.strip() for line in lines if "cardbench.pyz run ~" in line]
    return command.replace("http://127.0.0.1:8000", site)


@pytest.fixture
def card() -> Iterator[Path]:
    """Yield a directory on the disk of this checkout; /tmp is often in memory, which is faster than any card."""
    with tempfile.TemporaryDirectory(prefix=".card-", dir=PROJECT) as directory:
        yield Path(directory)


@pytest.fixture
def published_client(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = str(tmp_path)
    call_command("publish_client")


@pytest.mark.usefixtures("published_client")
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_one_command_measures_a_card_and_shares_the_result(
    card: Path, live_server: Any, worker: Worker, wait_until: Wait, client: Client
) -> None:
    worker.start()
    command = f"{read_command(live_server.url)} --brand Filebacked --even-if-no-card"
    done = subprocess.run(
        command,
        shell=True,
        cwd=card,
        env=os.environ | {"HOME": str(card)},
        capture_output=True,
        text=True,
        check=True,
    )
    submission = Submission.objects.get()
    assert f"{live_server.url}/submissions/{submission.public_id}/" in done.stdout
    wait_until(lambda: Submission.objects.get(pk=submission.pk).state == "processed")
    figures = Measurement.objects.exclude(figure="")
    assert {figure.figure for figure in figures} == {"seq_read", "seq_write", "rand_read_4k", "rand_write_4k"}
    submission.refresh_from_db()
    page = client.get(submission.get_absolute_url()).content.decode()
    assert ("kept, but not ranked" in page) == bool(submission.run.why_unranked), "this may be a disk"


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
    assert len(ranked[0]["abilities"]) >= 4
    assert client.get("/api/v1/models/").json()["results"] == []
