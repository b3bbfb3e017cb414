"""What the card that somebody buys will probably do: not the mean of all cards of the model, but one of them."""

import math
from collections.abc import Iterable

from django.utils.translation import gettext as _

from submissions.domain.measuring import metrics
from submissions.domain.ranking import comparable
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Estimate
from submissions.pages import wording
from submissions.pages.content import neighbour

# Fewer slow cards than this in a hundred are not worth a word.
_FEW_SLOW = 0.015


def sentences(model: CardModel, wish: Wish) -> list[str]:
    """Of the figure that weighs most in the wish, among those that were measured; one query."""
    shares = {term.figure: term.share for term in wish.terms}
    rows = Estimate.objects.filter(card_model=model, variant=None, figure__in=shares, card_low__isnull=False)
    heaviest = max(rows, key=lambda row: shares[row.figure], default=None)
    return [] if heaviest is None else [" ".join(_said(heaviest, wish))]


def _said(estimate: Estimate, wish: Wish) -> Iterable[str]:
    ends = estimate.card_ends
    if ends is None:
        return
    cap = math.exp(wish.board.interface.log_cap) if comparable.is_linked(estimate.figure) else math.inf
    figure = metrics.FIGURES[estimate.figure]
    low, high = (wording.amount(min(end, cap), figure.base_unit) for end in ends)
    words = {"figure": neighbour.name(estimate.figure), "low": low, "high": high}
    if estimate.at_least or low == high:
        yield _("Of 100 cards of it, 95 reach at least %(low)s (%(figure)s).") % words
    else:
        yield _("Of 100 cards of it, 95 reach %(low)s to %(high)s (%(figure)s).") % words
    if estimate.slow_share and estimate.slow_share >= _FEW_SLOW:
        slow = {"slow": round(100 * estimate.slow_share)}
        yield _("About %(slow)s of 100 are slow: less than 80 %% of the average.") % slow
