"""Plots of one run, and of one card over time."""

from datetime import UTC, datetime
from typing import Any

import pytest

from submissions.models import Card, Host, Measurement, Run
from submissions.pages.plots import of_runs

KIB, MIB = 1024, 1024**2


def make_measurement(
    workload: str, metric: str, value: float | None, *repeats: float, **parameters: Any
) -> Measurement:
    """Return a measurement that is not stored in the database."""
    verdict = parameters.pop("verdict", "ok")
    return Measurement(
        workload=workload,
        metric=metric,
        value=value,
        repeats=list(repeats),
        parameters=parameters,
        verdict=verdict,
        spread=0.25,
    )


def stream(
    value: float | None, block: int, *repeats: float, metric: str = "throughput", **more: Any
) -> Measurement:
    return make_measurement("stream", metric, value, *repeats, block_size_bytes=block, **more)


def test_throughput_stands_over_block_size() -> None:
    group = [
        stream(40e6, MIB, 39e6, 40e6, 41e6),
        stream(10e6, 4 * KIB, 10e6),
        stream(20e6, 64 * KIB, 20e6, verdict="impossible"),
        stream(900.0, 4 * KIB, metric="iops"),
        stream(None, 2 * KIB),
    ]
    plot = of_runs.run_plot("p0", "Sequential read", group, erase_block=None)
    assert plot is not None
    assert [mark.tip for mark in plot.marks] == [
        "4 KiB, 10 MB/s",
        "64 KiB, 20 MB/s",
        "1 MiB, 40 MB/s, median of 3 repeats, spread 25 %",
    ]
    assert [mark.faint for mark in plot.marks] == [False, True, False]
    assert (plot.words.name, plot.words.title, plot.words.x_title) == ("p0", "Sequential read", "Block size")
    assert [tick.words for tick in plot.x_ticks][::2] == ["4 KiB", "64 KiB", "1 MiB"]
    assert plot.table.rows == ()


def test_scattered_reads_stand_over_their_places() -> None:
    group = [
        make_measurement("scatter", "latency_min", time, time, block_size_bytes=16 * KIB, offset_bytes=place)
        for place, time in ((0, 1e6), (16 * KIB, 1.1e6), (3 * MIB, 2e6))
    ]
    plot = of_runs.run_plot("p0", "Reads of the first blocks", group, erase_block=None)
    assert plot is not None
    assert [mark.tip for mark in plot.marks] == ["0 bytes, 1 ms", "16 KiB, 1.1 ms", "3 MiB, 2 ms"]
    assert [tick.words for tick in plot.x_ticks] == ["0 bytes", "1 MiB", "2 MiB", "3 MiB", "4 MiB"]
    assert (plot.words.x_title, plot.words.y_title) == ("Place", "Time")


def test_one_size_and_other_workloads_make_no_picture() -> None:
    assert of_runs.run_plot("p0", "x", [stream(1e6, MIB), stream(2e6, MIB)], erase_block=None) is None
    latencies = [stream(1e6, MIB), stream(1e3, KIB, metric="iops")]
    assert of_runs.run_plot("p0", "x", latencies, erase_block=None) is None
    assert of_runs.run_plot("p0", "x", [make_measurement("capacity", "x", 1.0)], erase_block=None) is None


def test_a_boundary_is_marked_where_the_run_states_an_erase_block() -> None:
    group = [
        make_measurement("align", metric, value, align_bytes=boundary)
        for boundary, values in ((4 * MIB, (3e6, 1e6)), (MIB, (2e6, 0.5e6)))
        for metric, value in zip(("align_on", "align_diff"), values, strict=True)
    ]
    plot = of_runs.run_plot("p1", "Boundaries", group, erase_block=4 * MIB)
    assert plot is not None
    assert [(note.words, note.x, note.rule) for note in plot.notes] == [("erase block", 100, True)]
    assert plot.words.description.endswith("the extra time for crossing them. The erase block is 4 MiB.")
    assert [key.words for key in plot.legend] == ["Read across the boundary", "Cost of crossing the boundary"]
    assert plot.marks[0].tip == "1 MiB, 2 ms"
    unstated = of_runs.run_plot("p1", "Boundaries", group, erase_block=None)
    assert unstated is not None and unstated.notes == ()


def test_a_line_for_each_number_of_open_aus_ends_in_that_number() -> None:
    group = [
        make_measurement("open-au", "throughput", count * size, open_au=count, block_size_bytes=size)
        for count in (1, 2)
        for size in (4 * MIB, MIB)
    ]
    plot = of_runs.run_plot("p2", "Open AUs", group, erase_block=None)
    assert plot is not None
    assert [key.words for key in plot.legend] == ["1 AU open", "2 AUs open"]
    assert [note.words for note in plot.notes] == ["1", "2"]
    assert [mark.x for mark in plot.marks] == [0, 100, 0, 100]


# Tests of plots over time.


def run(day: int, board: str = "Pi 4", *, card: str = "c1", life_used: float | None = None) -> Run:
    began = datetime(2024, 1, day, tzinfo=UTC)
    return Run(started_at=began, host=Host(board=board), card=Card(key=card), life_used=life_used)


def test_a_card_over_time_has_a_line_for_each_host() -> None:
    rows = [
        Measurement(
            figure=figure, metric="iops", value=value, repeats=[1, 2], verdict=verdict, run=run(day, board)
        )
        for figure, day, board, value, verdict in (
            ("rand_read_4k", 20, "Pi 4", 900.0, "ok"),
            ("rand_read_4k", 10, "Pi 4", 1000.0, "ok"),
            ("rand_read_4k", 15, "Pi 5", 1500.0, "suspicious"),
            ("rand_write_4k", 10, "Pi 4", 300.0, "ok"),
            ("seq_read", 10, "Pi 4", None, "failed"),
        )
    ]
    (plot,) = of_runs.figures_over_time(rows)
    assert (plot.words.name, plot.words.title) == ("age-rand_read_4k", "Random read, 4 KiB")
    assert [key.words for key in plot.legend] == ["Pi 4", "Pi 5"]
    assert [mark.tip for mark in plot.marks] == [
        "2024-01-10, Pi 4, 1,000 IOPS",
        "2024-01-20, Pi 4, 900 IOPS",
        "2024-01-15, Pi 5, 1,500 IOPS",
    ]
    assert [mark.faint for mark in plot.marks] == [False, False, True]
    first, last, between = (mark.x for mark in plot.marks)
    assert between == pytest.approx((first + last) / 2, abs=0.01)
    assert plot.table.rows[0] == ("2024-01-10", "Pi 4", "1,000 IOPS", "2", "–")
    assert [row[0] for row in plot.table.rows] == ["2024-01-10", "2024-01-15", "2024-01-20"]


def test_the_wear_of_a_card_stands_beside_that_of_others() -> None:
    plot = of_runs.draw_wear(
        [run(1, life_used=2), run(11, life_used=4.5)], [run(6, card="abcdef99", life_used=9)]
    )
    assert [(mark.tip, mark.faint, mark.style) for mark in plot.marks] == [
        ("2024-01-01, 2 %", False, 0),
        ("2024-01-11, 4.5 %", False, 0),
        ("2024-01-06, 9 %", True, 1),
    ]
    assert [key.words for key in plot.legend] == ["this card", "abcdef"]
    assert plot.y_ticks[0].words == "0 %"
    assert plot.table.rows == (("2024-01-01", "2 %"), ("2024-01-11", "4.5 %"))
