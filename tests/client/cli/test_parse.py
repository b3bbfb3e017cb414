"""`cardbench parse` turns a log into a report with the help of a real server."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from submissions.domain.report import parse
from submissions.models import Submission
from tests import corpus
from tests.conftest import PROJECT

NOBODY = "http://127.0.0.1:9"  # the discard port, where no process listens
PAGE = corpus.LOGS / "flashbench" / "sa04g-whole-page.txt"
ROWS = "4MiB    10.3M/s \n2MiB    9M/s \n"

pytestmark = pytest.mark.django_db(transaction=True)


def cardbench(directory: Path, *arguments: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cardbench", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(PROJECT / "client")}
    return subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )


def test_it_works(live_server: Any, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_bytes(PAGE.read_bytes())
    done = cardbench(tmp_path, "parse", "log.txt", "--server", live_server.url)
    assert done.returncode == 0, done.stderr
    assert "201 measurements, printed by flashbench" in done.stdout
    assert "not understood, line 4: Flashbenching a 4 GB card" in done.stdout
    assert len(parse((tmp_path / "log.txt.report.json").read_bytes()).measurements) == 201
    assert Submission.objects.count() == 0
    sent = cardbench(tmp_path, "submit", "log.txt.report.json", "--server", live_server.url)
    assert sent.returncode == 0 and Submission.objects.count() == 1


def test_a_question_is_answered_on_the_command_line(live_server: Any, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(f"cid: 02544d5341303447113533890900d371\n{ROWS}")
    asked = cardbench(tmp_path, "parse", "log.txt", "--server", live_server.url)
    assert "question about line 2: Which test printed these rows" in asked.stdout
    assert "--answer 'flashbench.workload.2=fat'" in asked.stdout
    answer = "flashbench.workload.2=open-au random 3"
    cardbench(tmp_path, "parse", "log.txt", "--server", live_server.url, "--answer", answer, "-o", "r.json")
    assert json.loads((tmp_path / "r.json").read_bytes())["measurements"][0]["parameters"]["open_au"] == 3


def test_what_is_on_the_label_goes_in(live_server: Any, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(f"AU=1, linear access\n{ROWS}")
    needs = cardbench(tmp_path, "parse", "log.txt", "--server", live_server.url)
    assert needs.returncode == 2 and "add --brand" in needs.stderr
    label = ("--brand", "Kingston", "--capacity-gb", "4", "--condition", "used", "--note", "slow")
    assert cardbench(tmp_path, "parse", "log.txt", "--server", live_server.url, *label).returncode == 0
    made = parse((tmp_path / "log.txt.report.json").read_bytes())
    assert (made.card.label.brand, made.card.condition, made.note) == ("Kingston", "used", "slow")


def test_a_log_without_a_figure_is_no_success(live_server: Any, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("Disk /dev/mmcblk0: 7.4 GiB, 7948206080 bytes, 15523840 sectors\n")
    done = cardbench(tmp_path, "parse", "log.txt", "--server", live_server.url, "--brand", "Kingston")
    assert (done.returncode, "Nothing was understood" in done.stderr) == (5, True)
    assert not list(tmp_path.glob("*.json"))


def test_several_logs_become_a_report_each(live_server: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(PAGE.read_bytes())
    (tmp_path / "b.txt").write_text("hello 17")
    done = cardbench(tmp_path, "parse", "a.txt", "b.txt", "--server", live_server.url, "--json")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["saved"], second["error"]["code"]) == (["a.txt.report.json"], "server_refused")
    assert done.returncode == 5
    assert not (tmp_path / "b.txt.report.json").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("no-such.txt",), 2, "cannot be read"),
        (("a.txt", "b.txt", "-o", "x.json"), 2, "-o names a single report"),
        (("a.txt", "--answer", "much"), 2, "KEY=CHOICE"),
        (("a.txt", "--server", NOBODY), 6, "The parsers run on the server"),
        (("a.txt", "--server", "nowhere"), 2, "not a server address"),
        (("large.txt",), 2, "at most 8,000,000"),
    ],
)
def test_it_says_what_is_wrong(arguments: tuple[str, ...], status: int, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ROWS)
    (tmp_path / "large.txt").write_bytes(b"x" * 8_000_001)
    environment = ("--server", NOBODY) if "--server" not in arguments else ()
    done = cardbench(tmp_path, "parse", *arguments, *environment)
    assert (done.returncode, words in done.stderr) == (status, True), done.stderr
    assert not list(tmp_path.glob("*.json"))
