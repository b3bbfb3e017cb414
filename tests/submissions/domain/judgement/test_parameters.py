"""Every number says what it means and where it comes from."""

from dataclasses import fields

import pytest

from submissions.domain import tables
from submissions.domain.judgement.parameters import DEFAULTS


@pytest.mark.parametrize("row", tables.rows("judgement"), ids=lambda row: row["name"])
def test_it_says_what_it_means_and_where_it_comes_from(row) -> None:
    assert len(row["meaning"]) > 15
    assert len(row["source"]) > 10
    assert getattr(DEFAULTS, row["name"]) > 0


def test_every_number_has_a_row() -> None:
    assert [row["name"] for row in tables.rows("judgement")] == [number.name for number in fields(DEFAULTS)]
