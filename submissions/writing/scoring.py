"""Judge models and store abilities, performances, flags, facets and summaries.

To judge a model is to estimate its abilities, performances and flags; that takes as long for any number of cards. To
describe a model is to update its facets and the summary on its page. That reads all cards of the model, so it happens
less often the more cards a model has, and rarely while reports wait.

Models without a change in the values that estimates use are only described (`changed_models`). `refresh` judges and
describes changed models at once, in the transaction of the reports. Workers do not wait for each other: a model that
another worker has locked, or that was judged a moment ago, is only marked (`refresh_or_mark`), and during a rush of
reports every model is only marked (`mark`). Marked models are judged soon after (`judge_marked`), each at most about
once a second, and then described (`describe_marked`). A mark is deleted in the transaction that does the work, so that
no mark is lost with a worker.

The stored rows of a model depend only on its measurements and on the last full fit (`refit`). So the order of
processing does not matter, and after a submission is deleted they are as if it had never been sent.
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

from submissions.evidence import (
    abilities,
    crowds,
    geometries,
    observations,
    performances,
    records,
    summaries,
    variation_flags,
)
from submissions.evidence.records import Records
from submissions.models import CardModel, ModelSummary, TouchedModel, VariationFlag
from submissions.sql import bulk, locks
from submissions.sql.prepared import AnyOf, Param, PreparedQuery
from submissions.writing import model_facts
from submissions.writing.observing import Observed

# The most marked models that one transaction judges, and describes; the most cards of the described ones, unless it is
# one model. Describing takes longer, and new reports come first.
MODELS_AT_ONCE, DESCRIBED_AT_ONCE, CARDS_AT_ONCE = 200, 25, 2000
# The shortest time between two judgements of a model.
JUDGE_EVERY_S = 1.0
# The time between two descriptions while reports wait (True) or not, and the time that each card adds. Describing takes
# 5 to 20 ms for a model, and 0.05 to 0.1 ms for each of its cards.
_DESCRIBE_EVERY = {True: timedelta(minutes=5), False: timedelta(seconds=2)}
_DESCRIBE_EVERY_PER_CARD = timedelta(milliseconds=5)
Kind = VariationFlag.Kind
# Flags that judging raises; the others come with the description.
JUDGED_FLAGS = (Kind.VARIES, Kind.SUSPECTED)


def changed_models(touched: Collection[int], observed: Observed) -> set[int]:
    """Return the `touched` models with a change in the values that their estimates use; two queries at most.

    Two kinds always count as changed: models that another worker has locked, because they may be losing values, and
    models with cards that differ, because there every card counts. Caller must hold NAMES_LOCK.
    """
    free = {pk for (pk,) in _lock_uniform_models(models=list(touched))}
    return set(touched) - free | observed.find_changed_models(free)


def refresh(model_ids: Iterable[int], unchanged: Collection[int] = ()) -> None:
    """Estimate models and describe them (update columns and page summary); only describe the `unchanged` models.

    Caller must hold NAMES_LOCK, so that no full fit is stored meanwhile.
    """
    locked = _lock_models(models=[*model_ids, *unchanged])
    _judge([model for model in locked if model.pk not in unchanged])
    _describe(locked)


def describe(model_ids: Iterable[int]) -> None:
    """Update the columns and page summaries of models, without estimating the models. Caller must hold NAMES_LOCK."""
    _describe(_lock_models(models=list(model_ids)))


def mark(model_ids: Iterable[int], unchanged: Iterable[int] = ()) -> None:
    """Mark models to be estimated soon and then described (see `describe`), and `unchanged` models to be described."""
    marks = ((model_ids, False), (unchanged, True))
    bulk.insert([TouchedModel(card_model_id=pk, judged=judged) for pks, judged in marks for pk in pks])


def refresh_or_mark(model_ids: Iterable[int], unchanged: Collection[int] = ()) -> None:
    """Estimate the models that are not locked and were not estimated within JUDGE_EVERY_S; mark the rest for that.

    Mark all models, `unchanged` ones too, for an update of columns and page summary. Caller must hold NAMES_LOCK.
    """
    wanted = set(model_ids)
    rested = _lock_rested_models(models=list(wanted), rest=timedelta(seconds=JUDGE_EVERY_S)) if wanted else []
    _judge(rested)
    judged = {model.pk for model in rested}
    mark(wanted - judged, judged.union(unchanged))


def judge_marked() -> bool:
    """Estimate marked models in one transaction, mark them for `describe`, and return whether marks remain.

    Models that another worker has locked, or that were estimated within JUDGE_EVERY_S, wait. Marks of deleted models
    are deleted.
    """
    with transaction.atomic():
        locks.hold(locks.NAMES_LOCK, exclusive=False)
        due = _lock_due_models(rest=timedelta(seconds=JUDGE_EVERY_S))
        _judge(due)
        mark((), [model.pk for model in due])
    if not due:
        TouchedModel.objects.filter(~Exists(CardModel.objects.filter(pk=OuterRef("card_model")))).delete()
    return is_marked()


def describe_marked(*, is_busy: bool = False) -> bool:
    """Update columns and page summaries of marked models, unless another worker does so; return whether marks remain.

    While the site `is_busy` with new reports, models that were described within the last minutes are left out.
    """
    with transaction.atomic():
        locks.hold(locks.NAMES_LOCK, exclusive=False)
        if locks.try_hold(locks.DESCRIBE_LOCK):
            _describe(_limit_cards(_outdated_models(rest=_DESCRIBE_EVERY[is_busy])))
    return is_marked(judged=True)


def _limit_cards(models: Sequence[CardModel]) -> Sequence[CardModel]:
    cards = accumulate(model.known_cards for model in models)
    return models[: max(1, sum(number <= CARDS_AT_ONCE for number in cards))]


def is_marked(*, judged: bool = False) -> bool:
    """Return whether any model is marked to be estimated, or, if `judged`, to be described."""
    return TouchedModel.objects.filter(judged=judged).exists()


_DELETE_MARKS = """
    WITH deleted AS (DELETE FROM submissions_touchedmodel WHERE NOT judged AND card_model_id = ANY(%s))
    SELECT statement_timestamp(), EXISTS (
        SELECT FROM submissions_variationflag WHERE card_model_id = ANY(%s) AND kind = ANY(%s)
    )
"""
_READ_MARKS = """
    SELECT statement_timestamp(),
        array(SELECT id FROM submissions_touchedmodel WHERE judged AND card_model_id = ANY(%s)),
        array(SELECT id FROM submissions_modelsummary WHERE card_model_id = ANY(%s))
"""


def _judge(locked: Sequence[CardModel]) -> None:
    if not locked:
        return
    # Delete marks before reading anything, so that a mark for a later change stays.
    every = [model.pk for model in locked]
    ((began, flagged),) = bulk.fetch_rows(_DELETE_MARKS, [every, every, list(JUDGED_FLAGS)])
    for simulated in (False, True):
        if pks := [model.pk for model in locked if model.simulated == simulated]:
            _judge_models(pks, simulated=simulated, flagged=flagged)
    update_varies(every, judged_at=began)


def _judge_models(pks: Sequence[int], *, simulated: bool, flagged: bool) -> None:
    crowd = crowds.make_prior() if simulated else crowds.current_crowd()
    gathered = observations.gather(pks, crowd.numbers)
    judged = abilities.judge(gathered, crowd, abilities.load_silicons(gathered.cards))
    if (flags := variation_flags.flag_rows(judged)) or flagged:
        store_flags(pks, flags, kinds=JUDGED_FLAGS)
    bulk.replace(pks, performances.make_rows(judged, simulated=simulated))


def _describe(models: Sequence[CardModel]) -> None:
    """Update columns and page summaries of models, locked only after the long reading, so others may estimate them.

    Models that another worker described meanwhile keep their mark, because either worker may have read newer rows.
    """
    if not models:
        return
    every_id = [model.pk for model in models]
    ((began, marks, former),) = bulk.fetch_rows(_READ_MARKS, [every_id, every_id])
    every = records.load_records(models)
    shown = summaries.make_summaries(every, at=began)
    held = {model.pk for model in _lock_models(models=every_id)}
    only = held.difference(_models_described_meanwhile(models=list(held), former=former))
    TouchedModel.objects.filter(pk__in=marks, card_model__in=only).delete()
    _store_description(every, shown, only=only)


def _store_description(
    every: Sequence[Records], shown: Iterable[ModelSummary], *, only: Collection[int]
) -> None:
    every = [of_model for of_model in every if of_model.model.pk in only]
    store_flags(only, geometries.flag_rows(every), kinds=[Kind.GEOMETRY])
    model_facts.refresh(every)
    update_varies(only)
    bulk.replace(only, {ModelSummary: [row for row in shown if row.card_model_id in only]})


@PreparedQuery
def _models_described_meanwhile() -> "QuerySet[ModelSummary, Any]":
    other = ModelSummary.objects.filter(AnyOf("card_model", "models")).exclude(AnyOf("pk", "former"))
    return other.values_list("card_model", flat=True)


def postpone(model_ids: Iterable[int], unchanged: Iterable[int] = ()) -> None:
    """Leave models to `refit.refit_after_load`, by deleting their summaries, which pages then compute on each visit."""
    locked = [model.pk for model in _lock_models(models=[*model_ids, *unchanged])]
    CardModel.objects.filter(pk__in=locked).update(judged_at=Now())
    ModelSummary.objects.filter(card_model__in=locked).delete()


@PreparedQuery
def _lock_models() -> "QuerySet[CardModel]":
    """Lock models in the order of their ids; `no_key` allows other workers to file cards under the locked models."""
    return CardModel.objects.select_for_update(no_key=True).filter(AnyOf("pk", "models")).order_by("pk")


def _lock_free_models() -> "QuerySet[CardModel]":
    """Lock models as `_lock_models` does, except for those that another worker has locked."""
    return CardModel.objects.select_for_update(no_key=True, skip_locked=True, of=["self"]).order_by("pk")


def _are_rested() -> Q:
    return Q(judged_at=None) | Q(judged_at__lt=Now() - Param("rest", DurationField()))


@PreparedQuery
def _lock_uniform_models() -> "QuerySet[CardModel, Any]":
    return _lock_free_models().filter(AnyOf("pk", "models"), varies=False).values_list("pk")


@PreparedQuery
def _lock_rested_models() -> "QuerySet[CardModel]":
    return _lock_free_models().filter(_are_rested(), AnyOf("pk", "models")).only("simulated")


def _has_mark(*, judged: bool) -> Exists:
    return Exists(TouchedModel.objects.filter(card_model=OuterRef("pk"), judged=judged))


@PreparedQuery
def _lock_due_models() -> "QuerySet[CardModel]":
    longest_ago = F("judged_at").asc(nulls_first=True)
    due = _lock_free_models().filter(_are_rested(), _has_mark(judged=False)).order_by(longest_ago, "pk")
    return due.only("simulated")[:MODELS_AT_ONCE]


@PreparedQuery
def _outdated_models() -> "QuerySet[CardModel]":
    rest = ExpressionWrapper(
        F("known_cards") * Value(_DESCRIBE_EVERY_PER_CARD) + Param("rest", DurationField()),
        output_field=DurationField(),
    )
    rested = Q(summary__judged_at=None) | Q(summary__judged_at__lt=Now() - rest)
    longest_ago = F("summary__judged_at").asc(nulls_first=True)
    outdated = CardModel.objects.filter(rested, _has_mark(judged=True))
    return outdated.order_by(longest_ago, "pk")[:DESCRIBED_AT_ONCE]


_UPDATE_VARIES = """
    UPDATE submissions_cardmodel m SET judged_at = coalesce(%s, judged_at), varies = EXISTS (
        SELECT FROM submissions_variationflag f WHERE f.card_model_id = m.id AND f.kind = ANY(%s)
    ) WHERE id = ANY(%s) RETURNING id
"""


def update_varies(models: Collection[int], *, judged_at: datetime | None = None) -> None:
    """Store whether flags say that the cards of each model differ, and, if given, the time of the estimate."""
    bulk.fetch_rows(_UPDATE_VARIES, [judged_at, list(VariationFlag.DIFFERENT), list(models)])


def store_flags(
    models: Collection[int], flags: Collection[VariationFlag], *, kinds: Collection[Kind]
) -> None:
    """Replace the flags of these kinds and models; a flag that was raised before keeps the time when it was raised."""
    raised = {tuple(flag): since for *flag, since in _raised_flags(models=list(models), kinds=list(kinds))}
    if raised:
        VariationFlag.objects.filter(card_model__in=models, kind__in=kinds).delete()
    for flag in flags:
        flag.since = raised.get((flag.card_model_id, flag.kind, flag.figure), flag.since)
    VariationFlag.objects.bulk_create(flags)


@PreparedQuery
def _raised_flags() -> "QuerySet[VariationFlag, Any]":
    flags = VariationFlag.objects.filter(AnyOf("card_model", "models"), AnyOf("kind", "kinds"))
    return flags.values_list("card_model", "kind", "figure", "since")
