"""Rows of a ranking in words: a page has many, so its template looks nothing up and works nothing out."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.measuring import metrics
from submissions.domain.ranking import bottleneck, interfaces, profiles
from submissions.domain.ranking.wish import Wish
from submissions.evidence.own_weights import OwnRow
from submissions.models import CardModel, Score
from submissions.pages import wording

# The score axis is logarithmic: a card twice as good is the same step to the right everywhere.
AXIS_LOW, AXIS_HIGH = 5, 2000
AXIS_TICKS = (10, 30, 100, 300, 1000)
# Percent of the axis: what a bar needs to be seen at all.
_THINNEST = 0.5
_KEY_FIGURES = 2


# Stored for everybody, or worked out for one reader.
Scored = Score | OwnRow


@dataclass(frozen=True, slots=True)
class Bar:
    """The interval on the axis and the value as a mark, in percent of its width, as SVG wants them."""

    left: str
    width: str
    mark: str


@dataclass(frozen=True, slots=True)
class Row:
    """`read_aloud`: the score in words, beside the bar. `figures`: what matters most, in words, and what it is.

    `limit`: what is in the way, "" where nothing is asked.
    """

    title: str
    model: CardModel
    address: str
    state: str
    evidence: str
    value: str
    lower: str
    upper: str
    read_aloud: str
    bar: Bar
    figures: tuple[tuple[str, str], ...] = ()
    limit: str = ""

    @property
    def price(self) -> str:
        """Median of what was paid; "" when no price is known."""
        if self.model.price is None:
            return ""
        return wording.localized(f"{self.model.price:.2f} {self.model.currency}")

    @property
    def pick(self) -> str:
        """What a tick beside it does."""
        return _("Compare %(name)s") % {"name": self.title}


def ranked(scores: Iterable[Score], wish: Wish) -> list[Row]:
    """Models for a board and a purpose, each with its model at hand."""
    asked = f"?board={wish.board.slug}&profile={wish.profile.name}"
    return [
        row(
            score.card_model,
            score,
            asked=asked,
            figures=key_figures(score),
            limit=limit_words(score, wish),
        )
        for score in scores
    ]


def row(model: CardModel, score: Scored, *, title: str = "", asked: str = "", **more: Any) -> Row:
    """Under a title of its own or the name of the model, whose page is asked for a board or a purpose."""
    value, lower, upper = (f"{number:.0f}" for number in (score.value, score.lower, score.upper))
    return Row(
        title=title or model.name,
        model=model,
        address=model.get_absolute_url() + asked,
        state=score.state,
        evidence=evidence(score),
        value=value,
        lower=lower,
        upper=upper,
        read_aloud=_("Score %(value)s, between %(lower)s and %(upper)s")
        % {"value": value, "lower": lower, "upper": upper},
        bar=bar(score),
        **more,
    )


def evidence(score: Scored) -> str:
    """ "3 cards of 2 submitters, 4 of 10 figures", or why it is none of them."""
    return _evidence(score.cards, score.submitters, score.covered, score.terms, score.interface)


@wording.kept
def _evidence(cards: int, submitters: int, covered: int, terms: int, interface: str) -> str:
    counts = {
        "cards": ngettext("%(count)s card", "%(count)s cards", cards) % {"count": cards},
        "submitters": ngettext("of %(count)s submitter", "of %(count)s submitters", submitters)
        % {"count": submitters},
        "covered": covered,
        "terms": terms,
    }
    if covered:
        return _("%(cards)s %(submitters)s, %(covered)s of %(terms)s figures") % counts
    slot = interfaces.all_interfaces().get(interface)
    if slot and slot.queues:
        return _("%(cards)s %(submitters)s, only measured without a queue; this slot has one") % counts
    return (
        _("%(cards)s %(submitters)s, only measured with 32 commands queued; this slot has no queue") % counts
    )


def bar(score: Scored) -> Bar:
    left = min(_x(score.lower), 100 - _THINNEST)
    width = max(_x(score.upper) - left, _THINNEST)
    return Bar(f"{left:.2f}", f"{width:.2f}", f"{_x(score.value):.2f}")


def ticks() -> list[tuple[int, str]]:
    """Every number of the axis, and where it stands in percent."""
    return [(tick, f"{_x(tick):.2f}") for tick in AXIS_TICKS]


def _x(value: float) -> float:
    """Position on the axis in percent of its width; what lies beyond an end is drawn at the end."""
    clamped = min(max(value, AXIS_LOW), AXIS_HIGH)
    return 100 * math.log(clamped / AXIS_LOW) / math.log(AXIS_HIGH / AXIS_LOW)


def key_figures(score: Score) -> tuple[tuple[str, str], ...]:
    """The two measured figures that weigh most in the profile: value in words, and title."""
    weights = _weights(score.profile, score.interface)
    described = [name for name in score.figures if name in metrics.FIGURES]
    heaviest = sorted(described, key=lambda name: -weights.get(name, 0))[:_KEY_FIGURES]
    return tuple(_figure(name, score.figures[name]["measured"]) for name in heaviest)


@lru_cache(maxsize=100)
def _weights(profile: str, interface: str) -> dict[str, float]:
    """Figure -> its share; of a profile or a slot that is gone nothing."""
    purpose, slot = profiles.all_profiles().get(profile), interfaces.all_interfaces().get(interface)
    return {term.figure: term.share for term in purpose.on(slot)} if purpose and slot else {}


def _figure(name: str, measured: float) -> tuple[str, str]:
    figure = metrics.FIGURES[name]
    return wording.amount(measured, figure.base_unit), figure.title


def limit_words(score: Score, wish: Wish) -> str:
    """What keeps the model from doing better on the board that is asked about; "" when nothing is known to."""
    limit = bottleneck.limit(wish.profile, wish.board.interface, score.figures)
    if limit is None:
        return ""
    if limit.kind == "card" and limit.ratio >= 1:
        return ""
    return _limited_by(limit.kind, limit.figure)


@wording.kept
def _limited_by(kind: str, figure: str) -> str:
    words = {"figure": metrics.FIGURES[figure].title}
    return (
        _("limited by the slot: %(figure)s") % words
        if kind == "slot"
        else _("held back by: %(figure)s") % words
    )
