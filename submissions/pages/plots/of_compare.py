"""Intervals of several models on a common scale."""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.measuring import metrics
from submissions.models import Score
from submissions.pages import wording
from submissions.pages.plots import rows, scale
from submissions.pages.plots.figure import SHAPES, DataTable, Plot, Words
from submissions.pages.plots.rows import Interval, Row


def scores(listed: Sequence[Score]) -> Plot | None:
    """The scores beside each other, with their 95 % intervals; None for none."""
    if not listed:
        return None
    rowed = [
        Row(
            score.card_model.name,
            (),
            Interval(score.lower, score.value, score.upper, _score_words(score)),
            _style(n),
        )
        for n, score in enumerate(listed)
    ]
    axis = scale.logarithmic([end for score in listed for end in (score.lower, score.upper)] + [100])
    return rows.rows(
        Words(
            "scores",
            _("Score"),
            _("The score of each model with its 95 % interval; 100 is a card that just does what is asked."),
            note=_("95 % intervals; what does not overlap is told apart. Logarithmic axis."),
        ),
        rowed,
        scale=axis,
        in_words=lambda value: wording.localized(f"{value:,.0f}"),
        table=DataTable(
            (_("Card"), _("Score"), _("Lower"), _("Upper"), _("Cards")),
            tuple(
                (
                    score.card_model.name,
                    *(f"{end:.0f}" for end in (score.value, score.lower, score.upper)),
                    str(score.cards),
                )
                for score in listed
            ),
        ),
    )


def figure(name: str, values: Sequence[tuple[str, Mapping[str, float] | None]]) -> Plot | None:
    """One figure of (model name, value with lower, upper and cards); None where no model has it."""
    measured = [(n, model, value) for n, (model, value) in enumerate(values) if value and "lower" in value]
    if not measured:
        return None
    title, unit = metrics.FIGURES[name].title, metrics.FIGURES[name].base_unit
    rowed = [Row(model, (), _interval(value, unit), _style(n)) for n, model, value in measured]
    axis = scale.logarithmic([end for _n, _m, value in measured for end in (value["lower"], value["upper"])])
    return rows.rows(
        Words(
            f"figure-{name}",
            title,
            _("%(figure)s of each model with its 95 %% interval.") % {"figure": title},
        ),
        rowed,
        scale=axis,
        in_words=lambda value: wording.amount(value, unit),
        table=DataTable(
            (_("Card"), title, _("Lower"), _("Upper"), _("Cards")),
            tuple(
                (
                    model,
                    *(wording.amount(value[end], unit) for end in ("value", "lower", "upper")),
                    str(value["cards"]),
                )
                for _n, model, value in measured
            ),
        ),
    )


def _style(number: int) -> int:
    return number % len(SHAPES)


def _score_words(score: Score) -> str:
    cards = ngettext("%(count)s card", "%(count)s cards", score.cards) % {"count": score.cards}
    return f"{score.value:.0f}, {score.lower:.0f} – {score.upper:.0f}, {cards}"


def _interval(value: Mapping[str, float], unit: str) -> Interval:
    lower, upper = sorted((value["lower"], value["upper"]))
    words = [wording.amount(value[end], unit) for end in ("value", "lower", "upper")]
    return Interval(lower, value["value"], upper, "{}, {} – {}".format(*words))
