"""Indexes that cost every report something are there only where something reads them."""

from typing import Any

import pytest
from django.db import connection

from submissions.evidence import asides, records
from submissions.sql.prepared import PreparedQuery
from tests.small_crowd import crowd, together


@pytest.mark.django_db
def test_a_report_is_entered_into_no_index_that_nobody_reads() -> None:
    """Django adds one for LIKE to every unique text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'submissions_submission'")
        names = [name for (name,) in cursor.fetchall()]
    assert "submission_newest" in names
    assert [name for name in names if name.endswith("_like")] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "values", "index"),
    [
        (asides._readings_of, {"variants": []}, "run_with_readings"),
        (records._measured_in, {"variants": []}, "measurement_describing"),
    ],
)
def test_what_few_rows_have_is_found_by_an_index_of_these_rows(
    query: PreparedQuery, values: dict[str, Any], index: str
) -> None:
    """Whatever the values are: PostgreSQL plans a query once, for any."""
    together(crowd(8))
    sql, _ = query._written[0].with_values(values).as_sql()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute("EXPLAIN (GENERIC_PLAN) " + sql.replace("%s", "$1"))
        assert index in "\n".join(line for (line,) in cursor.fetchall())
