"""Pictures of a model: every specimen of it, and what changed from month to month."""

from collections.abc import Iterable, Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.measuring import metrics
from submissions.domain.ranking.summary import Group, Sample, Specimen
from submissions.models import Measurement
from submissions.models.card import REGISTERS_UNKNOWN
from submissions.models.measurement import HOST_UNKNOWN
from submissions.pages import wording
from submissions.pages.plots import line_plot, row_plot, scale
from submissions.pages.plots.figure import SHAPES, DataTable, Key, Plot, Words
from submissions.pages.plots.line_plot import Axis, Point, Series
from submissions.pages.plots.row_plot import Dot, Interval, Row

_UNKNOWN = (REGISTERS_UNKNOWN, HOST_UNKNOWN)


def spread_words(measurement: Measurement) -> str:
    return "–" if measurement.spread is None else wording.localized(f"{100 * measurement.spread:.0f} %")


def logarithmic(values: Iterable[float | None], unit: str) -> Axis:
    """An axis that holds every value above zero, in words with its unit."""
    span = scale.logarithmic(value for value in values if value)
    return Axis(span, lambda value: wording.amount(value, unit))


def strip(figure: str, sample: Sample, believed: Mapping[str, float] | None) -> Plot:
    """Every specimen as a mark, in rows by what is inside and where it was measured; first what is believed of all."""
    unit = metrics.FIGURES[figure].base_unit
    title = metrics.FIGURES[figure].title
    styles = {
        variant: n % len(SHAPES) for n, variant in enumerate(sorted({row.variant for row in sample.rows}))
    }
    first = _believed_row(believed, unit) if believed and "lower" in believed else []
    axis = logarithmic([specimen.value for _, specimen in _marks(sample)] + _ends(first), unit)
    tips = (_("The model: %(value)s") % {"value": f"{row.interval.tip}."} for row in first if row.interval)
    return row_plot.rows(
        Words(
            f"strip-{figure}",
            title,
            _("Every card by %(figure)s, in rows by product name and host.") % {"figure": title},
            note=" ".join([*tips, _strip_note(sample), *_thinned(sample)]),
        ),
        [*first, *(_row(row, styles[row.variant], unit) for row in sample.rows)],
        scale=axis.scale,
        in_words=axis.in_words,
        table=_table(title, _marks(sample), unit),
        legend=tuple(Key(variant, style) for variant, style in styles.items()) if len(styles) > 1 else (),
    )


def _marks(sample: Sample) -> list[tuple[Group, Specimen]]:
    """Every specimen that is shown, with its row."""
    return [(row, specimen) for row in sample.rows for specimen in row.specimens]


def _believed_row(believed: Mapping[str, float], unit: str) -> list[Row]:
    """The model where no host stands in the way, with its 95 % interval."""
    value, lower, upper = (believed[name] for name in ("value", "lower", "upper"))
    tip = _("%(value)s, 95 %% sure: %(lower)s to %(upper)s") % {
        name: wording.amount(believed[name], unit) for name in ("value", "lower", "upper")
    }
    heading = _("The model: %(value)s") % {"value": wording.amount(value, unit)}
    return [Row(heading, (), Interval(min(lower, upper), value, max(lower, upper), tip))]


def _ends(believed: Iterable[Row]) -> list[float | None]:
    return [end for row in believed if row.interval for end in (row.interval.lower, row.interval.upper)]


def _row(row: Group, style: int, unit: str) -> Row:
    dots = tuple(
        Dot(specimen.value, _tip(row, specimen, unit), style, not specimen.believed)
        for specimen in row.specimens
    )
    cards = ngettext("%(count)s card", "%(count)s cards", row.all) % {"count": row.all}
    # A phone has no room for more.
    known = (words for words in (row.variant, row.host) if words not in _UNKNOWN)
    return Row(" · ".join((*known, cards)), dots)


def _tip(row: Group, specimen: Specimen, unit: str) -> str:
    runs = ngettext("%(count)s run", "%(count)s runs", specimen.runs) % {"count": specimen.runs}
    card = _("card %(key)s") % {"key": specimen.card}
    words = [card, wording.amount(specimen.value, unit), runs, _(row.host)]
    if specimen.month:
        words.append(wording.month(specimen.month))
    return ", ".join(words if specimen.believed else [*words, _("does not count")])


def _strip_note(sample: Sample) -> str:
    return ngettext(
        "%(count)s card; each mark is the median of its runs in one kind of host. Logarithmic axis.",
        "%(count)s cards; each mark is the median of a card's runs in one kind of host. Logarithmic axis.",
        sample.cards,
    ) % {"count": sample.cards}


def _thinned(sample: Sample) -> Iterator[str]:
    """What we say where not every mark is drawn."""
    if sample.shown < sample.specimens:
        yield _(
            "%(shown)s of %(all)s marks are drawn: of each row the lowest, the highest, and evenly between."
        ) % {"shown": sample.shown, "all": sample.specimens}
    if len(sample.rows) < sample.all_rows:
        yield _("Of %(all)s rows the %(shown)s with most cards are shown.") % {
            "shown": len(sample.rows),
            "all": sample.all_rows,
        }


def _table(title: str, marks: Iterable[tuple[Group, Specimen]], unit: str) -> DataTable:
    return DataTable(
        (_("Card"), _("Product name"), _("Host"), _("Made in"), title, _("Runs")),
        tuple(
            (
                specimen.card,
                _(row.variant),
                _(row.host),
                wording.month(specimen.month) or "–",
                wording.amount(specimen.value, unit)
                + ("" if specimen.believed else " (" + _("does not count") + ")"),
                str(specimen.runs),
            )
            for row, specimen in sorted(marks, key=lambda mark: -mark[1].value)
        ),
    )


def history(figure: str, sample: Sample) -> Plot | None:
    """The specimens over their month of manufacture, a shape per product name; None for fewer than two months."""
    dated = [(row, specimen) for row, specimen in _marks(sample) if len(specimen.month) == 7]
    if len({specimen.month for _, specimen in dated}) < 2:
        return None
    unit = metrics.FIGURES[figure].base_unit
    title = metrics.FIGURES[figure].title
    variants: dict[str, list[tuple[Group, Specimen]]] = {}
    for row, specimen in sorted(dated, key=lambda mark: mark[1].month):
        variants.setdefault(row.variant, []).append((row, specimen))
    return line_plot.lines(
        Words(
            f"history-{figure}",
            _("%(figure)s by month of manufacture") % {"figure": title},
            _("Every card with a date over its month of manufacture, a shape per product name."),
            note=" ".join(
                [
                    _("%(dated)s of %(all)s cards have a date of manufacture.")
                    % {"dated": len(dated), "all": sample.shown},
                    *_thinned(sample),
                ]
            ),
            x_title=_("Manufactured"),
            y_title=title,
        ),
        [
            Series(
                name, "", tuple(_month_point(row, specimen, unit) for row, specimen in group), joined=False
            )
            for name, group in variants.items()
        ],
        x=Axis(scale.near([_month(specimen) for _, specimen in dated]), _month_words),
        y=logarithmic((specimen.value for _, specimen in dated), unit),
        table=_table(title, dated, unit),
    )


def _month(specimen: Specimen) -> int:
    """Months counted from 0."""
    year, _dash, number = specimen.month.partition("-")
    return int(year) * 12 + int(number) - 1


def _month_words(months: float) -> str:
    return f"{round(months) // 12:04}-{round(months) % 12 + 1:02}"


def _month_point(row: Group, specimen: Specimen, unit: str) -> Point:
    return Point(_month(specimen), specimen.value, _tip(row, specimen, unit), not specimen.believed)
