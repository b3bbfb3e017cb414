"""The boards for which visitors want a card, each with its slot and its usual use, from data/boards.toml."""

from dataclasses import dataclass
from functools import cache

from submissions.domain import tables
from submissions.domain.ranking import interfaces, slots, uses
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.slots import Slot
from submissions.domain.ranking.uses import Use
from submissions.domain.translation import Titled, translate

# Forms that fit into a slot for microSD: "" is not known; SD Express cards that are sold are microSD (SD 7.1).
FITTING = ("", "microSD", "SD Express")


@dataclass(frozen=True, slots=True)
class Board(Titled):
    """A row of data/boards.toml: a device into which a card goes; `slug` is its name in URLs.

    `use`: the usual use of a card in the board. `form`: "microSD" if its slot takes only this form; "" if cards of any
    form fit, perhaps by an adapter. `takes_sdxc`: the maker says that it takes SDXC cards.
    """

    slug: str
    english: str
    interface: Interface
    english_notes: str
    source: str
    use: Use
    form: str = ""
    takes_sdxc: bool = False

    def takes(self, form: str) -> bool:
        """Return whether a card of this form fits into the board; a card of unknown form counts as fitting."""
        return not self.form or form in FITTING

    @property
    def slot(self) -> Slot:
        """Return the slot of the board, which boards with the same hosts share."""
        return slots.slot_of_board(self.slug)

    @property
    def notes(self) -> str:
        return translate(self.english_notes)


@cache
def all_boards() -> dict[str, Board]:
    """Return the boards by slug, in the order of data/boards.toml."""
    return {slug: _board(slug) for slug in tables.document("boards")}


def find(slug: str) -> Board:
    """Return the board with this slug. Raise ReportError if there is none."""
    return tables.find(slug, among=all_boards(), kind="board")


def _board(slug: str) -> Board:
    row = tables.document("boards")[slug]
    interface, use = interfaces.find(row["interface"]), uses.find_use(row.get("use", uses.DEFAULT))
    own = (row.get("form", ""), row.get("takes_sdxc", False))
    return Board(slug, row["title"], interface, row["notes"], row["source"], use, *own)
