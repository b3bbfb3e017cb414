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


def scores(found: Sequence[Score]) -> Plot | None:
    """The scores beside each other, with their 95 % intervals; None for none."""
    if not found:
        return None
    rowed = [
        Row(one.card_model.name, (), Interval(one.lower, one.value, one.upper, _score_words(one)), _style(n))
        for n, one in enumerate(found)
    ]
    axis = scale.logarithmic([end for one in found for end in (one.lower, one.upper)] + [100])
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
                    one.card_model.name,
                    *(f"{end:.0f}" for end in (one.value, one.lower, one.upper)),
                    str(one.cards),
                )
                for one in found
            ),
        ),
    )


def figure(name: str, found: Sequence[tuple[str, Mapping[str, float] | None]]) -> Plot | None:
    """One figure of (model name, value with lower, upper and cards); None where nobody was measured."""
    known = [(n, model, one) for n, (model, one) in enumerate(found) if one and "lower" in one]
    if not known:
        return None
    title, unit = metrics.FIGURES[name].title, metrics.FIGURES[name].base_unit
    rowed = [Row(model, (), _interval(one, unit), _style(n)) for n, model, one in known]
    axis = scale.logarithmic([end for _n, _m, one in known for end in (one["lower"], one["upper"])])
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
                    *(wording.amount(one[end], unit) for end in ("value", "lower", "upper")),
                    str(one["cards"]),
                )
                for _n, model, one in known
            ),
        ),
    )


def _style(number: int) -> int:
    return number % len(SHAPES)


def _score_words(one: Score) -> str:
    cards = ngettext("%(count)s card", "%(count)s cards", one.cards) % {"count": one.cards}
    return f"{one.value:.0f}, {one.lower:.0f} – {one.upper:.0f}, {cards}"


def _interval(one: Mapping[str, float], unit: str) -> Interval:
    lower, upper = sorted((one["lower"], one["upper"]))
    words = [wording.amount(one[end], unit) for end in ("value", "lower", "upper")]
    return Interval(lower, one["value"], upper, "{}, {} – {}".format(*words))
