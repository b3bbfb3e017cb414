"""Which score is to be explained."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.ranking import interfaces, uses
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.uses import Profile


class WhyForm(forms.Form):
    profile = forms.ChoiceField(label=_("Used as"), choices=())
    interface = forms.ChoiceField(label=_("In a slot of"), choices=())

    def __init__(self, data: Any) -> None:
        defaults = {"profile": uses.DEFAULT, "interface": interfaces.DEFAULT}
        super().__init__(defaults | {name: value for name, value in data.items() if value})
        choices = {"profile": uses.all_profiles(), "interface": interfaces.all_interfaces()}
        for name, rows in choices.items():
            self.fields[name].choices = [(row.name, row.title) for row in rows.values()]  # type: ignore[attr-defined]

    def wanted(self) -> tuple[Profile, Interface]:
        """Defaults where the address holds nonsense; the form shows its errors beside the fields."""
        self.is_valid()
        cleaned = self.cleaned_data
        return (
            uses.find(cleaned.get("profile") or uses.DEFAULT),
            interfaces.find(cleaned.get("interface") or interfaces.DEFAULT),
        )
