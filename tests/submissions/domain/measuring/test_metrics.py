"""Tests that the registry of metrics is consistent, and agrees with the format of reports and with usual spellings."""

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import metrics, units
from submissions.domain.measuring.metrics import (
    ABILITIES,
    FIGURES,
    METRICS,
    WORKLOADS,
    amount_in_words,
    describe,
    figure_of,
    size_in_words,
)
from submissions.domain.report import Parameters

MEASUREMENTS = (
    (Path(__file__).parents[4] / "api" / "v1" / "REPORT.md")
    .read_text(encoding="utf-8")
    .split("## Measurements\n")[1]
    .split("\n## ")[0]
)
SEQ_READ: dict[str, Any] = {
    "direction": "read",
    "order": "sequential",
    "block_size_bytes": 1024**2,
    "queue_depth": 1,
    "io": "direct",
}
RAND_WRITE = SEQ_READ | {"direction": "write", "order": "random", "block_size_bytes": 4096, "sync": "none"}
OPEN_AU = {
    "order": "random",
    "block_size_bytes": 16384,
    "open_au": 1,
    "queue_depth": 1,
    "io": "direct",
    "sync": "osync",
}


def name_of(workload: str, metric: str, parameters: dict[str, Any]) -> str | None:
    figure = figure_of(workload, metric, parameters)
    return figure.name if figure else None


def test_it_works() -> None:
    assert describe("stream", "throughput").base_unit == "B/s"
    assert name_of("stream", "throughput", SEQ_READ) == "seq_read"
    assert name_of("stream", "iops", RAND_WRITE) == "rand_write_4k"
    assert name_of("open-au", "throughput", OPEN_AU) == "open_au_random_16k_osync"


@pytest.mark.parametrize("workload", ["", "Stream", "seq", "stream "])
def test_an_unknown_workload_is_told_which_there_are(workload: str) -> None:
    with pytest.raises(
        UnknownWorkload, match=("choose from stream, align, open-au, fat, geometry")
    ) as refused:
        describe(workload, "throughput")
    assert (refused.value.code, refused.value.field) == ("unknown_workload", "workload")


@pytest.mark.parametrize(
    ("workload", "metric"), [("stream", "align_on"), ("align", "iops"), ("fat", "speed")]
)
def test_a_metric_of_another_workload_is_refused(workload: str, metric: str) -> None:
    with pytest.raises(UnknownWorkload, match=f"does not belong to {workload}") as refused:
        describe(workload, metric)
    assert refused.value.field == "metric"


# The registry agrees with itself


def test_every_metric_belongs_to_a_workload_and_every_workload_names_metrics() -> None:
    assert {metric for workload in WORKLOADS.values() for metric in workload.metrics} == set(METRICS)


def test_every_base_unit_is_a_unit_of_its_own_kind() -> None:
    assert all(units.UNITS[metric.base_unit] == (metric.base_unit, 1) for metric in METRICS.values())


def test_only_a_difference_may_be_negative() -> None:
    assert [metric.name for metric in METRICS.values() if metric.signed] == ["align_diff"]


@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=lambda workload: workload.name)
def test_what_a_workload_must_state_can_be_stated(workload: metrics.Workload) -> None:
    assert set(workload.required) <= set(Parameters.__struct_fields__)


@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
def test_a_figure_says_how_it_was_measured(figure: metrics.Figure) -> None:
    better = "higher" if ABILITIES[figure.ability].sign > 0 else "lower"
    assert describe(figure.workload, figure.metric).better == better
    assert set(WORKLOADS[figure.workload].required) <= set(figure.where)
    assert set(figure.where) <= set(Parameters.__struct_fields__)
    if figure.workload != "fill":
        assert {"direction", "order", "block_size_bytes", "queue_depth", "io", "sync"} <= set(figure.where)
        direct = frozenset({None, "direct"}) if figure.slot == "spi" else "direct"
        assert figure.where["io"] == (direct if figure.name not in THROUGH_THE_CACHE else "buffered")


def test_names_are_short_enough_for_their_columns() -> None:
    assert max(map(len, [*METRICS, *WORKLOADS, *FIGURES])) <= 64


# Like is compared with like


def choices(name: str) -> st.SearchStrategy[Any]:
    kind = next(field.type for field in msgspec.structs.fields(Parameters) if field.name == name)
    return st.sampled_from([None, *(word for part in get_args(kind) for word in get_args(part))])


# Measured by hdparm -t and by dd with a sync at the end.
THROUGH_THE_CACHE = ("seq_read_cold", "seq_write_synced")
compared_by_its_pattern = pytest.mark.parametrize(
    "figure",
    [figure for figure in FIGURES.values() if figure.workload != "fill"],
    ids=lambda figure: figure.name,
)
every_figure = pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
changes = st.fixed_dictionaries(
    {},
    optional={
        "io": choices("io"),
        "sync": choices("sync"),
        "order": choices("order"),
        "queue_depth": st.sampled_from([None, 1, 2, 4, 32, 64, 65]),
    },
)


def semantics(parameters: dict[str, Any], slot: str) -> tuple[Any, ...]:
    """Return everything that must be equal for two measurements to be compared.

    A read may omit that it does not sync, and one sync after many direct writes counts as none. A microcontroller has
    no page cache, stated or not. If commands cannot wait in the card, any number of commands that wait in the host is
    equal.
    """
    sync, direct, depth = parameters["sync"], parameters["io"] == "direct", parameters["queue_depth"]
    small_unqueued = parameters.get("command_queue") is False and parameters["block_size_bytes"] == 4096
    if small_unqueued and depth and 4 <= depth <= 64:
        depth = "several"
    if slot == "spi":
        return parameters["io"] or "direct", parameters["queue_depth"], parameters["order"], sync or "none"
    if parameters["direction"] == "read" and sync is None:
        sync = "none"
    if parameters["direction"] == "write" and direct and depth in (1, "several") and sync == "fsync_at_end":
        sync = "none"
    return parameters["io"], depth, parameters["order"], sync


@compared_by_its_pattern
@given(change=changes)
def test_one_figure_means_one_way_of_measuring(figure: metrics.Figure, change: dict[str, Any]) -> None:
    """Direct and buffered, synchronous and not, queue depth 1 and 32 never share a figure."""
    pattern = typical(figure) | change
    same = figure_of(figure.workload, figure.metric, pattern, slot=figure.slot) is figure
    assert same == (semantics(pattern, figure.slot) == semantics(typical(figure), figure.slot))
    others = {"", "spi", "express"} - {figure.slot}
    assert all(figure_of(figure.workload, figure.metric, pattern, slot=slot) is not figure for slot in others)


def typical(figure: metrics.Figure) -> dict[str, Any]:
    """Return parameters with which a measurement is this figure, each with one of the values that the figure allows."""
    return {name: _one_of(wanted) for name, wanted in figure.where.items()}


def _one_of(wanted: Any) -> Any:
    if isinstance(wanted, frozenset):
        return next(value for value in wanted if value is not None)
    return wanted[0] if isinstance(wanted, tuple) else wanted


@every_figure
def test_no_figure_hides_behind_another(figure: metrics.Figure) -> None:
    assert figure_of(figure.workload, figure.metric, typical(figure), slot=figure.slot) is figure


@pytest.mark.parametrize(
    "change",
    [
        {"io": "buffered"},
        {"queue_depth": 2},
        {"queue_depth": 32},
        {"sync": "osync"},
        {"sync": "fsync_each"},
        {"order": "random"},
        {"direction": "write"},
        {"block_size_bytes": 1024**2 - 1},
        {"block_size_bytes": 16 * 1024**2 + 1},
    ],
)
def test_another_access_pattern_is_not_this_figure(change: dict[str, Any]) -> None:
    assert name_of("stream", "throughput", SEQ_READ | change) != "seq_read"


@pytest.mark.parametrize("missing", ["direction", "order", "block_size_bytes", "queue_depth", "io"])
def test_what_is_not_stated_is_not_guessed(missing: str) -> None:
    stated = {name: value for name, value in SEQ_READ.items() if name != missing}
    assert name_of("stream", "throughput", stated) is None


def test_a_write_must_say_whether_it_was_synchronous() -> None:
    unsaid = {name: value for name, value in RAND_WRITE.items() if name != "sync"}
    assert name_of("stream", "iops", unsaid) is None


@pytest.mark.parametrize(
    "change", [{"queue_depth": 32}, {"direction": "read"}, {"sync": "none"}, {"open_au": 2}]
)
def test_an_open_au_figure_is_one_synchronous_write_at_a_time(change: dict[str, Any]) -> None:
    assert name_of("open-au", "throughput", OPEN_AU | change) is None


@pytest.mark.parametrize("block_size_bytes", [1024**2, 2 * 1024**2, 4 * 1024**2])
def test_large_blocks_are_one_figure(block_size_bytes: int) -> None:
    assert name_of("stream", "throughput", SEQ_READ | {"block_size_bytes": block_size_bytes}) == "seq_read"


def test_throughput_of_small_blocks_is_no_iops_figure() -> None:
    assert name_of("stream", "throughput", RAND_WRITE) is None


# The contract names the rows of the registry, and nothing else


def table(heading: str) -> list[tuple[list[str], ...]]:
    """Return the rows of a table in api/v1/REPORT.md.

    Each cell as its quoted words, or all its words if none is quoted.
    """
    lines = MEASUREMENTS.split(f"| {heading} |")[1].split("\n\n")[0].splitlines()[2:]
    return [tuple(_words(cell) for cell in line.strip("|").split("|")) for line in lines]


def _words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell) or re.split(r", | ", cell.strip())


def test_the_contract_gives_every_metric_its_base_unit() -> None:
    listed = {name: base[0] for names, base, _ in table("metric") for name in names}
    assert listed == {metric.name: metric.base_unit for metric in METRICS.values()}


def test_the_contract_says_what_every_workload_must_state() -> None:
    listed = {name[0]: tuple(required) for name, required, _ in table("workload")}
    assert listed == {workload.name: workload.required or ("–",) for workload in WORKLOADS.values()}


def test_the_contract_says_which_metrics_a_workload_has() -> None:
    latencies = [name for name in METRICS if name.startswith("latency_")]
    short = {"latencies": latencies, "the": [], "four": [], "metrics": []}
    short["align"] = [name for name in METRICS if name.startswith("align_")]
    for (workload,), _, metrics_listed in table("workload"):
        spelled_out = [name for word in metrics_listed for name in short.get(word, [word])]
        assert sorted(spelled_out) == sorted(WORKLOADS[workload].metrics)


def test_the_contract_names_every_unit() -> None:
    listed = [unit for names, *_ in table("unit") for unit in names]
    assert sorted(listed) == sorted(units.UNITS)


def test_the_contract_names_every_parameter() -> None:
    listed = [name for names, *_ in table("parameter") for name in names]
    assert sorted(listed) == sorted(Parameters.__struct_fields__)


@pytest.mark.parametrize("name", ["direction", "order", "io", "sync", "data"])
def test_the_contract_names_every_word_of_a_parameter(name: str) -> None:
    (listed,) = [words for names, words, *_ in table("parameter") if names == [name]]
    kind = next(field.type for field in msgspec.structs.fields(Parameters) if field.name == name)
    literals = [inner for part in get_args(kind) for inner in get_args(part)]
    assert listed == [word for literal in literals for word in get_args(literal)]


# As people write it


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (5_190_000, "B/s", "5.19 MB/s"),
        (42_688_000, "B/s", "42.7 MB/s"),
        (104e6, "B/s", "104 MB/s"),
        (999_400, "B/s", "999 kB/s"),
        (999_600, "B/s", "1 MB/s"),
        (999.6e6, "B/s", "1 GB/s"),
        (1.5e12, "B/s", "1,500 GB/s"),
        (302_000, "B/s", "302 kB/s"),
        (12.34, "B/s", "12.3 B/s"),
        (0.0, "B/s", "0 B/s"),
        (2_270_000, "ns", "2.27 ms"),
        (999.9, "ns", "1 µs"),
        (60e9, "ns", "60 s"),
        (4e12, "ns", "4,000 s"),
        (-7823, "ns", "-7.82 µs"),
        (-999_700, "ns", "-1 ms"),
        (1905.2, "1/s", "1,905 IOPS"),
        (999.7, "1/s", "1,000 IOPS"),
        (12.25, "1/s", "12.2 IOPS"),
        (0.5, "1/s", "0.5 IOPS"),
        (3.0, "count", "3"),
        (2.5, "count", "2.5"),
        (4194304.0, "B", "4 MiB"),
    ],
)
def test_a_value_is_written_with_its_unit(value: float, unit: str, words: str) -> None:
    assert amount_in_words(value, unit) == words


@given(st.floats(1e-3, 1e18), st.sampled_from(["B/s", "ns", "1/s", "count"]))
def test_no_value_is_written_with_an_exponent(value: float, unit: str) -> None:
    assert re.fullmatch(r"[\d,]+(\.\d+)?( \S+)?", amount_in_words(value, unit))


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (512, "512 bytes"),
        (1023, "1,023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (4096, "4 KiB"),
        (3 * 512 * 1024, "1.5 MiB"),
        (4 * 1024**2, "4 MiB"),
        (1024**3, "1 GiB"),
        (1023 * 1024**2 + 1024, "1,047,553 KiB"),
        (4_000_000, "4,000,000 bytes"),
        (3904897024, "3,724 MiB"),
        (-1024, "-1,024 bytes"),
    ],
)
def test_a_size_is_written_in_powers_of_1024(size_bytes: int, words: str) -> None:
    assert size_in_words(size_bytes) == words
