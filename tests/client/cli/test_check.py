"""`cardbench check` writes a report, resumes an earlier one, sends it, and works without the engine."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cardbench.cli.check import add_evidence
from cardbench.measuring.capacity import Capacity
from cardbench.measuring.checkup import Evidence
from cardbench.measuring.diagnosis import Verdict

from submissions.domain.findings.examined_report import examine_report
from submissions.domain.findings.real_size import find_real_size
from submissions.domain.report import parse
from submissions.models import Run, Submission
from submissions.writing import ingest
from tests.client.conftest import CLIENT
from tests.factories import report, specimen

LABEL = ("--brand", "Kingston", "--capacity-gb", "32")


def test_the_report_holds_what_was_read(cardbench, image, tmp_path):
    path = tmp_path / "r.json"
    assert cardbench("check", image, "-o", path, *LABEL).returncode == 0
    document = parse(path.read_bytes())
    assert document.scan and document.scan.is_whole and document.scan.size_bytes == image.stat().st_size
    assert (document.run.suite, document.run.target, document.card.label.brand) == (
        "check",
        "file",
        "Kingston",
    )
    assert document.readings[0].value == "readable"
    assert "As far as reading can show, it is healthy." in cardbench("show", path).stdout


def test_it_goes_on_where_it_was_interrupted(cardbench, image, tmp_path):
    path = tmp_path / "r.json"
    cardbench("check", image, "-o", path, *LABEL)
    document = json.loads(path.read_text())
    document["scan"] |= {"read_bytes": 64 * 2**18, "bad": [[2**20, 2**18]], "largest_gap_bytes": 2**20}
    path.write_text(json.dumps(document))
    answer = cardbench("check", image, "--all", "--resume", path, "--brand", "Lexar")
    assert (
        "50 % of the card was read by the earlier check; no register proves that this is the same card"
        in answer.stdout
    )
    assert json.loads(path.read_text())["card"]["label"] == {"brand": "Lexar", "capacity_gb": 32}
    assert answer.returncode == 7 and "256 KiB at 0.001 GB" in answer.stdout, answer.stderr
    assert json.loads(path.read_text())["scan"]["read_bytes"] == image.stat().st_size


def test_the_report_of_another_card_is_refused(cardbench, image, tmp_path):
    path = tmp_path / "r.json"
    cardbench("check", image, "-o", path)
    with image.open("ab") as file:
        file.truncate(2**26)
    answer = cardbench("check", image, "--resume", path)
    assert (answer.returncode, "different card" in answer.stderr) == (2, True)


@pytest.mark.django_db(transaction=True)
def test_it_is_shared_with_its_map(cardbench, image, tmp_path, live_server):
    site = ("--submit", "--server", live_server.url, "--even-if-no-card")
    sent = cardbench("check", image, "-o", tmp_path / "r.json", *site, *LABEL)
    assert sent.returncode == 0, sent.stderr
    name = json.loads((tmp_path / "r.receipt.json").read_text())["id"]
    ingest.process(Submission.objects.get(public_id=name).pk)
    scan = Run.objects.get(submission__public_id=name).scan
    assert scan and scan["size_bytes"] == image.stat().st_size


GOOD = Capacity("good", 16_000_000_000)


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        ({"held": GOOD}, "all_kept"),
        ({"held": GOOD, "lost": [0], "written": [0]}, "damaged"),
        ({"held": GOOD, "read_errors": [0], "written": [0]}, "scan_errors"),
        ({"held": Capacity("limbo", 4_000_000_000)}, "smaller"),
        ({"held": Capacity("damaged", 0)}, "kept_nothing"),
        ({"held": GOOD, "is_own_file": True}, ""),
        ({"held": GOOD, "lost": [0], "written": [0], "is_own_file": True}, "lost_in_part"),
        ({"held": Capacity("limbo", 4_000_000_000), "is_own_file": True}, "lost_in_part"),
    ],
)
def test_a_server_finds_the_same_as_the_verdict(evidence, code):
    made = add_evidence(
        report(card=specimen(1)), Evidence(16_000_000_000, **evidence), Verdict("any", "Any.")
    )
    found = find_real_size(examine_report(parse(json.dumps(made).encode())))
    assert [finding.code for finding in found] == ([code] if code else [])


@pytest.fixture
def bare(tmp_path) -> Path:
    """Return a copy of the package without an engine, as on a machine without a compiler."""
    shutil.copytree(
        CLIENT / "cardbench", tmp_path / "bare" / "cardbench", ignore=shutil.ignore_patterns("bin")
    )
    return tmp_path / "bare"


# Remove the modules that a system other than POSIX lacks, before anything else is imported.
ELSEWHERE = """
import os, pathlib, signal, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
for name in ("uname", "sysconf", "getloadavg", "geteuid", "posix_fadvise", "posix_fallocate", "O_NONBLOCK", "major"):
    delattr(os, name)
del signal.SIGHUP
read_text = pathlib.Path.read_text
def without_proc(path, *more, **named):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(2, "no such file", str(path))
    return read_text(path, *more, **named)
pathlib.Path.read_text = without_proc
"""


def test_on_another_system_a_directory_is_checked(bare, tmp_path):
    place = tmp_path / "card"
    place.mkdir()
    (bare / "sitecustomize.py").write_text(ELSEWHERE)
    answer = check_bare(bare, place, "--seconds", 2, "--sysfs", tmp_path / "none")
    assert (answer.returncode, "Healthy:" in answer.stdout) == (0, True), answer.stderr


def check_bare(bare: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cardbench", "check", *map(str, words)],
        capture_output=True,
        check=False,
        text=True,
        cwd=bare,
        env={"PATH": "/nowhere", "PYTHONPATH": str(bare)},
    )


def test_without_the_engine_it_is_less_certain_and_says_so(bare, tmp_path):
    place = tmp_path / "card"
    place.mkdir()
    answer = check_bare(bare, place, "--seconds", 2)
    assert (answer.returncode, "Healthy:" in answer.stdout) == (0, True), answer.stderr
    assert "checked without the engine" in answer.stdout and "less certain" in answer.stdout
    assert list(place.iterdir()) == []


def test_without_the_engine_a_file_is_read_and_stays_as_it_is(bare, image):
    before = image.read_bytes()
    answer = check_bare(bare, image)
    assert "As far as reading can show, it is healthy" in answer.stdout, answer.stderr
    assert image.read_bytes() == before


def test_without_the_engine_no_device_is_touched(bare):
    answer = check_bare(bare, "/dev/null")
    assert answer.returncode == 2
