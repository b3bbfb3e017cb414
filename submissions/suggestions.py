"""Names to choose from when a label is typed in: how brands, lines and numbers are written, by us and by others."""

from collections.abc import Iterable

from submissions.domain.identity import makers
from submissions.models import CardModel


def suggestions() -> dict[str, list[str]]:
    """Names by the list of the form they stand in, sorted: of the tables, and of the labels of cards. One query."""
    printed = CardModel.objects.printed_names()
    return {
        "brands": _each([*makers.brands(), *(brand for brand, _, _ in printed)]),
        "lines": _each(line for _, line, _ in printed),
        "model-numbers": _each(number for _, _, number in printed),
    }


def _each(names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if name}, key=str.casefold)
