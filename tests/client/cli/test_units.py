"""A value never loses its unit: it is printed in the unit of its report."""

import pytest
from cardbench.cli import show
from cardbench.sizes import Quantity


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (363.0, "us", "363 µs"),  # flashbench
        (34_000.0, "KiB/s", "34,000 KiB/s"),  # agnostics
        (27.0, "ms", "27 ms"),  # sd_bench
        (225.88, "kB/s", "225.88 kB/s"),
        (3.75172, "s", "3.75172 s"),
        (42_688_000.0, "B/s", "42.69 MB/s"),
        (1_905.2, "1/s", "1,905 per second"),
        (0.05, "1/s", "0.05 per second"),
        (4_194_304.0, "B", "4 MiB"),
        (1_536.0, "B", "1,536 B"),
        (7.0, "count", "7"),
    ],
)
def test_it_works(value: float, unit: str, words: str) -> None:
    assert str(Quantity(value, unit)) == words


def test_an_unknown_unit_stays_as_it_is() -> None:
    assert str(Quantity(12.5, "furlongs/s")) == "12.5 furlongs/s"
    assert Quantity(12.5, "furlongs/s").base == 12.5


@pytest.mark.parametrize(
    ("unit", "base"), [("us", 2e3), ("KiB/s", 2048), ("GB", 2e9), ("MiB", 2 * 1024**2), ("ns", 2)]
)
def test_values_of_several_units_are_compared_in_one(unit: str, base: float) -> None:
    assert Quantity(2.0, unit).base == base


def test_repeats_are_said_in_the_unit_of_the_middle() -> None:
    row = {"workload": "stream", "metric": "latency_max", "unit": "ns", "parameters": {"direction": "read"}}
    page = show.page({"measurements": [row | {"values": [957_212, 281_205_904, 947_688]}]})
    assert "957.2 µs  (957.2, 281,206, 947.7; spread" in page


def test_bars_stand_for_the_values_whatever_their_units() -> None:
    parameters = {"direction": "read", "block_size_bytes": 1024, "align_bytes": 4096}
    row = {"workload": "align", "metric": "align_diff", "parameters": parameters}
    rows = [
        row | {"unit": "us", "values": [500.0]},
        row | {"unit": "ms", "values": [1.0], "parameters": parameters | {"align_bytes": 8192}},
    ]
    page = show.page({"measurements": rows})
    assert f"        1 ms  {'█' * 24}\n" in page
    assert f"      500 µs  {'█' * 12}\n" in page


def test_the_typical_figure_is_compared_in_the_same_unit() -> None:
    pattern = {"direction": "write", "order": "sequential", "block_size_bytes": 1024**2, "queue_depth": 1}
    parameters = pattern | {"io": "direct", "sync": "none"}
    row = {
        "workload": "stream",
        "metric": "throughput",
        "unit": "MiB/s",
        "values": [40],
        "parameters": parameters,
    }
    page = show.page({"measurements": [row]}, {"seq_write": 20e6})
    assert "41.94 MB/s, a typical card 20 MB/s (×2.10)" in page
    assert "good for sequential writes: fast enough for 4K video" in page
