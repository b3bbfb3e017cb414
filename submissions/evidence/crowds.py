"""Learn a crowd, load that of the last full fit, and convert a crowd to the document that a fit stores and back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from django.db.models import QuerySet

from submissions.domain.estimation.crowd import Crowd, prior_crowd
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.people import PersonRecord, learn_record
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.evidence import observations
from submissions.evidence.observations import Gathered, Numbers, from_columns
from submissions.models import Fit
from submissions.sql.prepared import PreparedQuery


@dataclass(frozen=True, slots=True, eq=False)
class StoredCrowd:
    """A crowd to estimate by, and the numbers of its hosts.

    `fit` is the id of the full fit, or None for the prior that is used before the first one.
    """

    fit: int | None
    crowd: Crowd
    numbers: Numbers


def current_crowd() -> StoredCrowd:
    """Return the crowd of the last full fit, or the prior before the first; one query, and one more for a new fit."""
    newest = _newest()
    return load_crowd(newest[0]) if newest else make_prior()


@cache
def make_prior() -> StoredCrowd:
    """Return the crowd that is used before the first full fit, and always for simulated cards."""
    return StoredCrowd(None, prior_crowd(make_catalogue(), hosts=0), Numbers({}))


@PreparedQuery
def _newest() -> "QuerySet[Fit, Any]":
    return Fit.objects.order_by("-pk").values_list("pk", flat=True)[:1]


@lru_cache(maxsize=2)
def load_crowd(fit: int) -> StoredCrowd:
    """Load the crowd of a full fit by its id; one query. It is the prior if an older release made the fit."""
    document = Fit.objects.values_list("crowd", flat=True).get(pk=fit)
    return from_document(fit, document) if document else make_prior()


def from_document(fit: int, document: Mapping[str, Any]) -> StoredCrowd:
    """Return the crowd in a document that `to_document` made."""
    hosts = {(kind[0], kind[1], kind[2]): number for number, kind in enumerate(document["hosts"])}
    crowd = Crowd.from_document(document["crowd"], make_catalogue())
    person, model, agrees = document.get("record", ((), (), ()))
    record = PersonRecord(np.array(person, np.int64), np.array(model, np.int64), np.array(agrees, np.bool_))
    return StoredCrowd(fit, crowd, Numbers(hosts, document["month"], record))


def to_document(crowd: Crowd, numbers: Numbers) -> dict[str, Any]:
    """Return a document of the crowd and of its numbers."""
    record = numbers.record
    return {
        "hosts": [list(kind) for kind in sorted(numbers.hosts, key=numbers.hosts.__getitem__)],
        "month": numbers.month,
        "crowd": crowd.to_document(),
        "record": [record.person.tolist(), record.model.tolist(), record.agrees.tolist()],
    }


def learn_crowd(before: StoredCrowd) -> tuple[Gathered, StoredCrowd]:
    """Learn a crowd from all real models, and return it with their evidence; two queries.

    `before` is the last one, by which hosts are compared when people are: the first fit learns one with everybody a
    stranger.
    """
    rows, described = observations.load_all()
    numbers = observations.number_rows(rows, described)
    if before.fit is None:
        before = _learn(from_columns(rows, described, numbers))
    record = _learn_record(from_columns(rows, described, before.numbers), before.crowd)
    gathered = from_columns(rows, described, replace(numbers, record=record))
    return gathered, _learn(gathered)


def _learn(gathered: Gathered) -> StoredCrowd:
    hosts = len(gathered.numbers.hosts)
    return StoredCrowd(None, learn(gathered.evidence, make_catalogue(), hosts=hosts), gathered.numbers)


def _learn_record(gathered: Gathered, crowd: Crowd) -> PersonRecord:
    record = learn_record(gathered.evidence, crowd)
    person, model = gathered.people[record.person], gathered.models[record.model]
    order = np.lexsort((model, person))
    return PersonRecord(person[order], model[order], record.agrees[order])
