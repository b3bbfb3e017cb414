"""All that is stored of the cards of some models, read once for everything that is worked out from it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.db.models import BigIntegerField, F, Func, Q, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import NullIf

from submissions.domain.plausibility import HELD_OUT
from submissions.models import Card, CardModel, Geometry, Host, Measurement, Run, Variant

_Rows = Iterable[tuple[Any, ...]]
_OF_HOST = ("pk", "board", "machine", "interface", "reader", "bus_mode", "clock_hz", "width_bits")


@dataclass(frozen=True, slots=True, eq=False)
class KnownCard:
    """As `Card`; `suspicions` is None where there are none."""

    variant: Variant
    pk: int
    key: str
    manufactured: str
    verdict: str
    suspicions: list[dict[str, str]] | None


@dataclass(frozen=True, slots=True, eq=False)
class KnownRun:
    """As `Run`. `submitter`: a number that tells submitters apart; `status`: the status register, if it was read."""

    card: KnownCard
    host: Host
    pk: int
    submission: int
    submitter: int
    excluded: str
    label: dict[str, Any]
    status: dict[str, Any] | None


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A comparable figure of a run, or without a figure how much of its card was found to keep: `kind` is "good" when
    that was all."""

    run: KnownRun
    pk: int
    figure: str
    value: float | None
    verdict: str
    kind: str | None

    @property
    def is_believed(self) -> bool:
        """As Measurement.objects.rankable."""
        return self.verdict not in HELD_OUT and not self.run.excluded


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """What was read off the tables of a run, or stated with it: as `Geometry`."""

    run: KnownRun
    quantity: str
    value: float | None
    code: str
    log_odds: float | None


@dataclass(slots=True)
class Records:
    """Of one model: its cards, their runs with the newest first, and by figure what was measured, the oldest first."""

    model: CardModel
    cards: list[KnownCard] = field(default_factory=list)
    runs: list[KnownRun] = field(default_factory=list)
    measured: list[Told] = field(default_factory=list)
    geometry: list[Read] = field(default_factory=list)


def read(card_models: Collection[CardModel]) -> list[Records]:
    """One for each of these models; four queries for any number, and one more unless they are `with_silicon`."""
    found = {model.pk: Records(model) for model in card_models}
    variants = {one.pk: one for model in card_models for one in model.variants.all()}
    cards = {one.pk: one for one in _cards(variants)}
    for card in cards.values():
        found[card.variant.card_model_id].cards.append(card)
    runs = {one.pk: one for one in _runs(cards)}
    for run in runs.values():
        found[run.card.variant.card_model_id].runs.append(run)
    for told in _measured(runs):
        found[told.run.card.variant.card_model_id].measured.append(told)
    for one in _geometry(runs):
        found[one.run.card.variant.card_model_id].geometry.append(one)
    return list(found.values())


def _cards(variants: Mapping[int, Variant]) -> Iterator[KnownCard]:
    doubts = NullIf("suspicions", Value([], models.JSONField()))  # most have none, and need not be decoded
    found = Card.objects.filter(variant__in=variants).order_by("pk").annotate(doubts=doubts)
    rows: _Rows = found.values_list("variant_id", "pk", "key", "manufactured", "verdict", "doubts")
    for variant, *told in rows:
        yield KnownCard(variants[variant], *told)


def _runs(cards: Mapping[int, KnownCard]) -> Iterator[KnownRun]:
    """Numbers of submitters are those of `gathering.gather_all`, so that sums are made in the same order."""
    submitter = Func(
        F("submission__submitter"), Value(0), function="hashtextextended", output_field=BigIntegerField()
    )
    found = Run.objects.filter(card__in=cards).newest_first().annotate(submitter=submitter)
    columns = ("card_id", "pk", "submission_id", "submitter", "excluded", "label", "registers__ssr")
    rows: _Rows = found.values_list(*columns, *(f"host__{name}" for name in _OF_HOST))
    hosts: dict[int, Host] = {}
    for row in rows:
        (card, *told), host = row[: len(columns)], row[len(columns) :]
        if host[0] not in hosts:
            hosts[host[0]] = Host(**dict(zip(_OF_HOST, host, strict=True)))
        yield KnownRun(cards[card], hosts[host[0]], *told)


def _measured(runs: Mapping[int, KnownRun]) -> list[Told]:
    told = Measurement.objects.filter(Q(workload="capacity") | ~Q(figure=""), run__in=runs)
    kind = KeyTextTransform("capacity_kind", "parameters")
    rows: _Rows = told.order_by("run", "position").values_list(
        "run_id", "pk", "figure", "value", "verdict", kind
    )
    found = [Told(runs[run], *one) for run, *one in rows]
    return sorted(found, key=lambda one: (one.figure, one.run.submission))


def _geometry(runs: Mapping[int, KnownRun]) -> list[Read]:
    """Of runs that count, without what says nothing."""
    counted = [run.pk for run in runs.values() if not run.excluded]
    answers = Geometry.objects.filter(run__in=counted).exclude(code="abstained").order_by("pk")
    rows: _Rows = answers.values_list("run_id", "quantity", "value", "code", "log_odds")
    found = [Read(runs[run], *one) for run, *one in rows]
    return sorted(found, key=lambda one: one.run.submission)
