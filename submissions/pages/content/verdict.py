"""What is to be said of a model, in sentences for a buyer."""

from django.utils.translation import gettext as _

from submissions.domain.measuring import metrics
from submissions.domain.ranking.bottleneck import limit
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import rows

_REFERENCE = 100


def verdict(wish: Wish, model: CardModel, score: Score | None) -> list[str]:
    """How good it is for the wish, how sure that is, and what to beware of."""
    if score is None:
        return [_("Nobody has measured yet what this purpose asks for.")]
    return [_how_good(wish, score), *_why(wish, score), *_how_sure(score), *_beware(model)]


def _how_good(wish: Wish, score: Score) -> str:
    numbers = {
        "place": score.position,
        "listed": score.listed,
        "board": wish.board.title,
        "profile": wish.profile.title,
        "score": round(score.value),
        "lower": round(score.lower),
        "upper": round(score.upper),
    }
    if score.lower >= _REFERENCE:
        return (
            _(
                "It does more than this purpose asks for in a %(board)s: score %(score)s (%(lower)s to "
                "%(upper)s), place %(place)s of %(listed)s."
            )
            % numbers
        )
    if score.upper < _REFERENCE:
        return (
            _(
                "It falls short of what this purpose asks for in a %(board)s: score %(score)s (%(lower)s "
                "to %(upper)s), place %(place)s of %(listed)s."
            )
            % numbers
        )
    return (
        _(
            "It may just do for this purpose in a %(board)s: score %(score)s (%(lower)s to "
            "%(upper)s), place %(place)s of %(listed)s."
        )
        % numbers
    )


def _why(wish: Wish, score: Score) -> list[str]:
    limit_reached = limit(wish.profile, wish.board.interface, score.figures)
    if limit_reached is None:
        return []
    # A slot is told by what it lets through, a card by what was measured: the same number as in the tables.
    amount = score.figures[limit_reached.figure]["value" if limit_reached.kind == "slot" else "measured"]
    words = {
        "figure": metrics.FIGURES[limit_reached.figure].title,
        "value": wording.amount(amount, metrics.FIGURES[limit_reached.figure].base_unit),
    }
    if limit_reached.kind == "slot":
        return [
            _("The slot is what limits it (%(figure)s: %(value)s); a faster card would not help here.")
            % words
        ]
    if limit_reached.ratio >= 1:
        return []
    return [_("What holds it back is: %(figure)s, %(value)s.") % words]


def _how_sure(score: Score) -> list[str]:
    if score.state != "early":
        return []
    words = {"told": wording.state_told(score.state), "evidence": rows.evidence(score)}
    return [_("It is %(told)s (%(evidence)s).") % words]


def _beware(model: CardModel) -> list[str]:
    warnings = []
    if model.varies:
        warnings.append(_("Beware: different cards are sold under this name."))
    if model.suspicious_cards:
        warnings.append(
            _("%(suspicious)s of %(all)s cards are suspicious.")
            % {"suspicious": model.suspicious_cards, "all": model.known_cards}
        )
    return warnings
