"""The database in numbers."""

from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncMonth
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from submissions.models import Card, CardModel, Run
from submissions.pages import wording
from submissions.pages.plots import scale
from submissions.pages.plots.figure import DataTable, Plot, Words
from submissions.pages.plots.lines import Axis, Point, Series, lines

_MOST = 12


def numbers() -> dict[str, Any]:
    """Counts, lists of the most frequent, and submissions by month; seven queries."""
    runs = Run.objects.filter(card__variant__card_model__simulated=False)
    models = CardModel.objects.real()
    counted = runs.aggregate(runs=Count("pk"), submitters=Count("submission__submitter", distinct=True))
    return {
        "counts": [
            (_("Models"), models.count()),
            (_("Cards"), Card.objects.filter(variant__card_model__simulated=False).count()),
            (_("Runs"), counted["runs"]),
            (_("Submitters"), counted["submitters"]),
        ],
        "lists": [
            (_("Models by brand"), _most(models.exclude(brand=""), "brand")),
            (_("Runs by board"), _most(runs.exclude(host__board=""), "host__board")),
            (_("Runs by tool"), _most(runs, "tool")),
        ],
        "plot": _by_month(runs),
    }


def _most(rows: QuerySet[Any], field: str) -> list[tuple[str, int]]:
    counted = rows.order_by().values_list(field).annotate(count=Count("pk"))
    return list(counted.order_by("-count", field)[:_MOST])


def _by_month(runs: QuerySet[Run]) -> Plot | None:
    """Runs received each month; None for fewer than two months."""
    received = runs.order_by().annotate(month=TruncMonth("submission__received_at"))
    counted = received.values_list("month").annotate(count=Count("pk"))
    months: list[tuple[datetime, int]] = list(counted.order_by("month"))
    if len(months) < 2:
        return None
    points = tuple(
        Point(_number(month), count, f"{_month_words(_number(month))}: {count}") for month, count in months
    )
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
            tuple((_month_words(_number(month)), str(count)) for month, count in months),
        ),
    )


def _number(month: datetime) -> int:
    return month.year * 12 + month.month - 1


def _month_words(months: float) -> str:
    year, month = divmod(round(months), 12)
    return date_format(datetime(year, month + 1, 1), "YEAR_MONTH_FORMAT")
