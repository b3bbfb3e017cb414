"""The picture of a table of a run, and of one card over time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.measuring import metrics
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.models import Measurement
from submissions.pages import wording
from submissions.pages.plots import lines, scale
from submissions.pages.plots.figure import DataTable, Plot, Words
from submissions.pages.plots.lines import Axis, Point, Rule, Series
from submissions.pages.plots.of_models import logarithmic, spread_words

_NO_TABLE = DataTable((), ())


def run_plot(name: str, title: str, group: Sequence[Measurement], *, erase_block: int | None) -> Plot | None:
    """The picture of one table of a run, for workloads that have one; None for the others and for a single row.

    The table itself stands beside it, so the plot brings none. `name` is unique on the page.
    """
    draw = _DRAWN.get(group[0].workload)
    known = [one for one in group if one.value is not None and one.value > 0]
    return draw(name, title, known, erase_block) if draw and _has_two(known) else None


def _has_two(group: Iterable[Measurement]) -> bool:
    return len({_x(one) for one in group}) > 1


def _x(measurement: Measurement) -> int:
    given = measurement.parameters
    return int(given["align_bytes"] if measurement.workload == "align" else given["block_size_bytes"])


def ageing(figures: Iterable[Measurement]) -> list[Plot]:
    """Of one card, each figure that was measured at different times, with the host it was measured in."""
    found: dict[str, list[Measurement]] = {}
    for one in figures:
        if one.value:
            found.setdefault(one.figure, []).append(one)
    return [_over_time(name, group) for name, group in found.items() if len({_day(one) for one in group}) > 1]


def _over_time(figure: str, group: Sequence[Measurement]) -> Plot:
    hosts: dict[str, list[Measurement]] = {}
    for one in sorted(group, key=_day):
        hosts.setdefault(one.run.host.in_words, []).append(one)
    unit = group[0].base_unit
    title = metrics.FIGURES[figure].title
    return lines.lines(
        Words(
            f"age-{figure}",
            title,
            _("%(figure)s of this one card over time, a line per host.") % {"figure": title},
            note=_("Median of the repeats of each run. Faint marks are not believed and count for nothing."),
            y_title=title,
        ),
        [Series(host, "", tuple(_day_point(one) for one in some)) for host, some in hosts.items()],
        x=Axis(scale.near(map(_day, group)), _date_words),
        y=logarithmic((one.value for one in group), unit),
        table=DataTable(
            (_("Date"), _("Host"), title, _("Repeats"), _("Spread")),
            tuple(_run_row(one) for one in sorted(group, key=_day)),
        ),
    )


def _day(one: Measurement) -> int:
    return one.run.ran_at.date().toordinal()


def _date_words(day: float) -> str:
    return date_format(date.fromordinal(round(day)), "SHORT_DATE_FORMAT")


def _day_point(one: Measurement) -> Point:
    assert one.value is not None
    tip = ", ".join([_date_words(_day(one)), one.run.host.in_words, wording.amount(one.value, one.base_unit)])
    return Point(_day(one), one.value, tip, one.verdict in HELD_OUT)


def _run_row(one: Measurement) -> tuple[str, ...]:
    assert one.value is not None
    value = wording.amount(one.value, one.base_unit)
    return (_date_words(_day(one)), one.run.host.in_words, value, str(len(one.repeats)), spread_words(one))


def _align(name: str, title: str, group: Sequence[Measurement], erase_block: int | None) -> Plot:
    """What crossing a boundary costs, beside the reads it was worked out from."""
    series = _series(group, lambda one: one.metric, words=lambda one: one.metric_title)
    unit = metrics.METRICS["align_diff"].base_unit
    return lines.lines(
        Words(
            name,
            title,
            _("The time of a read before, across and after boundaries of each size, and what crossing costs.")
            + _erase_block_words(erase_block),
            note=_(
                "Where crossing costs more, a boundary means something to the card."
                " Median of each point's repeats; both axes logarithmic."
            ),
            x_title=_("Boundary"),
            y_title=_("Time"),
        ),
        series,
        x=_sizes(group),
        y=logarithmic((one.value for one in group), unit),
        table=_NO_TABLE,
        rules=[Rule(erase_block, _("erase block"))] if erase_block else [],
    )


def _open_au(name: str, title: str, group: Sequence[Measurement], erase_block: int | None) -> Plot:
    """One line per number of AUs written in turn: where a line falls away, the card has run out of open AUs."""
    series = _series(group, lambda one: one.parameters["open_au"], words=_number_of_open_aus, short=_open_aus)
    return lines.lines(
        Words(
            name,
            title,
            _("Throughput over block size, a line per number of AUs written in turn.")
            + _erase_block_words(erase_block),
            note=_(
                "The number at the end of a line is how many AUs were open;"
                " a line far below the others is one too many. Both axes logarithmic."
            ),
            x_title=_("Block size"),
            y_title=_("Throughput"),
        ),
        series,
        x=_sizes(group),
        y=logarithmic((one.value for one in group), metrics.METRICS["throughput"].base_unit),
        table=_NO_TABLE,
    )


def _stream(name: str, title: str, group: Sequence[Measurement], erase_block: int | None) -> Plot | None:
    """Throughput over block size, where several were measured."""
    found = [one for one in group if one.metric == "throughput"]
    if not _has_two(found):
        return None
    return lines.lines(
        Words(
            name,
            title,
            _("Throughput over block size."),
            note=_("Median of each point's repeats; both axes logarithmic."),
            x_title=_("Block size"),
            y_title=_("Throughput"),
        ),
        _series(found, lambda one: one.metric, words=lambda one: one.metric_title),
        x=_sizes(found),
        y=logarithmic((one.value for one in found), metrics.METRICS["throughput"].base_unit),
        table=_NO_TABLE,
    )


_DRAWN: dict[str, Callable[[str, str, Sequence[Measurement], int | None], Plot | None]] = {
    "align": _align,
    "open-au": _open_au,
    "stream": _stream,
}


def _series(
    group: Iterable[Measurement],
    key: Callable[[Measurement], Hashable],
    *,
    words: Callable[[Measurement], str],
    short: Callable[[Measurement], str] = lambda one: "",
) -> list[Series]:
    found: dict[Hashable, list[Measurement]] = {}
    for one in group:
        found.setdefault(key(one), []).append(one)
    return [
        Series(words(some[0]), short(some[0]), tuple(map(_point, sorted(some, key=_x))))
        for some in found.values()
    ]


def _point(one: Measurement) -> Point:
    assert one.value is not None
    said = [wording.size(_x(one)), wording.amount(one.value, one.base_unit)]
    if len(one.repeats) > 1:
        said.append(
            _("median of %(count)s repeats, spread %(spread)s %%")
            % {"count": len(one.repeats), "spread": round(100 * (one.spread or 0))}
        )
    return Point(_x(one), one.value, ", ".join([*said, *filter(None, [one.reason])]), one.verdict in HELD_OUT)


def _number_of_open_aus(one: Measurement) -> str:
    count = one.parameters["open_au"]
    return ngettext("%(count)s AU open", "%(count)s AUs open", count) % {"count": count}


def _open_aus(one: Measurement) -> str:
    return str(one.parameters["open_au"])


def _erase_block_words(erase_block: int | None) -> str:
    if erase_block is None:
        return ""
    return " " + _("The erase block is %(size)s.") % {"size": wording.size(erase_block)}


def _sizes(group: Iterable[Measurement]) -> Axis:
    return Axis(scale.binary(map(_x, group)), wording.size)
