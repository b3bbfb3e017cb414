"""What a tester hands in."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from submissions.domain.errors import ReportError
from submissions.domain.pasted import label_of
from submissions.domain.report import MAX_BYTES, Label

LABEL_FIELDS = ("brand", "line", "model_number", "capacity_gb")


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
