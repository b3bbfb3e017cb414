"""Measured times become figures, and errors never do."""

import os
import signal

import pytest
from cardbench import ftl
from cardbench.measuring.cells import Cell
from cardbench.measuring.figures import align_values, percentile
from cardbench.measuring.measure import Bench, measurements, run, run_cell
from cardbench.measuring.plan import cells
from cardbench.measuring.suites import Choice
from cardbench.sizes import SECOND_NS
from cardbench.target.engine import Engine
from cardbench.target.surface import Surface
from hypothesis import given
from hypothesis import strategies as st

from tests.client.cards import simulated_engine

KIB, MIB = 1024, 1024**2
READ_1M = Cell("stream", "read", MIB, 8, order="sequential")
READ_4K = Cell("stream", "read", 4 * KIB, 100, order="random")


def bench_of(engine: Engine, *, write: bool = True) -> Bench:
    opened = engine.open("/simulated", write=write)
    surface = Surface(opened.size_bytes, opened.logical_block_bytes, may_write=write, shows_boundaries=True)
    return Bench(engine, surface, opened.io, seed=1)


@pytest.fixture
def bench():
    with Engine(simulated_engine(1)) as engine:
        yield bench_of(engine)


def bad_card(offset_bytes: int) -> Engine:
    return Engine([*simulated_engine(1), "--bad-offset", str(offset_bytes)])


def test_it_works(bench):
    taken = run_cell(READ_1M, bench)
    assert len(taken.repeats) == 3
    assert taken.failure is None
    true_rate = MIB / (bench_model().read_command_ns / 1e9 + MIB / bench_model().bus_bytes_per_s)
    assert all(repeat.values["throughput"] == pytest.approx(true_rate, rel=0.1) for repeat in taken.repeats)


def bench_model() -> ftl.FlashModel:
    return ftl.draw(1)


def test_small_blocks_have_iops_and_latencies(bench):
    taken = run_cell(READ_4K, bench)
    values = taken.repeats[0].values
    assert list(values) == ["iops", "latency_p50", "latency_p99", "latency_max"]
    assert values["latency_p50"] <= values["latency_p99"] <= values["latency_max"]
    assert taken.repeats[0].operations == 100


def test_percentiles_are_times_that_were_measured():
    assert percentile([30, 10, 20, 40], 50) == 20
    assert percentile([30, 10, 20, 40], 99) == 40
    assert percentile([7], 50) == 7


@given(st.lists(st.integers(0, 10**12), min_size=1), st.floats(0.1, 100))
def test_a_percentile_lies_among_the_values(values, percent):
    answer = percentile(values, percent)
    assert answer in values
    assert sum(value <= answer for value in values) >= len(values) * percent / 100 - 1e-6


def test_align_values_by_hand():
    # on - (pre + post) / 2 is 10, 20 and 60
    assert align_values([(100, 110, 100), (100, 130, 120), (90, 160, 110)]) == {
        "align_pre": 100,
        "align_on": 130,
        "align_post": 110,
        "align_diff": 20,
    }


def test_the_erase_block_of_the_simulated_card_shows(bench):
    table = [cell for cell in cells(Choice(), bench.surface) if cell.align_bytes]
    diffs = {
        taken.cell.align_bytes: taken.repeats[0].values["align_diff"] for taken in run(table, bench).taken
    }
    model = bench_model()
    step_ns = model.page_step_ns + model.erase_block_step_ns
    at_boundary = diffs[model.erase_block_bytes]
    assert at_boundary == pytest.approx(step_ns, rel=0.25)
    assert diffs[4 * KIB] < model.page_step_ns / 2 < diffs[MIB] < at_boundary - model.erase_block_step_ns / 2


def test_a_cell_that_uses_up_its_time_is_kept_and_marked(bench):
    slow = Cell("stream", "read", MIB, 200, order="sequential", budget_ns=SECOND_NS)
    taken = run_cell(slow, bench)
    assert len(taken.repeats) == 3
    assert taken.failure is not None
    assert taken.failure.code == "time_budget"
    assert all(repeat.operations < 200 for repeat in taken.repeats)


def test_an_error_leaves_the_repeat_out():
    with bad_card(offset_bytes=0) as engine:
        bench = bench_of(engine)
        start = bench.surface.start_bytes
    with bad_card(offset_bytes=start + 12 * MIB) as engine:
        taken = run_cell(READ_1M, bench_of(engine))
    assert len(taken.repeats) == 1  # blocks 0 to 7; the bad one is in the second repeat
    assert taken.failure is not None
    assert taken.failure.code == "EIO"


def test_a_cell_without_a_repeat_says_why_and_has_no_number():
    with bad_card(offset_bytes=0) as engine:
        start = bench_of(engine).surface.start_bytes
    with bad_card(offset_bytes=start) as engine:
        bench = bench_of(engine)
        taken = run_cell(READ_1M, bench)
    (entry,) = measurements(taken, bench.surface, "direct")
    assert (entry["metric"], entry["values"], entry["failure"]["code"]) == ("throughput", [], "EIO")


def test_the_other_cells_go_on_after_an_error():
    with bad_card(offset_bytes=0) as engine:
        start = bench_of(engine).surface.start_bytes
    with bad_card(offset_bytes=start) as engine:
        outcome = run([READ_1M, READ_4K], bench_of(engine))
    assert len(outcome.taken) == 2
    assert outcome.device_failed
    assert outcome.taken[1].repeats or outcome.taken[1].failure


def test_an_engine_that_dies_ends_the_plan(bench):
    def kill(number: int, _cell: Cell) -> None:
        if number == 1:
            os.kill(bench.engine._process.pid, signal.SIGKILL)

    outcome = run([READ_1M, READ_4K, READ_1M], bench, kill)
    assert len(outcome.taken[0].repeats) == 3
    assert [cell.title for cell in outcome.not_run] == ["sequential read, 1 MiB"]
    assert outcome.device_failed


def test_an_interruption_keeps_what_was_measured(bench):
    def interrupt(number: int, _cell: Cell) -> None:
        if number == 1:
            raise KeyboardInterrupt

    outcome = run([READ_1M, READ_4K], bench, interrupt)
    assert (len(outcome.taken), outcome.not_run, outcome.interrupted) == (1, (READ_4K,), True)
    assert not outcome.device_failed


def test_entries_state_the_whole_access_pattern(bench):
    taken = run_cell(Cell("stream", "write", 4 * KIB, 10, order="random"), bench)
    entry = measurements(taken, bench.surface, "direct")[0]
    assert entry["parameters"] == {
        "direction": "write",
        "block_size_bytes": 4096,
        "queue_depth": 1,
        "io": "direct",
        "order": "random",
        "sync": "none",
        "span_bytes": 256 * MIB,
        "data": "random",
    }


def test_repeats_that_differ_too_much_are_made_again(bench):
    unsteady = Cell("stream", "write", MIB, 2, order="random", most_repeats=8)
    steady = Cell("stream", "read", MIB, 8, order="sequential", most_repeats=8)
    assert 3 < len(run_cell(unsteady, bench).repeats) <= 8
    assert len(run_cell(steady, bench).repeats) == 3


def test_a_queue_is_measured_by_the_time_of_all_together(bench):
    deep = Cell("stream", "read", 4 * KIB, 200, order="random", queue_depth=32)
    alone = Cell("stream", "read", 4 * KIB, 200, order="random")
    deep_iops, iops = (run_cell(cell, bench).repeats[0].values["iops"] for cell in (deep, alone))
    assert deep_iops == pytest.approx(iops, rel=0.2)  # this card takes one command at a time


@pytest.mark.parametrize("sync", ["fsync_at_end", "fsync_each", "dsync", "osync"])
def test_waiting_costs_and_is_labelled(sync):
    rates = []
    for way in ("none", sync):
        with Engine(simulated_engine(1)) as engine:
            bench = bench_of(engine)
            taken = run_cell(Cell("sync", "write", 4 * KIB, 64, order="sequential", sync=way), bench)
        entry = measurements(taken, bench.surface, "direct")[0]
        assert entry["parameters"]["sync"] == way
        rates.append(entry["values"][0])
    assert rates[0] > rates[1]


def test_chunks_have_a_mode_and_a_range(bench):
    values = run_cell(Cell("chunk", "write", 64 * KIB, 100, order="random"), bench).repeats[0].values
    assert values["latency_min"] <= values["latency_mode"] <= values["latency_max"]


def test_sustained_writing_sees_past_the_cache():
    with Engine(simulated_engine(1)) as engine:
        bench = bench_of(engine)
        cell = Cell(
            "sustained", "write", MIB, 600, order="sequential", repeats=1, most_repeats=1,
            budget_ns=60 * SECOND_NS, span_bytes=1024 * MIB,
        )  # fmt: skip
        (repeat,) = run_cell(cell, bench).repeats
    model = bench_model()
    assert repeat.values["slowest_second"] <= repeat.values["throughput"]
    assert len(repeat.series) == 120
    assert repeat.values["throughput"] == pytest.approx(model.program_bytes_per_s, rel=0.25)
    assert repeat.series[0] > repeat.series[-1]


def test_a_file_is_timed_with_its_sync(bench):
    cell = Cell("stream", "write", MIB, 10, order="sequential", sync="fsync_at_end", is_whole_file=True)
    taken = run_cell(cell, bench)
    rate, duration = (measurements(taken, bench.surface, "direct")[at] for at in (0, 1))
    assert rate["parameters"]["file_size_bytes"] == 10 * MIB
    assert rate["values"][0] == pytest.approx(10 * MIB / duration["values"][0] * SECOND_NS, rel=1e-3)
