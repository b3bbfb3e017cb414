"""Define the form for registers to decode."""

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.errors import ReportError
from submissions.domain.intake.readers.registers_dump import LONGEST_TEXT
from submissions.pages.forms.refused import RefusedForm


class DecodeForm(RefusedForm):
    """A form for a text with registers, or the output of a tool, which is not stored."""

    text = forms.CharField(
        label=_("Registers, or what a test printed"),
        strip=False,
        max_length=LONGEST_TEXT,
        error_messages={"required": _("Paste what your card says about itself.")},
        widget=forms.Textarea({"spellcheck": "false", "autocomplete": "off"}),
    )
    label_brand = forms.CharField(label=_("Brand on the label (optional)"), required=False, max_length=200)

    def refuse(self, error: ReportError) -> None:
        """Show an error beside the input of the text, whatever input the error names."""
        self.add_error("text", error.detail)
