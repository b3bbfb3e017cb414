"""Measure the latency of submitting, the finder, a model page and an API list with more and more runs stored.

A few hundred reports are sent; their rows are then multiplied inside the database: first to more models, and from
MOST_MODELS on to more cards of each. RUNS="10000 200000 2000000" chooses other sizes; each run has MEASUREMENTS.
"""

import os
import time
from functools import partial
from importlib import import_module
from statistics import median

import psycopg

from tests.bench.live import VISITOR, ask, connect, manage, measure_calls, ms, percentile, say, time_call, web
from tests.bench.server import SUBMIT, pages, report

SIZES = [int(size) for size in os.environ.get("RUNS", "10000 200000 2000000").split()]
SEED_RUNS, MEASUREMENTS = 500, 4
MOST_MODELS = 20_000
READS, SUBMISSIONS, WARM_UP = 100, 200, 16
_BATCH = 2_000_000
# Copies measurements into the observations, which the judgement reads.
# A migration created the column under its former name.
COPY = import_module("submissions.migrations.0026_observe_what_is_stored").COPY.replace(
    "stranger", "untrusted"
)

# Table -> columns with other values in a copy; {id} is its id. Ids, and references to them, grow by a step per copy.
_UNIQUE = {
    "cardmodel": {"slug": "slug || '-' || {id}", "name": "name || ' ' || {id}"},
    "variant": {},
    "card": {"key": "substr(md5(key || {id}), 1, 24)"},
    "submission": {
        "public_id": "substr(md5(public_id || {id}), 1, 12)",
        "uuid": "gen_random_uuid()",
        "content_hash": "md5(content_hash || {id}) || md5({id} || content_hash)",
        "submitter": "substr(md5(submitter || k), 1, 24)",
        "body": "'{{}}'",
    },
    # The bodies are empty, so no repeated report is recognized among the copies.
    "run": {"result": "'{{}}'"},
    "measurement": {},
    "performance": {},
    "abilityestimate": {},
}
_MODELS = ("cardmodel", "variant", "performance", "abilityestimate")
# The copies have no estimates, so the model of the measured page must be updated for its cards.
_JUDGE = """
from django.db import transaction
from submissions.writing import filing, scoring
from submissions.models import CardModel
with transaction.atomic():
    filing.lock_names()
    scoring.refresh(CardModel.objects.order_by("pk").values_list("pk", flat=True)[:1])
"""


def main() -> None:
    manage("migrate", "-v0")
    base: dict[str, float] = {}
    seed()
    for size in SIZES:
        began = time.perf_counter()
        grow(size, most_models=MOST_MODELS)
        manage("shell", "-v0", "-c", _JUDGE)
        say(f"{_describe_stored()} stored; {time.perf_counter() - began:.0f} s of loading")
        with web() as port:
            times = {"submit": _submit(port, size)} | {
                title: _page(port, path) for title, path in pages().items()
            }
        base = base or {title: p50 for title, (p50, _) in times.items()}
        for title, (p50, p99) in times.items():
            say(
                f"  {title}: p50 {ms(p50)}, p99 {ms(p99)}; {p50 / base[title]:.2f} of that with {SIZES[0]:,} runs"
            )


def seed() -> None:
    with web() as port:
        calls = [
            partial(ask, port, SUBMIT, body=report(10**8 + n, measurements=MEASUREMENTS), expected=202)
            for n in range(SEED_RUNS)
        ]
        measure_calls(8, calls)
    manage("reprocess", "-v0")


def _submit(port: int, size: int) -> tuple[float, float]:
    bodies = [report(-size * 10 - number) for number in range(SUBMISSIONS + WARM_UP)]
    times = [time_call(partial(ask, port, SUBMIT, body=body, expected=202)) for body in bodies][WARM_UP:]
    return median(times), percentile(times, 99)


def _page(port: int, path: str) -> tuple[float, float]:
    """Return p50 and p99 in seconds; each request has another Accept header, so that no cached response serves it."""
    calls = [
        partial(ask, port, path, headers=VISITOR | {"Accept": f"*/*, x-v/{number}"})
        for number in range(READS)
    ]
    times = [time_call(call) for call in calls]
    return median(times), percentile(times, 99)


def grow(runs: int, *, most_models: int) -> None:
    """Multiply the stored runs to this number: models first, then the cards of each model."""
    with connect() as connection:
        connection.execute("SET session_replication_role = replica")  # foreign keys hold by construction
        connection.execute("SET synchronous_commit = off")
        models = _count(connection, "cardmodel")
        per_copy = _count(connection, "run")
        wanted = min(runs, most_models * per_copy // models)
        if wanted >= 2 * per_copy:
            _multiply(connection, tuple(_UNIQUE), wanted // per_copy - 1)
        per_copy = _count(connection, "run")
        if runs >= 2 * per_copy:
            rest = tuple(table for table in _UNIQUE if table not in _MODELS)
            _multiply(connection, rest, runs // per_copy - 1)
        connection.execute("RESET session_replication_role")
        connection.execute(COPY)
        connection.execute("ANALYZE")


def _multiply(connection: psycopg.Connection, tables: tuple[str, ...], copies: int) -> None:
    # Every row of these tables is stored `copies` times more.
    steps = {table: _highest(connection, table) for table in tables}
    for table in tables:
        columns = _columns(connection, table)
        chosen = ", ".join(_copy_expression(name, table, steps) for name in columns)
        connection.execute(
            f"INSERT INTO submissions_{table} ({', '.join(columns)}) "
            f"SELECT {chosen} FROM submissions_{table}, generate_series(1, {copies}) AS copy(k)"
        )
        sequence, highest = (
            f"pg_get_serial_sequence('submissions_{table}', 'id')",
            _highest(connection, table),
        )
        connection.execute(f"SELECT setval({sequence}, {highest})")


def _copy_expression(column: str, table: str, steps: dict[str, int]) -> str:
    refers = {"id": table, "card_model_id": "cardmodel"}.get(column, column.removesuffix("_id"))
    if column in _UNIQUE[table]:
        return _UNIQUE[table][column].format(id=f"(id + k * {steps[table]})::text")
    return f"{column} + k * {steps[refers]}" if refers in steps else column


def _columns(connection: psycopg.Connection, table: str) -> list[str]:
    cursor = connection.execute(f"SELECT * FROM submissions_{table} LIMIT 0")
    return [column.name for column in cursor.description or ()]


def _highest(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(f"SELECT coalesce(max(id), 0) FROM submissions_{table}").fetchone()
    return int(row[0]) if row else 0


def _count(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM submissions_{table}").fetchone()
    return int(row[0]) if row else 0


def _describe_stored() -> str:
    with connect() as connection:
        size = connection.execute("SELECT pg_size_pretty(pg_database_size(current_database()))").fetchone()
        counts = {table: _count(connection, table) for table in ("run", "measurement", "cardmodel")}
    runs, measurements, models = counts.values()
    return f"{runs:,} runs, {measurements:,} measurements, {models:,} models, {size[0] if size else '?'}"
