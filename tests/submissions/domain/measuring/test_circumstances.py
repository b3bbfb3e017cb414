"""Tests of the circumstances of a measurement: the rest of its run, and the state of its host."""

from typing import Any

import pytest

from submissions.domain import report
from submissions.domain.measuring import normalize
from submissions.domain.measuring.metrics import MIB
from tests.factories import body, rand_read, specimen, stream


def verdicts(*measurements: dict[str, Any], **changes: Any) -> list[tuple[str, str]]:
    report_read = report.parse(body(measurements=list(measurements), **changes))
    measured, _ = normalize.normalize(report_read, bus="SD")
    return [(measurement.verdict, measurement.reason) for measurement in measured]


def sequential(direction: str, mb_per_s: float, **parameters: Any) -> dict[str, Any]:
    pattern = {"direction": direction, "order": "sequential", "block_size_bytes": MIB} | parameters
    return stream("throughput", "MB/s", [mb_per_s], **pattern)


def test_it_works() -> None:
    assert verdicts(sequential("read", 40), sequential("write", 20)) == [("ok", ""), ("ok", "")]


def test_reads_are_seen_beside_the_writes_of_their_run() -> None:
    (alone,) = verdicts(sequential("read", 1900))
    beside, _ = verdicts(sequential("read", 1900), sequential("write", 20))
    assert "wrong unit" in alone[1]
    assert "page cache" in beside[1]


@pytest.mark.parametrize("rate", [0, 51.1])
def test_a_write_that_fits_no_link_says_nothing_of_reads(rate: float) -> None:
    (_, reason), _ = verdicts(sequential("read", 1900), sequential("write", rate))
    assert "wrong unit" in reason


def test_a_small_area_is_counted_in_erase_blocks_of_the_card() -> None:
    read = sequential("read", 20, span_bytes=15 * MIB)
    cards = [specimen(7, preferred_erase_size_bytes=size) for size in (None, MIB)]
    assert [verdicts(read, card=card)[0][0] for card in cards] == ["suspicious", "ok"]


def test_an_area_within_the_memory_of_the_host_may_not_have_reached_the_card() -> None:
    written = sequential("write", 20, io="buffered", file_size_bytes=512 * MIB)
    hosts = [{"memory_bytes": size} for size in (256 * MIB, 4096 * MIB)]
    assert [verdicts(written, host=host)[0][0] for host in hosts] == ["ok", "suspicious"]


def test_the_bus_says_which_standard_limits_a_card() -> None:
    sent = report.parse(body(measurements=[sequential("read", 150)], host={"interface": "usb"}))
    (on_sd,), (on_usb,) = (normalize.normalize(sent, bus=bus)[0] for bus in ("SD", "USB"))
    assert "faster than UHS-I" in on_sd.reason
    assert on_usb.reason == ""


def test_throughput_is_seen_beside_the_operations_of_the_same_test() -> None:
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096}
    agreeing = stream("throughput", "kB/s", [6144], **pattern)  # 1,500 per second
    wrong = stream(
        "throughput", "MB/s", [6.291], **pattern
    )  # kibi taken for kilo: 2.4 % would pass, so 6.144 * 1.024
    assert [name for name, _ in verdicts(rand_read(1500), agreeing)] == ["ok", "ok"]
    assert [name for name, _ in verdicts(rand_read(1400), wrong)] == ["suspicious", "suspicious"]


@pytest.mark.parametrize(("kb_per_s", "verdict"), [(15.0, "ok"), (20.0, "suspicious")])
def test_few_operations_per_second_are_printed_whole(kb_per_s: float, verdict: str) -> None:
    """3 operations of 4 KiB per second are 12.3 kB/s; of a whole number so small, a third more or less is allowed."""
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096}
    beside = stream("throughput", "kB/s", [kb_per_s], **pattern)
    assert {name for name, _ in verdicts(rand_read(3), beside)} == {verdict}


def test_an_open_au_is_small_by_its_nature() -> None:
    opened = sequential("write", 20, span_bytes=MIB, open_au=1)
    assert [verdicts(opened | {"workload": name})[0][0] for name in ("stream", "open-au")] == [
        "suspicious",
        "ok",
    ]


def test_another_queue_depth_is_another_test() -> None:
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096, "queue_depth": 32}
    deep = stream("throughput", "MB/s", [25.0], **pattern)
    assert {name for name, _ in verdicts(rand_read(1500), deep)} == {"ok"}


def test_a_latency_is_no_more_sure_than_the_rate_of_its_test() -> None:
    latency = sequential("read", 20) | {"metric": "latency_p99", "unit": "ms"}
    other = latency | {"parameters": latency["parameters"] | {"order": "random"}}
    busy = {"suite": "quick", "tool": "cardbench", "before": {"load_average": 4.2, "processors": 4}}
    rate, same, alone = verdicts(sequential("read", 20), latency, other, run=busy)
    assert rate == same
    assert (rate[0], alone) == ("at_least", ("ok", ""))
    impossible, same = verdicts(sequential("read", 1900), latency)
    assert (impossible[0], same) == ("impossible", impossible)


def test_the_state_of_the_host_counts() -> None:
    run = {"suite": "quick", "tool": "cardbench"}
    ((hot, _),) = verdicts(sequential("read", 20), run=run | {"after": {"throttled": True}})
    busy = {"load_average": 4.2, "processors": 4}
    ((crowded, _),) = verdicts(sequential("read", 20), run=run | {"before": busy})
    ((calm, _),) = verdicts(sequential("read", 20), run=run | {"before": busy | {"load_average": 4.0}})
    assert (hot, crowded, calm) == ("at_least", "at_least", "ok")


def test_queue_depth_without_a_queue_is_no_figure_of_a_queue() -> None:
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096, "queue_depth": 32}
    report_read = report.parse(
        body(
            measurements=[
                stream("iops", "1/s", [3000.0], command_queue=on, **pattern) for on in (True, False)
            ]
        )
    )
    measured, _ = normalize.normalize(report_read, bus="SD")
    assert [measurement.figure for measurement in measured] == ["rand_read_4k_qd32", "rand_read_4k_unqueued"]


@pytest.mark.parametrize(
    ("board", "figure"),
    [
        ("Raspberry Pi 4 Model B Rev 1.4", "rand_read_4k_unqueued"),
        ("Raspberry Pi 3 Model B+", "rand_read_4k_unqueued"),
        ("Raspberry Pi 5", ""),
        ("NanoPi M4", ""),
    ],
)
def test_a_board_that_cannot_queue_compares_any_depth(board: str, figure: str) -> None:
    """Raspberry Pi Diagnostics before July 2024 had four requests in flight, PiBenchmarks has 64."""
    pattern = {"direction": "read", "order": "random", "block_size_bytes": 4096}
    sent = body(
        host={"board": board, "interface": "mmc"},
        measurements=[stream("iops", "1/s", [1000.0], queue_depth=depth, **pattern) for depth in (4, 64)],
    )
    measured, _ = normalize.normalize(report.parse(sent), bus="SD")
    assert [measurement.figure for measurement in measured] == [figure, figure]
