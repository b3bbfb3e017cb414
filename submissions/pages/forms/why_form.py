"""Define the form that chooses the ability of a model that a page explains."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking import uses


class WhyForm(forms.Form):
    """A form for the choice of an ability; the URL may name a use instead."""

    ability = forms.ChoiceField(label=_("Ability"), choices=())

    def __init__(self, data: Any) -> None:
        use = uses.all_uses().get(data.get("use", data.get("profile", "")), uses.find_use(uses.DEFAULT))
        super().__init__({"ability": data.get("ability") or use.leading})
        self.fields["ability"].choices = [(row.name, row.title) for row in ABILITIES.values()]  # type: ignore[attr-defined]

    def wanted_ability(self) -> str:
        """Return the chosen ability, or the usual ability if the choice is invalid; the form then shows an error."""
        self.is_valid()
        return str(self.cleaned_data.get("ability") or uses.find_use(uses.DEFAULT).leading)
