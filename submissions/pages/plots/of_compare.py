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
from submissions.pages.plots.row_plot import Interval, Row


def draw_leading(listed: Sequence[tuple[CardModel, Advice]], use: Use) -> Plot | None:
    """Draw the leading abilities beside each other, with their 95 % intervals and the need; None for none."""
    measured = [(model, advice.leading) for model, advice in listed if advice.leading]
    if not measured:
        return None
    unit = ABILITIES[use.leading].base_unit
    needed = [need.threshold for need in use.needs if need.ability == use.leading]
    axis = scale.logarithmic([*(end for _, value in measured for end in _ends(value)), *needed])
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
        [
            Row(model.name, (), _draw_interval(value), n % len(SHAPES))
            for n, (model, value) in enumerate(measured)
        ],
        scale=axis,
        in_words=lambda amount: wording.amount(amount, unit),
        table=DataTable(
            (_("Card"), _("What it does"), _("Interval (95 %)"), _("Evidence")),
            tuple((model.name, *_cells(value)) for model, value in measured),
        ),
    )
    rules = (Note(percent(axis, amount), plot.height - 4, _("needed"), rule=True) for amount in needed)
    return plot._replace(notes=(*plot.notes, *rules))


def _draw_interval(value: AbilityValue) -> Interval:
    return Interval(*_ends(value), _describe(value), value.origin == "elsewhere")


def _ends(value: AbilityValue) -> tuple[float, float, float]:
    """Return the lower end, the value and the upper end; the value is the lower end if links hid how good it is."""
    lower, upper = sorted((value.lower, value.upper))
    return (value.value if value.at_least else lower), value.value, max(upper, value.value)


def _describe(value: AbilityValue) -> str:
    return ", ".join(words for words in _cells(value) if words != "–")


def _cells(value: AbilityValue) -> tuple[str, str, str]:
    return (
        advice_words.describe_amount(value),
        advice_words.describe_interval(value) or "–",
        advice_words.describe_proof(value),
    )
