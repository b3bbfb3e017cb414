"""Endurance that makers promise: hours of recording, terabytes written, years of warranty."""

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.domain.identity.products import Product, prefer_numbered


@dataclass(frozen=True, slots=True)
class Endurance:
    """The promise of a maker about how long a card lasts, with its source; a figure that is not promised is None."""

    hours_full_hd: float | None
    tbw: float | None
    warranty_years: float | None
    source: str


def find_endurance(found: Sequence[Product]) -> Endurance | None:
    """Return the lowest promise of the products that a model may be; None if one of them promises nothing."""
    numbered = prefer_numbered(found)
    if not numbered or not all(product.promises_endurance for product in numbered):
        return None
    least = min(numbered, key=lambda product: (product.hours_full_hd or 0, product.tbw or 0))
    return Endurance(least.hours_full_hd, least.tbw, least.warranty_years, least.promise_source)
