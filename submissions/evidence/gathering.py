"""Gather the believable figures of some models, or of all, as the evidence for the judgement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db.models import QuerySet

from submissions.domain.judgement import reputation
from submissions.domain.judgement.inputs import Evidence
from submissions.domain.judgement.reputation import NOBODY, UNTRUSTED, Record, Voices
from submissions.domain.judgement.robust import Floats, Index
from submissions.domain.judgement.runs import Runs
from submissions.domain.judgement.sides import CardFacts
from submissions.domain.ranking import comparable
from submissions.evidence import sources
from submissions.evidence.hosts import Described, describe_host
from submissions.evidence.records import load_hosts
from submissions.evidence.sources import Columns
from submissions.models import CardModel
from submissions.sql.prepared import AnyOf, PreparedQuery


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbering of a full fit: of hosts by id, and of names for each kind of trait; and its record of people."""

    hosts: Mapping[int, int]
    traits: Sequence[Mapping[str, int]]
    record: Record = NOBODY

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(names) for names in self.traits)


NOTHING = Numbers({}, [{} for _ in comparable.TRAITS])


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Evidence, and the ids that belong to its numbers: model 0 has the id `models[0]`, card 0 the id `cards[0]`.

    A signature is the id of a variant. `runs` and `all_cards` also count runs and cards that were not judged.
    `host_types` is a number for the kind of each host in `numbers.hosts`.
    """

    evidence: Evidence
    models: Index
    cards: Index
    runs: int
    all_cards: int
    numbers: Numbers
    host_types: Index


def gather(models: Sequence[int], numbers: Numbers) -> Gathered:
    """Gather evidence of these models, with the numbers of the last full fit; three queries."""
    rows = sources.load_models(models, list(comparable.judged_figures()))
    names = _traits(_ids(rows, "model"))
    return from_columns(rows, names, numbers, _hosts(_ids(rows, "host")))


def gather_all(before: Record) -> tuple[Gathered, Gathered]:
    """Return the evidence to learn from, and the evidence of all real models, with a new numbering; three queries.

    The first leaves out untrusted people, so that they cannot influence the fit. `before` is the record of the last
    full fit.
    """
    rows = sources.load_all(list(comparable.judged_figures()))
    record = reputation.learn(_voices(rows), before)
    rows["untrusted"] = _mask_untrusted(rows, record)
    runs, all_cards = len(_ids(rows, "submission")), len(_ids(rows, "card"))
    judged = sources.mask_judged(rows)
    rows = {name: column[judged] for name, column in rows.items()}
    names, hosts = _traits(_ids(rows, "model")), _hosts(_ids(rows, "host"))
    rows |= _weigh_voices(_voices(rows), record)
    trusted = rows["level"] > UNTRUSTED
    teaching = {name: column[trusted] for name, column in rows.items()}
    numbers = _numbers_of(teaching, names, record)
    every = replace(from_columns(dict(rows), names, numbers, hosts), runs=runs, all_cards=all_cards)
    return every if trusted.all() else from_columns(teaching, names, numbers, hosts), every


def _mask_untrusted(rows: Columns, record: Record) -> Index:
    untrusted = (rows["vouched"] == 0) & ~np.isin(rows["submitter"], record.trusted_people)
    return untrusted.astype(np.int64)


def _numbers_of(rows: Columns, names: Mapping[int, tuple[str, ...]], record: Record) -> Numbers:
    of_models = [names[pk] for pk in _ids(rows, "model")]
    kinds = [sorted({traits[kind] for traits in of_models} - {""}) for kind in range(len(comparable.TRAITS))]
    traits = [{name: number for number, name in enumerate(kind)} for kind in kinds]
    return Numbers({host: number for number, host in enumerate(_ids(rows, "host"))}, traits, record)


def _voices(rows: Columns) -> Voices:
    linked = np.array([comparable.is_linked(name) for name in comparable.judged_figures()])
    return Voices.of(
        *(rows["figure"], rows["model"], rows["submitter"]),
        np.log(rows["amount"]),
        linked=linked,
        vouched=rows["vouched"] > 0,
    )


def _weigh_voices(voices: Voices, record: Record) -> Columns:
    level, reliability = reputation.trust_levels(voices, record)
    belief = reputation.beliefs(voices, level, reliability)
    return {"level": level[voices.of_row], "belief": belief[voices.of_row]}


def _ids(rows: Columns, name: str) -> list[int]:
    return np.unique(rows[name]).tolist()


def _traits(models: Sequence[int]) -> dict[int, tuple[str, ...]]:
    return {
        pk: trait_names(brand, line, capacity) for pk, brand, line, capacity in _models_of(pks=list(models))
    }


@PreparedQuery
def _models_of() -> "QuerySet[CardModel, Any]":
    return CardModel.objects.filter(AnyOf("pk", "pks")).values_list("pk", "brand", "line", "capacity_gb")


def trait_names(brand: str, line: str, capacity_gb: float | None) -> tuple[str, ...]:
    """Return the traits that a model shares with others, in the order of comparable.TRAITS."""
    brand, line = brand.casefold(), line.casefold()
    return brand, f"{brand} {line}" if brand and line else "", f"{capacity_gb:g}" if capacity_gb else ""


def _hosts(ids: Sequence[int]) -> dict[int, Described]:
    """Return the kind of each host, and the log of the bytes per second that its link allows (inf if not known)."""
    return {pk: describe_host(tuple(columns)) for pk, *columns in load_hosts(hosts=list(ids))}


def from_columns(
    rows: Columns, names: Mapping[int, tuple[str, ...]], numbers: Numbers, hosts: Mapping[int, Described]
) -> Gathered:
    """Make evidence from the columns of believable figures, from the database or from a dump.

    `rows` has the columns of `sources.COLUMNS`, and may have those of `_weigh_voices`. `names` are traits by model id.
    """
    if "level" not in rows:
        rows |= _weigh_voices(_voices(rows), numbers.record)
    models, rows["model"] = np.unique(rows["model"], return_inverse=True)
    cards, rows["card"] = np.unique(rows["card"], return_inverse=True)
    _, rows["submitter"] = np.unique(rows["submitter"], return_inverse=True)
    of_host, host = np.unique(rows["host"], return_inverse=True)
    new = -1 - np.arange(len(of_host))
    known = [numbers.hosts.get(pk, fresh) for pk, fresh in zip(of_host.tolist(), new.tolist(), strict=True)]
    rows["host"] = np.array(known, dtype=np.int64)[host]
    reach = np.array([hosts[pk].log_reach for pk in of_host.tolist()])[host]
    evidence = Evidence(
        **_split_by_figure(rows, reach),
        traits=_number_traits(names, models, numbers),
        cards=_card_facts(rows, len(cards)),
    )
    runs = len(_ids(rows, "submission"))
    return Gathered(evidence, models, cards, runs, len(cards), numbers, _types(hosts, numbers))


def _split_by_figure(rows: Columns, log_reach: Floats) -> dict[str, Any]:
    runs, submission, level = {}, {}, {}
    for number, name in enumerate(comparable.judged_figures()):
        own = np.flatnonzero(rows["figure"] == number)
        if own.size:
            reach = log_reach[own] if comparable.is_linked(name) else np.full(own.size, np.inf)
            runs[name] = Runs(
                **{column: rows[column][own] for column in ("model", "card", "host", "submitter")},
                log_value=comparable.sign(name) * np.log(rows["amount"][own]),
                log_reach=reach,
                belief=rows["belief"][own],
            )
            submission[name], level[name] = rows["submission"][own], rows["level"][own]
    return {"runs": runs, "submission": submission, "level": level}


def _card_facts(rows: Columns, cards: int) -> CardFacts:
    order = np.lexsort((rows["submission"], rows["card"]))
    first = order[np.searchsorted(rows["card"][order], np.arange(cards))]
    columns = (rows["model"][first], rows["signature"][first], rows["submitter"][first])
    return CardFacts(*columns, rows["level"][first] > UNTRUSTED)


def _number_traits(names: Mapping[int, tuple[str, ...]], models: Index, numbers: Numbers) -> Index:
    """Return the numbers of traits, a row for each model; -1 if a trait is not known, or not in the last full fit."""
    rows = [
        [of_kind.get(name, -1) for of_kind, name in zip(numbers.traits, names[pk], strict=True)]
        for pk in models.tolist()
    ]
    return np.array(rows, dtype=np.int64).reshape(len(models), len(numbers.traits))


def _types(hosts: Mapping[int, Described], numbers: Numbers) -> Index:
    kinds = {kind: number for number, kind in enumerate(sorted({host.type for host in hosts.values()}))}
    return np.array([kinds[hosts[pk].type] for pk in numbers.hosts if pk in hosts], dtype=np.int64)
