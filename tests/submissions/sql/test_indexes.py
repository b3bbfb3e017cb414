"""Indexes that cost every report something are there only where something reads them."""

import pytest
from django.db import connection


@pytest.mark.django_db
def test_a_report_is_entered_into_no_index_that_nobody_reads() -> None:
    """Django adds one for LIKE to every unique text."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'submissions_submission'")
        names = [name for (name,) in cursor.fetchall()]
    assert "submission_newest" in names
    assert [name for name in names if name.endswith("_like")] == []
