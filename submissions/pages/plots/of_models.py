"""Make the plots of a model: of the values of all its cards, and of these values by month of manufacture."""

from collections.abc import Iterable, Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.intake.structures import group_by
from submissions.domain.measuring import metrics
from submissions.domain.ranking.advice import AbilityValue
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.summary import Group, Sample, Specimen
from submissions.models import Measurement
from submissions.models.card import REGISTERS_UNKNOWN
from submissions.models.measurement import HOST_UNKNOWN
from submissions.pages import wording
from submissions.pages.content import advice_words
from submissions.pages.plots import line_plot, row_plot, scale
from submissions.pages.plots.figure import SHAPES, Axis, DataTable, Key, Plot, Words
from submissions.pages.plots.line_plot import Point, Series
from submissions.pages.plots.row_plot import Dot, Interval, Row

# Rows of a strip; the others are in its table.
_MOST_ROWS = 4
# Figure, row and card.
Mark = tuple[str, Group, Specimen]

_UNKNOWN = (REGISTERS_UNKNOWN, HOST_UNKNOWN)


def spread_words(measurement: Measurement) -> str:
    return "–" if measurement.spread is None else wording.localize(f"{100 * measurement.spread:.0f} %")


def logarithmic(values: Iterable[float | None], unit: str) -> Axis:
    """Return a logarithmic axis with room for every value above zero; its ticks show the unit."""
    span = scale.logarithmic(value for value in values if value)
    return Axis(span, lambda value: wording.amount(value, unit))


def draw_strip(ability: str, samples: Mapping[str, Sample], value: AbilityValue | None, board: Board) -> Plot:
    """Return a plot of one ability with a mark for each card, in rows by method, variant and host.

    The first row has the estimated interval of the model in the device. `samples`: cards by the measured figure.
    """
    row, marks = metrics.ABILITIES[ability], list(_each_mark(samples))
    variants = sorted({group.variant for _, group, _ in marks})
    styles = {variant: n % len(SHAPES) for n, variant in enumerate(variants)}
    first = [] if value is None else [_model_row(value, board)]
    axis = logarithmic([specimen.value for _, _, specimen in marks] + list_ends(first), row.base_unit)
    tips = [f"{one.interval.tip}." for one in first if one.interval]
    rows = list(_rows(samples, styles, row.base_unit))
    rows, more = rows[:_MOST_ROWS], len(rows) - _MOST_ROWS
    return row_plot.rows(
        Words(
            f"strip-{ability}",
            row.title,
            _("Every card by %(ability)s, in rows by product name and host.") % {"ability": row.title},
            note=" ".join(
                [
                    *tips,
                    _strip_note(samples.values()),
                    *_explain_thinning(samples.values()),
                    *_count_more(more),
                ]
            ),
        ),
        [*first, *rows],
        axis=axis,
        table=_table(row.title, marks, row.base_unit),
        legend=tuple(Key(variant, style) for variant, style in styles.items()) if len(styles) > 1 else (),
    )


def _each_mark(samples: Mapping[str, Sample]) -> Iterator[Mark]:
    for figure, sample in samples.items():
        yield from ((figure, group, specimen) for group in sample.rows for specimen in group.specimens)


def _model_row(value: AbilityValue, board: Board) -> Row:
    amount, interval = advice_words.describe_amount(value), advice_words.describe_interval(value)
    origin = advice_words.describe_origin(value, board)
    heading = _("The model: %(amount)s") % {"amount": amount}
    tip = ", ".join(filter(None, (heading, origin, interval)))
    return Row(heading, (), make_interval(value, tip))


def make_interval(value: AbilityValue, tip: str) -> Interval:
    """Return the interval of a value, which begins at the value itself if that is only a lower bound."""
    lower, upper = sorted((value.lower, value.upper))
    low = value.value if value.at_least else lower
    return Interval(low, value.value, max(upper, value.value), tip, not value.is_measured)


def list_ends(rows: Iterable[Row]) -> list[float | None]:
    """Return the lower and upper ends of the intervals of all rows."""
    return [end for row in rows if row.interval for end in (row.interval.lower, row.interval.upper)]


def _rows(samples: Mapping[str, Sample], styles: Mapping[str, int], unit: str) -> Iterator[Row]:
    for figure, sample in samples.items():
        method = metrics.FIGURES[figure].title if len(samples) > 1 else ""
        yield from (_row(group, method, styles[group.variant], unit) for group in sample.rows)


def _row(group: Group, method: str, style: int, unit: str) -> Row:
    dots = tuple(
        Dot(specimen.value, _tip(group, specimen, unit), style, not specimen.believed)
        for specimen in group.specimens
    )
    # A phone has no room for more.
    known = (words for words in (group.variant, group.host, method) if words and words not in _UNKNOWN)
    return Row(" · ".join((*known, wording.cards(group.all))), dots)


def _tip(row: Group, specimen: Specimen, unit: str) -> str:
    runs = ngettext("%(count)s run", "%(count)s runs", specimen.runs) % {"count": specimen.runs}
    card = _("card %(key)s") % {"key": specimen.card}
    words = [card, wording.amount(specimen.value, unit), runs, _(row.host)]
    if specimen.month:
        words.append(wording.month(specimen.month))
    return ", ".join(words if specimen.believed else [*words, _("does not count")])


def _strip_note(samples: Iterable[Sample]) -> str:
    count = max(sample.cards for sample in samples)
    return ngettext(
        "%(count)s card; each mark is the median of its runs in one kind of host. The axis is logarithmic.",
        "%(count)s cards; each mark is the median of a card's runs in one kind of host. The axis is "
        "logarithmic.",
        count,
    ) % {"count": count}


def _count_more(more: int) -> Iterator[str]:
    if more > 0:
        yield ngettext(
            "%(count)s more row is in the table of numbers.",
            "%(count)s more rows are in the table of numbers.",
            more,
        ) % {"count": more}


def _explain_thinning(samples: Iterable[Sample]) -> Iterator[str]:
    """Yield sentences for the reader of a plot only if not every mark is drawn."""
    shown, marks, rows, all_rows = (
        sum(counts)
        for counts in zip(
            *((one.shown_specimens, one.specimens, len(one.rows), one.all_rows) for one in samples),
            strict=True,
        )
    )
    if shown < marks:
        yield _(
            "This chart shows %(shown)s of %(all)s marks: the lowest and highest of each row, and an evenly "
            "spaced selection in between."
        ) % {"shown": shown, "all": marks}
    if rows < all_rows:
        yield _("Of %(all)s rows, the %(shown)s with the most cards are shown.") % {
            "shown": rows,
            "all": all_rows,
        }


def _table(title: str, marks: Iterable[Mark], unit: str) -> DataTable:
    return DataTable(
        (_("Card"), _("Product name"), _("Host"), _("Measured as"), _("Made in"), title, _("Runs")),
        tuple(
            (
                specimen.card,
                _(row.variant),
                _(row.host),
                metrics.FIGURES[figure].title,
                wording.month(specimen.month) or "–",
                wording.amount(specimen.value, unit)
                + ("" if specimen.believed else " (" + _("does not count") + ")"),
                str(specimen.runs),
            )
            for figure, row, specimen in sorted(marks, key=lambda mark: -mark[2].value)
        ),
    )


def draw_history(figure: str, sample: Sample) -> Plot | None:
    """Return a plot of a figure of cards by month of manufacture; None if the cards are of fewer than two months."""
    dated = [mark for mark in _each_mark({figure: sample}) if len(mark[2].month) == 7]
    if len({specimen.month for _, _, specimen in dated}) < 2:
        return None
    unit = metrics.FIGURES[figure].base_unit
    title = metrics.FIGURES[figure].title
    variants = group_by(sorted(dated, key=lambda mark: mark[2].month), lambda mark: mark[1].variant)
    return line_plot.lines(
        Words(
            f"history-{figure}",
            _("%(figure)s by month of manufacture") % {"figure": title},
            _("Every card with a known date by month of manufacture, with a shape for each product name."),
            note=" ".join(
                [
                    _("%(dated)s of %(all)s cards have a date of manufacture.")
                    % {"dated": len(dated), "all": sample.shown_specimens},
                    *_explain_thinning([sample]),
                ]
            ),
            x_title=_("Manufactured"),
            y_title=title,
        ),
        [
            Series(
                name,
                "",
                tuple(_month_point(row, specimen, unit) for _figure, row, specimen in group),
                joined=False,
            )
            for name, group in variants.items()
        ],
        x=Axis(scale.linear([_count_months(specimen) for _, _, specimen in dated]), _month_words),
        y=logarithmic((specimen.value for _, _, specimen in dated), unit),
        table=_table(title, dated, unit),
    )


def _count_months(specimen: Specimen) -> int:
    year, _dash, number = specimen.month.partition("-")
    return int(year) * 12 + int(number) - 1


def _month_words(months: float) -> str:
    return f"{round(months) // 12:04}-{round(months) % 12 + 1:02}"


def _month_point(row: Group, specimen: Specimen, unit: str) -> Point:
    return Point(_count_months(specimen), specimen.value, _tip(row, specimen, unit), not specimen.believed)
