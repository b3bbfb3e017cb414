"""Which makers, and which families of cards, to show."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.identity.makers import BUSES


class MakersForm(forms.Form):
    example = "Kingston, 0x02, TM …"

    bus = forms.ChoiceField(
        label=_("Bus"), required=False, choices=[("", _("both")), *((bus, bus) for bus in BUSES)]
    )
    q = forms.CharField(
        label=_("Contains"), required=False, max_length=100, widget=forms.TextInput({"type": "search"})
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.fields["q"].widget.attrs |= {"placeholder": self.example}

    def wanted(self) -> tuple[str, str]:
        """(words, bus); nonsense in the address counts as nothing."""
        self.is_valid()
        return self.cleaned_data.get("q") or "", self.cleaned_data.get("bus") or ""


class FamiliesForm(MakersForm):
    """By letters of the product name in the CID."""

    example = "SA04G, SC32G …"
