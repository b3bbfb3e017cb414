"""How what is to be told leaves: a mail that ends with one click, or a signed POST."""

import hashlib
import hmac
import json
from collections.abc import Sequence
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from django.core.mail import EmailMessage
from django.utils import translation
from django.utils.translation import gettext as _

from submissions.following import hooks
from submissions.following.hooks import NotDelivered
from submissions.following.kinds import KINDS
from submissions.models import Delivery, Event, Subscription


def send(batch: Sequence[Delivery]) -> str:
    """Tell one subscription of the events of its deliveries, or ask whether it is wanted -> what the receiver answered.

    Raises NotDelivered. Asks the database nothing: it runs in a thread.
    """
    subscription = batch[0].subscription
    events = [delivery.event for delivery in batch if delivery.event]
    with translation.override(subscription.language):
        return _CHANNELS[subscription.channel](subscription, events, batch[0].pk)


def _words(event: Event) -> str:
    """In one line: names come from strangers."""
    return " ".join(KINDS[event.followed.kind].words(event.followed.subject, event.name).split())


def _mail(subscription: Subscription, events: Sequence[Event], number: int) -> str:
    own = f"{subscription.site}{subscription.get_absolute_url()}"
    subject, body = _told(subscription, events) if events else _asked(subscription)
    headers = {
        "Message-ID": f"<delivery-{number}@{urlsplit(subscription.site).hostname}>",
        "List-Unsubscribe": f"<{own}stop/>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    message = EmailMessage(f"flashdb: {subject}", body, None, [subscription.address], headers=headers)
    try:
        message.send()
    except (OSError, SMTPException) as error:
        raise NotDelivered(f"{type(error).__name__}: {error}") from error
    return "handed to the mail server"


def _told(subscription: Subscription, events: Sequence[Event]) -> tuple[str, str]:
    """-> subject and body."""
    items = [f"{_words(event)}\n{subscription.site}{event.path}\n" for event in events]
    end = _("To end this: %(address)s") % {"address": subscription.site + subscription.get_absolute_url()}
    return _words(events[-1]), "\n".join([*items, f"{end}\n"])


def _asked(subscription: Subscription) -> tuple[str, str]:
    title = KINDS[subscription.followed.kind].title
    why = _(
        "Somebody, hopefully you, wants us to write to this address. If not, do nothing: we forget it in two days."
    )
    question = _("Please confirm: %(title)s") % {"title": title}
    return question, f"{question}\n{subscription.site}{subscription.get_absolute_url()}\n\n{why}\n"


def _hook(subscription: Subscription, events: Sequence[Event], number: int) -> str:
    content = json.dumps(_document(subscription, events), ensure_ascii=False).encode()
    signature = hmac.new(subscription.key.encode(), content, hashlib.sha256).hexdigest()
    headers = {"Flashdb-Delivery": str(number), "Flashdb-Signature": f"sha256={signature}"}
    return hooks.post(subscription.address, content, headers)


def _document(subscription: Subscription, events: Sequence[Event]) -> dict[str, Any]:
    """Without events it asks whether somebody is there."""
    return {
        "kind": subscription.followed.kind,
        "subject": subscription.followed.subject,
        "following": f"{subscription.site}{subscription.get_absolute_url()}",
        "events": [
            {
                "event": event.pk,
                "happened_at": event.happened_at.isoformat(),
                "name": event.name,
                "words": _words(event),
                "page": f"{subscription.site}{event.path}",
            }
            for event in events
        ],
    }


_CHANNELS = {"mail": _mail, "hook": _hook}
