"""What a buyer asks a finder for."""

from dataclasses import dataclass

from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.profiles import Profile


@dataclass(frozen=True, slots=True)
class Wish:
    """A board, a purpose, and what else must hold. None and "" ask for nothing.

    Capacities are decimal gigabytes as sold; classes are least ones, 2 for A2; months are YYYY-MM. A budget leaves
    out cards without a price in this currency.
    """

    board: Board
    profile: Profile
    words: str = ""
    min_gb: float | None = None
    max_gb: float | None = None
    budget: float | None = None
    currency: str = ""
    brand: str = ""
    maker: str = ""
    oem: str = ""
    app_class: int | None = None
    video_class: int | None = None
    uhs_grade: int | None = None
    bus_mode: str = ""
    since: str = ""
    flagged: bool | None = None
    min_cards: int | None = None

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the board and the purpose is asked for."""
        return self != Wish(self.board, self.profile)
