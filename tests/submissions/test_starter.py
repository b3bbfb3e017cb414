"""The starter data is published by other people: every report says by whom, and every number is theirs."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from submissions.domain.measuring import metrics, units
from submissions.domain.registers import decode
from submissions.domain.report import Measurement, Report, parse

STARTER = Path(__file__).parents[2] / "submissions" / "starter"
REPORTS = [parse(line) for path in sorted(STARTER.glob("*.jsonl")) for line in path.read_bytes().splitlines()]
MIB = 1024**2

KINGSTON = "Flashbenching"
WIREN_5 = "sdcard_benchmark: result_5_2.txt"
every_report = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.source.title)


def titled(title: str) -> Report:
    (found,) = [report for report in REPORTS if report.source and report.source.title.endswith(title)]
    return found


def parameters(measurement: Measurement) -> dict[str, Any]:
    return dict(msgspec.to_builtins(measurement.parameters))


def select(report: Report, workload: str, metric: str, **where: Any) -> list[Measurement]:
    """Measurements of one metric whose parameters include `where`."""
    candidates = [m for m in report.measurements if (m.workload, m.metric) == (workload, metric)]
    return [m for m in candidates if where.items() <= parameters(m).items()]


def registers_of(report: Report) -> dict[str, str]:
    given = msgspec.to_builtins(report.card.registers)
    return {name: text for name, text in given.items() if text}


def test_it_works():
    authors = Counter(report.source.author for report in REPORTS if report.source)

    assert authors == {"Andrew Bradford": 1, "Evgeny Boger": 12, "Bret (bret.dk)": 16, "NuclearQuads": 3}


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


# Workload, metric and the parameters that tell one measurement from the others.
What = tuple[str, str, dict[str, Any]]


def open_au(order: str, count: int, block: int) -> What:
    return "open-au", "throughput", {"order": order, "open_au": count, "block_size_bytes": block}


def align(metric: str, boundary: int) -> What:
    return "align", f"align_{metric}", {"align_bytes": boundary}


def fat(index: int, block: int) -> What:
    return "fat", "throughput", {"erase_block_index": index, "block_size_bytes": block}


def sequential(direction: str) -> What:
    return "stream", "throughput", {"direction": direction, "order": "sequential"}


def random_4k(direction: str) -> What:
    return "stream", "iops", {"direction": direction, "order": "random"}


# Read off the published pages by eye.
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
        (WIREN_5, open_au("sequential", 1, MIB), "MB/s", (4.99,)),
        (WIREN_5, open_au("sequential", 4, 4096), "kB/s", (4.34,)),
        (WIREN_5, open_au("random", 1, 16 * 1024), "kB/s", (922,)),
        ("Amazon Basics 64GB CQ ON", sequential("read"), "KiB/s", (40367, 91148, 90927)),
        ("Samsung PRO Plus 128GB CQ ON", sequential("write"), "KiB/s", (64567, 24131, 67147)),
        ("Sandisk Extreme 64GB CQ OFF", random_4k("write"), "1/s", (1140, 1156, 1145)),
        ("Raspberry Pi 128GB CQ ON", random_4k("read"), "1/s", (7356, 7339, 7328)),
        ("PNY 32GB Elite (U1 A1)", random_4k("write"), "1/s", (675,)),
    ],
)
def test_a_number_is_the_published_one(title: str, what: What, unit: str, values: tuple[float, ...]):
    workload, metric, where = what
    (found,) = select(titled(title), workload, metric, **where)

    assert (found.unit, found.values) == (unit, values)


def test_what_the_author_interrupted_is_absent():
    collapsed = select(titled(KINGSTON), "open-au", "throughput", order="sequential", open_au=4)

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
        m.metric: (m.unit, m.values) for m in titled(KINGSTON).measurements if m.workload == "geometry"
    }

    assert concluded == {
        "erase_block_size": ("MiB", (4.0,)),
        "open_au_linear": ("count", (3.0,)),
        "open_au_random": ("count", (3.0,)),
    }


def test_one_name_is_measured_on_several_specimens():
    cids = {report.card.registers.cid for report in REPORTS if report.card.registers.cid}
    names = Counter(bytes.fromhex(cid)[3:8].decode().strip() for cid in cids if cid)

    assert names["SA04G"] == 2
    assert names["USD"] == 4


def test_command_queueing_on_and_off_are_the_same_specimen():
    queued = [report for report in REPORTS if report.card.specimen == "CQ test card"]
    settings: dict[Any, list[bool | None]] = {}
    for report in queued:
        settings.setdefault(report.card.label, []).append(report.measurements[0].parameters.command_queue)

    assert len(settings) == 8
    assert all(sorted(map(bool, pair)) == [False, True] for pair in settings.values())


def figures_of(report: Report) -> set[str]:
    found = (metrics.figure_of(m.workload, m.metric, parameters(m)) for m in report.measurements)
    return {figure.name for figure in found if figure}


def test_flashbench_and_fio_are_never_the_same_figure():
    assert figures_of(titled(KINGSTON)) == {"open_au_write_osync", "open_au_random_16k_osync"}
    assert figures_of(titled("Raspberry Pi 64GB CQ ON")) == {
        "seq_read_qd32",
        "seq_write_qd32",
        "rand_read_4k_qd32",
        "rand_write_4k_qd32",
    }


def test_a_job_of_unknown_queue_depth_is_no_figure():
    assert figures_of(titled("PNY 32GB Elite (U1 A1)")) == set()
