"""Who wants to be told, and where."""

from typing import Any

from django import forms
from django.core.validators import validate_email
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from submissions.following import hooks
from submissions.following.kinds import search_subject
from submissions.models import Subscription
from submissions.pages.forms.finder import FinderForm


def subject_of(asked: QueryDict) -> dict[str, str]:
    """kind and subject of an address; a search may name itself as the finder does."""
    kind, subject = asked.get("kind", ""), asked.get("subject", "")
    if kind == "search" and not subject:
        subject = search_subject(FinderForm(asked).wish())
    return {"kind": kind, "subject": subject}


class FollowForm(forms.Form):
    channel = forms.ChoiceField(
        label=_("Tell me by"),
        choices=[("mail", _("e-mail")), ("hook", _("webhook"))],
        widget=forms.RadioSelect,
        initial="mail",
    )
    address = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.TextInput({"size": 40}),
        help_text=_("An e-mail address, or where a webhook goes (https://…)."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        address = cleaned.get("address", "")
        if address and cleaned.get("channel") == Subscription.Channel.HOOK:
            _check_hook(address)
        elif address and cleaned.get("channel"):
            validate_email(address)
            cleaned["address"] = address.lower()  # or one person could be asked under many spellings
        return cleaned


def _check_hook(address: str) -> None:
    try:
        hooks.checked(address)
    except hooks.NotDelivered as error:
        raise forms.ValidationError(
            _(
                "A webhook is an address that begins with https://, on port 443 or 8443, without name and password."
            )
        ) from error
