"""Find the geometry of the memory inside a card, and whether partitions begin at its blocks."""

from collections.abc import Iterator
from math import ceil

from submissions.domain.findings.examined_report import ExaminedReport, Finding
from submissions.domain.geometry import Inference

_SECTOR_BYTES = 512
# Every unit of a card is a multiple of the first size; formatters let partitions begin at multiples of the second.
_LEAST_UNIT, _USUAL_START = 4 * 2**10, 4 * 2**20
# A track of a disk with heads, at which programs of DOS began partitions. Formatters of small cards choose other odd
# sectors, so that the files behind the FAT begin at a multiple (SD Part 2, File System Specification).
_TRACK_BYTES = 63 * _SECTOR_BYTES


def find_geometry(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield a finding for each quantity of geometry, with its value or why it is unclear, and for the allocation unit.

    The allocation unit is the one that the card declares.
    """
    best: dict[str, Inference] = {}
    for one in sorted(examined.geometry, key=_is_unclear):
        best.setdefault(one.quantity, one)
    for one in best.values():
        reason = " ".join(one.reasoning) or one.answer
        told = {"reason": reason} if _is_unclear(one) else {"value": one.answer}
        yield Finding("unclear" if _is_unclear(one) else "geometry", {"quantity": one.quantity} | told)
    if declared := _declared_unit_bytes(examined):
        yield Finding("unit", {"unit": (declared, "B")})


def _is_unclear(inference: Inference) -> bool:
    return inference.value is None and inference.code not in ("none_found", "no_limit_found")


def find_alignment(examined: ExaminedReport) -> Iterator[Finding]:
    """Yield a finding about whether all partitions begin at multiples of the card's unit.

    The unit is the declared one, else the measured one. If no unit is known, the finding is about a partition that
    begins at a track of 63 sectors, which fits no unit.
    """
    starts, known = examined.list_numbers("partition_start_bytes"), _unit_bytes(examined)
    unit = known or _LEAST_UNIT
    wrong = next((start for start in starts if start % unit and (known or start % _TRACK_BYTES == 0)), None)
    if wrong is None:
        yield from [Finding("aligned", {"unit": (unit, "B")})] if known and starts else []
        return
    step = unit * ceil(_USUAL_START / unit)
    sector = (wrong // step + 1) * step / _SECTOR_BYTES
    yield Finding("misaligned", {"start": (wrong, "B"), "unit": (unit, "B"), "sector": f"{sector:.0f}"})


def _unit_bytes(examined: ExaminedReport) -> float | None:
    measured = (one.value for one in examined.geometry if one.quantity == "erase_block_size" and one.value)
    preferred = examined.report.card.preferred_erase_size_bytes
    stated = examined.find_number("preferred_erase_size_bytes")
    return _declared_unit_bytes(examined) or preferred or stated or next(measured, None)


def _declared_unit_bytes(examined: ExaminedReport) -> int | None:
    status = examined.decoded.ssr if examined.decoded else None
    return status.au_size_bytes if status else None
