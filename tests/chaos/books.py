"""Compare the stored results of the site with those of the same reports processed once, in order."""

import math
from typing import Any

import psycopg
from psycopg import sql

from tests.chaos.stack import CLEAN, Stack

# All columns except row ids and times.
_BOOKS = {
    "performances": """
        SELECT model.slug, to_jsonb(performance) FROM submissions_performance performance
        JOIN submissions_cardmodel model ON model.id = performance.card_model_id
        ORDER BY model.slug, performance.slot""",
    "summaries": """
        SELECT model.slug, summary.told FROM submissions_modelsummary summary
        JOIN submissions_cardmodel model ON model.id = summary.card_model_id ORDER BY model.slug""",
    "cards": """
        SELECT card.key, jsonb_build_object('model', model.slug, 'verdict', card.verdict, 'pnm', variant.pnm)
        FROM submissions_card card JOIN submissions_variant variant ON variant.id = card.variant_id
        JOIN submissions_cardmodel model ON model.id = variant.card_model_id ORDER BY card.key""",
    "runs": """
        SELECT submission.public_id,
            jsonb_build_object('card', card.key, 'values', array_agg(measurement.value ORDER BY measurement.position))
        FROM submissions_run run JOIN submissions_submission submission ON submission.id = run.submission_id
        JOIN submissions_card card ON card.id = run.card_id
        JOIN submissions_measurement measurement ON measurement.run_id = run.id
        GROUP BY submission.public_id, card.key ORDER BY submission.public_id""",
}
Book = list[tuple[str, Any]]


def assert_equal_to_a_clean_recomputation(stack: Stack) -> None:
    """Assert that a second estimate by the same fit, and a clean recomputation, give the stored results.

    The recomputation processes copies of the raw reports in an empty database, and compares after a fit of both.
    """
    _assert_not_stale(stack)
    url = stack.environment["DATABASE_URL"].replace("/flashdb?", f"/{CLEAN}?")
    with stack.connect() as source, psycopg.connect(url, autocommit=True) as target:
        _copy_raw_reports(source, target)
    stack.manage("reprocess", database_url=url)
    for each in (url, stack.environment["DATABASE_URL"]):
        stack.manage("refresh_rankings", "--all", database_url=each)
    with stack.connect() as stored, psycopg.connect(url) as clean:
        for name, query in _BOOKS.items():
            _assert_same(name, _book(stored, query), _book(clean, query))


def _assert_not_stale(stack: Stack) -> None:
    # This comes first, because a full fit would repair estimates that were skipped.
    with stack.connect() as connection:
        left = {name: _book(connection, query) for name, query in _BOOKS.items()}
    stack.manage("refresh_rankings", database_url=stack.environment["DATABASE_URL"])
    with stack.connect() as connection:
        for name, query in _BOOKS.items():
            _assert_same(f"{name}, as the workers left them,", left[name], _book(connection, query))


def _copy_raw_reports(source: psycopg.Connection, target: psycopg.Connection) -> None:
    # Copies the reports in the state in which they were received; none is processed.
    described = target.execute("SELECT * FROM submissions_submission LIMIT 0").description or ()
    columns = ", ".join(column.name for column in described)
    kept = "WHERE reason_code <> 'processing_failed'"
    select = sql.SQL(f"COPY (SELECT {columns} FROM submissions_submission {kept}) TO STDOUT")
    insert = sql.SQL(f"COPY submissions_submission ({columns}) FROM STDIN")
    with source.cursor().copy(select) as taken, target.cursor().copy(insert) as given:
        for block in taken:
            given.write(block)
    target.execute("UPDATE submissions_submission SET state = 'received', finished_at = NULL, attempts = 0")


def _book(connection: psycopg.Connection, query: str) -> Book:
    rows = connection.execute(query).fetchall()
    return [(key, _lasting(row)) for key, row in rows]


def _lasting(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.endswith(("id", "_at", "since"))}


def _assert_same(name: str, stored: Book, clean: Book) -> None:
    one_side, other_side = {key for key, _ in stored}, {key for key, _ in clean}
    assert one_side == other_side, (
        f"{name}: only stored {one_side - other_side}, missing {other_side - one_side}"
    )
    for (key, one), (_, other) in zip(stored, clean, strict=True):
        assert _close(one, other), f"{name} of {key}: {one} is stored, {other} is right"


def _close(one: Any, other: Any) -> bool:
    """Return whether two values are equal, even if sums taken in another order differ in their last digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_close(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_close, one, other))
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9)
    return bool(one == other)
