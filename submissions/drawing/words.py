"""What several pictures say alike."""

from collections.abc import Iterable

from submissions import wording
from submissions.models import Measurement
from submissions.plots import scale
from submissions.plots.lines import Axis


def spread_words(one: Measurement) -> str:
    return "–" if one.spread is None else wording.localized(f"{100 * one.spread:.0f} %")


def logarithmic(values: Iterable[float | None], unit: str) -> Axis:
    """An axis that holds every value above zero, in words with its unit."""
    found = scale.logarithmic(value for value in values if value)
    return Axis(found, lambda value: wording.amount(value, unit))
