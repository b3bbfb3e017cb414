"""The report that the client writes follows the format that the server reads."""

import json
from pathlib import Path

import pytest
from cardbench import __version__
from cardbench.errors import UsageError
from cardbench.measuring import report
from cardbench.measuring.session import Subject, measure_subject
from cardbench.target import simulated
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.target import open_simulated

from submissions.domain.measuring.metrics import FIGURES, describe, figure_of
from submissions.domain.report import parse
from tests.client.simulated_cards import FakeEngine

GOLDEN = Path(__file__).parents[1] / "golden" / "demo-seed-1.json"
VOLATILE = ("uuid", "started_at", "duration_ns", "client", "tool_version")


def measure(seed: int) -> dict:
    subject = Subject(simulated.identity(seed), simulated.HOST, "simulated")
    ready = open_simulated(SimulatedEngine(seed))
    return measure_subject(subject, ready, seed=seed, quiet=True)[0]


def strip_volatile(document: dict) -> dict:
    run = {name: value for name, value in document["run"].items() if name not in VOLATILE}
    return {name: value for name, value in document.items() if name not in VOLATILE} | {"run": run}


def test_it_works():
    understood = parse(report.encode(measure(1)))
    assert understood.simulated
    assert understood.run.target == "simulated"
    assert understood.client.version == understood.run.tool_version == __version__
    assert understood.card.registers.cid is not None
    assert len(understood.measurements) > 100


def test_the_golden_report_is_still_what_the_client_writes():
    """Old and new clients are compared by this report: renew it only for a wanted change of the format."""
    assert strip_volatile(measure(1)) == strip_volatile(json.loads(GOLDEN.read_text()))


def test_the_server_reads_the_golden_report():
    assert parse(GOLDEN.read_bytes()).client.name == "cardbench"


def test_the_server_knows_every_metric_and_finds_the_figures_it_ranks_by():
    figures = set()
    for entry in measure(1)["measurements"]:
        describe(entry["workload"], entry["metric"])
        figure = figure_of(entry["workload"], entry["metric"], entry["parameters"])
        figures.add(figure.name if figure else "")
    assert {"seq_read", "seq_write", "rand_read_4k", "rand_write_4k"} <= figures <= {"", *FIGURES}


def test_the_same_seed_measures_the_same_and_another_does_not():
    first, again, other = (strip_volatile(measure(seed)) for seed in (3, 3, 4))
    assert first == again
    assert first["measurements"] != other["measurements"]


def test_every_run_is_a_submission_of_its_own():
    assert measure(1)["uuid"] != measure(1)["uuid"]


def test_a_failed_run_is_a_report_too():
    subject = Subject(simulated.identity(1), simulated.HOST, "simulated")
    # Operations at the middle of the window fail.
    start_bytes = open_simulated(SimulatedEngine(1)).surface.start_bytes
    ready = open_simulated(FakeEngine(1, bad_offset_bytes=start_bytes))
    document, outcome = measure_subject(subject, ready, seed=1, quiet=True)
    understood = parse(report.encode(document))
    assert outcome.device_failed
    assert "EIO" in {entry.failure.code for entry in understood.measurements if entry.failure}


def test_lists_of_numbers_stay_on_one_line():
    assert report.encode({"a": {"values": [1, 2]}, "b": [], "c": [{"d": "µ"}]}).decode() == (
        '{\n  "a": {\n    "values": [1, 2]\n  },\n  "b": [],\n  "c": [\n    {\n      "d": "µ"\n    }\n  ]\n}\n'
    )


def test_a_report_is_saved_whole_or_not_at_all(tmp_path):
    path = tmp_path / "r.json"
    path.write_text("old")
    report.save(path, b"new")
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.json"]
    with pytest.raises(UsageError, match="cannot be written"):
        report.save(tmp_path / "missing" / "r.json", b"new")


@pytest.mark.parametrize("name", ["missing/r.json", "place", "/proc/r.json"])
def test_what_cannot_be_saved_is_said_before_anything_is_measured(tmp_path, name):
    (tmp_path / "place").mkdir()
    (tmp_path / "old.json").write_text("old")
    report.check_savable(tmp_path / "old.json")
    with pytest.raises(UsageError, match="cannot be written"):
        report.check_savable(tmp_path / name)
    assert [(path.name, path.is_dir()) for path in sorted(tmp_path.iterdir())] == [
        ("old.json", False),
        ("place", True),
    ]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "other"}', "\xff"])
def test_what_is_no_report_is_not_loaded(tmp_path, content):
    path = tmp_path / "r.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError):
        report.load(path)
