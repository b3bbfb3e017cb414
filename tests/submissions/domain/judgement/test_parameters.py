"""Every number says what it means and where it comes from."""

from dataclasses import fields

import pytest

from submissions.domain.judgement.parameters import DEFAULTS


@pytest.mark.parametrize("field", fields(DEFAULTS), ids=lambda field: field.name)
def test_it_says_what_it_means_and_where_it_comes_from(field) -> None:
    assert len(field.metadata["meaning"]) > 15
    assert len(field.metadata["source"]) > 10
    assert getattr(DEFAULTS, field.name) > 0
