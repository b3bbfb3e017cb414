"""Who wants to be told, and where."""

from typing import Any

from django import forms
from django.conf import settings
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
        help_text=_("An e-mail address, or where a webhook goes (https://…)."),
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        if not settings.HAS_MAIL:
            self.fields["channel"].choices = [("hook", _("webhook"))]  # type: ignore[attr-defined]
            self.fields["channel"].initial = "hook"

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        address = cleaned.get("address", "")
        if not address:
            return cleaned
        if cleaned.get("channel") == Subscription.Channel.HOOK:
            _check_hook(address)
        elif cleaned.get("channel"):
            validate_email(address)
        return cleaned


def _check_hook(address: str) -> None:
    try:
        hooks.checked(address)
    except hooks.NotDelivered as error:
        raise forms.ValidationError(
            _("This address cannot be a webhook: %(reason)s."), params={"reason": error}
        ) from error
