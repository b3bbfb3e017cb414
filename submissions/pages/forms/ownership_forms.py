"""The forms of an owner: the delete key, and corrections of label, condition and note."""

from typing import Any

import msgspec
from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.amendment import Amendment
from submissions.domain.pasting.pasted import Claims
from submissions.pages.forms.report_form import SaidForm


class KeyForm(forms.Form):
    key = forms.CharField(
        label=_("Delete key of the receipt"), max_length=64, widget=forms.TextInput({"autocomplete": "off"})
    )


class ChangeForm(SaidForm):
    """Everything that may be corrected, as it is now."""

    def __init__(self, data: Any, *, now: Claims) -> None:
        values = msgspec.to_builtins(now)
        beside = {"condition": values.get("condition", ""), "note": values.get("note", "")}
        super().__init__(data, initial=beside | values.get("label", {}))

    def amendment(self) -> Amendment:
        """All of it, also what was left as it was. Raises ReportError."""
        claims = self.claims()
        return Amendment(
            label=msgspec.to_builtins(claims.label), condition=claims.condition, note=claims.note
        )
