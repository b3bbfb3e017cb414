"""What the pages of models show of their cards, as rows not stored yet; five queries for any number of models."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from statistics import median

import msgspec
from django.db import models
from django.db.models import Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import NullIf

from submissions.domain import geometry, summary
from submissions.domain.metrics import FIGURES
from submissions.domain.plausibility import HELD_OUT
from submissions.domain.summary import MOST_RUNS, MOST_TOLD, Price, Sample, Specimen, Summary, Trial
from submissions.models import Card, CardModel, Geometry, Host, Measurement, ModelSummary, Run, Variant

_MEASURED = (
    *("run__card__variant__card_model", "run__card", "run__host", "pk"),
    *("figure", "value", "verdict", "run__excluded"),
)


# (card, kind of host in words, believed) -> of each run.
_Values = defaultdict[tuple[int, str, bool], list[float]]


@dataclass(frozen=True, slots=True)
class _Card:
    key: str
    month: str
    variant: str
    capacity_bytes: int | None
    suspicions: list[dict[str, str]]


@dataclass(slots=True)
class _Model:
    """What is gathered of one model; `values` by figure."""

    cards: dict[int, _Card] = field(default_factory=dict)
    values: defaultdict[str, _Values] = field(
        default_factory=partial(defaultdict, partial(defaultdict, list))
    )
    trials: dict[int, tuple[float, bool]] = field(default_factory=dict)
    left_out: list[int] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    prices: list[Price] = field(default_factory=list)
    readings: list[geometry.Reading] = field(default_factory=list)


def of(model: CardModel) -> ModelSummary:
    """What is kept of it; while a bulk load or an older release leaves that behind, what would be."""
    kept: ModelSummary | None = getattr(model, "summary", None)
    return kept if kept and kept.is_current else rows([model])[0]


def rows(card_models: Collection[CardModel]) -> list[ModelSummary]:
    """One for each of these models; quicker `with_silicon`."""
    found = {model.pk: _Model() for model in card_models}
    _gather_cards(found, {one.pk: one for model in card_models for one in model.variants.all()})
    _gather_measured(found)
    _gather_runs(found)
    for model, reading in Geometry.objects.readings(found):
        found[model].readings.append(reading)
    return [_row(model, found[model.pk]) for model in card_models]


def _gather_cards(found: Mapping[int, _Model], variants: Mapping[int, Variant]) -> None:
    names = {pk: str(one) for pk, one in variants.items()}
    cards = Card.objects.filter(variant__in=variants).annotate(
        doubts=NullIf("suspicions", Value([], models.JSONField()))  # most have none, and need not be decoded
    )
    told = cards.order_by("pk").values_list("pk", "variant_id", "key", "manufactured", "doubts")
    for pk, variant, key, month, doubts in told:
        silicon = variants[variant]
        card = _Card(key[:6], month, names[variant], silicon.capacity_bytes, doubts or [])
        found[silicon.card_model_id].cards[pk] = card


def _gather_measured(found: Mapping[int, _Model]) -> None:
    told = Measurement.objects.told_of(found).annotate(kind=KeyTextTransform("capacity_kind", "parameters"))
    measured = list(told.order_by("figure", "run__submission", "position").values_list(*_MEASURED, "kind"))
    hosts = Host.objects.filter(pk__in={host for _, _, host, *_ in measured}).in_bulk()
    names = {pk: one.in_words for pk, one in hosts.items()}
    for model, card, host, pk, figure, value, verdict, excluded, kind in measured:
        of_model = found[model]
        if not figure:
            of_model.trials[card] = value or 0.0, kind == "good"
            continue
        believed = verdict not in HELD_OUT and not excluded
        if not believed:
            of_model.left_out.append(pk)
        if value and figure in FIGURES:
            of_model.values[figure][card, names[host], believed].append(value)


def _gather_runs(found: Mapping[int, _Model]) -> None:
    """The newest first."""
    runs = Run.objects.filter(card__variant__card_model__in=found).newest_first()
    label = [f"label__{one.name}" for one in fields(Price)]
    for model, pk, price, currency, *bought in runs.values_list("card__variant__card_model", "pk", *label):
        found[model].runs.append(pk)
        if price:
            found[model].prices.append(Price(price, currency, *(one or "" for one in bought)))


def _row(model: CardModel, found: _Model) -> ModelSummary:
    cards = found.cards
    told = Summary(
        samples={figure: _sample(values, cards) for figure, values in found.values.items()},
        trials=tuple(dict.fromkeys(_trials(found)))[:MOST_TOLD],
        doubts=summary.doubts(one for card in cards.values() for one in card.suspicions),
        prices=tuple(sorted(found.prices, key=lambda one: one.bought_on, reverse=True)[:MOST_TOLD]),
        inside=tuple(geometry.consensus(found.readings)),
        all_prices=len(found.prices),
        runs=len(found.runs),
        left_out=len(found.left_out),
    )
    return ModelSummary(
        card_model_id=model.pk,
        judged_at=model.judged_at,
        told=msgspec.to_builtins(told),
        newest_runs=found.runs[:MOST_RUNS],
        left_out=found.left_out[:MOST_TOLD],
    )


def _sample(values: _Values, cards: Mapping[int, _Card]) -> Sample:
    groups = defaultdict(list)
    for (pk, host, believed), of_runs in values.items():
        card = cards[pk]
        one = Specimen(card.key, card.month, median(of_runs), len(of_runs), believed)
        groups[card.variant, host].append(one)
    return summary.sample(groups)


def _trials(found: _Model) -> Iterable[Trial]:
    """Each card counts once, by what was found last."""
    for card, (kept, all_kept) in found.trials.items():
        yield Trial(kept, found.cards[card].capacity_bytes, all_kept)
