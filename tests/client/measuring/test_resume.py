"""A run that was cut short is continued without repeating its measurements."""

import json
import os
import subprocess
import sys

import pytest
from cardbench import ftl
from cardbench.errors import UsageError
from cardbench.measuring import resume
from cardbench.measuring.session import Subject, measure_subject
from cardbench.measuring.suites import Choice
from cardbench.target import simulated
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.surface import Surface
from cardbench.target.target import open_simulated

from submissions.domain.report import parse
from tests.client.cards import MIB, PLAIN
from tests.client.conftest import CLIENT
from tests.client.simulated_cards import SIMULATED


class Impatient(SimulatedEngine):
    """A card with a user who presses Ctrl-C during the search for its FAT area, when nothing else is written."""

    def __init__(self) -> None:
        super().__init__(1, model=PLAIN)

    def write(self, length_bytes, offsets_bytes, *, seed, sync=""):
        if length_bytes == 64 * 1024 and min(offsets_bytes) < 24 * MIB:
            raise KeyboardInterrupt
        return super().write(length_bytes, offsets_bytes, seed=seed, sync=sync)


def measure(engine: SimulatedEngine, earlier: resume.Earlier | None = None) -> dict:
    subject = Subject(simulated.identity(1), simulated.HOST, "simulated", Choice("standard"), earlier=earlier)
    return measure_subject(subject, open_simulated(engine), seed=1, quiet=True)[0]


def test_it_works():
    begun = measure(Impatient())
    assert begun["extra"]["not_run"] == ["write cache"]
    done = measure(SimulatedEngine(1, model=PLAIN), resume.Earlier(begun))
    values = {row["metric"]: row["values"] for row in done["measurements"] if row["workload"] == "geometry"}
    assert values["erase_block_size"] == [PLAIN.erase_block_bytes]
    assert (values["open_au_linear"], values["open_au_random"]) == ([5], [3])
    assert "not_run" not in done["extra"]
    assert done["extra"]["resumed_from"] == begun["uuid"] != done["uuid"]
    assert set(done["extra"]["geometry"]) == set(values)
    assert len(parse(json.dumps(done).encode()).measurements) == len(done["measurements"])


def test_nothing_is_measured_twice():
    begun = measure(Impatient())
    done = measure(SimulatedEngine(1, model=PLAIN), resume.Earlier(begun))
    first = [row for row in begun["measurements"] if "failure" not in row]
    assert [row for row in done["measurements"] if row in first] == first
    keys = [(row["workload"], row["metric"], json.dumps(row["parameters"])) for row in done["measurements"]]
    assert len(keys) == len(set(keys))


def test_a_failed_cell_is_measured_again(cardbench, image, tmp_path):
    report = tmp_path / "r.json"
    start = Surface(ftl.draw(1).size_bytes, 512, may_write=False, shows_boundaries=True).start_bytes
    assert (
        cardbench("run", image, "-o", report, "--engine", f"{SIMULATED} --bad-offset {start}").returncode == 4
    )
    before = json.loads(report.read_text())
    failed = [row for row in before["measurements"] if "failure" in row]
    assert failed
    answer = cardbench("run", image, "--resume", report, "--engine", SIMULATED)
    after = json.loads(report.read_text())
    assert answer.returncode == 0, answer.stderr
    assert not [row for row in after["measurements"] if "failure" in row]
    assert len(after["measurements"]) >= len(before["measurements"])


def test_the_report_of_another_card_is_refused(cardbench, image, tmp_path):
    report = tmp_path / "r.json"
    cardbench("demo", "-o", report)
    answer = cardbench("run", image, "--resume", report)
    assert (answer.returncode, "different card" in answer.stderr) == (2, True)


def test_counts_and_sizes_that_are_given_again_count(cardbench, card, tmp_path):
    path = tmp_path / "r.json"
    cardbench("run", card, "--workload", "align", "-o", path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"run": document["run"] | {"suite": "align+copy"}}))
    answer = cardbench("run", card, "--resume", path, "--file-count", 3, "--file-size", "1K")
    assert answer.returncode == 0, answer.stderr
    copied = [
        row["parameters"] for row in json.loads(path.read_text())["measurements"] if row["workload"] == "copy"
    ]
    assert {(parameters["file_count"], parameters["file_size_bytes"]) for parameters in copied} == {(3, 1024)}


TIMES = {"duration_ns": 1, "started_at": "2026-11-20T12:00:00Z"}


@pytest.mark.parametrize(
    "change",
    [
        {"run": {}},
        {"run": {"suite": "dance", "duration_ns": 1}},
        {"uuid": None},
        {"card": {}, "run": {"suite": "quick", "duration_ns": 1}},
        {"run": {"suite": "quick"} | TIMES},
    ],
)
def test_what_is_no_report_of_ours_is_refused(tmp_path, change):
    path = tmp_path / "r.json"
    document = {
        "format": "flashdb-report",
        "uuid": "u",
        "measurements": [],
        "run": {"suite": "quick"},
    } | change
    path.write_text(json.dumps({name: value for name, value in document.items() if value is not None}))
    with pytest.raises(UsageError, match="cannot be continued"):
        resume.load(path)


def test_all_of_it_takes_little_memory(image, fast_engine_path):
    """All processes take at most 80 MiB, and the engine 32 MiB of them, also with 16 blocks in progress."""
    program = (
        "import pathlib, resource, sys; from cardbench.cli.main import main; main(sys.argv[1:]);"
        "status = pathlib.Path('/proc/self/status').read_text();"
        "print(status.partition('VmHWM:')[2].split()[0],"
        "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
    )
    words = ("run", str(image), "--destructive", "--yes", "--confirm-size", str(32 * MIB), "--json")
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        env=os.environ | {"PYTHONPATH": str(CLIENT), "CARDBENCH_ENGINE": fast_engine_path},
        capture_output=True,
        text=True,
        check=True,
    )
    ours_kib, engine_kib = map(int, done.stderr.split()[-2:])
    assert engine_kib <= 32 * 1024
    assert ours_kib + engine_kib <= 80 * 1024
