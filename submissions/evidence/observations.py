"""Gather the believable measured values of some models, or of all, as input of the estimation (Evidence)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from submissions.domain.estimation.evidence import Evidence, Index, Mask
from submissions.domain.estimation.people import NO_RECORD, PersonRecord
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.domain.ranking.slots import Slot
from submissions.evidence import sources
from submissions.evidence.hosts import Described, HostType, describe_host
from submissions.evidence.records import load_hosts
from submissions.evidence.sources import Columns

# Rows are sorted by these columns, so that sums do not depend on the order in which they were read.
_ORDER = ("turn", "figure", "card", "model")


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers of a full fit: a number for each kind of host, the month of the newest value, the record of people.

    The record says which people agreed with others about which models; it is sorted by the ids of people and models.
    Months are 12 * year + month - 1. The age of a value is its distance from that month, so the age does not change
    until the next fit.
    """

    hosts: Mapping[HostType, int]
    month: int = 0
    record: PersonRecord = NO_RECORD

    def record_of(self, people: Index) -> PersonRecord:
        """Return the rows about these people in the record (which people agreed with others about which models).

        A binary search finds them, so that the time does not grow with the record.
        """
        first = np.searchsorted(self.record.person, people)
        number = np.searchsorted(self.record.person, people, side="right") - first
        rows = np.repeat(first - np.cumsum(number) + number, number) + np.arange(number.sum())
        return PersonRecord(self.record.person[rows], self.record.model[rows], self.record.agrees[rows])


class Gathered(NamedTuple):
    """Evidence for the estimation, and the database ids that belong to its numbers.

    models, cards, people   ids by number: model 0 of the evidence has the id `models[0]`
    signatures              for each card the id of its variant, -1 if its registers are not known
    new_hosts               the kinds of hosts that the fit does not know, with their numbers below 0
    """

    evidence: Evidence
    models: Index
    cards: Index
    people: Index
    signatures: Index
    numbers: Numbers
    new_hosts: Mapping[HostType, int]

    def find_hosts(self, slot: Slot) -> Index:
        """Return the numbers of the hosts where a measurement counts as made in this slot, ascending."""
        new = [number for kind, number in self.new_hosts.items() if _counts_as(slot, kind)]
        return np.array(sorted(new) + find_known_hosts(self.numbers, slot), dtype=np.int64)


@lru_cache(maxsize=200)
def find_known_hosts(numbers: Numbers, slot: Slot) -> list[int]:
    """Return the numbers of a fit's hosts where a measurement counts as made in this slot, ascending."""
    return [number for kind, number in numbers.hosts.items() if _counts_as(slot, kind)]


def _counts_as(slot: Slot, kind: HostType) -> bool:
    interface, board, _ = kind
    return slot.takes_host(board, interface)


def gather(models: Sequence[int], numbers: Numbers) -> Gathered:
    """Load the believable values of these models as evidence, with the numbers of the last full fit; two queries."""
    rows = sources.load_models(models, make_catalogue().methods)
    return from_columns(rows, describe_hosts(rows), numbers)


def load_all() -> tuple[Columns, dict[int, Described]]:
    """Load the believable values of all real models, and describe their hosts; two queries."""
    rows = sources.load_all(make_catalogue().methods)
    kept = sources.mask_judged(rows)
    rows = {name: column[kept] for name, column in rows.items()}
    return rows, describe_hosts(rows)


def number_hosts(rows: Columns, described: Mapping[int, Described]) -> Numbers:
    """Return numbers for the hosts of these rows and the month for a new fit; the record of people is empty.

    The record says which people agreed with others about which models.
    """
    kinds = sorted({host.type for host in described.values()})
    return Numbers({kind: number for number, kind in enumerate(kinds)}, int(rows["month"].max(initial=0)))


def describe_hosts(rows: Columns) -> dict[int, Described]:
    """Return the hosts of the rows (kind, rate of the bus) by their ids; one query."""
    ids = np.unique(rows["host"]).tolist()
    return {pk: describe_host(tuple(columns)) for pk, *columns in load_hosts(hosts=ids)}


def from_columns(rows: Columns, described: Mapping[int, Described], numbers: Numbers) -> Gathered:
    """Return evidence made of columns of believable values, which come from the database or from a dump."""
    order = np.lexsort([rows[name] for name in _ORDER])
    rows = {name: column[order] for name, column in rows.items()}
    models, model = np.unique(rows["model"], return_inverse=True)
    cards, first, card = np.unique(rows["card"], return_index=True, return_inverse=True)
    people, person = np.unique(rows["submitter"], return_inverse=True)
    kinds = {host.type for host in described.values()}
    new_hosts = {kind: -1 - at for at, kind in enumerate(sorted(kinds - numbers.hosts.keys()))}
    month = rows["month"]
    evidence = Evidence(
        models=len(models),
        model=model,
        card=card,
        method=rows["figure"],
        report=rows["submission"],
        **_host_columns(rows, described, numbers.hosts, new_hosts),
        person=person,
        network=rows["network"],
        week=rows["week"],
        ignorance=_grade_ignorance(rows, numbers),
        age_years=np.where(month > 0, np.maximum(numbers.month - month, 0) / 12, 0.0),
    )
    return Gathered(evidence, models, cards, people, rows["signature"][first], numbers, new_hosts)


def _host_columns(
    rows: Columns,
    described: Mapping[int, Described],
    known: Mapping[HostType, int],
    new: Mapping[HostType, int],
) -> dict[str, Any]:
    ids, host = np.unique(rows["host"], return_inverse=True)
    of_ids = [described[pk] for pk in ids.tolist()]
    numbers = [known[kind] if kind in known else new[kind] for kind in (host.type for host in of_ids)]
    abilities = make_catalogue().find_abilities(rows["figure"])
    sign, is_linked = (column[abilities] for column in _signs_and_links())
    reach = np.array([of_host.log_reach for of_host in of_ids])[host]
    reach[np.isinf(reach)] = np.nan  # no link is stated
    return {
        "host": np.array(numbers, dtype=np.int64)[host],
        "log_value": sign * np.log(rows["amount"]),
        "log_reach": np.where(is_linked, reach, np.inf),
    }


@cache
def _signs_and_links() -> tuple[Index, Mask]:
    signs = [ability.sign for ability in ABILITIES.values()]
    links = [ability.is_linked for ability in ABILITIES.values()]
    return np.array(signs), np.array(links)


def _grade_ignorance(rows: Columns, numbers: Numbers) -> Index:
    record = numbers.record_of(np.unique(rows["submitter"]))
    return record.grade_ignorance(rows["submitter"], rows["model"], rows["vouched"] > 0)
