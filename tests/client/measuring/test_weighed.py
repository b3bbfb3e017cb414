"""The suite standard measures the abilities that the uses of the server require."""

import random

import pytest
from cardbench.measuring.measure import parameters
from cardbench.measuring.plan import cells, stream_offsets
from cardbench.measuring.suites import SUITES, Choice
from cardbench.measuring.workloads import METRIC_UNITS, first_metric
from cardbench.target.surface import Surface

from submissions.domain.measuring import metrics
from submissions.domain.ranking.uses import all_uses

KIB, MIB, GIB = 1024, 1024**2, 1024**3
SURFACE = Surface(16 * GIB, 512, may_write=True, shows_boundaries=True)


def figures_of(suite: str, slot: str = "") -> set[str]:
    """Return the figures that a suite gives on the server, measured in this kind of slot (device or bus)."""
    table = [cell for cell in cells(Choice(suite), SURFACE) if not cell.align_bytes]
    named = (
        metrics.figure_of(cell.workload, metric, parameters(cell, SURFACE, "direct"), slot=slot)
        for cell in table
        for metric in (first_metric(cell), "latency_p99")
    )
    return {figure.name for figure in named if figure}


def abilities_of(suite: str, slot: str = "") -> set[str]:
    """Return the abilities that the figures of a suite measure, in this kind of slot (device or bus)."""
    return {metrics.FIGURES[figure].ability for figure in figures_of(suite, slot)}


# Other programs write whole cards, which takes hours.
ELSEWHERE = {"sustained_writes"}


# A microcontroller, which reaches a card over SPI, runs no Python.
@pytest.mark.parametrize(
    "use", [use for use in all_uses().values() if use.slot != "spi"], ids=lambda use: use.name
)
def test_the_standard_suite_measures_all_that_a_use_asks_for(use):
    asked = {*use.leads, *(need.ability for need in use.needs)}
    assert asked - abilities_of("standard", use.slot) <= ELSEWHERE


def test_the_quick_suite_measures_reading_and_writing():
    assert {"seq_read", "seq_write", "rand_read_4k", "rand_write_4k"} == figures_of("quick")


def test_one_unit_is_written_whole_before_the_next():
    for cell in (cell for cell in SUITES["standard"].cells if cell.unit_bytes):
        units = [offset // (4 * MIB) for offset in stream_offsets(cell, SURFACE, 1, random.Random(3))]
        each = 4 * MIB // cell.block_size_bytes
        assert len(set(units)) == len(units) // each
        assert all(len(set(units[at : at + each])) == 1 for at in range(0, len(units), each))


def test_another_repeat_writes_into_other_units():
    for cell in (cell for cell in SUITES["standard"].cells if cell.unit_bytes):
        first, second = ({*stream_offsets(cell, SURFACE, repeat, random.Random(3))} for repeat in (0, 1))
        assert not first & second


def test_what_is_timed_has_a_unit():
    assert {first_metric(cell) for suite in SUITES.values() for cell in suite.cells} <= METRIC_UNITS.keys()


def test_queued_streams_and_open_units_cost_two_minutes_at_most():
    """The limit holds even on a slow card where repeats always differ."""
    added = [
        cell
        for cell in cells(Choice("standard"), SURFACE)
        if cell.unit_bytes or (cell.block_size_bytes == MIB and cell.queue_depth > 1)
    ]
    assert len(added) == 4
    assert sum(cell.most_repeats * cell.budget_ns for cell in added) <= 120e9
