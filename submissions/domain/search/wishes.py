"""Make a wish from a question of the search box and the facets that were chosen beside it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.uses import Use
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.question import TERABYTE, Question

# The device of a search that names none: a slot that slows down no card.
ANY_DEVICE = "uhs-i-slot"


def make_wish(question: Question, *, board: Board | None, use: str = "", chosen: Mapping[str, Any]) -> Wish:
    """Return the wish; facets in `chosen` count before those of the text.

    A board brings its usual use, also in place of one for another kind of slot. Who asks for nothing gets the first
    board of the table; who asks without naming a board gets any slot, and no device.
    """
    every = boards.all_boards()
    named = board or every.get(question.board)
    slot = named or (every[ANY_DEVICE] if question.text else next(iter(every.values())))
    asked = uses.all_uses()[use or question.use or slot.use.name]
    fitting = asked if asked.slot == slot.interface.slot else slot.use
    words = {"q": question.words} if question.words else {}
    has_device = bool(named) or not question.text
    return Wish(slot, fitting, {**question.chosen, **chosen, **words}, question.excluded, has_device)


def name_order(superlative: str, use: Use) -> str:
    """Return the name of the order that a superlative asks for: of “speed” the leading ability of the use."""
    return use.leading if superlative == "speed" else superlative


def fix_size(wish: Wish) -> Wish:
    """Return a wish whose size is that of a card at hand, not the least that is wanted."""
    least = wish.chosen.get("capacity_gb_min")
    if least is None or "capacity_gb_max" in wish.chosen:
        return wish
    return replace(wish, chosen={**wish.chosen, "capacity_gb_max": least * TERABYTE})
