"""Show the wear of one card over time, as the card itself reports it, in words and as a plot."""

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


class WearReport(NamedTuple):
    """The wear of a card: `sentence` has the used part of its life, `outlook` the rest at this rate, "" if unknown."""

    sentence: str
    outlook: str
    plot: Plot


def report_wear(card: Card, runs: Sequence[Run]) -> WearReport | None:
    """Return the wear of a card, None if no run reports the wear; one query for other cards of its model."""
    own = sorted((run for run in runs if run.life_used is not None), key=lambda run: run.ran_at)
    if not own:
        return None
    siblings = Run.objects.telling_health(card.variant.card_model).exclude(card=card)[:_MOST_RUNS]
    others = sorted(siblings, key=lambda run: run.ran_at)
    sentence = _("The card reports that %(used)g %% of its life is used up.") % {"used": own[-1].life_used}
    return WearReport(sentence, describe_outlook(own), of_runs.draw_wear(own, others))


def describe_outlook(runs: Sequence[Run]) -> str:
    """Return in words how long a card lasts at its present rate, from its runs, the oldest first; "" if unknown."""
    readings = [
        (run.ran_at.timestamp() / 86_400, Wear(run.life_used or 0.0, run.life_step or 1.0)) for run in runs
    ]
    left = health.estimate_remaining_days(readings)
    return _words(left) if left else ""


def _words(left: RemainingDays) -> str:
    unit = _YEAR_DAYS if left.shortest >= 2 * _YEAR_DAYS else 1
    given = {"shortest": _round(left.shortest / unit), "longest": _round((left.longest or 0) / unit)}
    if left.longest is None:
        words = (
            _("At this rate, it will last at least another %(shortest)s years.")
            if unit > 1
            else _("At this rate, it will last at least another %(shortest)s days.")
        )
    elif unit > 1:
        words = _("At this rate, it will last another %(shortest)s to %(longest)s years.")
    else:
        words = _("At this rate, it will last another %(shortest)s to %(longest)s days.")
    return words % given


def _round(number: float) -> str:
    return number_format(number, 1 if number < 10 else 0)
