"""Is a card good enough? Yes, enough, no, or cannot tell, for a board and for the usual devices."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.wish import Wish
from submissions.evidence.picks import ENOUGH
from submissions.models import Score
from submissions.pages.content import finder_rows
from submissions.pages.content.neighbour import sentence

# The devices people ask for most -> their short names.
DEVICES = {
    "raspberry-pi-5": "Pi 5",
    "raspberry-pi-4": "Pi 4",
    "raspberry-pi-zero-2-w": "Zero 2 W",
    "dashcam": gettext_noop("Dashcam"),
    "nintendo-switch": "Switch",
}
# Devices that are no names, as they stand within a sentence.
_NOUNS = {
    "uhs-i-slot": gettext_noop("laptop or board with a UHS-I slot"),
    "dashcam": gettext_noop("dashcam or security camera"),
    "uhs-i-camera": gettext_noop("camera or phone"),
}
_ANSWERS = {
    "yes": gettext_noop("Yes"),
    "enough": gettext_noop("Probably enough"),
    "no": gettext_noop("No"),
    "unsure": gettext_noop("Cannot tell"),
}


class Suitability(NamedTuple):
    """`answer`: "yes", "enough", "no" or "unsure". `reason`: one sentence. `tested`: by how many, "" for nobody."""

    wish: Wish
    answer: str
    reason: str
    tested: str

    @property
    def words(self) -> str:
        return _(_ANSWERS[self.answer])


def short_name(board: Board) -> str:
    """Of a device that people ask for most; its title for any other."""
    return _(DEVICES[board.slug]) if board.slug in DEVICES else board.title


def noun(board: Board) -> str:
    """A device within a sentence: “Best SD card for a dashcam”."""
    return _(_NOUNS[board.slug]) if board.slug in _NOUNS else board.title


def of_scores(scores: Iterable[Score], wishes: Iterable[Wish], *, form: str) -> list[Suitability]:
    """Of the scores of one model of this form, for each wish."""
    by_place = {(score.profile, score.interface): score for score in scores}
    return [
        _of(by_place.get((wish.profile.name, wish.board.interface.name)), wish)
        if wish.board.takes(form)
        else Suitability(wish, "no", _("It does not go into this slot."), "")
        for wish in wishes
    ]


def devices() -> list[Wish]:
    """The devices people ask for most, each used as it mostly is."""
    chosen = [boards.all_boards()[slug] for slug in DEVICES]
    return [Wish(board, uses.all_profiles()[board.profile]) for board in chosen]


def _of(score: Score | None, wish: Wish) -> Suitability:
    if score is None:
        return Suitability(wish, "unsure", _("Nobody has tested it for this use yet."), "")
    return Suitability(wish, answer(score), sentence(score, wish), finder_rows.tested(score))


def answer(score: Score) -> str:
    """Yes where even the lower end is enough, no where not even the upper end is."""
    if score.bound >= ENOUGH:
        return "yes"
    if score.upper < ENOUGH:
        return "no"
    return "enough" if score.value >= ENOUGH else "unsure"
