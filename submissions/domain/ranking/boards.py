"""Boards a reader may want a card for, each with the interface class of its slot. Rows of data/boards.toml."""

from dataclasses import dataclass
from functools import cache

from submissions.domain import tables
from submissions.domain.ranking import interfaces, slots, uses
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.slots import Slot
from submissions.domain.translation import Titled, translated

# What may go into a slot for microSD: "" is not known, and the SD Express cards that are sold are microSD (SD 7.1).
FITTING = ("", "microSD", "SD Express")


@dataclass(frozen=True, slots=True)
class Board(Titled):
    """`profile`: what a card in it is mostly used for, by the name of its profile. `form`: the form of its slot,
    microSD; "" where cards of any form go in, by an adapter if need be."""

    slug: str
    english: str
    interface: Interface
    english_notes: str
    source: str
    profile: str
    form: str = ""

    def takes(self, form: str) -> bool:
        """Whether a card of this form goes in; of one whose form nobody told, nothing speaks against it."""
        return not self.form or form in FITTING

    @property
    def slot(self) -> Slot:
        """Return its slot, which boards with the same hosts share."""
        return slots.slot_of_board(self.slug)

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
    slot = interfaces.find(row["interface"])
    profile, form = row.get("profile", uses.DEFAULT), row.get("form", "")
    return Board(slug, row["title"], slot, row["notes"], row["source"], profile, form)
