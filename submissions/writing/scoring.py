"""Judges models and stores scores, flags, facets and summaries.

Judging (scores, estimates, flags) costs the same however many cards a model has; describing it (facets, and what its
page shows) reads all of them, so a model is described the less often the more cards it has, and while reports wait,
hardly at all.

A model of which the same values are judged as before is described alone (`changed`). Of all others `refresh` does both
inside the transaction that touched them. Workers do not wait for each other's models there:
what another one judges at this moment, or what was judged a moment ago, gets a mark (`refresh_rested`), and with many
reports all of it (`mark`). What is marked is judged afterwards (`judge_marked`), each model at most about once a
second, and then described (`describe_marked`). A mark falls in the transaction that does what it asks for, so that none
is lost with a worker.

What is stored of a model is a function of its measurements and of the last full fit (`refit`), of nothing else: so the
order of processing does not matter, and deleting restores what was before.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from django.db import transaction
from django.db.models import (
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.db.models.functions import Now

from submissions.evidence import fits, gathering, geometries, records, summaries, verdicts
from submissions.evidence.records import Records
from submissions.models import CardModel, Estimate, ModelSummary, Score, TouchedModel, VariationFlag
from submissions.sql import bulk, locks
from submissions.sql.prepared import AnyOf, Param, PreparedQuery
from submissions.writing import facets
from submissions.writing.observing import Observed

# How many marked models are judged in one transaction at most, and how many are described, with how many cards (or one
# model): that takes longer, and new reports come first.
MODELS_AT_ONCE, DESCRIBED_AT_ONCE, CARDS_AT_ONCE = 100, 10, 2000
# A model that is touched again and again is judged no more often.
JUDGE_EVERY_S = 1.0
# Nor described: so long, and so much longer for each of its cards; while reports wait and when none does. A card of a
# model takes 0.05 to 0.1 ms to describe, and a model 5 to 20 ms beside.
_DESCRIBE_EVERY = {True: timedelta(minutes=5), False: timedelta(seconds=2)}
_DESCRIBE_EVERY_PER_CARD = timedelta(milliseconds=5)
Kind = VariationFlag.Kind
# Flags that judging raises; the others come with the description.
JUDGED_FLAGS = (Kind.VARIES, Kind.SUSPECTED, Kind.CHANGED)


def changed(touched: Collection[int], observed: Observed) -> set[int]:
    """Those of the models touched that are to be judged again; of the others the same is judged as before. Two queries,
    and one more with others. Of a model whose cards differ every card counts, whether its values are judged or not.

    Caller must hold NAMES_LOCK. Whom another worker holds may lose at this moment what let these values come last.
    """
    held = {pk for (pk,) in _alike(models=list(touched))}
    return set(touched) - held | observed.judged_otherwise(held)


def refresh(model_ids: Iterable[int], alike: Collection[int] = ()) -> None:
    """Judge and describe these models, and describe those `alike`, of which the same is judged as before. Caller must
    hold NAMES_LOCK, so that no full fit comes in between."""
    held = _held(models=[*model_ids, *alike])
    _judge([model for model in held if model.pk not in alike])
    _describe(held)


def describe(model_ids: Iterable[int]) -> None:
    """Work out facets and page summaries of these models, without judging them. Caller must hold NAMES_LOCK."""
    _describe(_held(models=list(model_ids)))


def mark(model_ids: Iterable[int], alike: Iterable[int] = ()) -> None:
    """Have these models judged and described soon after this transaction, and those `alike` described."""
    marks = ((model_ids, False), (alike, True))
    bulk.insert([TouchedModel(card_model_id=pk, judged=judged) for pks, judged in marks for pk in pks])


def refresh_rested(model_ids: Iterable[int], alike: Collection[int] = ()) -> None:
    """Judge those of these models that no other worker judges at this moment, and that have rested, and have them and
    those `alike` described; mark the others.

    Caller must hold NAMES_LOCK.
    """
    wanted = set(model_ids)
    rested = _rested(models=list(wanted), rest=timedelta(seconds=JUDGE_EVERY_S)) if wanted else []
    _judge(rested)
    judged = {model.pk for model in rested}
    mark(wanted - judged, alike=judged.union(alike))


def judge_marked() -> bool:
    """Judge marked models that no other worker judges at this moment, and that were not judged within JUDGE_EVERY_S;
    all in one transaction, and have them described soon: a mark asked for both. Marks of models that are gone fall as
    well. Returns whether marks are left.
    """
    with transaction.atomic():
        locks.hold(locks.NAMES_LOCK, exclusive=False)
        due = _due(rest=timedelta(seconds=JUDGE_EVERY_S))
        _judge(due)
        mark((), alike=[model.pk for model in due])
    if not due:
        TouchedModel.objects.filter(~Exists(CardModel.objects.filter(pk=OuterRef("card_model")))).delete()
    return is_marked()


def describe_marked(*, is_busy: bool = False) -> bool:
    """Describe models that were judged, as `judge_marked`, unless another worker does so; those alone that have long
    waited for it while the site `is_busy` with new reports. Returns whether marks are left."""
    with transaction.atomic():
        locks.hold(locks.NAMES_LOCK, exclusive=False)
        if locks.try_hold(locks.DESCRIBE_LOCK):
            _describe(_with_few_cards(_outdated(rest=_DESCRIBE_EVERY[is_busy])))
    return is_marked(judged=True)


def _with_few_cards(models: Sequence[CardModel]) -> Sequence[CardModel]:
    """The first of them, and as many more as have CARDS_AT_ONCE together."""
    cards = accumulate(model.known_cards for model in models)
    return models[: max(1, sum(number <= CARDS_AT_ONCE for number in cards))]


def is_marked(*, judged: bool = False) -> bool:
    """Whether some model is to be judged; `judged`: described."""
    return TouchedModel.objects.filter(judged=judged).exists()


_FALL = """
    WITH fallen AS (DELETE FROM submissions_touchedmodel WHERE NOT judged AND card_model_id = ANY(%s))
    SELECT statement_timestamp(), EXISTS (
        SELECT FROM submissions_variationflag WHERE card_model_id = ANY(%s) AND kind = ANY(%s)
    )
"""
_SEEN = """
    SELECT statement_timestamp(),
        array(SELECT id FROM submissions_touchedmodel WHERE judged AND card_model_id = ANY(%s)),
        array(SELECT id FROM submissions_modelsummary WHERE card_model_id = ANY(%s))
"""


def _judge(held: Sequence[CardModel]) -> None:
    if not held:
        return
    # Marks fall before anything is read: one that is left meanwhile stays.
    every = [model.pk for model in held]
    ((began, flagged),) = bulk.fetch_rows(_FALL, [every, every, list(JUDGED_FLAGS)])
    for simulated in (False, True):
        if pks := [model.pk for model in held if model.simulated == simulated]:
            _judge_alike(pks, simulated=simulated, flagged=flagged)
    note_varying(every, judged_at=began)


def _judge_alike(pks: Sequence[int], *, simulated: bool, flagged: bool) -> None:
    """`flagged`: some of them may have flags."""
    learned = fits.prior_fit() if simulated else fits.current()
    judged = verdicts.judge(gathering.gather(pks, learned.numbers), learned)
    if (flags := verdicts.flag_rows(judged)) or flagged:
        store_flags(pks, flags, kinds=JUDGED_FLAGS)
    scores, estimates = verdicts.score_rows(judged, simulated=simulated), verdicts.estimate_rows(judged)
    bulk.replace(pks, {Score: list(scores), Estimate: list(estimates)})


def _describe(models: Sequence[CardModel]) -> None:
    """What takes long is reading: whoever judges these models need not wait for that, and they need not be held yet.
    What another worker has described meanwhile keeps its mark: nothing says which of the two read more.
    """
    if not models:
        return
    every_id = [model.pk for model in models]
    ((began, marks, former),) = bulk.fetch_rows(_SEEN, [every_id, every_id])
    every = records.read(models)
    shown = summaries.rows(every, at=began)
    held = {model.pk for model in _held(models=every_id)}
    only = held.difference(_described_meanwhile(models=list(held), former=former))
    TouchedModel.objects.filter(pk__in=marks, card_model__in=only).delete()
    _store_description(every, shown, only=only)


def _store_description(
    every: Sequence[Records], shown: Iterable[ModelSummary], *, only: Collection[int]
) -> None:
    every = [of_model for of_model in every if of_model.model.pk in only]
    store_flags(only, geometries.flag_rows(geometries.readings_of(every)), kinds=[Kind.GEOMETRY])
    facets.refresh(every)
    note_varying(only)
    bulk.replace(only, {ModelSummary: [row for row in shown if row.card_model_id in only]})


@PreparedQuery
def _described_meanwhile() -> "QuerySet[ModelSummary, Any]":
    """Models with another summary than the `former`: each description stores a row of its own."""
    other = ModelSummary.objects.filter(AnyOf("card_model", "models")).exclude(AnyOf("pk", "former"))
    return other.values_list("card_model", flat=True)


def postpone(model_ids: Iterable[int], alike: Iterable[int] = ()) -> None:
    """Leave these models to the full fit that the caller makes when everything is loaded. Until it has described them,
    their pages work out anew what they show."""
    held = [model.pk for model in _held(models=[*model_ids, *alike])]
    CardModel.objects.filter(pk__in=held).update(judged_at=Now())
    ModelSummary.objects.filter(card_model__in=held).delete()


@PreparedQuery
def _held() -> "QuerySet[CardModel]":
    """These models, locked in the order of their ids against workers that judge the same.

    Not against those that file a card under one of them (no key): they wait for this lock in turn when they judge it.
    """
    held = CardModel.objects.select_for_update(no_key=True)
    return held.filter(AnyOf("pk", "models")).order_by("pk")


def _unheld() -> "QuerySet[CardModel]":
    """Models that no other worker holds, locked as by `_held`."""
    return CardModel.objects.select_for_update(no_key=True, skip_locked=True, of=["self"]).order_by("pk")


def _are_rested() -> Q:
    return Q(judged_at=None) | Q(judged_at__lt=Now() - Param("rest", DurationField()))


@PreparedQuery
def _alike() -> "QuerySet[CardModel, Any]":
    """Models that no other worker holds, and of which no cards differ."""
    return _unheld().filter(AnyOf("pk", "models"), varies=False).values_list("pk")


@PreparedQuery
def _rested() -> "QuerySet[CardModel]":
    return _unheld().filter(_are_rested(), AnyOf("pk", "models")).only("simulated")


def _marked(*, judged: bool) -> Exists:
    return Exists(TouchedModel.objects.filter(card_model=OuterRef("pk"), judged=judged))


@PreparedQuery
def _due() -> "QuerySet[CardModel]":
    """Marked models that have rested, those first that were judged the longest ago: none waits for ever."""
    longest_ago = F("judged_at").asc(nulls_first=True)
    due = _unheld().filter(_are_rested(), _marked(judged=False)).order_by(longest_ago, "pk")
    return due.only("simulated")[:MODELS_AT_ONCE]


@PreparedQuery
def _outdated() -> "QuerySet[CardModel]":
    """Models to be described that were not for as long as their number of cards asks for, the longest ago first."""
    rest = ExpressionWrapper(
        F("known_cards") * Value(_DESCRIBE_EVERY_PER_CARD) + Param("rest", DurationField()),
        output_field=DurationField(),
    )
    rested = Q(summary__judged_at=None) | Q(summary__judged_at__lt=Now() - rest)
    longest_ago = F("summary__judged_at").asc(nulls_first=True)
    outdated = CardModel.objects.filter(rested, _marked(judged=True))
    return outdated.order_by(longest_ago, "pk")[:DESCRIBED_AT_ONCE]


_NOTE = """
    UPDATE submissions_cardmodel m SET judged_at = coalesce(%s, judged_at), varies = EXISTS (
        SELECT FROM submissions_variationflag f WHERE f.card_model_id = m.id AND f.kind = ANY(%s)
    ) WHERE id = ANY(%s) RETURNING id
"""


def note_varying(models: Collection[int], *, judged_at: datetime | None = None) -> None:
    """Note of each of these models whether its cards differ, by its flags; and when it was judged, if it was."""
    bulk.fetch_rows(_NOTE, [judged_at, list(VariationFlag.DIFFERENT), list(models)])


def store_flags(
    models: Collection[int], flags: Collection[VariationFlag], *, kinds: Collection[Kind]
) -> None:
    """These flags in place of all others of these kinds and models; one that was there keeps the time when it was
    raised."""
    raised = {tuple(flag): since for *flag, since in _raised(models=list(models), kinds=list(kinds))}
    if raised:
        VariationFlag.objects.filter(card_model__in=models, kind__in=kinds).delete()
    for flag in flags:
        flag.since = raised.get((flag.card_model_id, flag.kind, flag.figure), flag.since)
    VariationFlag.objects.bulk_create(flags)


@PreparedQuery
def _raised() -> "QuerySet[VariationFlag, Any]":
    flags = VariationFlag.objects.filter(AnyOf("card_model", "models"), AnyOf("kind", "kinds"))
    return flags.values_list("card_model", "kind", "figure", "since")
