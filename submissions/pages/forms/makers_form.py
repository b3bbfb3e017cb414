"""Define the form that filters the list of makers."""

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.identity.makers import BUSES


class MakersForm(forms.Form):
    bus = forms.ChoiceField(
        label=_("Bus"), required=False, choices=[("", _("both")), *((bus, bus) for bus in BUSES)]
    )
    q = forms.CharField(
        label=_("Contains"),
        required=False,
        max_length=100,
        widget=forms.TextInput({"type": "search", "placeholder": "Kingston, 0x02, TM …"}),
    )

    def read_filter(self) -> tuple[str, str]:
        """Return the words and the bus by which makers are filtered; an invalid field counts as empty."""
        self.is_valid()
        return self.cleaned_data.get("q") or "", self.cleaned_data.get("bus") or ""
