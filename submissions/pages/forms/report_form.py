"""Define the form that submits a report or a pasted text."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import msgspec
from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from submissions.domain.errors import ReportError
from submissions.domain.fields import FORMS, MARKS
from submissions.domain.identity import makers
from submissions.domain.intake.lines import decode
from submissions.domain.pasting.pasted import Claims, answers_in, claims_of
from submissions.domain.report import MAX_BYTES
from submissions.models import CardModel
from submissions.pages.forms.refused import RefusedForm

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FIRST_CARD = "A"
CONDITIONS = {
    "": _("I don’t know"),
    "fresh": _("new, never written"),
    "filled": _("filled before the run"),
    "trimmed": _("erased or trimmed before the run"),
    "used": _("used"),
}


def _line(label: "StrOrPromise", *, suggestions: str = "", **attributes: str) -> forms.CharField:
    options = {"list": suggestions} if suggestions else {}
    widget = forms.TextInput({"autocomplete": "off"} | options | attributes)
    return forms.CharField(label=label, required=False, max_length=200, widget=widget)


# Path in a report -> the input in which people type it.
_TYPED = {"": "text", "text": "text", "card.label.brand": "brand"}


class _TypedForm(RefusedForm):
    def refuse(self, error: ReportError) -> None:
        """Show an error beside the input that caused it, or, if a pasted report did, above the form with its path."""
        name = _TYPED.get(error.field)
        if name in self.fields:
            return self.add_error(name, error.detail)
        place = f" (at {error.field})" if error.field else ""
        self.add_error(None, f"{error.detail}{place}")


class LabelForm(_TypedForm):
    """A form for the name of a card as its label states it."""

    brand = _line(_("Brand on the label"), suggestions="brands")
    line = _line(_("Product line"), suggestions="lines")
    model_number = _line(_("Model number"), suggestions="model-numbers")
    capacity_gb = forms.FloatField(label=_("Capacity in GB"), required=False, min_value=0)
    form = forms.ChoiceField(
        label=_("Form"), required=False, choices=[("", _("I don’t know")), *((form, form) for form in FORMS)]
    )
    ON_LABEL = ("brand", "line", "model_number", "capacity_gb", "form")

    def label_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.ON_LABEL]


class OwnerForm(LabelForm):
    """A form for all statements of an owner about a card: its label, condition, purchase and a note."""

    marks = forms.MultipleChoiceField(
        label=_("Marks printed on it"),
        required=False,
        choices=[(mark, mark) for mark in MARKS],
        widget=forms.CheckboxSelectMultiple,
    )
    condition = forms.ChoiceField(
        label=_("Condition before the test"), required=False, choices=list(CONDITIONS.items())
    )
    bought_at = _line(_("Bought at"))
    bought_on = _line(_("Date of purchase"), placeholder="2024-05")
    price = forms.FloatField(label=_("Price"), required=False, min_value=0)
    currency = _line(_("Currency"), placeholder="EUR", maxlength="3", size="4")
    note = forms.CharField(
        label=_("Note for readers"),
        required=False,
        max_length=4000,
        widget=forms.Textarea({"rows": 2}),
    )

    STORY = ("condition", "bought_at", "bought_on", "price", "currency", "note")
    SAID = (*LabelForm.ON_LABEL, "marks", *STORY)

    def story_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.STORY]

    def tells_story(self) -> bool:
        """Return whether the collapsed part of the form (condition, purchase, note) has a value or an error."""
        return any(field.errors or field.value() for field in self.story_fields())

    def claims(self) -> Claims:
        """Return the statements of the owner, without blank fields. Raise ReportError if a field is invalid."""
        filled = {name: value for name in self.SAID if (value := self.cleaned_data.get(name))}
        if "currency" in filled:
            filled["currency"] = filled["currency"].upper()
        return claims_of(filled)


class TextForm(_TypedForm):
    """A form for a report or the output of a tool, pasted or as a file."""

    text = forms.CharField(
        label=_("Report, or the output of flashbench, fio, dd, f3 or another tool"),
        required=False,
        strip=False,
        max_length=MAX_BYTES,
        widget=forms.Textarea({"rows": 12, "spellcheck": "false", "autocomplete": "off"}),
    )
    file = forms.FileField(label=_("or a file"), required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("file") and not (cleaned.get("text") or "").strip():
            raise forms.ValidationError(_("Paste a report or the output of a tool, or choose a file."))
        return cleaned

    def read_content(self) -> bytes:
        """Return the submitted bytes; a file takes precedence over the text. Read at most MAX_BYTES + 1 bytes."""
        file: UploadedFile | None = self.cleaned_data.get("file")
        if file is None:
            return self.cleaned_data["text"].encode()
        file.seek(0)
        return file.read(MAX_BYTES + 1)

    def keep_file_as_text(self) -> None:
        """Copy an uploaded file into the text field, because a browser does not send a file twice."""
        data = cast(QueryDict, self.data).copy()
        data["text"] = decode(self.read_content())
        self.data = data


class ReportForm(TextForm, OwnerForm):
    """A form for a report, or the output of another tool, with the statements of the owner.

    For a text about several cards there is a label form for each further card, with the letter of the card as prefix.
    """

    def claims_of_card(self, card: str) -> Claims:
        """Return the owner's statements about the card with this letter. Raise ReportError if a field is invalid."""
        own = self.claims() if card in ("", FIRST_CARD) else self._claims_of_other(card)
        return msgspec.structs.replace(own, answers=answers_in(dict(self.data.items())))

    def label_form(self, card: str) -> LabelForm:
        return LabelForm(self.data, prefix=card, auto_id=f"id_{card}_%s")

    def _claims_of_other(self, card: str) -> Claims:
        form = self.label_form(card)
        form.is_valid()
        return claims_of({name: value for name, value in form.cleaned_data.items() if value})


def suggestions() -> dict[str, list[str]]:
    """Return sorted suggestions for brand, line and model number, from data tables and labels of cards; one query."""
    printed = CardModel.objects.printed_names()
    return {
        "brands": _each([*makers.brands(), *(brand for brand, _, _ in printed)]),
        "lines": _each(line for _, line, _ in printed),
        "model-numbers": _each(number for _, _, number in printed),
    }


def _each(names: Iterable[str]) -> list[str]:
    spellings = {name.casefold(): name for name in sorted(names) if name}  # of each name one
    return [spellings[name] for name in sorted(spellings)]
