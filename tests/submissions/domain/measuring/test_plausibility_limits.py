"""Tests of measurements just at the limits of plausibility: writes and reads, the host of a run, and numbers."""

from typing import Any

import pytest

from submissions.domain import report
from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import metrics, normalize, units
from submissions.domain.measuring.metrics import MIB
from tests.factories import body, rand_read, stream
from tests.factories import report as whole_report

CARD = {"bus": "SD", "label": {"brand": "X"}}


def judge(*measurements: dict[str, Any], **changes: Any) -> list[normalize.Measured]:
    measured, _ = normalize.normalize(
        report.parse(body(measurements=list(measurements), **changes)), bus="SD"
    )
    return list(measured)


def make_rate(direction: str, mb_per_s: float, **parameters: Any) -> dict[str, Any]:
    """Return a measurement of a sequential rate in MB/s, on a bus of 50 MB/s."""
    pattern = {"direction": direction, "order": "sequential", "block_size_bytes": MIB} | parameters
    return stream("throughput", "MB/s", [mb_per_s], **pattern)


@pytest.mark.parametrize(("written", "cached"), [(0.1, True), (51, True), (51.1, False), (900, False)])
def test_a_write_within_two_percent_of_the_link_respects_it(written: float, cached: bool) -> None:
    read, _ = judge(make_rate("read", 900), make_rate("write", written))
    assert ("page cache. Run the test again" in read.reason) == cached


def test_a_read_within_the_link_says_nothing_of_writes() -> None:
    read, _ = judge(make_rate("read", 900), make_rate("read", 20, block_size_bytes=4 * MIB))
    assert "Run the test again" not in read.reason


def test_a_failed_write_respects_no_link() -> None:
    failed = make_rate("write", 1) | {"values": [], "failure": {"code": "io_error"}}
    assert "Run the test again" not in judge(make_rate("read", 900), failed)[0].reason


@pytest.mark.parametrize(
    ("before", "verdict"),
    [
        ({"load_average": 4.0, "processors": 4}, "ok"),
        ({"load_average": 4.01, "processors": 4}, "at_least"),
        ({"load_average": 9.0}, "ok"),
        ({"processors": 1}, "ok"),
        ({"throttled": True}, "at_least"),
    ],
)
def test_what_a_host_says_before_the_run(before: dict[str, Any], verdict: str) -> None:
    run = whole_report()["run"] | {"before": before}
    assert judge(make_rate("read", 20), run=run)[0].verdict == verdict


@pytest.mark.parametrize(
    ("span", "erase_block", "verdict"),
    [(16, None, "ok"), (15, None, "suspicious"), (15, 2, "ok"), (7, 2, "suspicious"), (8, 2, "ok")],
)
def test_four_erase_blocks_are_the_least(span: int, erase_block: int | None, verdict: str) -> None:
    card = CARD | ({"preferred_erase_size_bytes": erase_block * MIB} if erase_block else {})
    assert judge(make_rate("read", 20, span_bytes=span * MIB), card=card)[0].verdict == verdict


@pytest.mark.parametrize(("depth", "remarked"), [(1, False), (2, True), (32, True)])
def test_two_commands_at_a_time_are_a_queue(depth: int, remarked: bool) -> None:
    reason = judge(make_rate("read", 20, queue_depth=depth, command_queue=False))[0].reason
    assert ("brings nothing here" in reason) == remarked


@pytest.mark.parametrize(("mb_per_s", "verdict"), [(6.144, "ok"), (6.32, "ok"), (6.34, "suspicious")])
def test_both_units_of_a_test_agree_within_three_percent(mb_per_s: float, verdict: str) -> None:
    """1,500 operations per second of 4096 bytes are 6.144 MB/s; 3 % more are 6.328 MB/s."""
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096}
    both = judge(rand_read(1500), stream("throughput", "MB/s", [mb_per_s], **pattern))
    assert [one.verdict for one in both] == [verdict] * 2


def test_a_latency_beside_a_throughput_is_no_twin() -> None:
    pattern = {"direction": "read", "order": "sequential", "block_size_bytes": MIB}
    assert [
        one.verdict for one in judge(make_rate("read", 20), stream("latency_p50", "ms", [1.0], **pattern))
    ] == [
        "ok",
        "ok",
    ]


@pytest.mark.parametrize(
    ("value", "unit", "stored"),
    [
        (1e-6, "B/s", 1e-6),
        (1e18, "B/s", 1e18),
        (9.9e-7, "B/s", None),
        (1.1e18, "B/s", None),
        (1e9, "GB/s", 1e18),
    ],
)
def test_numbers_beyond_a_card_are_not_understood(value: float, unit: str, stored: float | None) -> None:
    given = stream("throughput", unit, [value], direction="read", order="sequential", block_size_bytes=4096)
    values = [one.value for one in judge(given)]
    assert values == ([] if stored is None else [stored])


def test_what_failed_in_part_is_remarked_unless_something_is_weightier() -> None:
    failure = {"failure": {"code": "io_error", "detail": "two of five"}}
    fine, wild = judge(
        make_rate("read", 20) | failure, make_rate("read", 60, block_size_bytes=2 * MIB) | failure
    )
    assert (fine.verdict, fine.reason) == ("ok", "some repeats failed: two of five")
    assert wild.verdict == "impossible"
    assert "two of five" not in wild.reason


def test_a_measurement_keeps_what_was_counted() -> None:
    (one,) = judge(make_rate("read", 20) | {"operations": 77, "values": [10, 20, 40]})
    assert (one.operations, one.value, one.spread) == (77, 20e6, 1.5)
    assert one.repeats == (10e6, 20e6, 40e6)
    assert "repeats differ by 150 %" in one.reason


def test_the_codes_of_what_is_unknown() -> None:
    for workload, metric, field in (("streem", "iops", "workload"), ("stream", "page_size", "metric")):
        with pytest.raises(UnknownWorkload) as unknown:
            metrics.describe(workload, metric)
        assert unknown.value.field == field
    with pytest.raises(UnknownWorkload) as unknown:
        units.factor("ms", base=units.RATE)
    assert (unknown.value.field, unknown.value.code) == ("unit", "wrong_unit")


@pytest.mark.parametrize(
    ("value", "base", "words"),
    [
        (999_499, units.RATE, "999 kB/s"),
        (999_500, units.RATE, "1 MB/s"),
        (999.4, units.IOPS, "999 IOPS"),
        (999.5, units.IOPS, "1,000 IOPS"),
        (0.5, units.RATE, "0.5 B/s"),
        (-2_500_000, units.TIME, "-2.5 ms"),
        (12, units.COUNT, "12"),
        (1536.2, units.SIZE, "1.5 KiB"),
    ],
)
def test_a_value_changes_its_unit_at_a_thousand(value: float, base: str, words: str) -> None:
    assert metrics.amount_in_words(value, base) == words


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (512, "512 bytes"),
    ],
)
def test_a_size_changes_its_unit_at_1024(size_bytes: int, words: str) -> None:
    assert metrics.size_in_words(size_bytes) == words
