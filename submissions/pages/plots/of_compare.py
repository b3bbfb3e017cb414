"""Make the plot of a comparison: the ability that ranks cards for the use, of several models on a common scale."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue, Advice
from submissions.domain.ranking.uses import Use
from submissions.models import CardModel
from submissions.pages.content import advice_words
from submissions.pages.plots import row_plot
from submissions.pages.plots.figure import SHAPES, DataTable, Note, Plot, Words, percent
from submissions.pages.plots.of_models import list_ends, logarithmic, make_interval
from submissions.pages.plots.row_plot import Row


def draw_leading(listed: Sequence[tuple[CardModel, Advice]], use: Use) -> Plot | None:
    """Return a plot of the ability that ranks cards for a use, with a row per model; None if none was measured.

    It shows 95 % intervals, and the threshold of the use as a vertical line.
    """
    measured = [(model, advice.leading) for model, advice in listed if advice.leading]
    if not measured:
        return None
    needed = [need.threshold for need in use.needs if need.ability == use.leading]
    rows = [_row(n, model, value) for n, (model, value) in enumerate(measured)]
    axis = logarithmic([*list_ends(rows), *needed], ABILITIES[use.leading].base_unit)
    plot = row_plot.rows(
        Words(
            "leading",
            ABILITIES[use.leading].title,
            _("The value of each card, with its interval (95 %)."),
            note=_(
                "Cards really differ if their bars do not overlap. An outlined bar is expected from other "
                "devices. Logarithmic axis."
            ),
        ),
        rows,
        axis=axis,
        table=DataTable(
            (_("Card"), _("What it does"), _("Interval (95 %)"), _("Evidence")),
            tuple((model.name, *(cell or "–" for cell in _cells(value))) for model, value in measured),
        ),
    )
    rules = (Note(percent(axis.scale, amount), plot.height - 4, _("needed"), rule=True) for amount in needed)
    return plot._replace(notes=(*plot.notes, *rules))


def _row(number: int, model: CardModel, value: AbilityValue) -> Row:
    tip = ", ".join(filter(None, _cells(value)))
    return Row(model.name, (), make_interval(value, tip), number % len(SHAPES))


def _cells(value: AbilityValue) -> tuple[str, str, str]:
    return (
        advice_words.describe_amount(value),
        advice_words.describe_interval(value),
        advice_words.describe_proof(value),
    )
