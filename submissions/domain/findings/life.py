"""Find how worn a card is, by its own health counters."""

from collections.abc import Iterator

from submissions.domain.findings.examined_report import ExaminedReport, Finding
from submissions.domain.measuring.health import wear

# Percent of the life used, from which on its end is near, and beyond which it is over.
_ENDS, _OVER = 90.0, 100.0
# Levels of an eMMC: 1 is 0 to 10 % of its life used, 10 is 90 to 100 %, 11 is more (JESD84-B51, EXT_CSD 268 and 269).
_LEVELS = range(1, 12)
_RESERVE = {1: "reserve_left", 2: "reserve_used", 3: "reserve_urgent"}  # PRE_EOL_INFO, EXT_CSD 267


def find_health(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield findings about how much of its life and of its spare blocks a card has used, by its own health counters."""
    found = [*_life(examined), *_reserve(examined), *_counts(examined)]
    asked_in_vain = not found and examined.report.run.suite == "health"
    yield from [Finding("silent", {})] if asked_in_vain else found


def _life(examined: ExaminedReport) -> Iterator[Finding]:
    used = _used_percent(examined)
    level = max((level for level in _levels(examined) if level in _LEVELS), default=None)
    if used is not None:
        yield _make_life(used, f"{used:g} %")
    elif level == _LEVELS[-1]:
        yield _make_life(_OVER, "more than 100 %")
    elif level:
        yield _make_life(10.0 * level - 1, f"{10 * level - 10:g} to {10 * level:g} %")


def _make_life(used_percent: float, words: str) -> Finding:
    code = "life_over" if used_percent >= _OVER else "life_ends" if used_percent >= _ENDS else "life_left"
    return Finding(code, {"used": words})


def _used_percent(examined: ExaminedReport) -> float | None:
    if stated := wear(examined.report.readings):
        return stated.used
    left = examined.find_number("endurance_left_percent")
    return examined.find_number("life_used_percent") if left is None else round(100 - left, 2)


def _levels(examined: ExaminedReport) -> Iterator[float]:
    yield from (*examined.list_numbers("life_time_a"), *examined.list_numbers("life_time_b"))
    if register := examined.decoded and examined.decoded.ext_csd:
        yield from filter(None, (register.life_time_a, register.life_time_b))


def _reserve(examined: ExaminedReport) -> Iterator[Finding]:
    level = examined.find_number("pre_eol")
    if register := examined.decoded and examined.decoded.ext_csd:
        level = level or (register.reading["PRE_EOL_INFO"] if register.pre_eol else None)
    if level in _RESERVE:
        yield Finding(_RESERVE[int(level or 0)], {})


def _counts(examined: ExaminedReport) -> Iterator[Finding]:
    bad = examined.find_number("later_bad_blocks", "laterBadBlockCount", "bad_blocks_later")
    erased = examined.find_number("erase_count", "totalEraseCount", "erases_total")
    if bad:
        yield Finding("bad_blocks", {"count": (bad, "count")})
    if erased:
        yield Finding("erased", {"count": (erased, "count")})
