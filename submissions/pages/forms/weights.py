"""What a reader weighs."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, profiles
from submissions.domain.ranking.interfaces import Interface

MOST = 10


class WeightsForm(forms.Form):
    """A slider per figure, which works without script, too; at first the weights of the default purpose."""

    board = forms.ChoiceField(label=_("In a"), required=False)

    def __init__(self, data: Mapping[str, Any]) -> None:
        query = {name: value for name, value in data.items() if value}
        # A slider without a value would stand in the middle.
        defaults = dict.fromkeys(_figures(), 0) if query.keys() & set(_figures()) else _usual()
        super().__init__({"board": next(iter(boards.all_boards()))} | defaults | query, label_suffix="")
        every = (board for board in boards.all_boards().values() if not board.interface.slot)
        choices = [(board.slug, board.title) for board in every]
        self.fields["board"].choices = choices  # type: ignore[attr-defined]
        for name in _figures():
            self.fields[name] = forms.IntegerField(
                label=metrics.FIGURES[name].title,
                required=False,
                min_value=0,
                max_value=MOST,
                widget=forms.NumberInput({"type": "range", "step": 1}),
            )

    @property
    def sliders(self) -> list[forms.BoundField]:
        return [field for field in self if field.name != "board"]

    def interface(self) -> Interface:
        self.is_valid()
        return self.board_chosen.interface

    @property
    def board_chosen(self) -> boards.Board:
        every = boards.all_boards()
        return every.get(self.cleaned_data.get("board", "")) or next(iter(every.values()))

    def weights(self) -> dict[str, float]:
        """Figure -> weight above zero; empty when everything is weighed by nothing."""
        self.is_valid()
        return {name: float(weight) for name in _figures() if (weight := self.cleaned_data.get(name))}


def _usual() -> dict[str, int]:
    """As the default purpose weighs them."""
    shares = {term.figure: term.share for term in profiles.find(profiles.DEFAULT).terms}
    most = max(shares.values())
    return {name: round(MOST * share / most) for name, share in shares.items()}


def _figures() -> list[str]:
    """Figures that any purpose weighs, in the order of the registry."""
    every = (profile for profile in profiles.all_profiles().values() if not profile.slot)
    weighed = {term.figure for profile in every for term in profile.terms}
    return [name for name in metrics.FIGURES if name in weighed]
