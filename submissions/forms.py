"""What visitors fill in. Every choice is in the address, so a page can be shared."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from submissions.domain import profiles
from submissions.domain.errors import ReportError
from submissions.domain.formats.registers_dump import LONGEST_TEXT
from submissions.domain.maker_search import BUSES
from submissions.domain.pasted import label_of
from submissions.domain.profiles import Profile
from submissions.domain.report import MAX_BYTES, Label
from submissions.models.ranking import INTERFACES

LABEL_FIELDS = ("brand", "line", "model_number", "capacity_gb")

# A finder is about real cards; the first choice is the default.
_CHOICES = [(name, title) for name, title in INTERFACES.items() if name != "simulated"]
_DEFAULT_INTERFACE = _CHOICES[0][0]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the finder is asked for."""

    profile: Profile
    interface: str
    words: str


class FinderForm(forms.Form):
    profile = forms.ChoiceField(label="Used as", required=False, choices=())
    interface = forms.ChoiceField(label="Measured", required=False, choices=_CHOICES)
    q = forms.CharField(label="Name contains", required=False, max_length=100, strip=True)

    def __init__(self, data: Any) -> None:
        defaults = {"profile": profiles.DEFAULT, "interface": _DEFAULT_INTERFACE}
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
            interface=given.get("interface") or _DEFAULT_INTERFACE,
            words=given.get("q") or "",
        )


class ReportForm(forms.Form):
    """A report, or what another tool printed, with what the label on the card says."""

    text = forms.CharField(
        label="Report, or the output of flashbench, fio, dd, f3 and others",
        required=False,
        strip=False,
        max_length=MAX_BYTES,
        widget=forms.Textarea({"rows": 12, "spellcheck": "false", "autocomplete": "off"}),
    )
    file = forms.FileField(label="or a file", required=False)
    brand = forms.CharField(label="Brand on the label", required=False, max_length=200)
    line = forms.CharField(label="Product line", required=False, max_length=200)
    model_number = forms.CharField(label="Model number", required=False, max_length=200)
    capacity_gb = forms.FloatField(label="Capacity in GB", required=False, min_value=0)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not given.get("file") and not (given.get("text") or "").strip():
            raise forms.ValidationError("Paste a report or the output of a tool, or choose a file.")
        return given

    def handed_in(self) -> bytes:
        """The bytes that were handed in; a file wins over text."""
        file: UploadedFile | None = self.cleaned_data.get("file")
        if file is None:
            return self.cleaned_data["text"].encode()
        file.seek(0)
        return file.read(MAX_BYTES + 1)

    def label(self) -> Label:
        """What the label says. Raises ReportError."""
        return label_of({name: self.cleaned_data.get(name) for name in LABEL_FIELDS})

    def keep_file_as_text(self) -> None:
        """A browser does not send a file twice: what is looked at first is put where it can be sent from."""
        self.data = dict(self.data.items()) | {"text": self.handed_in().decode(errors="replace")}

    def refuse(self, error: ReportError) -> None:
        """Show why the report cannot be taken."""
        place = f" (at {error.field})" if error.field else ""
        self.add_error(None, f"{error.detail}{place}")


class DecodeForm(forms.Form):
    """Text in which registers stand. Nothing of it is kept."""

    text = forms.CharField(
        label="Registers, or the output they stand in",
        strip=False,
        max_length=LONGEST_TEXT,
        error_messages={"required": "Paste the registers of a card."},
        widget=forms.Textarea({"rows": 9, "spellcheck": "false", "autocomplete": "off"}),
    )
    label_brand = forms.CharField(label="Brand on the label, if you like", required=False, max_length=200)

    def refuse(self, error: ReportError) -> None:
        """Show why nothing can be read."""
        self.add_error("text", error.detail)


class MakersForm(forms.Form):
    bus = forms.ChoiceField(
        label="Bus", required=False, choices=[("", "both"), *((bus, bus) for bus in BUSES)]
    )
    q = forms.CharField(label="Contains", required=False, max_length=100, strip=True)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.fields["q"].widget.attrs |= {"type": "search", "placeholder": "Kingston, 0x02, TM …"}

    def wanted(self) -> tuple[str, str]:
        """(words, bus); nonsense in the address counts as nothing."""
        self.is_valid()
        return self.cleaned_data.get("q") or "", self.cleaned_data.get("bus") or ""
