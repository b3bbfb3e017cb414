"""What is to be said of a model, in sentences for a buyer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.judgement.claims import CLAIM
from submissions.domain.ranking.bottleneck import limit
from submissions.domain.ranking.summary import Doubt
from submissions.domain.ranking.wish import Wish
from submissions.evidence import claim_words
from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import finder_rows, neighbour, suitability

_DEFECT = "known defect"  # how the reasons of quirks begin
_HEADLINES = {
    "yes": gettext_noop("Good for a %(board)s."),
    "enough": gettext_noop("Probably good enough for a %(board)s."),
    "no": gettext_noop("Too slow for a %(board)s."),
    "unsure": gettext_noop("It may be too slow for a %(board)s."),
    "unknown": gettext_noop("Nobody has tested it for a %(board)s yet."),
    "untold": gettext_noop("Its tests do not tell how good it is for a %(board)s."),
    "unfit": gettext_noop("It does not go into a %(board)s."),
}


class Verdict(NamedTuple):
    """`headline`: yes or no, and what to beware of. `details`: how good, what is in the way, how sure."""

    headline: tuple[str, ...]
    details: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.headline + self.details)


def verdict(wish: Wish, model: CardModel, score: Score | None, doubts: Sequence[Doubt] = ()) -> Verdict:
    """How good it is for the wish, how sure that is, and what to beware of."""
    unranked = "untold" if model.known_cards and not score else "unknown"
    answer = suitability.answer(score) if score and score.state != CLAIM else unranked
    answer = answer if wish.board.takes(model.form) else "unfit"
    headline = _(_HEADLINES[answer]) % {"board": suitability.noun(wish.board)}
    return Verdict((headline, *_beware(model, doubts)), tuple(_details(wish, model, score)))


def _details(wish: Wish, model: CardModel, score: Score | None) -> Iterator[str]:
    if score is None:
        if model.known_cards and wish.profile.writes and wish.board.takes(model.form):
            yield _(
                "Writing matters here, and nobody has measured it in a way that compares with other cards."
            )
        return
    if not wish.board.takes(model.form):
        words = {"form": model.form, "slot": wish.board.form}
        yield _("Its form is %(form)s, and the slot takes %(slot)s alone.") % words
        return
    if score.state == CLAIM:
        yield claim_words.explain_claim(score.state, score.people)
        return
    yield _how_good(wish, score)
    yield from _why(wish, score)
    if score.state == "early":
        yield wording.state_told(score.state).capitalize() + "."
    if score.is_mostly_estimated:
        yield _("Most of what counts here is estimated: nobody has measured it yet.")


def _how_good(wish: Wish, score: Score) -> str:
    words = {
        "least": finder_rows.times(score.bound),
        "likely": finder_rows.times(score.value),
        "place": score.position,
        "listed": score.listed,
        "use": wish.profile.title,
    }
    return (
        _("%(use)s: at least %(least)s what it needs, likely %(likely)s, place %(place)s of %(listed)s.")
        % words
    )


def _why(wish: Wish, score: Score) -> Iterator[str]:
    reached = limit(wish.profile, wish.board.interface, score.figures)
    if reached is None:
        return
    words = {
        "work": neighbour.name(reached.figure),
        "value": wording.figure(reached.figure, score.figures[reached.figure]),
    }
    if reached.kind == "slot":
        yield _("The device limits %(work)s to %(value)s; a faster card would feel the same there.") % words
    elif reached.ratio < 1:
        yield _("Its slowest part: %(work)s, %(value)s.") % words


def _beware(model: CardModel, doubts: Sequence[Doubt]) -> Iterator[str]:
    defects = (doubt.reason for doubt in doubts if doubt.reason.startswith(_DEFECT))
    for reason in dict.fromkeys(defects):
        yield f"{reason[:1].upper()}{reason[1:]}."
    if model.varies:
        yield _("Beware: different cards are sold under this name.")
    if model.suspicious_cards:
        yield _("Beware: %(suspicious)s of %(all)s tested cards are suspicious.") % {
            "suspicious": model.suspicious_cards,
            "all": model.known_cards,
        }
