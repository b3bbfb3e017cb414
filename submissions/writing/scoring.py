"""Judges models and stores scores, flags, facets and summaries. Called by `ingest` inside its transaction.

What is stored of a model is a function of its measurements and of the last full fit (`refit`), of nothing else: so the
order of processing does not matter, and deleting restores what was before.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.functions import Now

from submissions.evidence import fits, gathering, geometries, records, summaries, verdicts
from submissions.evidence.fits import StoredFit
from submissions.evidence.records import Records
from submissions.models import CardModel, Estimate, ModelSummary, Score, VariationFlag
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing import facets


def refresh(model_ids: Iterable[int]) -> None:
    """Judge these models again. Caller must hold NAMES_LOCK, so that no full fit comes in between."""
    by_kind: dict[bool, list[Records]] = {}
    for of_model in _held_records(model_ids):
        by_kind.setdefault(of_model.model.simulated, []).append(of_model)
    for simulated, model_records in by_kind.items():
        _judge(model_records, fits.prior_fit() if simulated else fits.current(), simulated=simulated)


def _judge(model_records: Sequence[Records], learned: StoredFit, *, simulated: bool) -> None:
    judged = verdicts.judge(gathering.of_records(model_records, learned.numbers), learned)
    readings = geometries.readings_of(model_records)
    flags = [*verdicts.flag_rows(judged), *geometries.flag_rows(readings)]
    store_flags([of_model.model.pk for of_model in model_records], flags)
    varying = {flag.card_model_id for flag in flags if flag.kind in VariationFlag.DIFFERENT}
    facets.refresh(model_records, varying=varying, judged=True)
    scores, estimates = verdicts.score_rows(judged, simulated=simulated), verdicts.estimate_rows(judged)
    _replace(model_records, {Score: list(scores), Estimate: list(estimates)})


def describe(model_ids: Iterable[int]) -> None:
    """Work out facets and page summaries of these models, without judging them. Caller must hold NAMES_LOCK."""
    model_records = _held_records(model_ids)
    different = VariationFlag.objects.filter(
        card_model__in=[of_model.model.pk for of_model in model_records], kind__in=VariationFlag.DIFFERENT
    )
    facets.refresh(model_records, varying=set(different.values_list("card_model", flat=True)))
    _replace(model_records, {})


def _replace(model_records: Collection[Records], judged: Mapping[type[Model], Sequence[Model]]) -> None:
    """Store the rows that were judged of these models, and their page summaries."""
    shown = [summaries.row(of_model) for of_model in model_records]
    bulk.replace([of_model.model.pk for of_model in model_records], {**judged, ModelSummary: shown})


def postpone(model_ids: Iterable[int]) -> None:
    """Leave these models to the full fit that the caller makes when everything is loaded."""
    held = _held(models=list(model_ids))
    CardModel.objects.filter(pk__in=[model.pk for model in held]).update(judged_at=Now())


@PreparedQuery
def _held() -> "QuerySet[CardModel]":
    """These models, locked in the order of their ids against workers that judge the same.

    Not against those that file a card under one of them (no key): they wait for this lock in turn when they judge it.
    """
    held = CardModel.objects.select_for_update(no_key=True)
    return held.filter(AnyOf("pk", "models")).order_by("pk")


def _held_records(model_ids: Iterable[int]) -> list[Records]:
    return records.read(_held(models=list(model_ids)))


def store_flags(models: Collection[int], flags: Collection[VariationFlag]) -> None:
    """These flags in place of all others of these models; one that was there keeps the time when it was raised."""
    raised = {tuple(flag): since for *flag, since in _raised(models=list(models))}
    if raised:
        VariationFlag.objects.filter(card_model__in=models).delete()
    for flag in flags:
        flag.since = raised.get((flag.card_model_id, flag.kind, flag.figure), flag.since)
    VariationFlag.objects.bulk_create(flags)


@PreparedQuery
def _raised() -> "QuerySet[VariationFlag, Any]":
    flags = VariationFlag.objects.filter(AnyOf("card_model", "models"))
    return flags.values_list("card_model", "kind", "figure", "since")
