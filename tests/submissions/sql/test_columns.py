"""Columns of numbers are fetched from the database in their stored form; other types are refused."""

import pytest

from submissions.models import Measurement
from submissions.sql import columns
from tests.small_crowd import crowd, process

pytestmark = pytest.mark.django_db


def test_columns_have_the_values_of_the_rows() -> None:
    process(crowd(4))
    found = columns.fetch_queryset(
        Measurement.objects.values_list("pk", "value"), {"pk": "i8", "value": "f8"}
    )

    pairs = zip(found["pk"].tolist(), found["value"].tolist(), strict=True)
    assert sorted(pairs) == sorted(Measurement.objects.values_list("pk", "value"))
    assert {name: column.dtype for name, column in found.items()} == {"pk": "i8", "value": "f8"}


def test_many_rows_come_in_parts() -> None:
    sql = "SELECT n, n / 2.0::float8 FROM generate_series(1, %s::bigint) AS n"
    found = columns.fetch(sql, [25_001], {"n": "i8", "half": "f8"})

    assert sorted(found["n"].tolist()) == list(range(1, 25_002))
    assert (found["half"] * 2 == found["n"]).all()


def test_columns_of_another_type_are_refused() -> None:
    process(crowd(2))
    with pytest.raises(AssertionError, match="another type"):
        columns.fetch_queryset(Measurement.objects.values_list("position"), {"position": "i8"})


def test_nothing_fetched_is_nothing() -> None:
    nothing = columns.fetch_queryset(Measurement.objects.values_list("pk"), {"pk": "i8"})

    assert nothing["pk"].tolist() == []
