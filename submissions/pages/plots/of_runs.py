"""Make the plots of the tables of a run, and of the values of one card over time."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from submissions.domain.intake.structures import group_by
from submissions.domain.measuring import metrics
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.models import Measurement, Run
from submissions.pages import wording
from submissions.pages.plots import line_plot, scale
from submissions.pages.plots.figure import Axis, DataTable, Plot, Words
from submissions.pages.plots.line_plot import Point, Rule, Series
from submissions.pages.plots.of_models import logarithmic, spread_words

# Workload -> description, note, and titles of the axes.
_WORDS = {
    "align": (
        gettext_noop(
            "The time of a read before, across and after boundaries of each size, and the extra time for "
            "crossing them."
        ),
        gettext_noop(
            "If reads across a boundary take longer, the card uses that boundary internally. Each point "
            "is the median of its repeats; both axes are logarithmic."
        ),
        gettext_noop("Boundary"),
        gettext_noop("Time"),
    ),
    "scatter": (
        gettext_noop("The shortest read time of each of the first blocks, out of several reads."),
        gettext_noop(
            "Blocks that take longer lie in other planes or pages. Places are on a linear axis, times on "
            "a logarithmic one."
        ),
        gettext_noop("Place"),
        gettext_noop("Time"),
    ),
    "open-au": (
        gettext_noop("Throughput by block size, with a line for each number of AUs written in turn."),
        gettext_noop(
            "The number at the end of a line shows how many AUs were open. A line far below the others "
            "means one AU too many. Both axes are logarithmic."
        ),
        gettext_noop("Block size"),
        gettext_noop("Throughput"),
    ),
    "stream": (
        gettext_noop("Throughput by block size."),
        gettext_noop("Each point is the median of its repeats; both axes are logarithmic."),
        gettext_noop("Block size"),
        gettext_noop("Throughput"),
    ),
}

# Workload -> the metric and the parameter of its axes; other workloads: throughput over block size.
_METRICS = {"align": "align_diff", "scatter": "latency_min"}
_PLACES = {"align": "align_bytes", "scatter": "offset_bytes"}


def run_plot(name: str, title: str, group: Sequence[Measurement], *, erase_block: int | None) -> Plot | None:
    """Return the plot of one table of a run; None if the workload has no plot, or the table a single row.

    The page shows the table beside the plot, so the plot has none. `name` is unique on the page. The plot of an align
    table shows the cost of crossing a boundary. The plot of an open-AU table has a line per number of AUs: a line far
    below the others means that the card has run out of open AUs. `erase_block`: its size in bytes.
    """
    workload = group[0].workload
    shown = [
        row for row in group if (row.value or 0) > 0 and (workload != "stream" or row.metric == "throughput")
    ]
    if workload not in _WORDS or len(set(map(_x, shown))) < 2:
        return None
    description, *others = map(_, _WORDS[workload])
    about_block = _erase_block_words(erase_block) if workload != "stream" else ""
    metric = _METRICS.get(workload, "throughput")
    rules = [Rule(erase_block, _("erase block"))] if workload == "align" and erase_block else []
    make_scale = scale.binary_from_zero if workload == "scatter" else scale.binary
    return line_plot.lines(
        Words(name, title, description + about_block, *others),
        _open_au_series(shown)
        if workload == "open-au"
        else _series(shown, lambda row: row.metric, words=lambda row: row.metric_title),
        x=Axis(make_scale(map(_x, shown)), wording.size),
        y=logarithmic((row.value for row in shown), metrics.METRICS[metric].base_unit),
        table=DataTable((), ()),
        rules=rules,
    )


def _x(measurement: Measurement) -> int:
    parameters = measurement.parameters
    return int(parameters[_PLACES.get(measurement.workload, "block_size_bytes")])


def figures_over_time(figures: Iterable[Measurement]) -> list[Plot]:
    """Return a plot for each figure of a card that was measured on several days, with a line per host."""
    measured = (row for row in figures if row.value)
    return [
        _draw_over_time(name, group)
        for name, group in group_by(measured, lambda row: row.figure).items()
        if len({_day(row.run) for row in group}) > 1
    ]


def draw_wear(own: Sequence[Run], siblings: Iterable[Run]) -> Plot:
    """Return a plot of the used life over time that a card reports, and that other cards of its model report."""
    others = group_by(siblings, lambda run: run.card.key[:6])
    title = _("Life used")
    series = [Series(_("this card"), "", tuple(map(_wear_point, own)))]
    series += [
        Series(key, "", tuple(_wear_point(run, faint=True) for run in some)) for key, some in others.items()
    ]
    return line_plot.lines(
        Words(
            "wear",
            title,
            _(
                "How much of its life this card says it has used, over time, compared with other cards of "
                "the model."
            ),
            note=_(
                "Each card reports this value itself, in steps of 0.01 to 10 %. Faint lines are other cards of this"
                " model."
            ),
            y_title=title,
        ),
        series,
        x=Axis(scale.linear(point.x for line in series for point in line.points), _date_words),
        y=Axis(scale.from_zero(point.y for line in series for point in line.points), _percent),
        table=DataTable(
            (_("Date"), title), tuple((_date_words(_day(run)), _percent(run.life_used)) for run in own)
        ),
    )


def _wear_point(run: Run, *, faint: bool = False) -> Point:
    assert run.life_used is not None
    tip = f"{_date_words(_day(run))}, {_percent(run.life_used)}"
    return Point(_day(run), run.life_used, tip, faint)


def _percent(value: float | None) -> str:
    return f"{value or 0:g} %"


def _draw_over_time(figure: str, group: Sequence[Measurement]) -> Plot:
    dated = sorted(group, key=lambda row: _day(row.run))
    hosts = group_by(dated, lambda row: row.run.host.name_with_mode)
    unit = group[0].base_unit
    title = metrics.FIGURES[figure].title
    return line_plot.lines(
        Words(
            f"age-{figure}",
            title,
            _("%(figure)s of this one card over time, with a line for each host.") % {"figure": title},
            note=_("Each mark is the median of the repeats of a run. Faint marks do not count."),
            y_title=title,
        ),
        [Series(host, "", tuple(_day_point(row) for row in some)) for host, some in hosts.items()],
        x=Axis(scale.linear(_day(row.run) for row in group), _date_words),
        y=logarithmic((row.value for row in group), unit),
        table=DataTable(
            (_("Date"), _("Host"), title, _("Repeats"), _("Spread")),
            tuple(_run_row(row) for row in dated),
        ),
    )


def _day(run: Run) -> int:
    return run.ran_at.date().toordinal()


def _date_words(day: float) -> str:
    return date_format(date.fromordinal(round(day)), "SHORT_DATE_FORMAT")


def _day_point(row: Measurement) -> Point:
    assert row.value is not None
    tip = ", ".join(
        [_date_words(_day(row.run)), row.run.host.name_with_mode, wording.amount(row.value, row.base_unit)]
    )
    return Point(_day(row.run), row.value, tip, row.verdict in HELD_OUT)


def _run_row(row: Measurement) -> tuple[str, ...]:
    assert row.value is not None
    value = wording.amount(row.value, row.base_unit)
    return (
        _date_words(_day(row.run)),
        row.run.host.name_with_mode,
        value,
        str(len(row.repeats)),
        spread_words(row),
    )


def _open_au_series(group: Iterable[Measurement]) -> list[Series]:
    return _series(
        group,
        lambda row: row.parameters["open_au"],
        words=_number_of_open_aus,
        short=lambda row: str(row.parameters["open_au"]),
    )


def _series(
    group: Iterable[Measurement],
    key: Callable[[Measurement], Hashable],
    *,
    words: Callable[[Measurement], str],
    short: Callable[[Measurement], str] = lambda row: "",
) -> list[Series]:
    return [
        Series(words(some[0]), short(some[0]), tuple(map(_point, sorted(some, key=_x))))
        for some in group_by(group, key).values()
    ]


def _point(row: Measurement) -> Point:
    assert row.value is not None
    words = [wording.size(_x(row)), wording.amount(row.value, row.base_unit)]
    if len(row.repeats) > 1:
        words.append(
            _("median of %(count)s repeats, spread %(spread)s %%")
            % {"count": len(row.repeats), "spread": round(100 * (row.spread or 0))}
        )
    return Point(
        _x(row), row.value, ", ".join([*words, *filter(None, [row.reason])]), row.verdict in HELD_OUT
    )


def _number_of_open_aus(row: Measurement) -> str:
    count = row.parameters["open_au"]
    return ngettext("%(count)s AU open", "%(count)s AUs open", count) % {"count": count}


def _erase_block_words(erase_block: int | None) -> str:
    if erase_block is None:
        return ""
    return " " + _("The erase block is %(size)s.") % {"size": wording.size(erase_block)}
