"""Learn, load and store a crowd: the effects of hosts, methods and people that a full fit learns from all models.

A crowd is stored as a JSON document in a row of Fit, and the record of people in rows of Standing.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
from django.db.models import BigIntegerField, IntegerField, QuerySet
from django.db.models.functions import Cast

from submissions.domain.estimation.crowd import Crowd, prior_crowd
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.parameters import EFFECTS
from submissions.domain.estimation.people import PersonRecord, learn_record
from submissions.domain.estimation.variation import Usual
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.evidence import observations
from submissions.evidence.observations import Gathered, Numbers, from_columns
from submissions.models import Fit, Standing
from submissions.sql import columns
from submissions.sql.prepared import PreparedQuery


class StoredCrowd(NamedTuple):
    """A crowd (effects of hosts and methods) by which models are estimated, with the usual variation among cards.

    `fit` is the id of the full fit, or None for the prior that is used before the first one.
    """

    fit: int | None
    crowd: Crowd
    numbers: Numbers
    usual: Usual


def current_crowd() -> StoredCrowd:
    """Return the effects (crowd) of the last full fit, or a prior before the first; one query, three for a new fit."""
    newest = _newest()
    return load_crowd(newest[0]) if newest else make_prior()


@cache
def make_prior() -> StoredCrowd:
    """Return the effects of hosts and methods that are assumed before the first full fit, and for simulated cards."""
    return make_stored_crowd(prior_crowd(make_catalogue(), hosts=0), Numbers({}))


def make_stored_crowd(crowd: Crowd, numbers: Numbers) -> StoredCrowd:
    """Return a crowd (effects of hosts and methods) that no full fit stored, so its `fit` is None.

    By this crowd no model is flagged as varying, because the usual variation is not known.
    """
    card_variance = crowd.variance[EFFECTS.index("card")].tolist()
    return StoredCrowd(None, crowd, numbers, Usual(tuple(card_variance), (1.0,) * len(card_variance)))


@PreparedQuery
def _newest() -> "QuerySet[Fit, Any]":
    return Fit.objects.order_by("-pk").values_list("pk", flat=True)[:1]


@lru_cache(maxsize=2)
def load_crowd(fit: int) -> StoredCrowd:
    """Return the effects (crowd) that a full fit stored, by the fit's id; the prior if it is too old. Two queries."""
    document = Fit.objects.values_list("crowd", flat=True).get(pk=fit)
    return from_document(fit, document, _load_record(fit)) if document else make_prior()


def _load_record(fit: int) -> PersonRecord:
    agrees = Cast(Cast("agrees", IntegerField()), BigIntegerField())
    rows = Standing.objects.filter(fit=fit).values_list("person", "model", agrees)
    found = columns.fetch_queryset(rows, dict.fromkeys(("person", "model", "agrees"), "i8"))
    return sort_record(PersonRecord(found["person"], found["model"], found["agrees"] > 0))


def sort_record(record: PersonRecord) -> PersonRecord:
    """Return a record (which people agreed with others about which models) in the order that `Numbers` needs.

    It is sorted by person and model.
    """
    order = np.lexsort((record.model, record.person))
    return PersonRecord(record.person[order], record.model[order], record.agrees[order])


def from_document(fit: int, document: Mapping[str, Any], record: PersonRecord) -> StoredCrowd:
    """Return a crowd (effects of hosts and methods) from a JSON document that `to_document` made.

    `record`: which people agreed with others about which models, because the document lacks this.
    """
    hosts = {(kind[0], kind[1], kind[2]): number for number, kind in enumerate(document["hosts"])}
    crowd = Crowd.from_document(document["crowd"], make_catalogue())
    usual = msgspec.convert(document["usual"], Usual)
    return StoredCrowd(fit, crowd, Numbers(hosts, document["month"], record), usual)


def to_document(stored: StoredCrowd) -> dict[str, Any]:
    """Return a crowd as a JSON document: the effects of methods and hosts, the kinds of hosts, and the usual variation.

    The record of people (who agreed with others about which models) is not in the document.
    """
    hosts = stored.numbers.hosts
    return {
        "hosts": [list(kind) for kind in sorted(hosts, key=hosts.__getitem__)],
        "month": stored.numbers.month,
        "crowd": stored.crowd.to_document(),
        "usual": asdict(stored.usual),
    }


def learn_crowd(before: StoredCrowd) -> tuple[Gathered, StoredCrowd]:
    """Learn a crowd (effects of hosts and methods) from all real models; return the evidence and the crowd.

    People are compared after their hosts are corrected by `before`, the crowd of the last fit. The first fit has none,
    so it first learns a crowd for which all people are without a record. Two queries.
    """
    rows, described = observations.load_all()
    numbers = observations.number_hosts(rows, described)
    if before.fit is None:
        before = _learn(from_columns(rows, described, numbers))
    record = _learn_record(from_columns(rows, described, before.numbers), before.crowd)
    gathered = from_columns(rows, described, replace(numbers, record=record))
    return gathered, _learn(gathered)


def _learn(gathered: Gathered) -> StoredCrowd:
    hosts = len(gathered.numbers.hosts)
    return make_stored_crowd(learn(gathered.evidence, make_catalogue(), hosts=hosts), gathered.numbers)


def _learn_record(gathered: Gathered, crowd: Crowd) -> PersonRecord:
    record = learn_record(gathered.evidence, crowd)
    people, models = gathered.people[record.person], gathered.models[record.model]
    return sort_record(PersonRecord(people, models, record.agrees))
