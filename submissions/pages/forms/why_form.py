"""The form that chooses which ability of a model a page explains, and for which device."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking import boards, uses


class WhyForm(forms.Form):
    """The choice of a device and an ability; an address may name a use instead."""

    board = forms.ChoiceField(label=_("Device"), choices=(), required=False)
    ability = forms.ChoiceField(label=_("Ability"), choices=())

    def __init__(self, data: Any) -> None:
        use = uses.all_uses().get(data.get("use", data.get("profile", "")), uses.find_use(uses.DEFAULT))
        super().__init__({"board": data.get("board", ""), "ability": data.get("ability") or use.leading})
        self.fields["board"].choices = [(row.slug, row.title) for row in boards.all_boards().values()]  # type: ignore[attr-defined]
        self.fields["ability"].choices = [(row.name, row.title) for row in ABILITIES.values()]  # type: ignore[attr-defined]

    def wanted_board(self) -> boards.Board:
        """Return the chosen device, or the most usual one."""
        self.is_valid()
        every = boards.all_boards()
        return every.get(self.cleaned_data.get("board", "")) or next(iter(every.values()))

    def wanted_ability(self) -> str:
        """Return the chosen ability, or the usual one if the address has an invalid one; the form shows the error."""
        self.is_valid()
        return str(self.cleaned_data.get("ability") or uses.find_use(uses.DEFAULT).leading)
