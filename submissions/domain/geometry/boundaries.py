"""Infer erase block and page from an align table: crossing their boundaries costs more time."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from statistics import median

from submissions.domain.geometry.inference import LEAST_LOG_ODDS, Inference, abstain, conclude
from submissions.domain.geometry.levels import Decision, decide, log_likelihood
from submissions.domain.geometry.timing_tables import AlignTable
from submissions.domain.measuring import units
from submissions.domain.measuring.metrics import KIB, MIB, amount_in_words, size_in_words

Rows = dict[int, float]  # alignment in bytes -> ns
Weights = dict[int | None, list[float]]

_ERASE_ROWS = (32 * KIB, 128 * MIB)  # larger boundaries show the steps of the card's own mapping tables
_ERASE_BLOCKS = (128 * KIB, 64 * MIB)
_PAGE_ROWS = (2 * KIB, 128 * KIB)
_PAGES = (4 * KIB, 64 * KIB)
_FEWEST_ROWS = 6
_SMALLEST_STEP = 0.02  # share of the time of one access
_RESOLUTION = 0.003  # share of the time of one access: flashbench prints three digits
# Some cards show part of a step at half an erase block, or a smaller one before the page: two planes.
_TWO_STEPS = math.log(0.2)
# Blocks of 3 * 2^k (three bits per cell: A. Bergmann, LKML 2012) cross every third boundary of 2^k: in a table of
# powers of two they look like blocks of 2^k with a third of the step.
_THRICE = math.log(0.05)
_PART_OF_A_STEP = (0.2, 0.8)
# Of eleven cards with an unmistakable block (Wiren Board's logs) eight have a size of whole blocks; the others, a
# multiple of half a mebibyte.
_WHOLE, _CUT = 0.7, 512 * KIB
# A share of the cost of a page boundary: if a smaller boundary costs more than that, the page is smaller.
_WEAK_FLOOR = 0.25


def erase_block(table: AlignTable, size_bytes: int | None) -> Inference:
    """Infer the erase block of a card: the smallest boundary from which on crossing costs most time.

    The size of the card may confirm it.
    """
    rows, quantity = _select_rows(table.diffs, _ERASE_ROWS), "erase_block_size"
    if len(rows) < _FEWEST_ROWS:
        return abstain(quantity, f"{len(rows)} rows between 32 KiB and 128 MiB are too few to show a step")
    weights = _erase_weights(rows, table.access_ns, size_bytes)
    return _infer_step(quantity, rows, weights, partial(_erase_reasons, size_bytes=size_bytes))


def page(table: AlignTable) -> Inference:
    """Infer the page of a card: the smallest boundary that costs time to cross."""
    rows, quantity = _select_rows(table.diffs, _PAGE_ROWS), "page_size"
    if len(rows) < _FEWEST_ROWS or min(rows) > _PAGE_ROWS[0]:
        return abstain(quantity, _no_small_rows(table))
    return _infer_step(quantity, rows, _page_weights(rows, table.access_ns), _page_reasons)


def _infer_step(
    quantity: str, rows: Rows, weights: Weights, reasons: Callable[[Rows, int], tuple[str, ...]]
) -> Inference:
    decision = decide(weights)
    if decision.answer is None:
        return abstain(quantity, _no_step(rows))
    if decision.log_odds < LEAST_LOG_ODDS:
        return abstain(quantity, _explain_tie(decision))
    return conclude(quantity, decision.answer, decision.log_odds, *reasons(rows, decision.answer))


def _no_small_rows(table: AlignTable) -> str:
    if 2 * table.block_size_bytes > _PAGE_ROWS[0]:
        read = size_in_words(table.block_size_bytes)
        return f"reads of {read} are too coarse to show a page; use --blocksize=1024"
    return f"the table ends before its rows of {size_in_words(_PAGE_ROWS[0])}, which would show the page"


def _select_rows(diffs: Rows, limits: tuple[int, int]) -> Rows:
    low, high = limits
    return {align: diff for align, diff in diffs.items() if low <= align <= high}


def _erase_weights(rows: Rows, access_ns: float, size_bytes: int | None) -> Weights:
    resolution = max(_RESOLUTION * access_ns, 1.0)
    weights: Weights = {None: [log_likelihood([list(rows.values())], resolution=resolution)]}
    for block in rows:
        top, half, low = _erase_levels(rows, block)
        if not _ERASE_BLOCKS[0] <= block <= _ERASE_BLOCKS[1] or len(top) < 2 or len(low) < 3:
            continue
        if median(top) - median(low) < _SMALLEST_STEP * access_ns:
            continue
        models = [log_likelihood([top, half + low], resolution=resolution)]
        if _is_clearly_between(half, low, top):
            models.append(_TWO_STEPS + log_likelihood([top, half, low], resolution=resolution))
        weights[block] = [_size_weight(size_bytes, block) + model for model in models]
        if _only_powers_of_two(rows):
            unseen = _THRICE + _size_weight(size_bytes, 3 * block)
            weights[3 * block] = [unseen + model for model in models]
    return weights


def _only_powers_of_two(rows: Rows) -> bool:
    return all(align.bit_count() == 1 for align in rows)


# The costs of crossing boundaries of erase blocks, of only half erase blocks, and of neither.
def _erase_levels(rows: Rows, block: int) -> tuple[list[float], list[float], list[float]]:
    top = [diff for align, diff in rows.items() if align % block == 0]
    half = [diff for align, diff in rows.items() if align % block and align * 2 % block == 0]
    return top, half, [diff for align, diff in rows.items() if align * 2 % block]


def _is_clearly_between(half: Sequence[float], low: Sequence[float], top: Sequence[float]) -> bool:
    if not half:
        return False
    part = (median(half) - median(low)) / (median(top) - median(low))
    return _PART_OF_A_STEP[0] <= part <= _PART_OF_A_STEP[1]


def _size_weight(size_bytes: int | None, block: int) -> float:
    """Return the log likelihood of the card's size if its erase blocks have `block` bytes."""
    if not size_bytes:
        return 0.0
    whole = _WHOLE * block / _CUT if size_bytes % block == 0 else 0.0
    return math.log(whole + 1 - _WHOLE)


def _erase_reasons(rows: Rows, block: int, size_bytes: int | None) -> tuple[str, ...]:
    top, half, low = _erase_levels(rows, block)
    size = size_in_words(block)
    reasons = [
        f"Reading across a multiple of {size} costs {_time(median(top))} more than reading next to it;"
        f" across smaller boundaries it costs {_time(median(half + low))}."
    ]
    if _is_clearly_between(half, low, top):
        reasons.append(
            f"There is a smaller step at {size_in_words(block // 2)}: this is half a block, or one of two"
            " planes."
        )
    if size_bytes and size_bytes % block == 0 and size_bytes % (2 * block):
        reasons.append(
            f"The card holds a whole number of {size} blocks, but not of blocks of"
            f" {size_in_words(2 * block)}."
        )
    elif _only_powers_of_two(rows):
        reasons.append(
            f"Only powers of two were tried; {size_in_words(3 * block)} would look the same, but is rare."
        )
    return tuple(reasons)


def _page_weights(rows: Rows, access_ns: float) -> Weights:
    resolution = max(_RESOLUTION * access_ns, 1.0)
    weights: Weights = {None: [log_likelihood([list(rows.values())], resolution=resolution)]}
    for first in rows:
        for second in rows:
            levels = _page_levels(rows, first, second)
            if _PAGES[0] <= first <= second <= _PAGES[1] and _steps_up(levels, access_ns):
                two_steps = _TWO_STEPS if first < second else 0.0
                weight = two_steps + log_likelihood(levels, resolution=resolution)
                weights.setdefault(first, []).append(weight)
    return weights


def _page_levels(rows: Rows, first: int, second: int) -> list[list[float]]:
    """Return costs of boundaries below `first`, from `first` to `second`, and from `second` on, without empty lists."""
    levels = (
        [diff for align, diff in rows.items() if align < first],
        [diff for align, diff in rows.items() if first <= align < second],
        [diff for align, diff in rows.items() if align >= second],
    )
    return [level for level in levels if level]


def _steps_up(levels: Sequence[Sequence[float]], access_ns: float) -> bool:
    costs = [median(level) for level in levels]
    visible = all(after - before > _SMALLEST_STEP * access_ns for before, after in pairwise(costs))
    return visible and len(costs) > 1 and costs[0] < _WEAK_FLOOR * costs[-1]


def _page_reasons(rows: Rows, size: int) -> tuple[str, ...]:
    below = median(diff for align, diff in rows.items() if align < size)
    plateau = median(diff for align, diff in rows.items() if align >= max(size, 16 * KIB))
    size_words = size_in_words(size)
    reasons = [
        f"Crossing a boundary of {size_words} costs {_time(rows[size])}; crossing a smaller one costs"
        f" {_time(below)}."
    ]
    costly = (align for align, diff in rows.items() if align >= size and diff > 0.75 * plateau)
    full = next(costly, size)
    if full > size:
        reasons.append(
            f"From {size_in_words(full)} upwards it costs {_time(plateau)}: pages of several planes are"
            " read together."
        )
    return tuple(reasons)


def _no_step(rows: Rows) -> str:
    span = f"{size_in_words(min(rows))} to {size_in_words(max(rows))}"
    return f"crossing a boundary costs about the same at every size from {span}"


def _explain_tie(decision: Decision) -> str:
    assert decision.answer is not None
    other = "no block size at all" if decision.runner_up is None else size_in_words(decision.runner_up)
    return f"{size_in_words(decision.answer)} explains the table hardly better than {other}"


def _time(duration_ns: float) -> str:
    return amount_in_words(duration_ns, units.TIME)
