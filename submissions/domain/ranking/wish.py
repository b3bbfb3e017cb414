"""What a buyer asks a finder for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.uses import Profile, Term, Use, find_use


@dataclass(frozen=True, slots=True)
class Wish:
    """A board, a purpose, and what else must hold. `chosen`: facet -> value, of those that ask for something."""

    board: Board
    profile: Profile
    chosen: Mapping[str, Any] = field(default_factory=dict)

    @property
    def use(self) -> Use:
        return find_use(self.profile.name)

    @property
    def terms(self) -> list[Term]:
        """What the purpose asks of a card in the slot of the board, the heaviest first."""
        return sorted(self.profile.on(self.board.interface), key=lambda term: -term.share)

    @property
    def words(self) -> str:
        """What is searched for; "" without a search."""
        return str(self.chosen.get("q", ""))

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the board and the purpose is asked for."""
        return bool(self.chosen)
