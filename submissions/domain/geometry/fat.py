"""Infer from a find-fat table whether the beginning of the card, where FAT keeps its tables, is managed differently."""

import math
from itertools import takewhile
from statistics import median

from submissions.domain.geometry.inference import LEAST_LOG_ODDS, Inference, abstain, conclude
from submissions.domain.geometry.timing_tables import FatTable, Rates
from submissions.domain.measuring.metrics import size_in_words

_FEWEST_BLOCKS = 4
_DIFFERENT = math.log(1.5)  # SA04G's first block is 1.3 times as slow as the rest, and its tester saw nothing
_SCATTER = 0.2  # of one rate, natural log
_MOST_PER_ROW = 2.0  # log odds that one rate may give
_QUANTITY = "fat_area_size"


def fat_area(table: FatTable) -> Inference:
    """Infer the size of the leading erase blocks that are written at other rates than the rest."""
    indexes = sorted(table.rates)
    if len(indexes) < _FEWEST_BLOCKS or indexes[0] != 0:
        return abstain(_QUANTITY, "too few erase blocks were written, counting from the first")
    rest = _median_of_later_half(table.rates)
    if not rest:
        return abstain(_QUANTITY, "no block size has a usable rate in every erase block")
    odds = {index: _odds_of_difference(table.rates[index], rest) for index in indexes}
    leading = len(list(takewhile(lambda index: odds[index] > 0, indexes)))
    odd = next((index for index in indexes[leading:] if odds[index] > 0), None)
    if odd is not None:
        return abstain(_QUANTITY, f"block {odd} stands out, but the blocks before it do not")
    log_odds = min(abs(log_odd) for log_odd in odds.values())
    if log_odds < LEAST_LOG_ODDS:
        return abstain(_QUANTITY, "the first blocks are neither clearly like nor clearly unlike the rest")
    if leading:
        return _area(table, leading, rest, log_odds)
    reason = (
        "The first erase blocks are written about as fast as the others: the card has no special area for"
        " the FAT."
    )
    return conclude(_QUANTITY, None, log_odds, reason, code="none_found")


def _median_of_later_half(rates: dict[int, Rates]) -> Rates:
    later = [rates[index] for index in sorted(rates)[len(rates) // 2 :]]
    shared = set.intersection(*(set(rates_of) for rates_of in rates.values()))
    return {size: median(rates_of[size] for rates_of in later) for size in shared}


def _odds_of_difference(rates: Rates, rest: Rates) -> float:
    """Return the log odds that a block is faster or slower than the rest, against being like the rest."""
    logs = [math.log(rates[size] / rate) for size, rate in rest.items()]
    direction = 1 if median(logs) > 0 else -1
    return math.fsum(
        max(-_MOST_PER_ROW, min(_MOST_PER_ROW, (direction * log - _DIFFERENT) / _SCATTER)) for log in logs
    )


def _area(table: FatTable, leading: int, rest: Rates, log_odds: float) -> Inference:
    ratio = median(table.rates[0][size] / rate for size, rate in rest.items())
    how = f"{ratio:.1f} times as fast as" if ratio > 1 else f"{1 / ratio:.1f} times as slow as"
    counted, verb = ("The first block", "is") if leading == 1 else (f"The first {leading} blocks", "are")
    if table.erase_size_bytes is None:
        return abstain(_QUANTITY, "the size of the written blocks is not stated")
    reason = f"{counted} of {size_in_words(table.erase_size_bytes)} {verb} written {how} the others."
    return conclude(_QUANTITY, leading * table.erase_size_bytes, log_odds, reason)
