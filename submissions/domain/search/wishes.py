"""A question from the search box, and what was chosen beside it -> what is wanted of a ranking."""

from collections.abc import Mapping
from typing import Any

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.wish import Wish
from submissions.domain.search.question import Question


def wish(question: Question, *, board: Board | None, profile: str = "", chosen: Mapping[str, Any]) -> Wish:
    """What was chosen (facet -> value) counts before what the text says; a board brings its usual purpose, in place of
    one that is none of its kind of slot, too.

    Without any board it is the first of the table.
    """
    every = boards.all_boards()
    slot = board or every.get(question.board) or next(iter(every.values()))
    asked = uses.all_profiles()[profile or question.profile or slot.profile]
    purpose = asked if asked.slot == slot.interface.slot else uses.find(slot.profile)
    words = {"q": question.words} if question.words else {}
    return Wish(slot, purpose, {**question.chosen, **chosen, **words})
