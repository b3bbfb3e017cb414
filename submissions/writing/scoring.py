"""Keeps what is stored about models equal to what the measurements say. Called by `ingest` inside its transaction.

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
    """Judge these models again.

    Whoever calls holds the names (`filing.hold_names`), so that no full fit comes in between.
    """
    by_kind: dict[bool, list[Records]] = {}
    for one in _held_records(model_ids):
        by_kind.setdefault(one.model.simulated, []).append(one)
    for simulated, known in by_kind.items():
        _judge(known, fits.prior_fit() if simulated else fits.current(), simulated=simulated)


def _judge(known: Sequence[Records], learned: StoredFit, *, simulated: bool) -> None:
    found = verdicts.judge(gathering.of_records(known, learned.numbers), learned)
    flags = [*verdicts.flag_rows(found), *geometries.flag_rows(geometries.readings_of(known))]
    store_flags([one.model.pk for one in known], flags)
    varying = {flag.card_model_id for flag in flags if flag.kind in VariationFlag.DIFFERENT}
    facets.refresh(known, varying=varying, judged=True)
    scores, estimates = verdicts.score_rows(found, simulated=simulated), verdicts.estimate_rows(found)
    _replace(known, {Score: list(scores), Estimate: list(estimates)})


def describe(model_ids: Iterable[int]) -> None:
    """Work out what a finder asks of these models and what their pages show; called as `refresh`."""
    known = _held_records(model_ids)
    different = VariationFlag.objects.filter(
        card_model__in=[one.model.pk for one in known], kind__in=VariationFlag.DIFFERENT
    )
    facets.refresh(known, varying=set(different.values_list("card_model", flat=True)))
    _replace(known, {})


def _replace(known: Collection[Records], judged: Mapping[type[Model], Sequence[Model]]) -> None:
    """What was judged of these models, and what their pages show."""
    shown = [summaries.row(one) for one in known]
    bulk.replace([one.model.pk for one in known], {**judged, ModelSummary: shown})


def postpone(model_ids: Iterable[int]) -> None:
    """Leave these models to the full fit that the caller makes when everything is loaded."""
    held = _held(models=list(model_ids))
    CardModel.objects.filter(pk__in=[one.pk for one in held]).update(judged_at=Now())


@PreparedQuery
def _held() -> "QuerySet[CardModel]":
    """These models, locked in the order of their ids against workers that touch the same.

    Not against those who file a card under one of them: a worker that has done so waits for the same lock in turn.
    """
    held = CardModel.objects.select_for_update(no_key=True)
    return held.filter(AnyOf("pk", "models")).order_by("pk")


def _held_records(model_ids: Iterable[int]) -> list[Records]:
    return records.read(_held(models=list(model_ids)))


def store_flags(models: Collection[int], flags: Collection[VariationFlag]) -> None:
    """These flags and no others; one that was there keeps the time when it was raised."""
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
