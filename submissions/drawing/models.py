"""Pictures of a model: every specimen of it, and what changed from month to month."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions import wording
from submissions.domain import metrics
from submissions.drawing.words import HELD_OUT, host_words, logarithmic
from submissions.models import Measurement
from submissions.plots import lines, rows, scale
from submissions.plots.figure import SHAPES, DataTable, Key, Plot, Words
from submissions.plots.lines import Axis, Point, Series
from submissions.plots.rows import Dot, Interval, Row


@dataclass(frozen=True, slots=True)
class Specimen:
    """One card in one kind of host: the median over its runs. `variant` and `host` in words."""

    card: str
    variant: str
    host: str
    month: str
    value: float
    runs: int
    believed: bool


def specimens(measurements: Iterable[Measurement]) -> list[Specimen]:
    """Of measurements of one figure: a specimen per card and kind of host, what is not believed apart."""
    found: dict[tuple[str, str, bool], list[Measurement]] = {}
    for one in measurements:
        if one.value:
            found.setdefault((one.run.card.key, host_words(one), is_believed(one)), []).append(one)
    return [_specimen(group, believed=key[2]) for key, group in found.items()]


def is_believed(one: Measurement) -> bool:
    """Whether it counts for anything."""
    return one.verdict not in HELD_OUT and not one.run.excluded


def _specimen(group: Sequence[Measurement], *, believed: bool) -> Specimen:
    card = group[0].run.card
    return Specimen(
        card=card.key[:6],
        variant=str(card.variant),
        host=host_words(group[0]),
        month=card.manufactured,
        value=median(one.value for one in group if one.value),
        runs=len(group),
        believed=believed,
    )


def strip(figure: str, found: Sequence[Specimen], believed: Mapping[str, float] | None) -> Plot:
    """Every specimen as a mark, in rows by what is inside and where it was measured; first what is believed of all."""
    unit = metrics.FIGURES[figure].base_unit
    title = metrics.FIGURES[figure].title
    styles = {variant: n % len(SHAPES) for n, variant in enumerate(sorted({one.variant for one in found}))}
    groups: dict[tuple[str, str], list[Specimen]] = {}
    for one in sorted(found, key=lambda one: (one.variant, one.host)):
        groups.setdefault((one.variant, one.host), []).append(one)
    first = _believed_row(believed, unit) if believed and "lower" in believed else []
    axis = logarithmic([one.value for one in found] + _ends(first), unit)
    return rows.rows(
        Words(
            f"strip-{figure}",
            title,
            _("Every specimen of %(figure)s, in rows by product name and host.") % {"figure": title},
            note=" ".join(
                [
                    *(f"{_('The model')}: {one.interval.tip}." for one in first if one.interval),
                    _strip_note(found),
                ]
            ),
        ),
        [*first, *(_row(heading, group, styles, unit) for heading, group in groups.items())],
        scale=axis.scale,
        in_words=axis.in_words,
        table=_table(title, found, unit),
        legend=tuple(Key(variant, style) for variant, style in styles.items()) if len(styles) > 1 else (),
    )


def _believed_row(believed: Mapping[str, float], unit: str) -> list[Row]:
    """The model where no host stands in the way, with its 95 % interval."""
    value, lower, upper = (believed[name] for name in ("value", "lower", "upper"))
    tip = _("%(value)s, 95 %% sure: %(lower)s to %(upper)s") % {
        name: wording.amount(believed[name], unit) for name in ("value", "lower", "upper")
    }
    heading = f"{_('The model')}: {wording.amount(value, unit)}"
    return [Row(heading, (), Interval(min(lower, upper), value, max(lower, upper), tip))]


def _ends(believed: Iterable[Row]) -> list[float | None]:
    return [end for row in believed if row.interval for end in (row.interval.lower, row.interval.upper)]


def _row(heading: tuple[str, str], group: Sequence[Specimen], styles: dict[str, int], unit: str) -> Row:
    variant, host = heading
    dots = tuple(Dot(one.value, _tip(one, unit), styles[variant], not one.believed) for one in group)
    cards = ngettext("%(count)s card", "%(count)s cards", len(group)) % {"count": len(group)}
    return Row(f"{variant} · {host} · {cards}", dots, style=styles[variant])


def _tip(one: Specimen, unit: str) -> str:
    runs = ngettext("%(count)s run", "%(count)s runs", one.runs) % {"count": one.runs}
    said = [f"{_('card')} {one.card}", wording.amount(one.value, unit), runs, one.host]
    if one.month:
        said.append(wording.month(one.month))
    return ", ".join(said if one.believed else [*said, _("not believed")])


def _strip_note(found: Sequence[Specimen]) -> str:
    cards = len({one.card for one in found})
    return ngettext(
        "%(count)s card; each mark is the median of its runs in one kind of host. Logarithmic axis.",
        "%(count)s cards; each mark is the median of a card's runs in one kind of host. Logarithmic axis.",
        cards,
    ) % {"count": cards}


def _table(title: str, found: Sequence[Specimen], unit: str) -> DataTable:
    return DataTable(
        (_("Card"), _("Product name"), _("Host"), _("Made in"), title, _("Runs")),
        tuple(
            (
                one.card,
                one.variant,
                one.host,
                wording.month(one.month) or "–",
                wording.amount(one.value, unit) + ("" if one.believed else f" ({_('not believed')})"),
                str(one.runs),
            )
            for one in sorted(found, key=lambda one: -one.value)
        ),
    )


def history(figure: str, found: Sequence[Specimen]) -> Plot | None:
    """The specimens over their month of manufacture, a shape per product name; None for fewer than two months."""
    dated = [one for one in found if len(one.month) == 7]
    if len({one.month for one in dated}) < 2:
        return None
    unit = metrics.FIGURES[figure].base_unit
    title = metrics.FIGURES[figure].title
    variants: dict[str, list[Specimen]] = {}
    for one in sorted(dated, key=lambda one: one.month):
        variants.setdefault(one.variant, []).append(one)
    return lines.lines(
        Words(
            f"history-{figure}",
            _("%(figure)s by month of manufacture") % {"figure": title},
            _("Every dated specimen over its month of manufacture, a shape per product name."),
            note=_("%(dated)s of %(all)s specimens tell when they were made.")
            % {"dated": len(dated), "all": len(found)},
            x_title=_("Manufactured"),
            y_title=title,
        ),
        [
            Series(name, "", tuple(_month_point(one, unit) for one in group), joined=False)
            for name, group in variants.items()
        ],
        x=Axis(scale.near([_month(one) for one in dated]), _month_words),
        y=logarithmic((one.value for one in dated), unit),
        table=_table(title, dated, unit),
    )


def _month(one: Specimen) -> int:
    """Months counted from 0."""
    year, _dash, number = one.month.partition("-")
    return int(year) * 12 + int(number) - 1


def _month_words(months: float) -> str:
    return f"{round(months) // 12:04}-{round(months) % 12 + 1:02}"


def _month_point(one: Specimen, unit: str) -> Point:
    return Point(_month(one), one.value, _tip(one, unit), not one.believed)
