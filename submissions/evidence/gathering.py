"""Believable figures of some models, or of all, as evidence."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from submissions.domain import report
from submissions.domain.judgement.inputs import Evidence
from submissions.domain.judgement.robust import Floats, Index
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts
from submissions.domain.measuring import host_link
from submissions.domain.ranking import comparable, interfaces
from submissions.evidence import sources
from submissions.evidence.records import Records
from submissions.evidence.sources import Columns
from submissions.models import CardModel, Host

HostType = tuple[str, str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """How a full fit numbers hosts and traits: host id -> number, and for each kind of trait name -> number."""

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


def of_records(records: Sequence[Records], numbers: Numbers) -> Gathered:
    """Evidence of models whose records are at hand, numbered as the last full fit did; what it has not seen is -1."""
    names = {of_model.model.pk: _traits_of(of_model.model) for of_model in records}
    hosts = {run.host.pk: run.host for of_model in records for run in of_model.runs}
    described_hosts = {pk: described(host) for pk, host in hosts.items()}
    return from_columns(sources.of_records(records), names, numbers, described_hosts)


def gather(models: Sequence[int], numbers: Numbers) -> Gathered:
    """Evidence of these models, numbered as the last full fit did; three queries."""
    rows = sources.measured(run__card__variant__card_model__in=models)
    names = _traits(_ids(rows, "model"))
    return from_columns(rows, names, numbers, _hosts(_ids(rows, "host")))


def gather_all() -> Gathered:
    """Evidence of all real models, numbered anew; three queries."""
    rows = sources.measured(run__card__variant__card_model__simulated=False)
    names = _traits(_ids(rows, "model"))
    hosts = _hosts(_ids(rows, "host"))
    kinds = [
        sorted({traits[kind] for traits in names.values()} - {""}) for kind in range(len(comparable.TRAITS))
    ]
    traits = [{name: number for number, name in enumerate(kind)} for kind in kinds]
    numbers = Numbers({host: number for number, host in enumerate(sorted(hosts))}, traits)
    return from_columns(rows, names, numbers, hosts)


def traits_of(models: Index, numbers: Numbers) -> Index:
    """What models with these ids have in common with others, numbered as the last full fit did; one query."""
    return _numbered(_traits(np.unique(models).tolist()), models, numbers)


def _ids(rows: Columns, name: str) -> list[int]:
    ids: list[int] = np.unique(rows[name]).tolist()
    return ids


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


def from_columns(
    rows: Columns, names: Mapping[int, tuple[str, ...]], numbers: Numbers, hosts: Mapping[int, Described]
) -> Gathered:
    """Evidence from a row for each believable figure, wherever the rows were read. `rows`: the columns of
    `sources.COLUMNS`; `names`: model id -> its traits; `hosts`: host id -> its link and its kind."""
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
    """Model and silicon of each card; its submitter is the one of its first report."""
    order = np.lexsort((rows["submission"], rows["card"]))
    first = order[np.searchsorted(rows["card"][order], np.arange(cards))]
    return CardFacts(rows["model"][first], rows["signature"][first], rows["submitter"][first])


def _numbered(names: Mapping[int, tuple[str, ...]], models: Index, numbers: Numbers) -> Index:
    """Models x kinds of trait; -1 where the trait is not known, or no model had it in the last full fit."""
    rows = [
        [of_kind.get(name, -1) for of_kind, name in zip(numbers.traits, names[pk], strict=True)]
        for pk in models.tolist()
    ]
    return np.array(rows, dtype=np.int64).reshape(len(models), len(numbers.traits))


def _types(hosts: Mapping[int, Described], numbers: Numbers) -> Index:
    kinds = {kind: number for number, kind in enumerate(sorted({host.type for host in hosts.values()}))}
    return np.array([kinds[hosts[pk].type] for pk in numbers.hosts if pk in hosts], dtype=np.int64)
