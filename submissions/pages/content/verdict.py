"""What is to be said of a model, in sentences for a buyer."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from submissions.domain.measuring import metrics
from submissions.domain.ranking.bottleneck import limit
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score, VariationFlag
from submissions.pages import wording
from submissions.pages.content import rows

_REFERENCE = 100


def verdict(wish: Wish, model: CardModel, score: Score | None) -> list[str]:
    """How good it is for the wish, how sure that is, and what to beware of."""
    if score is None:
        return [_("Nobody has measured yet what this purpose asks for.")]
    return [_how_good(wish, score), *_why(wish, score), *_how_sure(score), *_beware(model)]


def _how_good(wish: Wish, score: Score) -> str:
    said = {
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
            % said
        )
    if score.upper < _REFERENCE:
        return (
            _(
                "It falls short of what this purpose asks for in a %(board)s: score %(score)s (%(lower)s "
                "to %(upper)s), place %(place)s of %(listed)s."
            )
            % said
        )
    return (
        _(
            "It may just do for this purpose in a %(board)s: score %(score)s (%(lower)s to "
            "%(upper)s), place %(place)s of %(listed)s."
        )
        % said
    )


def _why(wish: Wish, score: Score) -> list[str]:
    found = limit(wish.profile, wish.board.interface, score.figures)
    if found is None:
        return []
    # A slot is told by what it lets through, a card by what was measured: the same number as in the tables.
    told = score.figures[found.figure]["value" if found.kind == "slot" else "measured"]
    said = {
        "figure": metrics.FIGURES[found.figure].title,
        "value": wording.amount(told, metrics.FIGURES[found.figure].base_unit),
    }
    if found.kind == "slot":
        return [
            _("The slot is what limits it (%(figure)s: %(value)s); a faster card would not help here.") % said
        ]
    if found.ratio >= 1:
        return []
    return [_("What holds it back is: %(figure)s, %(value)s.") % said]


def _how_sure(score: Score) -> list[str]:
    if score.state != "early":
        return []
    said = {"told": wording.state_told(score.state), "evidence": rows.evidence(score)}
    return [_("It is %(told)s (%(evidence)s).") % said]


def _beware(model: CardModel) -> list[str]:
    said = []
    if model.varies:
        said.append(_("Beware: different cards are sold under this name."))
    if model.suspicious_cards:
        said.append(
            _("%(suspicious)s of %(all)s cards are suspicious.")
            % {"suspicious": model.suspicious_cards, "all": model.known_cards}
        )
    return said


def variation(flag: VariationFlag) -> str:
    """One way in which cards of the model differ, with its evidence."""
    figure = metrics.FIGURES[flag.figure].title if flag.figure in metrics.FIGURES else flag.figure
    said = {"figure": figure, "cards": flag.cards} | _counted(flag)
    if flag.kind == VariationFlag.Kind.VARIES:
        return (
            _(
                "Two different cards under one name. %(figure)s: %(first)s cards with %(faster_name)s are "
                "%(ratio)s times as fast as %(second)s cards with %(slower_name)s (95 %% sure: %(lower)s "
                "to %(upper)s)."
            )
            % said
        )
    if flag.kind == VariationFlag.Kind.CHANGED:
        return _(
            "It changed between %(before)s and %(after)s, by the date in %(cards)s cards "
            "(%(exceptions)s of them do not fit)."
        ) % (said | {"exceptions": flag.evidence.get("exceptions", 0)} | _months(flag.evidence))
    if flag.kind == VariationFlag.Kind.SUSPECTED:
        return (
            _(
                "%(figure)s: %(cards)s cards that look alike span a factor of %(ratio)s. More runs would "
                "settle it."
            )
            % said
        )
    return _("Its cards differ in their geometry: %(figure)s.") % said


def _counted(flag: VariationFlag) -> dict[str, Any]:
    names = flag.evidence.get("names", ("?", "?"))
    cards = flag.evidence.get("cards")
    first, second = cards if isinstance(cards, list) else (flag.cards, flag.cards)
    return {
        "faster_name": names[0],
        "slower_name": names[1],
        "first": first,
        "second": second,
        "ratio": _ratio(flag.ratio),
        "lower": _ratio(flag.lower_ratio),
        "upper": _ratio(flag.upper_ratio),
    }


def _ratio(value: float | None) -> str:
    return "?" if value is None else wording.localized(f"{value:.2f}")


def _months(evidence: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: wording.month(f"{evidence[key] // 12:04}-{evidence[key] % 12 + 1:02}")
        for name, key in (("before", "last_before"), ("after", "first_after"))
    }
