"""Define the form for a remark of a visitor on a submission or a model."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.models import Remark
from submissions.pages.forms.refused import RefusedForm


class RemarkForm(RefusedForm):
    kind = forms.ChoiceField(
        label=_("What do you say?"),
        choices=[
            ("same", _("Same here: I have such a card, and mine behaves like this")),
            ("wrong", _("Wrong, because …")),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="because",
        required=False,
        max_length=500,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("A moderator reads your text before we show it. Please do not name anybody."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("kind") == Remark.Kind.WRONG and not cleaned.get("reason"):
            self.add_error("reason", _("Please say what is wrong, so that we can look into it."))
        return cleaned
