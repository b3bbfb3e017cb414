"""Gather the believable values of some models, or of all, as evidence for the estimation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from submissions.domain.estimation.evidence import Evidence, Floats, Index, Mask
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.evidence import sources
from submissions.evidence.gathering import Described, HostType, describe_host
from submissions.evidence.records import load_hosts
from submissions.evidence.sources import Columns

_IGNORANCE_OF_STRANGERS = 3
# Rows in this order, so that sums do not depend on how they were read.
_ORDER = ("turn", "figure", "card", "model")


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers of the kinds of hosts in a full fit, and the month up to which it has values (12 * year + month - 1).

    The age of a value is its distance from that month, so that it does not change until the next fit.
    """

    hosts: Mapping[HostType, int]
    month: int


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Evidence, and the ids that belong to its numbers: model 0 has the id `models[0]`, card 0 the id `cards[0]`.

    A signature is the id of the variant of a card, -1 if no register names it. `hosts` has more than `numbers` has: the
    kinds of hosts that the fit does not know.
    """

    evidence: Evidence
    models: Index
    cards: Index
    signatures: Index
    numbers: Numbers
    hosts: Mapping[HostType, int]


def gather(models: Sequence[int], numbers: Numbers) -> Gathered:
    """Gather evidence of these models, with the numbers of the last full fit; two queries."""
    rows = sources.load_models(models, make_catalogue().methods)
    return from_columns(rows, describe_hosts(rows), numbers)


def gather_all() -> Gathered:
    """Gather evidence of all real models, with new numbers; two queries."""
    rows = sources.load_all(make_catalogue().methods)
    kept = sources.mask_judged(rows)
    rows = {name: column[kept] for name, column in rows.items()}
    described = describe_hosts(rows)
    kinds = sorted({host.type for host in described.values()})
    hosts = {kind: number for number, kind in enumerate(kinds)}
    return from_columns(rows, described, Numbers(hosts, int(rows["month"].max(initial=0))))


def describe_hosts(rows: Columns) -> dict[int, Described]:
    """Describe the hosts of the rows by their ids; one query."""
    ids = np.unique(rows["host"]).tolist()
    return {pk: describe_host(tuple(columns)) for pk, *columns in load_hosts(hosts=ids)}


def from_columns(rows: Columns, described: Mapping[int, Described], numbers: Numbers) -> Gathered:
    """Make evidence from columns of believable values, from the database or from a dump."""
    order = np.lexsort([rows[name] for name in _ORDER])
    rows = {name: column[order] for name, column in rows.items()}
    models, model = np.unique(rows["model"], return_inverse=True)
    cards, first, card = np.unique(rows["card"], return_index=True, return_inverse=True)
    hosts = _number_new_hosts(described, numbers.hosts)
    evidence = Evidence(
        models=len(models),
        model=model,
        card=card,
        method=rows["figure"],
        report=rows["submission"],
        **_host_columns(rows, described, hosts),
        **_person_columns(rows),
        age_years=_ages_in_years(rows["month"], numbers.month),
    )
    return Gathered(evidence, models, cards, rows["signature"][first], numbers, hosts)


def _number_new_hosts(
    described: Mapping[int, Described], hosts: Mapping[HostType, int]
) -> dict[HostType, int]:
    new = sorted({host.type for host in described.values()} - hosts.keys())
    return {**hosts, **{kind: -1 - number for number, kind in enumerate(new)}}


def _host_columns(
    rows: Columns, described: Mapping[int, Described], hosts: Mapping[HostType, int]
) -> dict[str, Any]:
    ids, host = np.unique(rows["host"], return_inverse=True)
    of_ids = [described[pk] for pk in ids.tolist()]
    abilities = np.array(make_catalogue().ability_of_method)[rows["figure"]]
    sign, is_linked = (column[abilities] for column in _signs_and_links())
    reach = np.array([of_host.log_reach for of_host in of_ids])[host]
    reach[np.isinf(reach)] = np.nan  # no link is stated
    return {
        "host": np.array([hosts[of_host.type] for of_host in of_ids], dtype=np.int64)[host],
        "log_value": sign * np.log(rows["amount"]),
        "log_reach": np.where(is_linked, reach, np.inf),
    }


@cache
def _signs_and_links() -> tuple[Index, Mask]:
    signs = [ability.sign for ability in ABILITIES.values()]
    links = [ability.is_linked for ability in ABILITIES.values()]
    return np.array(signs), np.array(links)


def _ages_in_years(month: Index, last: int) -> Floats:
    ages: Floats = np.where(month > 0, np.maximum(last - month, 0) / 12, 0.0)
    return ages


def _person_columns(rows: Columns) -> dict[str, Any]:
    return {
        "person": np.unique(rows["submitter"], return_inverse=True)[1],
        "network": rows["network"],
        "week": rows["week"],
        "ignorance": np.where(rows["vouched"] > 0, 0, _IGNORANCE_OF_STRANGERS),
    }
