"""Boards a reader may want a card for, each with the interface class of its slot. Rows of data/boards.toml."""

from dataclasses import dataclass
from functools import cache

from submissions.domain import tables
from submissions.domain.ranking import interfaces
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.translation import Titled, translated


@dataclass(frozen=True, slots=True)
class Board(Titled):
    slug: str
    english: str
    interface: Interface
    english_notes: str
    source: str

    @property
    def notes(self) -> str:
        return translated(self.english_notes)


@cache
def all_boards() -> dict[str, Board]:
    """Boards by slug, in the order of the table."""
    return {slug: _board(slug) for slug in tables.document("boards")}


def find(slug: str) -> Board:
    """Board by slug. Raises ReportError when there is none."""
    return tables.named(slug, among=all_boards(), kind="board")


def _board(slug: str) -> Board:
    row = tables.document("boards")[slug]
    return Board(slug, row["title"], interfaces.find(row["interface"]), row["notes"], row["source"])
