"""Columns of numbers are copied as they are stored, and of no other type."""

import pytest

from submissions.models import Measurement, Run
from submissions.sql import copy_columns as copying
from tests.small_crowd import crowd, process

pytestmark = pytest.mark.django_db


def test_copying_refuses_columns_of_another_type() -> None:
    process(crowd(2))
    with pytest.raises(AssertionError, match="another type"):
        copying.copy_queryset(Measurement.objects.values_list("position"), {"position": "i8"})


def test_nothing_copied_is_nothing() -> None:
    assert copying.copy_queryset(Measurement.objects.values_list("pk"), {"pk": "i8"})["pk"].tolist() == []


def test_few_rows_come_as_copied_ones() -> None:
    process(crowd(4))
    figures = "SELECT id, value FROM submissions_measurement WHERE run_id = ANY(%s)"
    for runs in ([], list(Run.objects.values_list("pk", flat=True))):
        few, copied = (
            way(figures, [runs], {"id": "i8", "value": "f8"}) for way in (copying.fetch, copying.copy_sql)
        )
        pairs = [set(zip(rows["id"].tolist(), rows["value"].tolist(), strict=True)) for rows in (few, copied)]
        assert pairs[0] == pairs[1] and bool(pairs[0]) == bool(runs)
        assert {name: column.dtype for name, column in few.items()} == {"id": "i8", "value": "f8"}
    with pytest.raises(AssertionError, match="another type"):
        copying.fetch("SELECT position FROM submissions_measurement", [], {"position": "i8"})
