"""Wish: the properties of the card that a buyer looks for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.uses import Use


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
    def is_narrowed(self) -> bool:
        """Return whether the wish has anything but a board and a use."""
        return bool(self.chosen or self.excluded)
