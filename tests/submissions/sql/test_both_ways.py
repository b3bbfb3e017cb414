"""Every prepared query of the project returns the rows of its plain queryset, on data where each has rows."""

import importlib
import pkgutil
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model
from django.utils import timezone

import submissions
from submissions.domain.report import Label
from submissions.models import (
    Card,
    CardModel,
    Correction,
    Geometry,
    Host,
    Measurement,
    ModelSummary,
    Run,
    Submission,
    TouchedModel,
    Variant,
    VariationFlag,
    Word,
)
from submissions.sql.prepared import PreparedQuery
from submissions.writing import names, refit
from tests.small_crowd import crowd, process_together, read_judgement

pytestmark = pytest.mark.django_db

ROOMS = ("submissions.evidence.", "submissions.writing.")


def prepared_queries() -> dict[str, PreparedQuery]:
    modules = [name for _, name, _ in pkgutil.walk_packages(submissions.__path__, "submissions.")]
    return {
        f"{module}.{name}": value
        for module in modules
        if module.startswith(ROOMS)
        for name, value in vars(importlib.import_module(module)).items()
        if isinstance(value, PreparedQuery)
    }


@pytest.fixture
def market() -> None:
    """Store some models, one renamed and one flagged, a full fit, and a capacity that one run reports."""
    process_together(crowd(8))
    refit.refit()
    model, *_ = CardModel.objects.order_by("pk")
    names.rename(model.slug, label=Label(brand="Renamed"))
    flag = {"kind": "varies", "cards": 2, "submitters": 2, "evidence": {}, "since": timezone.now()}
    VariationFlag.objects.create(card_model=CardModel.objects.latest("pk"), **flag)
    Run.objects.update(
        label={"price": 9.5, "currency": "EUR", "marks": ["A2"]},
        says_of_model=True,
    )
    Card.objects.update(suspicions=[{"id": "odd"}])
    for judged in (False, True):
        TouchedModel.objects.create(card_model=CardModel.objects.latest("pk"), judged=judged)
    ModelSummary.objects.update(judged_at=timezone.now() - timedelta(hours=1))
    Geometry.objects.create(run=Run.objects.earliest("pk"), quantity="erase_block_size", code="", value=4e6)


def every_parameter() -> dict[str, Any]:
    """Return values for all parameters of all queries, by name, for which rows are found."""

    def ids(*kinds: type[Model]) -> list[int]:
        return [pk for kind in kinds for pk in kind._default_manager.values_list("pk", flat=True)]

    hosts = Host.objects.all()
    received = Submission.objects.order_by("received_at").values_list("received_at", flat=True)
    return {
        "pks": ids(Submission, Card, CardModel, Run),
        **{"cards": ids(Card), "models": ids(CardModel), "variants": ids(Variant), "hosts": ids(Host)},
        **{"runs": ids(Run), "submissions": ids(Submission), "felt": ids(Measurement)},
        "keys": list(Card.objects.values_list("key", flat=True)),
        "slugs": [
            slug for kind in (CardModel, Correction) for slug in kind.objects.values_list("slug", flat=True)
        ],
        "prints": Run.objects.exclude(result=[]).earliest("pk").result,
        "looks": list(CardModel.objects.values_list("brand_look", flat=True)),
        "words": list(Word.objects.values_list("text", flat=True)),
        "submitters": list(Submission.objects.values_list("submitter", flat=True)),
        "kinds": [flag.value for flag in VariationFlag.Kind],
        "after": received[0] - timedelta(days=1),
        "former": [0],
        "rest": timedelta(0),
        "until": received[len(received) - 1],
        **{
            field.name: list(hosts.values_list(field.name, flat=True)) for field in Host._meta.concrete_fields
        },
    }


def columns(row: Any, parent: Any = None) -> Any:
    """Return all loaded columns of a row, because model instances are equal as soon as their ids are."""
    if not isinstance(row, Model):
        return row
    cached = row._state.fields_cache.items()
    related = {name: columns(other, row) for name, other in cached if other is not parent}
    return {name: value for name, value in vars(row).items() if name != "_state"} | related


def all_rows() -> dict[str, list[str]]:
    parameters = every_parameter()
    return {
        name: sorted(repr(columns(row)) for row in query(**parameters))
        for name, query in prepared_queries().items()
    }


@pytest.mark.usefixtures("market")
def test_it_works(settings: Any) -> None:
    prepared = all_rows()
    assert [name for name, rows in prepared.items() if not rows] == [], "these were asked for nothing"
    settings.PREPARED_QUERIES = False
    assert all_rows() == prepared


def test_a_worker_stores_the_same_without_them(settings: Any) -> None:
    received = crowd(8)
    process_together(received)
    with_them = read_judgement()
    settings.PREPARED_QUERIES = False
    process_together(received)
    assert read_judgement() == with_them


def test_a_value_that_is_missing_is_named_either_way(settings: Any) -> None:
    query = prepared_queries()["submissions.writing.filing._lock_card_rows"]
    for settings.PREPARED_QUERIES in (True, False):
        with pytest.raises(KeyError, match="keys"):
            query()
