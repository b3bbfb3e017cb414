"""An index takes time for every report, so it exists only if a query uses it."""

from typing import Any

import pytest
from django.db import connection

from submissions.evidence import asides, records
from submissions.sql.prepared import PreparedQuery
from submissions.writing import holding


@pytest.mark.django_db
def test_a_report_is_entered_into_no_index_that_nobody_reads() -> None:
    """Django adds an index for LIKE to every unique text column."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'submissions_submission'")
        names = [name for (name,) in cursor.fetchall()]
    assert "submission_newest" in names
    assert [name for name in names if name.endswith("_like")] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "table", "column", "index"),
    [
        (asides._findings_of, "submissions_run", "card_id", "run_describing"),
        (records._measurements, "submissions_measurement", "run_id", "measurement_describing"),
    ],
)
def test_an_index_of_few_rows_has_all_that_a_query_asks_for(
    query: PreparedQuery, table: str, column: str, index: str
) -> None:
    """PostgreSQL plans a query once for any values, so it must know that the partial index fits all of them.

    The other indexes are dropped, so that only this one remains to be chosen.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename = %s AND indexname != %s AND indexdef LIKE %s",
            [table, index, f"%({column}%"],
        )
        others = [name for (name,) in cursor.fetchall()]
        assert others
        for name in others:
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT IF EXISTS "{name}"')
            cursor.execute(f'DROP INDEX IF EXISTS "{name}"')
    assert index in plan(query, variants=[])


@pytest.mark.django_db
def test_who_looks_for_a_brand_reads_no_model_without_one() -> None:
    answer = plan(holding._brands_in_order, looks=[])
    assert "model_brand_look" in answer and "Filter" not in answer, answer


def plan(query: PreparedQuery, **values: Any) -> str:
    """Return PostgreSQL's plan of a query for any values.

    Only bitmap scans are allowed, because in an almost empty table PostgreSQL would read any index from end to end.
    """
    sql, _ = query._statement[0].with_values(values).as_sql()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off")
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute("PREPARE asked AS " + sql.replace("%s", "$1"))
        cursor.execute("EXPLAIN EXECUTE asked('{}')")
        lines = cursor.fetchall()
        cursor.execute("DEALLOCATE asked")
        return "\n".join(line for (line,) in lines)
