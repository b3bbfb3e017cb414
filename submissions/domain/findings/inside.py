"""Find the geometry of the memory inside a card, and whether partitions begin at its blocks."""

from collections.abc import Iterator

from submissions.domain.findings.case import Case, Finding
from submissions.domain.geometry import Inference

_SECTOR_BYTES = 512


def find_geometry(case: Case) -> Iterator[Finding]:
    """Yield each quantity that was worked out or stated, or why it is unclear; and the declared unit."""
    best: dict[str, Inference] = {}
    for one in sorted(case.geometry, key=_is_unclear):
        best.setdefault(one.quantity, one)
    for one in best.values():
        reason = " ".join(one.reasoning) or one.in_words
        told = {"reason": reason} if _is_unclear(one) else {"value": one.in_words}
        yield Finding("unclear" if _is_unclear(one) else "geometry", {"quantity": one.quantity} | told)
    if declared := _declared_unit_bytes(case):
        yield Finding("unit", {"unit": (declared, "B")})


def _is_unclear(inference: Inference) -> bool:
    return inference.value is None and inference.code not in ("none_found", "no_limit_found")


def find_alignment(case: Case) -> Iterator[Finding]:
    """Yield whether all partitions begin at multiples of the unit that the card declares, or that was measured."""
    starts, unit = case.list_numbers("partition_start_bytes"), _unit_bytes(case)
    if not starts or not unit:
        return
    wrong = next((start for start in starts if start % unit), None)
    if wrong is None:
        yield Finding("aligned", {"unit": (unit, "B")})
        return
    sector = (wrong // unit + 1) * unit / _SECTOR_BYTES
    yield Finding("misaligned", {"start": (wrong, "B"), "unit": (unit, "B"), "sector": f"{sector:.0f}"})


def _unit_bytes(case: Case) -> float | None:
    measured = (one.value for one in case.geometry if one.quantity == "erase_block_size" and one.value)
    preferred = case.report.card.preferred_erase_size_bytes
    stated = case.find_number("preferred_erase_size_bytes")
    return _declared_unit_bytes(case) or preferred or stated or next(measured, None)


def _declared_unit_bytes(case: Case) -> int | None:
    status = case.decoded.ssr if case.decoded else None
    return status.au_size_bytes if status else None
