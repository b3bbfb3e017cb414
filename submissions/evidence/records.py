"""All that is stored of the cards of some models, read once for everything that is worked out from it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np
from django.db.models import BigIntegerField, F, Func, JSONField, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, NullIf

from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.models import Card, CardModel, Geometry, Host, Measurement, Run, Variant
from submissions.sql.prepared import AnyOf, PreparedQuery

_Rows = QuerySet[Any, Any]
HOST_COLUMNS = ("id", "board", "machine", "interface", "reader", "bus_mode", "clock_hz", "width_bits")


def submitter_number(path: str) -> Func:
    """A number that tells submitters apart; the same wherever it is read, so that sums are made in the same order."""
    return Func(F(path), Value(0), function="hashtextextended", output_field=BigIntegerField())


@dataclass(frozen=True, slots=True, eq=False)
class KnownCard:
    """A card as `Card` stores it; `suspicions` is None where there are none."""

    variant: Variant
    pk: int
    key: str
    manufactured: str
    verdict: str
    suspicions: list[dict[str, str]] | None


class KnownRun(NamedTuple):
    """A run as `Run` stores it. `submitter`: a number that tells submitters apart; `status`: the status register, if it
    was read."""

    card: KnownCard
    host: Host
    pk: int
    submission: int
    submitter: int
    excluded: str
    label: dict[str, Any]
    status: dict[str, Any] | None


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One comparable figure, a column each, the oldest report first: places of the runs in `Records.runs`, ids, values
    in the base unit (nan: none was told), and whether each is believed, as Measurement.objects.rankable."""

    run: Index
    pk: Index
    value: Floats
    believed: Mask


class Kept(NamedTuple):
    """How much of its card a run found to keep; `kind` is "good" when that was all."""

    run: KnownRun
    value: float | None
    kind: str | None


class Read(NamedTuple):
    """What was read off the tables of a run, or stated with it: as `Geometry`."""

    run: KnownRun
    quantity: str
    value: float | None
    code: str
    log_odds: float | None


@dataclass(slots=True)
class Records:
    """One model: its silicon, its cards and how much they kept, the oldest first; their runs, the newest first; by
    figure what was measured; and what is inside the cards."""

    model: CardModel
    variants: list[Variant] = field(default_factory=list)
    cards: list[KnownCard] = field(default_factory=list)
    runs: list[KnownRun] = field(default_factory=list)
    measured: dict[str, Measured] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)
    geometry: list[Read] = field(default_factory=list)


def read(card_models: Collection[CardModel]) -> list[Records]:
    """The records of each of these models; five queries for any number."""
    records = {model.pk: Records(model) for model in card_models}
    variants = {row.pk: row for row in _variants_of(models=list(records))}
    for variant in variants.values():
        records[variant.card_model_id].variants.append(variant)
    cards = {row.pk: row for row in _cards(variants)}
    for card in cards.values():
        records[card.variant.card_model_id].cards.append(card)
    runs = {row.pk: row for row in _runs(cards)}
    for run in runs.values():
        records[run.card.variant.card_model_id].runs.append(run)
    _add_measured(records, runs)
    for row in _geometry(runs):
        records[row.run.card.variant.card_model_id].geometry.append(row)
    return list(records.values())


@PreparedQuery
def _variants_of() -> _Rows:
    return Variant.objects.filter(AnyOf("card_model", "models")).order_by("pk")


def _cards(variants: Mapping[int, Variant]) -> list[KnownCard]:
    rows = _cards_of(variants=list(variants))
    return [KnownCard(variants[variant], *columns) for variant, *columns in rows]


@PreparedQuery
def _cards_of() -> _Rows:
    doubts = NullIf("suspicions", Value([], JSONField()))  # most have none, and need not be decoded
    cards = Card.objects.filter(AnyOf("variant", "variants")).order_by("pk").annotate(doubts=doubts)
    return cards.values_list("variant_id", "pk", "key", "manufactured", "verdict", "doubts")


def _runs(cards: Mapping[int, KnownCard]) -> list[KnownRun]:
    decode = msgspec.json.decode
    runs = []
    for card, pk, submission, submitter, excluded, label, status, *of_host in _runs_of(cards=list(cards)):
        columns = (pk, submission, submitter, excluded, decode(label), decode(status) if status else None)
        runs.append(KnownRun(cards[card], _host(*of_host), *columns))
    return runs


@lru_cache(maxsize=2000)
def _host(*columns: Any) -> Host:
    return Host(**dict(zip(HOST_COLUMNS, columns, strict=True)))


@PreparedQuery
def _runs_of() -> _Rows:
    submitter = submitter_number("submission__submitter")
    label, status = Cast("label", TextField()), KeyTextTransform("ssr", "registers")
    columns = ("card_id", "pk", "submission_id", submitter, "excluded", label, status)
    runs = Run.objects.filter(AnyOf("card", "cards")).newest_first()
    return runs.values_list(*columns, *(f"host__{name}" for name in HOST_COLUMNS))


def _add_measured(records: Mapping[int, Records], runs: Mapping[int, KnownRun]) -> None:
    rows = _measured_in(runs=list(runs))
    rows.sort(key=lambda row: runs[row[0]].submission)
    rows.sort(key=itemgetter(2))
    model = {pk: run.card.variant.card_model_id for pk, run in runs.items()}
    by_figure: dict[tuple[int, str], list[Any]] = defaultdict(list)
    for row in rows:
        by_figure[model[row[0]], row[2]].append(row)
    place = {run.pk: at for of_model in records.values() for at, run in enumerate(of_model.runs)}
    for (pk, figure), of_figure in by_figure.items():
        if figure:
            records[pk].measured[figure] = _measured(of_figure, runs, place)
        else:
            records[pk].kept += [Kept(runs[run], value, kind) for run, _, _, value, _, kind in of_figure]


def _measured(rows: Iterable[Any], runs: Mapping[int, KnownRun], place: Mapping[int, int]) -> Measured:
    run_ids, pk, _, value, verdicts, _ = zip(*rows, strict=True)
    return Measured(
        run=np.array([place[run] for run in run_ids]),
        pk=np.array(pk),
        value=np.array(value, "f8"),
        believed=np.array([verdict not in HELD_OUT for verdict in verdicts])
        & np.array([not runs[run].excluded for run in run_ids]),
    )


@PreparedQuery
def _measured_in() -> _Rows:
    kind = KeyTextTransform("capacity_kind", "parameters")
    measurements = Measurement.objects.filter(Q(workload="capacity") | ~Q(figure=""), AnyOf("run", "runs"))
    return measurements.order_by("run", "position").values_list(
        "run_id", "pk", "figure", "value", "verdict", kind
    )


def _geometry(runs: Mapping[int, KnownRun]) -> list[Read]:
    """Answers about the inside of cards, from runs that count; abstentions are left out."""
    rows = _geometry_of(runs=[run.pk for run in runs.values() if not run.excluded])
    rows.sort(key=lambda row: runs[row[0]].submission)
    return [Read(runs[run], *read) for run, *read in rows]


@PreparedQuery
def _geometry_of() -> _Rows:
    answers = Geometry.objects.filter(AnyOf("run", "runs")).exclude(code="abstained").order_by("pk")
    return answers.values_list("run_id", "quantity", "value", "code", "log_odds")
