"""Load all data about the cards of some models at once, for all code that describes models.

Data that every run has is loaded as columns of numbers, so that thousands of runs take milliseconds; data that only few
runs or cards have is loaded as rows.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    Expression,
    F,
    FloatField,
    Func,
    Max,
    Min,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce, NullIf

from submissions.domain.estimation.evidence import Floats, Index, Mask
from submissions.domain.estimation.people import KNOWN_SQL
from submissions.domain.geometry import Reading
from submissions.domain.measuring.metrics import FIGURES
from submissions.domain.measuring.plausibility import HELD_OUT
from submissions.domain.ranking.facets import FACETS
from submissions.evidence.sources import PERSON
from submissions.models import Card, CardModel, Geometry, Host, Measurement, Run, Variant
from submissions.models.measurement import DESCRIBING
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery

_Rows = QuerySet[Any, Any]
_NUMBER = BigIntegerField()
_MOST_HOSTS = 20_000
LOST = 2
_KNOWN = f"""
    SELECT {PERSON} FROM submissions_submission s WHERE s.id = ANY(%s) AND s.vouched
    UNION SELECT person FROM submissions_standing
    WHERE fit_id = (SELECT max(id) FROM submissions_fit) AND person = ANY(%s) GROUP BY person HAVING {KNOWN_SQL}
"""
# Column of the facet of a speed class -> the letter before its number on a card, A2.
CLASSES = {facet.column: facet.choices[0][0] for facet in FACETS.values() if facet.kind == "class"}
HOST_COLUMNS = ("id", "board", "machine", "interface", "reader", "bus_mode", "clock_hz", "width_bits")


def submitter_number(path: str) -> Func:
    """Return an SQL expression for the number of a submitter, a 64-bit hash as in `sources.PERSON`."""
    return Func(F(path), Value(0), function="hashtextextended", output_field=BigIntegerField())


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Runs as columns (arrays of equal length), the newest first. Most columns are ids.

    card_number     the first 15 hex digits of the key of the card
    month           when the card was manufactured, as YYYYMM, or 0
    person          a hash of the submitter
    received        microseconds since 1970
    counts          1 if the run is ranked
    tells_health    1 if the card reported its wear
    lost_data       0 if the run tested no capacity, 1 if the card kept everything, LOST if it lost data
    """

    pk: Index
    card: Index
    card_number: Index
    month: Index
    variant: Index
    host: Index
    submission: Index
    person: Index
    received: Index
    counts: Index
    tells_health: Index
    lost_data: Index

    def __len__(self) -> int:
        return len(self.pk)

    def where(self, keep: Mask | Index | slice) -> "Runs":
        return Runs(*(getattr(self, name)[keep] for name in self.__slots__))


class Measured(NamedTuple):
    """The values of one comparable figure as columns (arrays of equal length), the oldest report first.

    `run` is the position in `Records.runs`. Values are in the base unit, or nan. No estimate uses values that are not
    `believed`.
    """

    run: Index
    pk: Index
    value: Floats
    believed: Mask


@dataclass(slots=True)
class CardFacts:
    """The number of cards of a variant, and the months of manufacture of the oldest and the newest card."""

    all: int = 0
    first: str = ""
    last: str = ""


class Records:
    """All data about one model.

    `runs`: the newest first. `cards`: by variant id. `hosts`: by id. `measured`: the values of each comparable figure,
    by its name; `geometry`: readings of the memory inside the cards; both with the oldest report first. `felt`: ids of
    measurements of noticeable delays. `doubts`: the suspicions of each card; `suspicious`: ids of suspicious cards.
    `prices`: the labels that state a price. `classes`: for each card the numbers of the classes that it declares, in
    the order of CLASSES. `units`: the allocation units in bytes that cards declare.
    """

    def __init__(self, model: CardModel, runs: Runs) -> None:
        self.model, self.runs = model, runs
        self.variants, self.cards = list[Variant](), dict[int, CardFacts]()
        self.hosts, self.measured = dict[int, Host](), dict[str, Measured]()
        self.felt, self.geometry = list[int](), list[Reading]()
        self.doubts, self.suspicious = list[list[dict[str, str]]](), list[int]()
        self.prices = list[dict[str, Any]]()
        self.marks, self.forms, self.units = set[str](), set[str](), set[int]()
        self.classes = list[tuple[int | None, ...]]()

    @cached_property
    def known_people(self) -> Index:
        """Return the people of the runs who have a record, or are trusted by the operator; one query, only once."""
        people = np.unique(self.runs.person)
        rows = bulk.fetch_rows(_KNOWN, [self.runs.submission.tolist(), people.tolist()])
        return np.array(rows, np.int64).ravel()


def load_records(card_models: Collection[CardModel]) -> list[Records]:
    """Load all data about the cards of each of these models; a few queries for any number of models."""
    variants = _variants_of(models=[model.pk for model in card_models])
    every = Runs(**_runs_of.columns(_RUN_TYPES, variants=[variant.pk for variant in variants]))
    records = {model.pk: Records(model, every.where(slice(0))) for model in card_models}
    of_variant = {variant.pk: records[variant.card_model_id] for variant in variants}
    every = every.where(np.lexsort((-every.submission, -every.received, _models_of(of_variant, every))))
    for variant in variants:
        of_variant[variant.pk].variants.append(variant)
    _add_runs(of_variant, every)
    _add_cards(of_variant)
    _add_labels(of_variant)
    _add_measured(of_variant, every)
    for variant_id, *columns in _geometry_of(variants=list(of_variant)):
        of_variant[variant_id].geometry.append(Reading(*columns))
    return list(records.values())


@PreparedQuery
def _variants_of() -> _Rows:
    return Variant.objects.filter(AnyOf("card_model", "models")).order_by("pk")


def _number(expression: Any) -> Cast:
    return Cast(expression, _NUMBER)


def _begins(key: str) -> Func:
    template = "('x0' || left(%(expressions)s, 15))::bit(64)::bigint"
    return Func(F(key), template=template, output_field=_NUMBER)


def _month(path: str) -> Coalesce:
    digits = NullIf(Func(F(path), Value("-"), Value(""), function="replace"), Value(""))
    return Coalesce(_number(digits), Value(0))


def _microseconds(path: str) -> Func:
    template = "(extract(epoch FROM %(expressions)s) * 1000000)::bigint"
    return Func(F(path), template=template, output_field=_NUMBER)


_RUN_COLUMNS: dict[str, Expression | F] = {
    "pk": F("pk"),
    "card": F("card_id"),
    "card_number": _begins("card__key"),
    "month": _month("card__manufactured"),
    "variant": F("card__variant_id"),
    "host": F("host_id"),
    "submission": F("submission_id"),
    "person": submitter_number("submission__submitter"),
    "received": _microseconds("submission__received_at"),
    "counts": Case(When(excluded="", then=Value(1)), default=Value(0)),
    "tells_health": Case(When(life_used=None, then=Value(0)), default=Value(1)),
    "lost_data": Case(
        When(lost_data=True, then=Value(LOST)), When(lost_data=False, then=Value(1)), default=Value(0)
    ),
}
_RUN_TYPES = dict.fromkeys(_RUN_COLUMNS, "i8")
assert list(_RUN_COLUMNS) == [column.name for column in fields(Runs)]


@PreparedQuery
def _runs_of() -> _Rows:
    runs = Run.objects.filter(AnyOf("card__variant", "variants"))
    return runs.values_list(*map(_number, _RUN_COLUMNS.values()))


def _add_runs(of_variant: Mapping[int, Records], every: Runs) -> None:
    known = {row[0]: _host(*row) for row in load_hosts(hosts=np.unique(every.host).tolist())}
    for own in group_slices(_models_of(of_variant, every)):
        of_model = of_variant[int(every.variant[own.start])]
        of_model.runs = every.where(own)
        of_model.hosts = {host: known[host] for host in np.unique(of_model.runs.host).tolist()}


@lru_cache(maxsize=_MOST_HOSTS)
def _host(*columns: Any) -> Host:
    return Host(**dict(zip(HOST_COLUMNS, columns, strict=True)))


@PreparedQuery
def load_hosts() -> _Rows:
    return Host.objects.filter(AnyOf("pk", "hosts")).values_list(*HOST_COLUMNS)


def _add_cards(of_variant: Mapping[int, Records]) -> None:
    for variant, *facts in _cards_of(variants=list(of_variant)):
        of_variant[variant].cards[variant] = CardFacts(*facts)
    for variant, card, verdict, suspicions in _doubts_of(variants=list(of_variant)):
        of_variant[variant].doubts.append(suspicions)
        if verdict == "suspicious":
            of_variant[variant].suspicious.append(card)


@PreparedQuery
def _cards_of() -> _Rows:
    dated = NullIf("manufactured", Value(""))
    facts = {
        "all": Count("pk"),
        "first": Coalesce(Min(dated), Value("")),
        "last": Coalesce(Max(dated), Value("")),
    }
    cards = Card.objects.filter(AnyOf("variant", "variants")).order_by()
    return cards.values("variant").annotate(**facts).values_list("variant", *facts)


@PreparedQuery
def _doubts_of() -> _Rows:
    cards = Card.objects.filter(AnyOf("variant", "variants")).exclude(suspicions=[]).order_by("pk")
    return cards.values_list("variant", "pk", "verdict", "suspicions")


def _add_labels(of_variant: Mapping[int, Records]) -> None:
    for variant, label in _labels_with_price(variants=list(of_variant)):
        if label["price"]:
            of_variant[variant].prices.append(label)
    for variant, marks, form, unit, *classes in _labels_with_marks(variants=list(of_variant)):
        of_variant[variant].marks.update(marks or ())
        of_variant[variant].forms.update({form} - {None})
        of_variant[variant].classes.append(tuple(classes))
        of_variant[variant].units.update({unit} - {None})


@PreparedQuery
def _labels_with_price() -> _Rows:
    told = KeyTextTransform("price", "label")
    runs = Run.objects.annotate(told=told).filter(AnyOf("card__variant", "variants"), told__isnull=False)
    return runs.newest_first().values_list("card__variant", "label")


@PreparedQuery
def _labels_with_marks() -> _Rows:
    told = ~Q(label={}) | Q(registers__has_key="ssr")
    runs = Run.objects.filter(told, AnyOf("card__variant", "variants")).order_by().distinct()
    status = KeyTransform("ssr", "registers")
    return runs.values_list(
        *("card__variant", "label__marks", "label__form", KeyTransform("au_size_bytes", status)),
        *(KeyTransform(name, status) for name in CLASSES),
    )


# The number of a figure is its index here; rows without a figure have one of the negative numbers.
_FIGURES = list(FIGURES)
_OF_OLDER_RELEASE, _FELT = -2, -1
_MEASURED_COLUMNS: dict[str, Any] = {
    "run": F("run_id"),
    "pk": F("pk"),
    "figure": Case(
        *(When(figure=name, then=Value(at)) for at, name in enumerate(_FIGURES)),
        When(figure="", then=Value(_FELT)),
        default=Value(_OF_OLDER_RELEASE),
    ),
    "position": F("position"),
    "believed": Case(When(verdict__in=HELD_OUT, then=Value(0)), default=Value(1)),
    "value": Coalesce(F("value"), Value("NaN"), output_field=FloatField()),
}
_MEASURED_TYPES = {name: "f8" if name == "value" else "i8" for name in _MEASURED_COLUMNS}


@PreparedQuery
def _measurements() -> _Rows:
    rows = Measurement.objects.filter(DESCRIBING, AnyOf("run__card__variant", "variants"))
    # A capacity is no figure: findings say how much a card kept.
    figures = rows.exclude(workload="capacity").order_by()
    return figures.values_list(
        *(column if name == "value" else Cast(column, _NUMBER) for name, column in _MEASURED_COLUMNS.items())
    )


def _add_measured(of_variant: Mapping[int, Records], every: Runs) -> None:
    rows = _measurements.columns(_MEASURED_TYPES, variants=list(of_variant))
    read = np.isin(rows["run"], every.pk)  # more may have come since the runs were read
    rows = {name: column[read] for name, column in rows.items()}
    by_pk = np.argsort(every.pk)
    run = by_pk[np.searchsorted(every.pk, rows["run"], sorter=by_pk)]
    model = _models_of(of_variant, every)
    # Runs of a model are consecutive in `every`, and begin here.
    first = np.searchsorted(model, model)
    order = np.lexsort((rows["position"], rows["run"], every.submission[run], rows["figure"], model[run]))
    rows, run = {name: column[order] for name, column in rows.items()}, run[order]
    for own in group_slices(model[run]):
        of_model = of_variant[int(every.variant[run[own.start]])]
        _add_figures(of_model, {name: column[own] for name, column in rows.items()}, (run - first[run])[own])


def _models_of(of_variant: Mapping[int, Records], every: Runs) -> Index:
    variants, number = np.unique(every.variant, return_inverse=True)
    models = [of_variant[variant].model.pk for variant in variants.tolist()]
    return np.array(models, dtype=np.int64)[number]


def group_slices(sorted_ids: Index) -> list[slice]:
    """Return a slice for each group of equal ids in a sorted array."""
    first = np.flatnonzero(np.diff(sorted_ids, prepend=sorted_ids[:1] - 1))
    return [
        slice(*ends) for ends in zip(first.tolist(), [*first[1:].tolist(), len(sorted_ids)], strict=False)
    ]


def _add_figures(of_model: Records, rows: Mapping[str, Any], place: Index) -> None:
    believed = (rows["believed"] == 1) & (of_model.runs.counts[place] == 1)
    for own in group_slices(rows["figure"]):
        figure = int(rows["figure"][own.start])
        columns = (place[own], rows["pk"][own], rows["value"][own], believed[own])
        if figure == _FELT:
            of_model.felt += rows["pk"][own].tolist()
        elif figure >= 0:
            of_model.measured[_FIGURES[figure]] = Measured(*columns)


@PreparedQuery
def _geometry_of() -> _Rows:
    answers = Geometry.objects.filter(AnyOf("run__card__variant", "variants"), run__excluded="")
    told = answers.exclude(code="abstained").order_by("run__submission", "pk")
    submitter = submitter_number("run__submission__submitter")
    return told.values_list(
        "run__card__variant", "run__card", submitter, "quantity", "value", "code", "log_odds"
    )
