"""Define the forms of a submission's owner: for the delete key, and for corrections of label, condition and note."""

from typing import Any

import msgspec
from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.amendment import Amendment
from submissions.domain.pasting.pasted import Claims
from submissions.pages.forms.report_form import OwnerForm


class KeyForm(forms.Form):
    key = forms.CharField(
        label=_("Delete key from the receipt"), max_length=64, widget=forms.TextInput({"autocomplete": "off"})
    )


class ChangeForm(OwnerForm):
    """A form with the fields of a submission that may be corrected, filled with their present values."""

    def __init__(self, data: Any, *, now: Claims) -> None:
        values = msgspec.to_builtins(now)
        beside = {"condition": values.get("condition", ""), "note": values.get("note", "")}
        super().__init__(data, initial=beside | values.get("label", {}))

    def make_amendment(self) -> Amendment:
        """Return an amendment with all fields, even unchanged ones. Raise ReportError if a field is invalid."""
        claims = self.claims()
        return Amendment(
            label=msgspec.to_builtins(claims.label), condition=claims.condition, note=claims.note
        )
