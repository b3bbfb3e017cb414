"""The estimated geometry is written to the report, printed on the page and requested on the command line."""

import json

import pytest
from cardbench import geometry
from cardbench.cli import show
from cardbench.measuring import report
from cardbench.measuring.session import Subject, measure_subject
from cardbench.measuring.suites import Choice
from cardbench.target import simulated
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.target import open_simulated

from submissions.domain.measuring.metrics import WORKLOADS
from submissions.domain.measuring.normalize import normalize
from submissions.domain.report import parse
from tests.client.cards import MIB, PLAIN
from tests.client.simulated_cards import SIMULATED

SILENT_SEED = 8  # a card with no limit of open units


def measure(engine: SimulatedEngine, *, suite: str = "standard") -> dict:
    subject = Subject(simulated.identity(1), simulated.HOST, "simulated", Choice(suite))
    return measure_subject(subject, open_simulated(engine), seed=1, quiet=True)[0]


@pytest.fixture(scope="module")
def document() -> dict:
    return measure(SimulatedEngine(1, model=PLAIN))


def rows(document: dict, workload: str) -> list[dict]:
    return [row for row in document["measurements"] if row["workload"] == workload]


def test_it_works(document):
    values = {row["metric"]: row["values"] for row in rows(document, "geometry")}
    assert values["erase_block_size"] == [4 * MIB]
    assert (values["open_au_linear"], values["open_au_random"]) == ([5], [3])
    assert set(values) == set(WORKLOADS["geometry"].metrics)


def test_the_server_understands_all_of_it(document):
    measured, missed = normalize(parse(report.encode(document)), bus="SD")
    assert missed == ()
    by_metric = {
        measurement.metric: measurement for measurement in measured if measurement.workload == "geometry"
    }
    assert by_metric["erase_block_size"].value == 4 * MIB
    assert {measurement.verdict for measurement in by_metric.values()} == {"ok"}


def test_no_access_pattern_is_reported_twice(document):
    patterns = [
        json.dumps([row["workload"], row["metric"], row["parameters"]], sort_keys=True)
        for row in document["measurements"]
    ]
    assert len(patterns) == len(set(patterns))


def test_what_it_rests_on_is_in_the_report(document):
    linear = {
        row["parameters"]["open_au"]: row["values"]
        for row in rows(document, "open-au")
        if row["parameters"]["order"] == "sequential"
    }
    assert min(linear[5]) > 3 * max(linear[6])
    fat = {row["parameters"]["erase_block_index"]: row["values"] for row in rows(document, "fat")}
    assert min(*fat[0], *fat[1]) > 3 * max(*fat[2], *fat[3])
    reasoning = document["extra"]["geometry"]["erase_block_size"]
    assert reasoning["confidence"] == 0.99
    assert reasoning["log_odds"] >= 7.5  # where the test stops, beyond the confidence that is reported
    assert reasoning["operations"] > 100
    assert "4 MiB" in reasoning["reason"]


def test_what_is_not_known_has_a_reason_and_no_value():
    unlimited = measure(SimulatedEngine(SILENT_SEED))
    (row,) = [row for row in rows(unlimited, "geometry") if row["metric"] == "open_au_linear"]
    assert (row["values"], row["failure"]["code"]) == ([], "no_limit_found")
    assert parse(report.encode(unlimited))


def test_the_page_says_it_in_words(document):
    page = show.page(document)
    assert "erase block           4 MiB       certain (99%)" in page
    assert "Written in turn, 5 stay fast, and 6 do not." in page


def test_the_page_says_what_is_not_known():
    page = show.page(measure(SimulatedEngine(SILENT_SEED)))
    assert "open units, linear    no limit" in page
    assert "FAT area              not known" in page


def test_a_report_of_someone_else_has_no_reasoning():
    row = {"workload": "geometry", "metric": "page_size", "unit": "B", "values": [16384]}
    assert "page                  16 KiB\n" in show.page({"measurements": [row]})


def test_the_quick_suite_looks_for_nothing():
    assert not rows(measure(SimulatedEngine(1, model=PLAIN), suite="quick"), "geometry")


def test_demo_measures_the_standard_suite(cardbench, tmp_path):
    answer = cardbench("demo", "--suite", "standard", "-o", tmp_path / "r.json")
    assert (answer.returncode, "What the card is made of" in answer.stdout) == (0, True)
    assert parse((tmp_path / "r.json").read_bytes()).run.suite == "standard"


def test_a_device_is_only_read(cardbench, image):
    answer = cardbench("run", image, "--suite", "standard", "--json", "--engine", f"{SIMULATED} --seed 7")
    metrics = [row["metric"] for row in rows(json.loads(answer.stdout), "geometry")]
    assert metrics == ["erase_block_size", "page_size"]


def test_writing_says_that_it_goes_anywhere(cardbench, image):
    words = ("--destructive", "--yes", "--confirm-size", image.stat().st_size, "--suite", "standard")
    answer = cardbench("run", image, *words, "--json")
    assert answer.returncode == 0, answer.stderr
    assert "anywhere on card.img" in answer.stderr
    most = geometry.written_bytes(geometry.QUANTITIES)
    said = answer.stderr.split(" at most")[0].rpartition("(")[2]
    assert int(said.replace(",", "")) > most
    codes = {
        row["failure"]["code"] for row in rows(json.loads(answer.stdout), "geometry") if "failure" in row
    }
    assert codes <= {"abstained", "no_limit_found", "time_budget"}
