"""Wish: the properties of the card that a buyer looks for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from submissions.domain.identity.words import capacity_words
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.uses import Use

# “1 TB” is 1,000 or 1,024 GB on labels.
TERABYTE = 1.024


@dataclass(frozen=True, slots=True)
class Wish:
    """The wish of a buyer: a board, a use, and the values of facets (filters) that a card must have.

    `excluded`: values that the card must not have. `has_device`: whether the search names the board.
    """

    board: Board
    use: Use
    chosen: Mapping[str, Any] = field(default_factory=dict)
    excluded: Mapping[str, Any] = field(default_factory=dict)
    has_device: bool = True

    def __hash__(self) -> int:
        return hash((self.board.slug, self.use.name, *map(repr, sorted(self.chosen.items()))))

    @property
    def words(self) -> str:
        """Return the words that are searched for; "" without a search."""
        return str(self.chosen.get("q", ""))

    @property
    def name(self) -> str:
        """Return the words that are searched for, with the size if only one is wanted."""
        least, most = (self.chosen.get(f"capacity_gb_{end}", 0) for end in ("min", "max"))
        is_one_size = 0 < least <= most <= TERABYTE * least
        return f"{self.words} {capacity_words(least) if is_one_size else ''}".strip()

    @property
    def is_narrowed(self) -> bool:
        """Return whether the wish has anything but a board and a use."""
        return bool(self.chosen or self.excluded)
