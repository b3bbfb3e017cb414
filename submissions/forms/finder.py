"""What a buyer looks for."""

from dataclasses import dataclass
from typing import Any

from django import forms

from submissions.domain import interfaces, profiles
from submissions.domain.profiles import Profile

_CHOICES = [(one.name, one.title) for one in interfaces.all_interfaces().values()]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the finder is asked for."""

    profile: Profile
    interface: str
    words: str


class FinderForm(forms.Form):
    profile = forms.ChoiceField(label="Used as", required=False, choices=())
    interface = forms.ChoiceField(label="In a slot of", required=False, choices=_CHOICES)
    q = forms.CharField(label="Name contains", required=False, max_length=100, strip=True)

    def __init__(self, data: Any) -> None:
        defaults = {"profile": profiles.DEFAULT, "interface": interfaces.DEFAULT}
        super().__init__(defaults | {name: value for name, value in data.items() if value})
        choices = [(profile.name, profile.title) for profile in profiles.all_profiles().values()]
        self.fields["profile"].choices = choices  # type: ignore[attr-defined]
        self.fields["q"].widget.attrs |= {"type": "search", "placeholder": "SanDisk 64, SA04G …"}

    def wanted(self) -> Wanted:
        """The wish, with defaults where the address holds nonsense; the form shows its errors beside the fields."""
        self.is_valid()
        given = self.cleaned_data
        return Wanted(
            profile=profiles.all_profiles()[given.get("profile") or profiles.DEFAULT],
            interface=given.get("interface") or interfaces.DEFAULT,
            words=given.get("q") or "",
        )
