"""What one card says of its wear over time, in words and as a picture."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from submissions.domain.measuring import health
from submissions.domain.measuring.health import RemainingDays, Wear
from submissions.models import Card, Run
from submissions.pages.plots import of_runs
from submissions.pages.plots.figure import Plot

_MOST_RUNS = 2_000
_YEAR_DAYS = 365.25


class Told(NamedTuple):
    """`sentence`: how much is used; `outlook`: how long it lasts at this rate; None where nothing tells."""

    sentence: str
    outlook: str
    plot: Plot


def of_card(card: Card, runs: Sequence[Run]) -> Told | None:
    """None when this card never told of its health in any of its runs; else one query for its siblings."""
    own = sorted((run for run in runs if run.life_used is not None), key=lambda run: run.ran_at)
    if not own:
        return None
    siblings = Run.objects.telling_health(card.variant.card_model).exclude(card=card)[:_MOST_RUNS]
    others = sorted(siblings, key=lambda run: run.ran_at)
    sentence = _("%(used)g %% of its life is used, as it says itself.") % {"used": own[-1].life_used}
    return Told(sentence, outlook(own), of_runs.wear(own, others))


def outlook(runs: Sequence[Run]) -> str:
    """How long it lasts at the rate of its own readings, the oldest first; "" while too little is known."""
    told = [
        (run.ran_at.timestamp() / 86_400, Wear(run.life_used or 0.0, run.life_step or 1.0)) for run in runs
    ]
    left = health.estimate_remaining_days(told)
    return _words(left) if left else ""


def _words(left: RemainingDays) -> str:
    unit = _YEAR_DAYS if left.shortest >= 2 * _YEAR_DAYS else 1
    given = {"shortest": _rounded(left.shortest / unit), "longest": _rounded((left.longest or 0) / unit)}
    if left.longest is None:
        words = (
            _("At this rate it lasts at least another %(shortest)s years.")
            if unit > 1
            else _("At this rate it lasts at least another %(shortest)s days.")
        )
    elif unit > 1:
        words = _("At this rate it lasts another %(shortest)s to %(longest)s years.")
    else:
        words = _("At this rate it lasts another %(shortest)s to %(longest)s days.")
    return words % given


def _rounded(number: float) -> str:
    return number_format(number, 1 if number < 10 else 0)
