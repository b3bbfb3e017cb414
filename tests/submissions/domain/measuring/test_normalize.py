"""Tests of the way from a report to stored values: base units, medians, spread, figure and verdict."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.measuring import units
from submissions.domain.measuring.metrics import METRICS, WORKLOADS
from submissions.domain.measuring.normalize import Measured, NotUnderstood, normalize
from submissions.domain.report import (
    BusMode,
    Card,
    Client,
    Failure,
    Host,
    Measurement,
    Parameters,
    Report,
    Run,
)

DDR50 = Host(interface="mmc", bus_mode=BusMode(name="DDR50", clock_hz=50_000_000, width_bits=4))
SEQ_READ = Parameters(
    direction="read", order="sequential", block_size_bytes=1024**2, queue_depth=1, io="direct"
)
RAND_READ = Parameters(direction="read", order="random", block_size_bytes=4096, queue_depth=1, io="direct")

# Everything that any workload must state.
STATED = Parameters(
    direction="read", order="random", block_size_bytes=4096, open_au=1, align_bytes=1, erase_block_index=0
)


def report(*measurements: Measurement, host: Host = DDR50) -> Report:
    return Report(
        format="flashdb-report",
        format_version=1,
        client=Client(name="me"),
        card=Card(bus="SD"),
        run=Run(suite="quick", tool="me"),
        measurements=measurements,
        host=host,
    )


def measurement(*values: float, unit: str = "MB/s", metric: str = "throughput", **more: Any) -> Measurement:
    fields: dict[str, Any] = {"workload": "stream", "parameters": SEQ_READ} | more
    return Measurement(metric=metric, unit=unit, values=values, **fields)


def align_diff(*values: float) -> Measurement:
    pattern = Parameters(block_size_bytes=1024, align_bytes=4 * 1024**2)
    return measurement(*values, workload="align", metric="align_diff", unit="us", parameters=pattern)


def normalize_one(stated: Measurement, *, host: Host = DDR50) -> Measured:
    (result,), missed = normalize(report(stated, host=host), bus="SD")
    assert missed == ()
    return result


def find_missing(stated: Measurement) -> NotUnderstood:
    result, (missing,) = normalize(report(stated), bus="SD")
    assert result == ()
    return missing


def test_it_works() -> None:
    result = normalize_one(measurement(40, 39, 42, operations=64))

    assert result.repeats == (40e6, 39e6, 42e6)
    assert result.value == 40e6
    assert result.spread == 0.075
    assert result.parameters == {
        "direction": "read",
        "order": "sequential",
        "block_size_bytes": 1024**2,
        "queue_depth": 1,
        "io": "direct",
    }
    assert (result.figure, result.verdict, result.reason, result.operations) == ("seq_read", "ok", "", 64)


@pytest.mark.parametrize(
    ("unit", "value", "stored"),
    [
        ("B/s", 5.0, 5.0),
        ("kB/s", 302.0, 302_000.0),
        ("MiB/s", 4.0, 4_194_304.0),
        ("KiB/s", 40367.0, 41_335_808.0),
    ],
)
def test_values_are_stored_in_the_base_unit(unit: str, value: float, stored: float) -> None:
    assert normalize_one(measurement(value, unit=unit)).value == stored


def test_an_even_number_of_repeats_has_its_median_in_the_middle() -> None:
    assert normalize_one(measurement(10, 40, 20, 30)).value == 25e6


def test_one_repeat_has_no_spread() -> None:
    assert normalize_one(measurement(40)).spread is None


def test_the_order_of_the_report_is_kept() -> None:
    result, missing = normalize(
        report(
            measurement(3), measurement(2, metric="speed"), measurement(1), measurement(0, unit="furlong")
        ),
        bus="SD",
    )
    assert [entry.value for entry in result] == [3e6, 1e6]
    assert [entry.field for entry in missing] == ["measurements[1].metric", "measurements[3].unit"]


@pytest.mark.parametrize(
    ("host", "figure"), [(Host(interface="spi"), "seq_write_spi"), (Host(interface="usb"), "")]
)
def test_what_is_measured_in_a_slot_of_its_own_is_a_figure_there_alone(host: Host, figure: str) -> None:
    sectors = Parameters(direction="write", order="sequential", block_size_bytes=512, queue_depth=1)
    assert normalize_one(measurement(0.3, parameters=sectors), host=host).figure == figure


# Values that are not understood


@pytest.mark.parametrize(
    ("stated", "field", "code"),
    [
        (measurement(1, workload="seek"), "measurements[0].workload", "unknown_workload"),
        (measurement(1, metric="align_on"), "measurements[0].metric", "unknown_workload"),
        (measurement(1, unit="Mb/s"), "measurements[0].unit", "unknown_unit"),
        (measurement(1, unit="1/s"), "measurements[0].unit", "wrong_unit"),
        (measurement(1, parameters=Parameters()), "measurements[0].parameters", "missing_parameter"),
    ],
)
def test_what_is_not_understood_says_where(stated: Measurement, field: str, code: str) -> None:
    assert (find_missing(stated).field, find_missing(stated).code) == (field, code)


def test_every_missing_parameter_is_named() -> None:
    detail = find_missing(measurement(1, parameters=Parameters(order="random"))).detail
    assert detail == "stream must state direction, block_size_bytes."


@pytest.mark.parametrize(
    ("values", "unit", "field"),
    [
        ((40, 1e308), "GB/s", "measurements[0].values[1]"),
        ((1.7e308, 1.7e308), "B/s", "measurements[0].values[0]"),
        ((1.1e18,), "B/s", "measurements[0].values[0]"),
        ((9e-7,), "B/s", "measurements[0].values[0]"),
        ((5e-324,), "MB/s", "measurements[0].values[0]"),
        ((-1e308,), "GB/s", "measurements[0].values[0]"),
    ],
)
def test_a_number_beyond_all_reason_is_not_stored(values: tuple[float, ...], unit: str, field: str) -> None:
    result = find_missing(measurement(*values, unit=unit))
    assert (result.field, result.code) == (field, "value_out_of_range")
    assert "check the value and its unit" in result.detail


# Errors while measuring


def test_a_failure_is_kept_with_its_reason() -> None:
    result = normalize_one(measurement(failure=Failure(code="io_error", detail="read error at 4 MiB")))
    assert (result.value, result.spread, result.repeats) == (None, None, ())
    assert (result.verdict, result.reason) == ("failed", "read error at 4 MiB")


def test_a_failure_without_detail_gives_its_code() -> None:
    assert normalize_one(measurement(failure=Failure(code="timeout"))).reason == "timeout"


def test_no_value_and_no_failure_is_a_failure_too() -> None:
    result = normalize_one(measurement())
    assert (result.verdict, result.reason) == ("failed", "no value was given")


def test_repeats_that_worked_count_beside_one_that_failed() -> None:
    result = normalize_one(measurement(40, 41, failure=Failure(code="io_error")))
    assert (result.verdict, result.value) == ("ok", 40.5e6)
    assert result.reason == "some repeats failed: io_error"


def test_the_reason_of_a_rule_is_not_replaced_by_failed_repeats() -> None:
    result = normalize_one(measurement(45, failure=Failure(code="io_error")))
    assert (result.verdict, result.reason) == (
        "at_least",
        "the link carries 50 MB/s, so the card may be faster",
    )


@pytest.mark.parametrize("values", [(0,), (-0.0,), (-40,), (40, 0, 41), (40, 41, -1), (0, 0, 0)])
def test_zero_and_less_are_impossible(values: tuple[float, ...]) -> None:
    result = normalize_one(measurement(*values))
    assert result.verdict == "impossible"
    assert result.reason == "Throughput must be greater than zero; leave out a failed repeat"


@pytest.mark.parametrize(
    "metric", [metric for metric in METRICS.values() if not metric.signed], ids=lambda m: m.name
)
def test_no_metric_but_a_difference_can_be_negative(metric: Any) -> None:
    workload = next(candidate for candidate in WORKLOADS.values() if metric.name in candidate.metrics)
    stated = measurement(
        -5, workload=workload.name, metric=metric.name, unit=metric.base_unit, parameters=STATED
    )
    assert normalize_one(stated).verdict == "impossible"


@pytest.mark.parametrize("values", [(-7.823, -9.971, -8.301), (0,), (-51, 1110, 2110)])
def test_a_difference_may_be_anything(values: tuple[float, ...]) -> None:
    assert normalize_one(align_diff(*values)).verdict == "ok"


# Against the link of the host (DDR50: 50 MB/s)


def test_more_than_the_link_carries_is_impossible() -> None:
    result = normalize_one(measurement(1900, parameters=SEQ_READ))
    assert (result.verdict, result.figure) == ("impossible", "seq_read")
    assert "more than the link can carry" in result.reason


def test_operations_are_compared_by_the_bytes_they_move() -> None:
    """12,500 reads of 4,096 bytes a second are 51.2 MB/s, more than 102 % of 50 MB/s; 7,000 reads are 57 %."""
    iops: dict[str, Any] = {"metric": "iops", "unit": "1/s", "parameters": RAND_READ}
    assert normalize_one(measurement(12_500, **iops)).verdict == "impossible"
    assert normalize_one(measurement(7_000, **iops)).verdict == "ok"
    assert normalize_one(measurement(7_500, **iops)).verdict == "suspicious"


def figures(*stated: Measurement) -> list[tuple[str, str, float | None]]:
    results, missed = normalize(report(*stated), bus="SD")
    assert missed == ()
    return [(result.metric, result.figure, result.value) for result in results]


def test_operations_told_as_throughput_are_counted_too() -> None:
    """iozone prints random reads only in kB/s, but they are compared by operations."""
    random = measurement(4.096, parameters=RAND_READ)
    assert figures(random) == [("throughput", "", 4_096_000.0), ("iops", "rand_read_4k", 1000.0)]


def test_operations_are_counted_of_nothing_else() -> None:
    told = measurement(900, metric="iops", unit="1/s", parameters=RAND_READ)
    assert len(figures(measurement(4.096, parameters=RAND_READ), told)) == 2, "told already"
    assert len(figures(measurement(40))) == 1, "compared as throughput"
    latency = measurement(1.0, metric="latency_mean", unit="ms", parameters=RAND_READ)
    assert len(figures(latency)) == 1, "no throughput"


def test_the_median_is_judged_not_the_best_repeat() -> None:
    assert normalize_one(measurement(40, 40, 60)).verdict == "ok"


def test_times_are_not_compared_with_the_link() -> None:
    assert normalize_one(measurement(1, metric="latency_mean", unit="ns")).verdict == "ok"


def test_a_host_that_says_nothing_of_its_link_is_given_the_benefit() -> None:
    assert normalize_one(measurement(280), host=Host()).verdict == "ok"
    assert normalize_one(measurement(1900), host=Host()).verdict == "impossible"


def test_the_page_cache_shows_even_when_nothing_is_known_of_the_card() -> None:
    (result,), _ = normalize(report(measurement(1900), host=Host()), bus=None)
    assert result.verdict == "impossible"


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(numbers, max_size=5), st.sampled_from(list(units.UNITS)))
def test_nothing_but_finite_numbers_comes_out(values: list[float], unit: str) -> None:
    metric = next(name for name, m in METRICS.items() if m.base_unit == units.UNITS[unit][0])
    workload = next(candidate.name for candidate in WORKLOADS.values() if metric in candidate.metrics)
    stated = measurement(*values, workload=workload, metric=metric, unit=unit, parameters=STATED)
    for result in normalize(report(stated, host=Host()), bus=None)[0]:
        assert all(map(math.isfinite, result.repeats))
        assert (result.value is None) == (result.verdict == "failed") == (not values)
        assert result.value is None or math.isfinite(result.value)
        assert result.spread is None or math.isfinite(result.spread)
