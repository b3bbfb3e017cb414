"""Rows of a ranking in words: a page has many, so its template looks nothing up and works nothing out."""

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.measuring import metrics
from submissions.domain.ranking import bottleneck, interfaces, uses
from submissions.domain.ranking.wish import Wish
from submissions.evidence import claim_words
from submissions.evidence.picks import ENOUGH
from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import neighbour

# The axis is logarithmic, in multiples of enough: twice as good is the same step to the right everywhere.
AXIS_LOW, AXIS_HIGH = 0.1, 10.0
AXIS_TICKS = (0.1, 0.3, 1.0, 3.0, 10.0)
# Percent of the axis: what a bar needs to be seen at all.
_THINNEST = 0.5


class Bar(NamedTuple):
    """The interval, what is sure and what is likely, in percent of the axis, as SVG wants them."""

    sure: str
    width: str
    likely: str


class Row(NamedTuple):
    """`least`: the number by which rows are ordered; `likely`: the best guess; both in multiples of enough.

    `read_aloud`: the same in words, beside the bar. `figure`: what matters most, in words, and what it is. `limit`:
    what is in the way, "" where nothing is asked. `reason`: why a claim has no place.
    """

    title: str
    model: CardModel
    score: Score
    address: str
    state: str
    evidence: str
    least: str
    likely: str
    read_aloud: str
    bar: Bar
    figure: tuple[str, str] | None = None
    limit: str = ""
    reason: str = ""

    @property
    def price(self) -> str:
        return price(self.model)

    @property
    def price_per_gb(self) -> str:
        if self.model.price is None or not self.model.capacity_gb:
            return ""
        per_gb = wording.money(self.model.price / self.model.capacity_gb, self.model.currency)
        return _("%(price)s per GB") % {"price": per_gb}

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
            figure=key_figure(score),
            limit=limit_words(score, wish),
            reason=claim_words.explain_claim(score.state, score.people),
        )
        for score in scores
    ]


def row(model: CardModel, score: Score, *, title: str = "", asked: str = "", **more: Any) -> Row:
    """Under a title of its own or the name of the model, whose page is asked for a board or a purpose."""
    least, likely = times(score.bound), times(score.value)
    return Row(
        title=title or model.name,
        model=model,
        score=score,
        address=model.get_absolute_url() + asked,
        state=score.state,
        evidence=evidence(score),
        least=least,
        likely=likely,
        read_aloud=_("At least %(least)s what it needs, likely %(likely)s")
        % {"least": least, "likely": likely},
        bar=bar(score),
        **more,
    )


def price(model: CardModel) -> str:
    """Median of what was paid; "" when no price is known."""
    return "" if model.price is None else wording.money(model.price, model.currency)


def times(score: float) -> str:
    """A score as a multiple of enough: 476.6 -> "4.8×"."""
    return wording.times(score / ENOUGH)


def tested(score: Score) -> str:
    """ "3 cards, 2 people"."""
    return _tested(score.cards, score.submitters, score.vouched)


def evidence(score: Score) -> str:
    """ "3 cards, 2 people", and whether in another kind of device only."""
    words = tested(score)
    return words if score.covered else _("%(tested)s, only in another kind of device") % {"tested": words}


@wording.kept
def _tested(cards: int, people: int, trusted: int) -> str:
    """Sources that are trusted are named so: each counts as two people."""
    words = {
        "cards": ngettext("%(count)s card", "%(count)s cards", cards) % {"count": cards},
        "people": ngettext("%(count)s person", "%(count)s people", people) % {"count": people},
        "sources": ngettext("%(count)s trusted source", "%(count)s trusted sources", trusted)
        % {"count": trusted},
    }
    if not trusted:
        return _("%(cards)s, %(people)s") % words
    if trusted == people:
        return _("%(cards)s, %(sources)s") % words
    return _("%(cards)s, %(people)s, among them %(sources)s") % words


def bar(score: Score) -> Bar:
    sure = round(min(_x(score.bound / ENOUGH), 100 - _THINNEST), 1)
    width = max(round(_x(score.upper / ENOUGH), 1) - sure, _THINNEST)
    return Bar(f"{sure:.1f}", f"{width:.1f}", f"{_x(score.value / ENOUGH):.1f}")


def ticks() -> list[tuple[str, str]]:
    """Every number of the axis, and where it stands in percent."""
    return [(wording.localized(f"{tick:g}") + "×", f"{_x(tick):.2f}") for tick in AXIS_TICKS]


def _x(multiple: float) -> float:
    """Position on the axis in percent of its width; what lies beyond an end is drawn at the end."""
    clamped = min(max(multiple, AXIS_LOW), AXIS_HIGH)
    return 100 * math.log(clamped / AXIS_LOW) / math.log(AXIS_HIGH / AXIS_LOW)


def key_figure(score: Score) -> tuple[str, str] | None:
    """The measured figure that weighs most in the profile: its estimate in words, and its name; None for none."""
    weights = _weights(score.profile, score.interface)
    described = [name for name in score.figures if name in metrics.FIGURES]
    if not described:
        return None
    heaviest = max(described, key=lambda name: weights.get(name, 0))
    return wording.figure(heaviest, score.figures[heaviest]), neighbour.name(heaviest)


@lru_cache(maxsize=100)
def _weights(profile: str, interface: str) -> dict[str, float]:
    """Figure -> its share; of a profile or a slot that is gone nothing."""
    purpose, slot = uses.all_profiles().get(profile), interfaces.all_interfaces().get(interface)
    return {term.figure: term.share for term in purpose.on(slot)} if purpose and slot else {}


def limit_words(score: Score, wish: Wish) -> str:
    """What keeps the model from doing better on the board that is asked about; "" when nothing is known to."""
    limit = bottleneck.limit(wish.profile, wish.board.interface, score.figures)
    if limit is None or (limit.kind == "card" and limit.ratio >= 1):
        return ""
    return _limited_by(limit.kind, limit.figure)


@wording.kept
def _limited_by(kind: str, figure: str) -> str:
    words = {"work": neighbour.name(figure)}
    return _("the device limits %(work)s") % words if kind == "slot" else _("slowest part: %(work)s") % words
