"""Load the crowd of the last full fit, and convert a crowd to the document that a fit stores and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from django.db.models import QuerySet

from submissions.domain.estimation.crowd import Crowd, prior_crowd
from submissions.domain.ranking.catalogue import make_catalogue
from submissions.evidence.observations import Numbers
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
    return StoredCrowd(None, prior_crowd(make_catalogue(), hosts=0), Numbers({}, 0))


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
    return StoredCrowd(fit, crowd, Numbers(hosts, document["month"]))


def to_document(crowd: Crowd, numbers: Numbers) -> dict[str, Any]:
    """Return a document of the crowd and of its numbers."""
    return {
        "hosts": [list(kind) for kind in sorted(numbers.hosts, key=numbers.hosts.__getitem__)],
        "month": numbers.month,
        "crowd": crowd.to_document(),
    }
