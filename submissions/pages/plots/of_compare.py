"""Intervals of several models on a common scale."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.models import Score
from submissions.pages import wording
from submissions.pages.plots import row_plot, scale
from submissions.pages.plots.figure import SHAPES, DataTable, Plot, Words
from submissions.pages.plots.row_plot import Interval, Row


def scores(listed: Sequence[Score]) -> Plot | None:
    """The scores beside each other, with their 95 % intervals; None for none."""
    if not listed:
        return None
    rowed = [
        Row(score.card_model.name, (), Interval(*_multiples(score), _score_words(score)), n % len(SHAPES))
        for n, score in enumerate(listed)
    ]
    axis = scale.logarithmic([end / 100 for score in listed for end in (score.lower, score.upper)] + [1])
    return row_plot.rows(
        Words(
            "scores",
            _("On one scale"),
            _("How many times enough each card is, with its interval (95 %); 1× is just enough."),
            note=_("1× is just enough. Cards whose bands do not overlap really differ. Logarithmic axis."),
        ),
        rowed,
        scale=axis,
        in_words=wording.times,
        table=DataTable(
            (_("Card"), _("Likely"), _("At least"), _("At most"), _("Cards")),
            tuple(
                (
                    score.card_model.name,
                    *(wording.times(end / 100) for end in (score.value, score.lower, score.upper)),
                    str(score.cards),
                )
                for score in listed
            ),
        ),
    )


def _score_words(score: Score) -> str:
    cards = ngettext("%(count)s card", "%(count)s cards", score.cards) % {"count": score.cards}
    lower, likely, upper = map(wording.times, _multiples(score))
    return f"{likely}, {lower} – {upper}, {cards}"


def _multiples(score: Score) -> tuple[float, float, float]:
    """(lower, likely, upper) in multiples of enough."""
    return score.lower / 100, score.value / 100, score.upper / 100
