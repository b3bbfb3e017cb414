"""Infer from an open-AU table how many allocation units stay fast: beyond that, every write causes a copy."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from statistics import linear_regression, median
from typing import NamedTuple

from submissions.domain.geometry.inference import LEAST_LOG_ODDS, Inference, abstain, conclude
from submissions.domain.geometry.timing_tables import Rates
from submissions.domain.measuring.metrics import KIB, MIB, amount_in_words, size_in_words
from submissions.domain.measuring.units import RATE, TIME

# Smaller writes are slow for other reasons; larger ones fill a unit in so few pieces that a copy hardly shows.
_BLOCKS = (32 * KIB, MIB)
_COLLAPSE = math.log(1.8)  # a rate lower by more is a collapse; natural log
_ALONE = math.log(3)  # the same for one unit in random order against one in linear order
_SCATTER = 0.25  # of one rate, natural log
_LEAST_PER_ROW, _MOST_PER_ROW = -1.0, 2.5  # log odds one rate may give: large blocks need not show a collapse
# A copy with every write costs the same time in blocks of any size, so that half the block is half the rate: slope 1.
# A full cache, or a copy with every unit, slows blocks of every size alike: slope 0.
_STEEP = 0.4
_JUMP = 2.2
_RECOVERED = 0.8  # share of the earlier rate
# Right in 3 of 4 simulated cards, seeds below 1000, if no align table confirms the size of the units.
_UNKNOWN = math.log(3)

Table = dict[int, Rates]  # number of units written in turn -> rates


class Edge(NamedTuple):
    """The numbers of allocation units between which the rate falls. `steep`: the rate falls more in smaller blocks."""

    fast: int
    slow: int
    log_odds: float
    steep: bool


def open_aus(
    quantity: str,
    table: Table,
    *,
    later: Table | None = None,
    linear: Inference | None = None,
    linear_alone: Rates | None = None,
) -> Inference:
    """Infer the largest number of allocation units that can be written in turn before the rate collapses.

    A fall that is not steep must be confirmed: the earlier rate returns in a table taken `later`, or the `linear` order
    falls at the same number. `linear_alone` holds the rates of one unit in linear order, to see whether even one unit
    is slow in random order.
    """
    if any(_is_faster_in_small_blocks(rates) for rates in table.values()):
        return abstain(
            quantity, "rates jump up and down from row to row, as they do when writes are buffered"
        )
    edges = list(_find_edges(table))
    steep = next((edge for edge in edges if edge.steep), None)
    if steep:
        return _limit(quantity, table, steep)
    if edges:
        seen = _recovers(table, edges[0], later) or (linear is not None and linear.value == edges[0].fast)
        return _limit(quantity, table, edges[0]) if seen else _perhaps_a_cache(quantity, table, edges[0])
    if linear_alone and _odds_of_collapse(linear_alone, table[min(table)], _ALONE) >= LEAST_LOG_ODDS:
        return _not_even_one(quantity, table, linear_alone)
    return _no_collapse(quantity, table)


def limit_confidence(inference: Inference) -> Inference:
    """Return the inference with a lower confidence, because units may begin and end inside erase blocks."""
    return (
        replace(inference, log_odds=min(inference.log_odds, _UNKNOWN))
        if inference.log_odds is not None
        else inference
    )


def _is_faster_in_small_blocks(rates: Rates) -> bool:
    return any(rates[small] > _JUMP * rates[large] for small, large in pairwise(_shared_blocks(rates, rates)))


# A fall counts only if the rate stays low with more units.
def _find_edges(table: Table) -> Iterator[Edge]:
    counts = sorted(table)
    start = 0
    for index, (fast, slow) in enumerate(pairwise(counts)):
        before = _median_by_block(table[count] for count in counts[start : index + 1])
        log_odds = min(_odds_of_collapse(before, table[count], _COLLAPSE) for count in counts[index + 1 :])
        if log_odds >= LEAST_LOG_ODDS:
            yield Edge(fast, slow, log_odds, _slope(before, table[slow]) >= _STEEP)
            start = index + 1


def _median_by_block(rates: Iterable[Rates]) -> Rates:
    by_block: dict[int, list[float]] = {}
    for of_row in rates:
        for block, rate in of_row.items():
            by_block.setdefault(block, []).append(rate)
    return {block: median(of_block) for block, of_block in by_block.items()}


def _odds_of_collapse(before: Rates, after: Rates, collapse: float) -> float:
    """Return the log odds that the rates have collapsed, summed over the common block sizes."""
    odds = (
        (math.log(before[block] / after[block]) - collapse) / _SCATTER
        for block in _shared_blocks(before, after)
    )
    return math.fsum(max(_LEAST_PER_ROW, min(_MOST_PER_ROW, odd)) for odd in odds)


def _slope(before: Rates, after: Rates) -> float:
    """Return the log slowdown per log of block size, positive if small blocks slow down more.

    It is 0 for a single block size.
    """
    blocks = _shared_blocks(before, after)
    if len(blocks) < 2:
        return 0.0
    sizes = [-math.log(block) for block in blocks]
    return linear_regression(sizes, [math.log(before[block] / after[block]) for block in blocks]).slope


def _shared_blocks(before: Rates, after: Rates) -> list[int]:
    low, high = _BLOCKS
    return sorted(block for block in before.keys() & after.keys() if low <= block <= high)


# If a later rate is as high as before the edge, the fall was not the end of a cache.
def _recovers(table: Table, edge: Edge, later: Table | None) -> bool:
    before = table[edge.fast]
    return any(
        rates[block] >= _RECOVERED * before[block]
        for rates in (later or {}).values()
        for block in _shared_blocks(before, rates)
    )


def _limit(quantity: str, table: Table, edge: Edge) -> Inference:
    if edge.slow - edge.fast > 1:
        return abstain(
            quantity,
            f"the rate falls from {_units(edge.fast)} to {edge.slow}, and no number in between was tested",
        )
    reasons = [
        f"With {edge.slow} written in turn instead of {edge.fast}, the rate falls {_fall(table, edge)}."
    ]
    if edge.steep:
        reasons.append(_explain_cost(table[edge.fast], table[edge.slow]))
    return conclude(quantity, edge.fast, edge.log_odds, *reasons)


def _perhaps_a_cache(quantity: str, table: Table, edge: Edge) -> Inference:
    return abstain(
        quantity,
        f"with {_units(edge.slow)} the rate falls {_fall(table, edge)}, but equally for every block size:"
        " a fast cache may be full",
    )


def _not_even_one(quantity: str, table: Table, linear_alone: Rates) -> Inference:
    fewest = min(table)
    log_odds = _odds_of_collapse(linear_alone, table[fewest], _ALONE)
    linear, scattered = _rates(linear_alone, table[fewest])
    units = _units(fewest)
    reason = (
        f"Writing in random order is slow even with {units}: {scattered}, against {linear} in linear order."
    )
    return conclude(quantity, None, log_odds, reason, code="none_found")


def _no_collapse(quantity: str, table: Table) -> Inference:
    most = max(table)
    others = _median_by_block(table[count] for count in table if count < most)
    blocks = _shared_blocks(others, table[most])
    if not blocks:
        return abstain(quantity, "the test must try several numbers of units, in blocks of 32 KiB to 1 MiB")
    log_odds = -_odds_of_collapse(others, table[most], _COLLAPSE)
    if log_odds < LEAST_LOG_ODDS:
        return abstain(
            quantity, f"the rate falls little by little up to {_units(most)}, without a clear edge"
        )
    reason = f"The rate does not collapse up to {_units(most)}; larger numbers were not tested."
    return conclude(quantity, most, log_odds, reason, code="at_least")


def _fall(table: Table, edge: Edge) -> str:
    before, after = _rates(table[edge.fast], table[edge.slow])
    return f"from {before} to {after}"


def _rates(before: Rates, after: Rates) -> tuple[str, str]:
    """Return the rates before and after the fall in words, but only for the block size with the largest ratio.

    An example is ("4.77 MB/s", "302 kB/s in blocks of 128 KiB").
    """
    block = max(_shared_blocks(before, after), key=lambda block: before[block] / after[block])
    return amount_in_words(
        before[block], RATE
    ), f"{amount_in_words(after[block], RATE)} in blocks of {size_in_words(block)}"


def _explain_cost(before: Rates, after: Rates) -> str:
    block = _shared_blocks(before, after)[0]
    more_ns = (block / after[block] - block / before[block]) * 1e9
    longer = amount_in_words(more_ns, TIME)
    return f"Every write then takes {longer} longer, whatever its size: the card copies a block."


def _units(count: int) -> str:
    return f"{count} open unit{'' if count == 1 else 's'}"
