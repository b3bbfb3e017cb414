"""In the form that takes over a submission, an error is shown beside the wrong field."""

import pytest

from submissions.domain.errors import ReportError
from submissions.pages.forms.account_forms import AdoptForm


@pytest.mark.parametrize("field", ["key", "public_id"])
def test_a_refusal_stands_beside_its_field(field: str) -> None:
    form = AdoptForm({"public_id": "abcdefghjkmn", "key": "0" * 32})
    assert form.is_valid()
    form.refuse(ReportError("it is not yours", field=field, code="refused"))
    assert form.errors == {field: ["it is not yours"]}
