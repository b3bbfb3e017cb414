"""List the sources of published results, with the number of results from each."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max, Min
from msgspec import Struct, convert

from submissions.domain import tables
from submissions.evidence import census
from submissions.models import CardModel, Measurement, Run


class Credit(Struct, frozen=True, kw_only=True):
    """A source of published results; `method` and `trust` are from data/sources.csv, empty if it lacks the source."""

    id: str
    title: str
    author: str
    url: str
    licence: str
    method: str
    trust: str
    cards: int
    models: int
    runs: int
    measurements: int


def list_credits() -> list[Credit]:
    """List all sources of published results as the last full fit counted them, most cards first; one query.

    Before the first full fit, count them now by `count_credits`.
    """
    fit = census.load_fit_with_census()
    return (
        convert(fit.census["credits"], list[Credit]) if fit and "credits" in fit.census else count_credits()
    )


def find_credit(slug: str) -> Credit | None:
    """Return the source of published results with this id, or None."""
    return next((credit for credit in list_credits() if credit.id == slug), None)


def list_models(slug: str) -> list[CardModel]:
    """List the models that a source measured, by name; one query."""
    runs = published_runs().filter(source_slug=slug).values("card__variant__card_model")
    return list(CardModel.objects.filter(pk__in=runs).order_by("name"))


def count_credits() -> list[Credit]:
    """Count the runs, cards, models and measurements of every source; two queries."""
    counted = (
        published_runs()
        .order_by()
        .values("source_slug")
        .annotate(
            title=Min("source_title"),
            author=Max("source_author"),
            licence=Max("source_licence"),
            authors=Count("source_author", distinct=True),
            runs=Count("pk"),
            cards=Count("card", distinct=True),
            models=Count("card__variant__card_model", distinct=True),
        )
    )
    measurements = Measurement.objects.filter(run__in=published_runs()).order_by()
    values = dict(measurements.values_list("run__source_slug").annotate(all=Count("pk")))
    credits = [_credit(row, values.get(row["source_slug"], 0)) for row in counted]
    return sorted(credits, key=lambda credit: (-credit.cards, credit.id))


def published_runs() -> Any:
    """Return the runs of real cards that name a source."""
    return Run.objects.exclude(source_slug="").filter(card__variant__card_model__simulated=False)


def _credit(row: Mapping[str, Any], measurements: int) -> Credit:
    described = next((known for known in tables.rows("sources") if known["id"] == row["source_slug"]), {})
    several = row["authors"] > 1
    return Credit(
        id=row["source_slug"],
        title=described.get("title") or row["title"],
        author=described.get("author") or (f"{row['authors']} authors" if several else row["author"]),
        url=described.get("source", ""),
        licence=described.get("licence") or row["licence"],
        method=described.get("method", ""),
        trust=described.get("trust", ""),
        measurements=measurements,
        **{name: row[name] for name in ("cards", "models", "runs")},
    )
