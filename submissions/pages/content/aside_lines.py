"""Make the lines on a model's page about differing cards of one person, and about noticeable delays."""

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.measuring.metrics import METRICS
from submissions.domain.ranking.aside import Seen
from submissions.domain.ranking.summary import Summary
from submissions.models import Measurement
from submissions.pages import wording
from submissions.pages.content import figure_tables


class Line(NamedTuple):
    """Measurements of a delay in words; `cards` is the number of measured cards, such as "2 cards"."""

    words: str
    value: str
    host: str
    cards: str


def make_asides(summary: Summary) -> dict[str, Any]:
    """Return lines about one model: `apart` for each group of cards that differ, `felt` for noticeable delays."""
    return {
        "apart": [_describe_difference(seen) for seen in summary.apart],
        "felt": [
            Line(_pattern(seen), _range(seen), seen.pattern.host, wording.cards(seen.cards))
            for seen in summary.felt
        ],
    }


def _describe_difference(seen: Seen) -> str:
    words = {
        "cards": seen.cards,
        "host": seen.pattern.host,
        "range": _range(seen),
        "ratio": wording.localize(f"{seen.ratio:.1f}"),
        "pattern": _pattern(seen),
    }
    return (
        _(
            "One person measured %(cards)s cards with this name in one host (%(host)s), and the results "
            "differ by a factor of %(ratio)s: %(range)s (%(pattern)s)."
        )
        % words
    )


def _pattern(seen: Seen) -> str:
    pattern = seen.pattern
    return figure_tables.describe_measurement(
        Measurement(workload=pattern.workload, metric=pattern.metric, parameters=pattern.parameters)
    )


def _range(seen: Seen) -> str:
    unit = METRICS[seen.pattern.metric].base_unit
    ends = dict.fromkeys(wording.amount(value, unit) for value in (seen.low, seen.high))
    return " – ".join(ends)
