"""The starter data was published by others: every report names its source, and every number is from there."""

from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from submissions.domain.intake.published.reports import states, take
from submissions.domain.intake.published.table import rows_of
from submissions.domain.measuring import metrics, units
from submissions.domain.measuring.periods import UNKNOWN, parse_period
from submissions.domain.registers import decode
from submissions.domain.report import Measurement, Report, parse
from tests.starter_tables import CHECKSUMS, unpack

STARTER = Path(__file__).parents[2] / "submissions" / "starter"
REPORTS = [parse(line) for path in sorted(STARTER.glob("*.jsonl")) for line in path.read_bytes().splitlines()]
TABLES = sorted((STARTER / "published").glob("*.csv*"))
MIB = 1024**2

KINGSTON = "Flashbenching"
WIREN_5 = "sdcard_benchmark: result_5_2.txt"
every_report = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.source.title)


def find_report(title: str) -> Report:
    (found,) = [report for report in REPORTS if report.source and report.source.title.endswith(title)]
    return found


def parameters(measurement: Measurement) -> dict[str, Any]:
    return dict(msgspec.to_builtins(measurement.parameters))


def select(report: Report, workload: str, metric: str, **where: Any) -> list[Measurement]:
    """Return the measurements of one metric with these parameters in a report."""
    candidates = [m for m in report.measurements if (m.workload, m.metric) == (workload, metric)]
    return [m for m in candidates if where.items() <= parameters(m).items()]


def registers_of(report: Report) -> dict[str, str]:
    given = msgspec.to_builtins(report.card.registers)
    return {name: text for name, text in given.items() if text}


def test_it_works():
    authors = Counter(report.source.author for report in REPORTS if report.source)

    assert authors == {"Andrew Bradford": 1, "Evgeny Boger": 11}


def test_the_tables_are_those_of_their_checksums():
    """After a change, a table must be packed again: python -m tests.starter_tables FOLDER."""
    lines = (STARTER / "published" / CHECKSUMS).read_text().splitlines()
    listed = {name: checksum for checksum, name in map(str.split, lines)}
    inside = {path.name.removesuffix(".gz"): sha256(unpack(path)).hexdigest() for path in TABLES}

    assert inside == listed


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_every_row_of_a_table_is_understood(path: Path):
    """Exceptions are kernel rules, which are no cards, and two rates that may be of reads or of writes."""
    counts = states(take(rows_of(unpack(path).decode())).lines)

    assert counts["asked"] == (2 if path.name.startswith("corpus_logs") else 0)
    assert counts["refused"] == (13 if path.name.startswith("kernel_quirks") else 0)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_every_date_of_a_table_is_understood(path: Path):
    reports = [parse(drafted.body) for drafted in take(rows_of(unpack(path).decode())).reports]
    dates = {report.source.dated for report in reports if report.source and report.source.dated}

    assert not [words for words in dates if parse_period(words) == UNKNOWN]


@every_report
def test_it_names_its_source_and_is_a_real_card(report: Report):
    assert report.source and report.source.title
    assert report.source.url.startswith("https://")
    assert not report.simulated


@every_report
def test_the_registers_belong_to_the_card(report: Report):
    if registers := registers_of(report):
        decoded = decode(registers, bus=report.card.bus)

        assert decoded.cid is not None
        assert decoded.capacity_bytes == report.card.size_bytes
    else:
        assert report.card.label.brand and report.card.label.capacity_gb


@every_report
def test_every_measurement_is_understood(report: Report):
    for measurement in report.measurements:
        metric = metrics.describe(measurement.workload, measurement.metric)
        assert units.factor(measurement.unit, base=metric.base_unit) > 0
        assert set(metrics.WORKLOADS[measurement.workload].required) <= parameters(measurement).keys()
        assert measurement.values or measurement.failure


def test_loading_twice_does_nothing_because_each_report_has_its_own_uuid():
    uuids = {report.uuid for report in REPORTS}

    assert None not in uuids
    assert len(uuids) == len(REPORTS)


@every_report
def test_no_access_pattern_is_given_twice(report: Report):
    patterns = Counter((m.workload, m.metric, m.parameters) for m in report.measurements)

    assert max(patterns.values()) == 1


# Workload, metric and the parameters that identify a measurement.
What = tuple[str, str, dict[str, Any]]


def open_au(order: str, count: int, block: int) -> What:
    return "open-au", "throughput", {"order": order, "open_au": count, "block_size_bytes": block}


def align(metric: str, boundary: int) -> What:
    return "align", f"align_{metric}", {"align_bytes": boundary}


def fat(index: int, block: int) -> What:
    return "fat", "throughput", {"erase_block_index": index, "block_size_bytes": block}


# These numbers were read from the published pages by a person.
@pytest.mark.parametrize(
    ("title", "what", "unit", "values"),
    [
        (KINGSTON, open_au("sequential", 1, 4 * MIB), "MB/s", (6.45,)),
        (KINGSTON, open_au("sequential", 3, 16 * 1024), "MB/s", (3.36,)),
        (KINGSTON, open_au("sequential", 4, 128 * 1024), "kB/s", (302,)),
        (KINGSTON, open_au("random", 1, 16 * 1024), "MB/s", (1.2,)),
        (KINGSTON, open_au("random", 4, 64 * 1024), "kB/s", (150,)),
        (KINGSTON, align("on", 1024 * MIB), "ms", (2.4,)),
        (KINGSTON, align("diff", 16384), "us", (544,)),
        (KINGSTON, fat(0, 4 * MIB), "kB/s", (865,)),
        (KINGSTON, fat(5, 16 * 1024), "MB/s", (4.29,)),
        (WIREN_5, align("pre", 1024 * MIB), "us", (636, 628, 633)),
        (WIREN_5, align("diff", 8192), "ns", (-7823, -9971, -8301)),
        (WIREN_5, align("diff", 2048), "ns", (-51, 1110, 2110)),
    ],
)
def test_a_number_is_the_published_one(title: str, what: What, unit: str, values: tuple[float, ...]):
    workload, metric, where = what
    (found,) = select(find_report(title), workload, metric, **where)

    assert (found.unit, found.values) == (unit, values)


def test_what_the_author_interrupted_is_absent():
    collapsed = select(find_report(KINGSTON), "open-au", "throughput", order="sequential", open_au=4)

    assert [m.parameters.block_size_bytes for m in collapsed] == [
        4 * MIB,
        2 * MIB,
        MIB,
        MIB // 2,
        MIB // 4,
        MIB // 8,
    ]


def test_the_authors_conclusions_are_kept_apart_from_what_was_measured():
    concluded = {
        m.metric: (m.unit, m.values) for m in find_report(KINGSTON).measurements if m.workload == "geometry"
    }

    assert concluded == {
        "erase_block_size": ("MiB", (4.0,)),
        "open_au_linear": ("count", (3.0,)),
        "open_au_random": ("count", (3.0,)),
    }


def test_one_name_is_measured_on_several_specimens():
    cards = {(report.card.specimen, report.card.registers.cid) for report in REPORTS}
    names = Counter(bytes.fromhex(cid)[3:8].decode().strip() for _, cid in cards if cid)

    assert names["SA04G"] == 2
    assert names["USD"] == 4


def figures_of(report: Report) -> set[str]:
    found = (metrics.figure_of(m.workload, m.metric, parameters(m)) for m in report.measurements)
    return {figure.name for figure in found if figure}


def test_the_whole_page_of_flashbench_gives_two_figures():
    assert figures_of(find_report(KINGSTON)) == {"open_au_write_osync", "open_au_random_16k_osync"}
