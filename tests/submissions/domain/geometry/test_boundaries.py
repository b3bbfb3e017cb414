"""Tests of the inference of erase block and page from clear, doubtful and broken tables."""

import math

from hypothesis import given
from hypothesis import strategies as st

from submissions.domain import geometry
from submissions.domain.geometry.boundaries import _size_weight
from tests.submissions.domain.geometry.tables import KIB, MIB, align, infer_geometry, make_measured

CLEAR = {2 << row: 300.0 if row >= 11 else 100.0 if row >= 3 else 2.0 for row in range(17)}


def test_it_works() -> None:
    inferences = infer_geometry(align(CLEAR))
    assert inferences["erase_block_size"].value == 4 * MIB
    assert inferences["page_size"].value == 16 * KIB
    assert inferences["erase_block_size"].reasoning == (
        "Reading across a multiple of 4 MiB costs 300 µs more than reading next to it; across smaller"
        " boundaries it costs 100 µs.",
        "Only powers of two were tried; 12 MiB would look the same, but is rare.",
    )
    assert inferences["page_size"].reasoning == (
        "Crossing a boundary of 16 KiB costs 100 µs; crossing a smaller one costs 2 µs.",
    )


def test_blocks_of_three_times_a_power_of_two() -> None:
    rows = {
        size: 300.0 if size % 6144 == 0 else 100.0 for row in range(5, 17) for size in (1 << row, 3 << row)
    }
    assert infer_geometry(align(rows))["erase_block_size"].value == 6 * MIB


def test_half_a_step_at_half_a_block_is_no_block() -> None:
    rows = {32 << row: 300.0 if row >= 8 else 200.0 if row == 7 else 100.0 + row % 3 for row in range(13)}
    inference = infer_geometry(align(rows))["erase_block_size"]
    assert inference.value == 8 * MIB
    assert "smaller step at 4 MiB" in inference.reasoning[1]


def test_one_odd_row_changes_nothing() -> None:
    assert infer_geometry(align(CLEAR | {32768: 496.0}))["erase_block_size"].value == 4 * MIB


def test_without_a_step_it_abstains() -> None:
    inferences = infer_geometry(align({2 << row: 100.0 + row % 2 for row in range(17)}))
    assert {inference.code for inference in inferences.values()} == {"abstained"}
    assert (
        "about the same at every size from 32 KiB to 128 MiB" in inferences["erase_block_size"].reasoning[0]
    )
    assert inferences["erase_block_size"].confidence is None


def test_between_two_answers_it_abstains() -> None:
    rows = {
        32 << row: 300.0 if row >= 8 else 220.0 if row == 7 else 100.0 + 40 * (row % 2) for row in range(13)
    }
    (reason,) = infer_geometry(align(rows))["erase_block_size"].reasoning
    assert reason in (
        "Cannot tell, because 4 MiB explains the table hardly better than 8 MiB.",
        "Cannot tell, because 8 MiB explains the table hardly better than 4 MiB.",
    )


def test_the_size_of_the_card_decides_between_two() -> None:
    rows = align(
        {32 << row: 300.0 if row >= 8 else 235.0 if row == 7 else 100.0 + 9 * row for row in range(13)}
    )
    assert infer_geometry(rows, size_bytes=931 * 4 * MIB)["erase_block_size"].value == 4 * MIB


def test_a_size_of_whole_blocks_is_more_likely() -> None:
    """A share of 0.7 of the makers cut whole blocks: 0.7 * 4 MiB / 512 KiB + 0.3 = 5.9."""
    assert math.isclose(math.exp(_size_weight(8 * MIB, 4 * MIB)), 5.9)
    assert math.isclose(math.exp(_size_weight(9 * MIB, 4 * MIB)), 0.3)
    assert _size_weight(None, 4 * MIB) == 0


def test_rows_with_failed_reads_are_left_out() -> None:
    """flashbench prints a read that failed as a time of 0."""
    broken = [
        make_measured("align", "align_on", None, verdict="failed", align_bytes=4 * MIB, block_size_bytes=KIB),
        *align(CLEAR | {4096: -900.0}),
    ]
    assert infer_geometry(broken)["erase_block_size"].value == 8 * MIB


def test_too_few_rows() -> None:
    inferences = infer_geometry(align({4096: 300.0, 2048: 100.0}))
    assert inferences["erase_block_size"].reasoning == (
        "Cannot tell, because 2 rows between 32 KiB and 128 MiB are too few to show a step.",
    )


@given(st.dictionaries(st.sampled_from([2 << row for row in range(20)]), st.floats(-1e6, 1e6)))
def test_no_table_breaks_it(diffs: dict[int, float]) -> None:
    for inference in geometry.infer(align(diffs), size_bytes=None):
        assert (inference.value is None) == (inference.code == "abstained")
        assert inference.confidence is None or 0.8 <= inference.confidence <= 0.97


@given(st.floats(0.01, 100), st.floats(-500, 500))
def test_neither_a_slower_host_nor_a_constant_cost_changes_the_answer(factor: float, cost: float) -> None:
    rows = align({size: factor * (diff + cost) for size, diff in CLEAR.items()}, access_us=1000 * factor)
    assert infer_geometry(rows)["erase_block_size"].value == 4 * MIB


def test_a_table_that_breaks_off_is_no_coarse_one() -> None:
    inference = infer_geometry(align({size: diff for size, diff in CLEAR.items() if size >= 64 * KIB}))[
        "page_size"
    ]

    assert inference.value is None
    assert inference.reasoning == (
        "Cannot tell, because the table ends before its rows of 2 KiB, which would show the page.",
    )
