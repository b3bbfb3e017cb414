"""Keeps what is stored about models equal to what the measurements say. Called by `ingest` inside its transaction.

What is stored of a model is a function of its measurements and of the last full fit (`refit`), of nothing else: so the
order of processing does not matter, and deleting restores what was before.
"""

from collections.abc import Collection, Iterable

from django.db.models.functions import Now

from submissions import bulk, facets
from submissions.judging import fits, gathering, geometries, summaries, verdicts
from submissions.judging.fits import Learned
from submissions.models import CardModel, Estimate, ModelSummary, Score, VariationFlag
from submissions.models.card import CardModelQuerySet


def refresh(model_ids: Iterable[int]) -> None:
    """Judge these models again.

    Whoever calls holds the names (`filing.hold_names`), so that no full fit comes in between.
    """
    by_kind: dict[bool, list[int]] = {}
    for pk, simulated in _held(model_ids).values_list("pk", "simulated"):
        by_kind.setdefault(simulated, []).append(pk)
    for simulated, pks in by_kind.items():
        _judge_again(pks, fits.untold() if simulated else fits.current(), simulated=simulated)
    _describe([pk for pks in by_kind.values() for pk in pks])


def describe(model_ids: Iterable[int]) -> None:
    """Work out what a finder asks of these models and what their pages show; called as `refresh`."""
    _describe(list(_held(model_ids).values_list("pk", flat=True)))


def _describe(models: Collection[int]) -> None:
    found = CardModel.objects.with_silicon().in_bulk(models)
    facets.refresh(found)
    ModelSummary.objects.filter(card_model__in=found).delete()
    bulk.copy_models(ModelSummary, summaries.rows(found.values()))


def postpone(model_ids: Iterable[int]) -> None:
    """Leave these models to the full fit that the caller makes when everything is loaded."""
    CardModel.objects.filter(pk__in=list(_held(model_ids).values_list("pk", flat=True))).update(
        judged_at=Now()
    )


def _held(model_ids: Iterable[int]) -> CardModelQuerySet:
    """These models, locked in the order of their ids against workers that touch the same.

    Not against those who file a card under one of them: a worker that has done so waits for the same lock in turn.
    """
    return CardModel.objects.select_for_update(no_key=True).filter(pk__in=set(model_ids)).order_by("pk")


def _judge_again(models: Collection[int], learned: Learned, *, simulated: bool) -> None:
    CardModel.objects.filter(pk__in=models).update(judged_at=Now())
    found = verdicts.judge(gathering.gather(list(models), learned.numbers), learned)
    Score.objects.filter(card_model__in=models).delete()
    bulk.copy_models(Score, verdicts.score_rows(found, simulated=simulated))
    Estimate.objects.filter(card_model__in=models).delete()
    bulk.copy_models(Estimate, verdicts.estimate_rows(found))
    store_flags(models, [*verdicts.flag_rows(found), *geometries.flag_rows(models)])


def store_flags(models: Collection[int], flags: Collection[VariationFlag]) -> None:
    """These flags and no others; one that was there keeps the time when it was raised."""
    stored = VariationFlag.objects.filter(card_model__in=models)
    raised = {
        (model, kind, figure): since
        for model, kind, figure, since in stored.values_list("card_model", "kind", "figure", "since")
    }
    if raised:
        stored.delete()
    for flag in flags:
        flag.since = raised.get((flag.card_model_id, flag.kind, flag.figure), flag.since)
    VariationFlag.objects.bulk_create(flags)
