"""Make a wish from a question of the search box and the facets (filters) that were chosen beside it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.uses import Use
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.question import Question, match_size

# The device of a search that names none: a slot that slows down no card.
ANY_DEVICE = "uhs-i-slot"


def make_wish(question: Question, *, board: Board | None, use: str = "", chosen: Mapping[str, Any]) -> Wish:
    """Return the wish of a question; facets in `chosen` take precedence over those of the text.

    A board has a usual use, which replaces a use for another kind of slot. An empty text gives the first board of
    data/boards.toml; a text without a board gives any slot, and no device.
    """
    every = boards.all_boards()
    named = board or every.get(question.board)
    slot = named or (every[ANY_DEVICE] if question.text else next(iter(every.values())))
    asked = uses.all_uses()[use or question.use or slot.use.name]
    fitting = asked if asked.slot == slot.interface.slot else slot.use
    words = {"q": question.words} if question.words else {}
    has_device = bool(named) or not question.text
    return Wish(
        slot, fitting, {**question.chosen_facets, **chosen, **words}, question.excluded_facets, has_device
    )


def name_order(superlative: str, use: Use) -> str:
    """Return the name of the order that a superlative asks for: for “speed” the leading ability of the use."""
    return use.leading if superlative == "speed" else superlative


def fix_size(wish: Wish) -> Wish:
    """Return a wish for exactly the size that was the least size, for questions about a card that the asker has."""
    least = wish.chosen.get("capacity_gb_min")
    if least is None or "capacity_gb_max" in wish.chosen:
        return wish
    return replace(wish, chosen={**wish.chosen, **match_size(least)})
