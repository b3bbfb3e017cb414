"""The leading ability of several models on a common scale."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue, Advice
from submissions.domain.ranking.uses import Use
from submissions.models import CardModel
from submissions.pages import wording
from submissions.pages.content import advice_words
from submissions.pages.plots import row_plot, scale
from submissions.pages.plots.figure import SHAPES, DataTable, Note, Plot, Words, percent
from submissions.pages.plots.of_models import make_interval
from submissions.pages.plots.row_plot import Row


def draw_leading(listed: Sequence[tuple[CardModel, Advice]], use: Use) -> Plot | None:
    """Draw the leading abilities beside each other, with their 95 % intervals and the need; None for none."""
    measured = [(model, advice.leading) for model, advice in listed if advice.leading]
    if not measured:
        return None
    unit = ABILITIES[use.leading].base_unit
    needed = [need.threshold for need in use.needs if need.ability == use.leading]
    rows = [
        Row(model.name, (), make_interval(value, ", ".join(filter(None, _cells(value)))), n % len(SHAPES))
        for n, (model, value) in enumerate(measured)
    ]
    ends = [end for row in rows if row.interval for end in (row.interval.lower, row.interval.upper)]
    axis = scale.logarithmic([*ends, *needed])
    plot = row_plot.rows(
        Words(
            "leading",
            ABILITIES[use.leading].title,
            _("What each card does, with its interval (95 %)."),
            note=_(
                "Cards with bands that do not overlap really differ. An outlined band is expected from other devices."
                " Logarithmic axis."
            ),
        ),
        rows,
        scale=axis,
        in_words=lambda amount: wording.amount(amount, unit),
        table=DataTable(
            (_("Card"), _("What it does"), _("Interval (95 %)"), _("Evidence")),
            tuple((model.name, *(cell or "–" for cell in _cells(value))) for model, value in measured),
        ),
    )
    rules = (Note(percent(axis, amount), plot.height - 4, _("needed"), rule=True) for amount in needed)
    return plot._replace(notes=(*plot.notes, *rules))


def _cells(value: AbilityValue) -> tuple[str, str, str]:
    return (
        advice_words.describe_amount(value),
        advice_words.describe_interval(value),
        advice_words.describe_proof(value),
    )
