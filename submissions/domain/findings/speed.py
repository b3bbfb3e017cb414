"""Judge the measured speed of a card by the needs of uses, or beside a typical card.

A figure that is not ranked gets the reason.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from submissions.domain.findings.examined_report import Amount, ExaminedReport, Finding
from submissions.domain.measuring.medium import why_no_card
from submissions.domain.measuring.metrics import (
    ABILITIES,
    FIGURES,
    KIB,
    METRICS,
    Figure,
    find_differences,
)
from submissions.domain.measuring.normalize import Measured
from submissions.domain.ranking.catalogue import log_value
from submissions.domain.ranking.uses import Need, all_uses

_BELIEVED = ("ok", "at_least")
# For tests by which cards are not compared: metric, order and direction -> the ability that is nearest to the test.
_PLAIN: Mapping[tuple[Any, ...], str] = {
    ("throughput", "sequential", "read"): "large_reads",
    ("throughput", "sequential", "write"): "large_writes",
    ("iops", "random", "read"): "small_reads",
    ("iops", "random", "write"): "small_writes",
}
_LEAST_BLOCKS = {"throughput": 512 * KIB, "iops": 4 * KIB}
# Any other kind of sync makes writes slower than the writes that uses need.
_EASY_SYNC = (None, "none", "fsync_at_end")


def find_speed(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield a finding for each measured ability, by its first figure that counts; if there is none, for other rates.

    For a run that may not be ranked as a card, yield only the reason.
    """
    reason = why_no_card(examined.report, examined.measured, size_bytes=examined.size_bytes)
    if reason:
        yield Finding("no_card", {"reason": reason})
        return
    yield from _find_verdict(examined)
    rows = [row for name in FIGURES for row in examined.measured if row.figure == name and row.value]
    best: dict[str, Measured] = {}
    for row in sorted(rows, key=lambda row: row.verdict not in _BELIEVED):
        best.setdefault(FIGURES[row.figure].ability, row)
    yield from (_judge(FIGURES[best[name].figure], best[name]) for name in ABILITIES if name in best)
    if not rows:
        yield from _find_uncompared(examined)


def _find_verdict(examined: ExaminedReport) -> Iterator[Finding]:
    # The test of Raspberry Pi OS ends with the first of three runs that passes.
    verdicts = [value for name, value in examined.facts if name == "speed_test"]
    if verdicts:
        yield Finding("speed_test_passed" if "passed" in verdicts else "speed_test_failed", {})


def _judge(figure: Figure, row: Measured) -> Finding:
    told: dict[str, str | Amount] = {
        "figure": figure.name,
        "value": _amount(row),
        "typical": _typical(figure.ability),
    }
    if row.verdict not in _BELIEVED:
        return Finding("not_ranked", {**told, "reason": row.reason.partition(": ")[0]})
    # Filling a card tests how much it holds, not one use.
    needs = () if figure.workload == "fill" else _list_needs(figure.ability)
    passed = [pair for pair in needs if _passes(pair[0], row.value or 0.0)]
    if not passed and (not needs or row.verdict == "at_least"):
        return Finding("measured", told)
    need, use = max(passed, key=_height) if passed else needs[0]
    return _judge_need("fast_enough" if passed else "too_slow", figure.ability, row, need, use)


def _amount(row: Measured) -> Amount:
    return row.value or 0.0, METRICS[row.metric].base_unit


def _typical(ability: str) -> Amount:
    return ABILITIES[ability].typical, ABILITIES[ability].base_unit


def _passes(need: Need, value: float) -> bool:
    return log_value(need.ability, value) >= need.log_threshold


def _height(need_of_use: tuple[Need, str]) -> float:
    return need_of_use[0].log_threshold


@cache
def _list_needs(ability: str) -> tuple[tuple[Need, str], ...]:
    # Needs with the names of their uses, the easiest first; an ability with a queue has the needs of that without.
    sought = {ability, ABILITIES[ability].queue_of}
    needs = [(need, use.name) for use in all_uses().values() for need in use.needs if need.ability in sought]
    return tuple(sorted(needs, key=_height))


def _find_uncompared(examined: ExaminedReport) -> Iterator[Finding]:
    # For tests by which cards are not compared: findings of rates too slow for any use, or else a rate per direction.
    found: dict[str, Measured] = {}
    for row in examined.measured:
        pattern = (row.metric, row.parameters.get("order"), row.parameters.get("direction"))
        if row.value and pattern in _PLAIN:
            found.setdefault(_PLAIN[pattern], row)
    slow = [
        _judge_need("too_slow", ability, row, *_list_needs(ability)[0])
        for ability, row in found.items()
        if _is_too_slow(ability, row)
    ]
    plain = {str(row.parameters["direction"]): (ability, row) for ability, row in reversed(found.items())}
    yield from slow or (_judge_uncompared(*pair) for _, pair in sorted(plain.items()))


def _judge_uncompared(ability: str, row: Measured) -> Finding:
    # The reason is the difference from the nearest figure.
    asked, differing = row.parameters, _find_differences(row)
    told: dict[str, str | Amount] = {"value": _amount(row), "typical": _typical(ability)}
    named = told | {"ability": ability}
    if "io" in differing or ("sync" in differing and asked.get("io") == "buffered"):
        return Finding("cached_uncompared", named)
    if "queue_depth" in differing and (depth := asked.get("queue_depth")):
        return Finding("queued_uncompared", named | {"depth": (depth, "count")})
    if "block_size_bytes" in differing:
        return Finding("blocks_uncompared", named | {"block": (asked["block_size_bytes"], "B")})
    return Finding(f"{asked['direction']}_uncompared", told)


def _find_differences(row: Measured) -> list[str]:
    alike = (
        find_differences(figure, row.parameters)
        for figure in FIGURES.values()
        if (figure.metric, figure.slot) == (row.metric, "") and figure.workload == row.workload == "stream"
    )
    return min((names for names in alike if not {"direction", "order"} & {*names}), key=len, default=[])


def _is_too_slow(ability: str, row: Measured) -> bool:
    # It is below every need, though large blocks, a queue or a page cache made the test easier.
    needs, asked = _list_needs(ability), row.parameters
    is_large = (asked.get("block_size_bytes") or 0) >= _LEAST_BLOCKS[row.metric]
    is_easy = is_large and asked.get("sync") in _EASY_SYNC
    return is_easy and bool(needs) and not _passes(needs[0][0], row.value or 0.0)


def _judge_need(code: str, ability: str, row: Measured, need: Need, use: str) -> Finding:
    named = {"ability": ability, "use": use, "source": need.source}
    return Finding(
        code, {**named, "need": (need.threshold, ABILITIES[ability].base_unit), "value": _amount(row)}
    )
