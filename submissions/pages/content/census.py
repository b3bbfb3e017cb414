"""The database in numbers, as the last full fit counted them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from submissions.evidence import census, fits
from submissions.pages import wording
from submissions.pages.plots import scale
from submissions.pages.plots.figure import DataTable, Plot, Words
from submissions.pages.plots.lines import Axis, Point, Series, lines


def numbers() -> dict[str, Any]:
    """Return the counts, a plot of runs by month, and when the last full fit counted them; now, before the first."""
    fit = fits.fit_with_census()
    counted = fit.census if fit else census.count_all()
    return {
        "counted_at": fit.made_at if fit else None,
        "counted": counted,
        "plot": _by_month(counted["by_month"]),
    }


def _by_month(months: Sequence[tuple[int, int]]) -> Plot | None:
    """Runs received each month; None for fewer than two months."""
    if len(months) < 2:
        return None
    points = tuple(Point(month, count, f"{_month_words(month)}: {count}") for month, count in months)
    return lines(
        Words(
            "months",
            _("Runs received each month"),
            _("How many runs were received each month."),
            y_title=_("Runs"),
        ),
        [Series(_("Runs"), "", points)],
        x=Axis(scale.near([point.x for point in points]), _month_words),
        y=Axis(
            scale.from_zero([point.y for point in points]), lambda value: wording.localized(f"{value:,.0f}")
        ),
        table=DataTable(
            (_("Month"), _("Runs")),
            tuple((_month_words(month), str(count)) for month, count in months),
        ),
    )


def _month_words(months: float) -> str:
    year, month = divmod(round(months), 12)
    return date_format(datetime(year, month + 1, 1), "YEAR_MONTH_FORMAT")
