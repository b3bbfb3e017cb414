"""How a delivery leaves: a mail that ends with one click, or a signed POST."""

import hashlib
import hmac
import json
from smtplib import SMTPException
from typing import Any

from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.translation import gettext as _

from submissions.following import hooks
from submissions.following.hooks import NotDelivered
from submissions.following.kinds import KINDS
from submissions.models import Delivery


def send(delivery: Delivery) -> str:
    """-> what the receiver answered. Raises NotDelivered."""
    with translation.override(delivery.subscription.language):
        return _CHANNELS[delivery.subscription.channel](delivery)


def _subject(delivery: Delivery) -> str:
    followed, event = delivery.subscription.followed, delivery.event
    if event is None:
        return _("Please confirm: %(title)s") % {"title": KINDS[followed.kind].title}
    return KINDS[followed.kind].words(followed.subject, event.name)


def _link(delivery: Delivery) -> str:
    subscription = delivery.subscription
    path = delivery.event.path if delivery.event else subscription.get_absolute_url()
    return f"{subscription.site}{path}"


def _mail(delivery: Delivery) -> str:
    own = f"{delivery.subscription.site}{delivery.subscription.get_absolute_url()}"
    asked = _(
        "Somebody, hopefully you, wants us to write to this address. If not, do nothing: we forget it in two days."
    )
    end = asked if delivery.event is None else _("To end this: %(address)s") % {"address": own}
    headers = {
        "Message-ID": f"<delivery.{delivery.pk}.{int(delivery.subscription.created_at.timestamp())}@flashdb>",
        "List-Unsubscribe": f"<{own}stop/>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    subject = " ".join(_subject(delivery).split())
    body = f"{subject}\n{_link(delivery)}\n\n{end}\n"
    message = EmailMessage(
        f"flashdb: {subject}", body, None, [delivery.subscription.address], headers=headers
    )
    try:
        message.send()
    except (OSError, SMTPException) as error:
        raise NotDelivered(f"{type(error).__name__}: {error}") from error
    return "handed to the mail server"


def _hook(delivery: Delivery) -> str:
    content = json.dumps(_document(delivery), ensure_ascii=False).encode()
    signature = hmac.new(delivery.subscription.key.encode(), content, hashlib.sha256).hexdigest()
    headers = {"Flashdb-Delivery": str(delivery.pk), "Flashdb-Signature": f"sha256={signature}"}
    return hooks.post(delivery.subscription.address, content, headers)


def _document(delivery: Delivery) -> dict[str, Any]:
    followed, event = delivery.subscription.followed, delivery.event
    return {
        "delivery": delivery.pk,
        "kind": followed.kind,
        "subject": followed.subject,
        "event": event and event.pk,
        "happened_at": event and event.happened_at.isoformat(),
        "name": event.name if event else "",
        "words": _subject(delivery),
        "page": _link(delivery),
    }


_CHANNELS = {"mail": _mail, "hook": _hook}
