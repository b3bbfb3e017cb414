"""Compare a full fit that reads from the replica with one that reads from the primary."""

import math
from collections.abc import Iterator
from typing import Any

import psycopg

from tests.chaos.load import Load, report
from tests.replica.pair import Pair

_TOLERANCE = 1e-9
_FIRST = 2 * 10**8
_OBSERVATIONS = "SELECT count(*) FROM submissions_observation"


def compare_fits(pair: Pair, load: Load, *, reports: int) -> None:
    """Raise AssertionError if the two fits of some new reports differ in any number by more than 1e-9 of its value."""
    for number in range(_FIRST, _FIRST + reports):
        load.hand_in(number, report(number))
    pair.eventually(lambda: _have_same_rows(pair, reports), "the replica has all observations")
    by_replica, by_primary = (_fit(pair, replica) for replica in (pair.standby_url, ""))
    pair.environment["REPLICA_URL"] = pair.standby_url
    numbers, others = (list(_list_values(document)) for document in (by_replica, by_primary))
    assert len(numbers) == len(others) > reports
    for one, other in zip(numbers, others, strict=True):
        assert one == other or math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE), (one, other)


def _have_same_rows(pair: Pair, reports: int) -> bool:
    with pair.connect() as primary, psycopg.connect(pair.standby_url) as replica:
        counts = [connection.execute(_OBSERVATIONS).fetchall() for connection in (primary, replica)]
    return counts[0] == counts[1] and counts[0][0][0] >= reports


def _fit(pair: Pair, replica_url: str) -> Any:
    pair.environment["REPLICA_URL"] = replica_url
    pair.manage("refresh_rankings", "--all")
    with pair.connect() as connection:
        ((fit,),) = connection.execute(
            "SELECT crowd FROM submissions_fit ORDER BY id DESC LIMIT 1"
        ).fetchall()
        ranked = connection.execute(
            "SELECT means, sds FROM submissions_performance ORDER BY card_model_id, slot"
        )
        return [fit, ranked.fetchall()]


def _list_values(document: Any) -> Iterator[Any]:
    # Every number, name and None of nested lists and dictionaries, in a fixed order.
    if isinstance(document, dict):
        document = [value for item in sorted(document.items()) for value in item]
    if isinstance(document, list | tuple):
        for part in document:
            yield from _list_values(part)
    else:
        yield document
