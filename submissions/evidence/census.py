"""Count all runs, cards and models. Counting takes long, so a full fit counts and stores the result (`Fit.census`)."""

from typing import Any, TypeAlias

from django.db.models import Count, QuerySet

from submissions.models import Card, CardModel, Fit, Run

_MOST = 12  # of each list
# As JSON: counts by name, lists of [name, count].
Census: TypeAlias = dict[str, Any]


def count_all() -> Census:
    """Count the runs, cards, models and submitters of all real cards (none simulated); six queries over all runs."""
    runs = Run.objects.filter(card__variant__card_model__simulated=False)
    models = CardModel.objects.real()
    counted = runs.aggregate(runs=Count("pk"), submitters=Count("submission__submitter", distinct=True))
    return {
        "models": models.count(),
        "cards": Card.objects.filter(variant__card_model__simulated=False).count(),
        **counted,
        "by_brand": _most_frequent(models.exclude(brand=""), "brand"),
        "by_board": _most_frequent(runs.exclude(host__board=""), "host__board"),
        "by_tool": _most_frequent(runs, "tool"),
    }


def load_fit_with_census() -> Fit | None:
    """Load the last full fit that stored counts of all runs, cards and models, or return None; one query."""
    return Fit.objects.exclude(census={}).only("made_at", "census").order_by("-pk").first()


def _most_frequent(rows: QuerySet[Any], field: str) -> list[list[Any]]:
    counted = rows.order_by().values_list(field).annotate(count=Count("pk"))
    return [list(row) for row in counted.order_by("-count", field)[:_MOST]]
