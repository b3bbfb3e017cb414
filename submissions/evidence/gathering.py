"""Believable figures of some models, or of all, as evidence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import BigIntegerField, Case, F, Func, Value, When
from django.db.models.functions import Cast

from submissions.domain import report
from submissions.domain.judgement.evidence import Evidence
from submissions.domain.judgement.robust import Floats, Index
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts
from submissions.domain.measuring import host_link
from submissions.domain.ranking import comparable, interfaces
from submissions.evidence.records import KnownRun, Records
from submissions.models import CardModel, Host, Measurement
from submissions.sql import columns

Columns = dict[str, Any]
_OF_RUN = ("model", "signature", "card", "host", "submission", "submitter")
_TYPES = {**dict.fromkeys(("figure", *_OF_RUN), "i8"), "amount": "f8"}
HostType = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """How a full fit numbers what it knows: host id -> number, and for each kind of trait name -> number."""

    hosts: Mapping[int, int]
    traits: Sequence[Mapping[str, int]]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(names) for names in self.traits)


NOTHING = Numbers({}, [{} for _ in comparable.TRAITS])


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Evidence with the ids behind its numbers: its model 0 has the id `models[0]`, its card 0 the id `cards[0]`. A
    signature is the id of a variant. `host_types`: a number for each kind of host, in the order of `numbers.hosts`."""

    evidence: Evidence
    models: Index
    cards: Index
    runs: int
    numbers: Numbers
    host_types: Index


def of_records(known: Sequence[Records], numbers: Numbers) -> Gathered:
    """Of models whose records are at hand, numbered as the last full fit did; what it has not seen is -1."""
    names = {one.model.pk: _traits_of(one.model) for one in known}
    hosts = {run.host.pk: run.host for one in known for run in one.runs}
    return from_rows(_columns(known), names, numbers, {pk: described(host) for pk, host in hosts.items()})


def gather(models: Sequence[int], numbers: Numbers) -> Gathered:
    """The same of these models; three queries."""
    rows = _measured(run__card__variant__card_model__in=models)
    names = _traits(_ids(rows, "model"))
    return from_rows(rows, names, numbers, _hosts(_ids(rows, "host")))


def gather_all() -> Gathered:
    """Of all real models, numbered anew."""
    rows = _measured(run__card__variant__card_model__simulated=False)
    names = _traits(_ids(rows, "model"))
    hosts = _hosts(_ids(rows, "host"))
    kinds = [sorted({one[kind] for one in names.values()} - {""}) for kind in range(len(comparable.TRAITS))]
    traits = [{name: number for number, name in enumerate(kind)} for kind in kinds]
    numbers = Numbers({host: number for number, host in enumerate(sorted(hosts))}, traits)
    return from_rows(rows, names, numbers, hosts)


def traits_of(models: Index, numbers: Numbers) -> Index:
    """What models with these ids have in common with others, numbered as the last full fit did; one query."""
    return _numbered(_traits(np.unique(models).tolist()), models, numbers)


def _measured(**which: object) -> Columns:
    """One row per believable figure; values of figures are positive by rule."""
    names = list(comparable.judged_figures())
    rows = Measurement.objects.rankable().filter(value__gt=0, figure__in=names, **which)
    return columns.columns(rows.order_by().values_list(*_expressions(names).values()), _TYPES)


def _expressions(names: Sequence[str]) -> dict[str, Any]:
    """What is read of each measurement, in the order of `_TYPES`."""
    number = BigIntegerField()
    figure = (When(figure=name, then=Value(at)) for at, name in enumerate(names))
    seen = When(run__card__variant__mid__isnull=False, then=F("run__card__variant_id"))
    return {
        "figure": Cast(Case(*figure, output_field=number), number),
        "model": F("run__card__variant__card_model_id"),
        "signature": Cast(Case(seen, default=Value(-1), output_field=number), number),
        "card": F("run__card_id"),
        "host": F("run__host_id"),
        "submission": F("run__submission_id"),
        "submitter": Func(
            F("run__submission__submitter"), Value(0), function="hashtextextended", output_field=number
        ),
        "amount": F("value"),
    }


def _columns(known: Sequence[Records]) -> Columns:
    """As `_measured`."""
    parts = [part for of_model in known for part in _parts(of_model)]
    return {
        name: np.concatenate([np.zeros(0, kind), *(part[name] for part in parts)])
        for name, kind in _TYPES.items()
    }


def _parts(known: Records) -> Iterator[Columns]:
    """One for each figure of a model."""
    rows = np.array([_of_run(run) for run in known.runs], "i8").reshape(-1, len(_OF_RUN))
    of_runs = dict(zip(_OF_RUN, rows.T, strict=True))
    for number, name in enumerate(comparable.judged_figures()):
        if one := known.measured.get(name):
            told = one.believed & (one.value > 0)
            run = one.run[told]
            own = {"figure": np.full(len(run), number), "amount": one.value[told]}
            yield own | {column: values[run] for column, values in of_runs.items()}


def _of_run(run: KnownRun) -> tuple[int, ...]:
    """As `_OF_RUN`."""
    silicon = run.card.variant
    signature = -1 if silicon.mid is None else silicon.pk
    return silicon.card_model_id, signature, run.card.pk, run.host.pk, run.submission, run.submitter


def _ids(rows: Columns, name: str) -> list[int]:
    found: list[int] = np.unique(rows[name]).tolist()
    return found


def _traits(models: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Model id -> what it has in common with others, in the order of comparable.TRAITS; "" is not known."""
    rows = CardModel.objects.filter(pk__in=models).values_list("pk", "brand", "line", "capacity_gb")
    return {pk: trait_names(brand, line, capacity) for pk, brand, line, capacity in rows}


def _traits_of(model: CardModel) -> tuple[str, ...]:
    return trait_names(model.brand, model.line, model.capacity_gb)


def trait_names(brand: str, line: str, capacity_gb: float | None) -> tuple[str, ...]:
    """What a model has in common with others, in the order of comparable.TRAITS."""
    brand, line = brand.casefold(), line.casefold()
    return brand, f"{brand} {line}" if brand and line else "", f"{capacity_gb:g}" if capacity_gb else ""


@dataclass(frozen=True, slots=True)
class Described:
    log_reach: float
    type: HostType


def _hosts(ids: Sequence[int]) -> dict[int, Described]:
    """Host id -> log of the bytes per second its link reaches in practice (inf: not known), and what kind it is."""
    return {host.pk: described(host) for host in Host.objects.filter(pk__in=ids)}


def described(host: Host) -> Described:
    kind = (host.interface, host.board or host.reader or host.machine, host.bus_mode)
    return Described(
        _log_reach(host.board, host.interface, host.bus_mode, host.clock_hz, host.width_bits), kind
    )


@lru_cache(maxsize=2000)
def _log_reach(board: str, interface: Any, bus_mode: str, clock_hz: int | None, width_bits: Any) -> float:
    mode = report.BusMode(name=bus_mode, clock_hz=clock_hz, width_bits=width_bits)
    link = host_link.of_host(report.Host(board=board, interface=interface, bus_mode=mode), None)
    reach = link.practical_bytes_per_second or interfaces.reach(link.raw_bytes_per_second)
    return math.log(reach) if link.is_stated else math.inf


def from_rows(
    rows: Columns, names: Mapping[int, tuple[str, ...]], numbers: Numbers, hosts: Mapping[int, Described]
) -> Gathered:
    """The same of rows from elsewhere. `rows`: one per believable figure, columns as `_expressions` reads them;
    `names`: model id -> its traits; `hosts`: host id -> what is known of it."""
    models, rows["model"] = np.unique(rows["model"], return_inverse=True)
    cards, rows["card"] = np.unique(rows["card"], return_inverse=True)
    _, rows["submitter"] = np.unique(rows["submitter"], return_inverse=True)
    of_host, host = np.unique(rows["host"], return_inverse=True)
    rows["host"] = np.array([numbers.hosts.get(pk, -1) for pk in of_host.tolist()], dtype=np.int64)[host]
    reach = np.array([hosts[pk].log_reach for pk in of_host.tolist()])[host]
    evidence = Evidence(
        **_by_figure(rows, reach),
        traits=_numbered(names, models, numbers),
        cards=_card_facts(rows, len(cards)),
    )
    runs = len(np.unique(rows["submission"]))
    return Gathered(evidence, models, cards, runs, numbers, _types(hosts, numbers))


def _by_figure(rows: Columns, log_reach: Floats) -> dict[str, Any]:
    """`runs` and `submission` of the evidence."""
    runs, submission = {}, {}
    for number, name in enumerate(comparable.judged_figures()):
        own = np.flatnonzero(rows["figure"] == number)
        if own.size:
            reach = log_reach[own] if comparable.is_linked(name) else np.full(own.size, np.inf)
            runs[name] = Runs(
                **{column: rows[column][own] for column in ("model", "card", "host", "submitter")},
                log_value=comparable.sign(name) * np.log(rows["amount"][own]),
                log_reach=reach,
            )
            submission[name] = rows["submission"][own]
    return {"runs": runs, "submission": submission}


def _card_facts(rows: Columns, cards: int) -> CardFacts:
    """A card belongs to whoever reported it first."""
    order = np.lexsort((rows["submission"], rows["card"]))
    first = order[np.searchsorted(rows["card"][order], np.arange(cards))]
    return CardFacts(rows["model"][first], rows["signature"][first], rows["submitter"][first])


def _numbered(names: Mapping[int, tuple[str, ...]], models: Index, numbers: Numbers) -> Index:
    """Models x kinds of trait; -1 where it is not known or nobody has it in the last full fit."""
    found = [
        [known.get(name, -1) for known, name in zip(numbers.traits, names[pk], strict=True)]
        for pk in models.tolist()
    ]
    return np.array(found, dtype=np.int64).reshape(len(models), len(numbers.traits))


def _types(hosts: Mapping[int, Described], numbers: Numbers) -> Index:
    kinds = {kind: number for number, kind in enumerate(sorted({one.type for one in hosts.values()}))}
    return np.array([kinds[hosts[pk].type] for pk in numbers.hosts if pk in hosts], dtype=np.int64)
