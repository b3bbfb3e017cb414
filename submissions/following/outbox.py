"""What is to be told: subscriptions are made here, changes found, and deliveries worked one by one.

A change is one transaction: the state, the event, and a delivery for each subscription. Of one subscription at most
one delivery waits: a further change takes its place. A delivery is taken for LEASE_S, sent, then marked; a worker that
dies in between leaves it to be taken again. Only one that dies between the answer of the receiver and the mark sends
twice, with the same id.
"""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from submissions.following import channels
from submissions.following.kinds import KINDS, State, UnknownSubject, state_of
from submissions.models import Delivery, Event, Followed, Subscription

# Seconds before each further attempt; after the last it is given up.
PAUSES_S = (2, 6, 60, 300, 1800, 7200, 21_600, 86_400)
# Longer than an attempt may take.
LEASE_S = 30
# A place that changes hands with every test shall not fill a letter box.
BETWEEN = {Subscription.Channel.MAIL: timedelta(hours=1), Subscription.Channel.HOOK: timedelta(0)}
MOST_OF_ONE, MOST_ASKED = 20, 3
# A worker has other work, too: the rest waits for the next call.
DELIVERING_S, MOST_LOOKED_AT = 10, 1000
UNCONFIRMED, KEPT = timedelta(days=2), timedelta(days=30)


class TooMany(ValueError):
    """This person, or this address, has enough of them."""


def follow(kind: str, subject: str) -> Followed:
    """Look at it from now on. Raises UnknownSubject."""
    state = state_of(kind, subject)
    return Followed.objects.get_or_create(kind=kind, subject=subject, defaults={"state": state.key})[0]


@transaction.atomic
def subscribe(
    followed: Followed, *, channel: str, address: str, submitter: str, site: str, language: str
) -> Subscription | None:
    """Not confirmed: the address is asked first, once. None when it follows this already. Raises TooMany."""
    own = {"followed": followed, "channel": channel, "address": address}
    if Subscription.objects.filter(**own).exists():
        return None
    asked = Subscription.objects.filter(channel=channel, address=address, confirmed_at=None).count()
    held = Subscription.objects.filter(submitter=submitter).count()
    if held >= MOST_OF_ONE or asked >= MOST_ASKED:
        raise TooMany
    subscription = Subscription.objects.create(**own, submitter=submitter, site=site, language=language)
    Delivery.objects.create(subscription=subscription, event=None, next_at=timezone.now())
    return subscription


def confirm(subscription: Subscription) -> None:
    Subscription.objects.filter(pk=subscription.pk, confirmed_at=None).update(confirmed_at=timezone.now())


def is_followed() -> bool:
    """Whether anybody follows anything."""
    return Followed.objects.exists()


def look() -> int:
    """Find what changed of what was not looked at for longest -> how many events. About a query for each."""
    followed = Followed.objects.order_by("looked_at")[:MOST_LOOKED_AT]
    events = sum(map(_has_changed, followed))
    Followed.objects.filter(pk__in=[one.pk for one in followed]).update(looked_at=timezone.now())
    return events


def _has_changed(followed: Followed) -> bool:
    try:
        state = state_of(followed.kind, followed.subject)
    except UnknownSubject:
        return False
    is_news = state.key and KINDS[followed.kind].is_news(state.key, followed.state)
    return bool(is_news) and _note(followed.pk, state)


@transaction.atomic
def _note(pk: int, state: State) -> bool:
    """Write down a change, unless somebody else has."""
    changed = Followed.objects.filter(pk=pk).exclude(state=state.key)
    if not changed.update(state=state.key):
        return False
    event = Event.objects.create(followed_id=pk, name=state.name, path=state.path)
    waiting = Delivery.objects.filter(
        subscription__followed=pk, event__isnull=False, done_at=None, attempts=0
    )
    waiting.update(event=event)
    told = Subscription.objects.confirmed().filter(followed=pk).exclude(deliveries__in=waiting)
    Delivery.objects.bulk_create(
        Delivery(subscription=one, event=event, next_at=_earliest(one, event.happened_at))
        for one in told.annotate(
            told_at=Max("deliveries__done_at", filter=Q(deliveries__event__isnull=False))
        )
    )
    return True


def _earliest(subscription: Subscription, now: datetime) -> datetime:
    """`told_at`: when the last delivery was done; None before the first."""
    told_at: datetime | None = subscription.told_at  # type: ignore[attr-defined]
    return max(now, told_at + BETWEEN[Subscription.Channel(subscription.channel)]) if told_at else now


def deliver() -> int | None:
    """Try everything that is due -> seconds until the next attempt is; None when nothing waits."""
    for delivery in _taken():
        _attempt(delivery)
    waiting = Delivery.objects.filter(done_at=None).order_by("next_at").first()
    return max(1, int((waiting.next_at - timezone.now()).total_seconds()) + 1) if waiting else None


def _taken() -> Iterator[Delivery]:
    end = time.monotonic() + DELIVERING_S
    while time.monotonic() < end and (delivery := _take()):
        yield delivery


@transaction.atomic
def _take() -> Delivery | None:
    """The next one that is due, for nobody else until its lease is over."""
    now = timezone.now()
    delivery = Delivery.objects.due(now=now).select_for_update(skip_locked=True, of=("self",)).first()
    if delivery:
        delivery.next_at = now + timedelta(seconds=LEASE_S)
        delivery.attempts += 1
        delivery.save(update_fields=["attempts", "next_at"])
    return delivery


def _attempt(delivery: Delivery) -> None:
    subscription = delivery.subscription
    try:
        answer = channels.send(delivery)
    except channels.NotDelivered as error:
        _fail(delivery, str(error))
        return
    _mark(delivery, answer=answer, done_at=timezone.now())
    if delivery.event is None and subscription.channel == Subscription.Channel.HOOK:
        confirm(subscription)  # it answered


def _fail(delivery: Delivery, answer: str) -> None:
    now = timezone.now()
    if delivery.attempts >= len(PAUSES_S):
        _mark(delivery, answer=answer, done_at=now)
    else:
        _mark(delivery, answer=answer, next_at=now + timedelta(seconds=PAUSES_S[delivery.attempts - 1]))


def _mark(delivery: Delivery, *, answer: str, **times: datetime) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(answer=answer[:200], **times)


def forget() -> None:
    """Addresses that nobody confirmed, what was delivered long ago, and what nobody follows any more."""
    now = timezone.now()
    Subscription.objects.stale(before=now - UNCONFIRMED).delete()
    Delivery.objects.filter(done_at__lt=now - KEPT).delete()
    Event.objects.filter(happened_at__lt=now - KEPT, deliveries=None).delete()
    Followed.objects.filter(subscriptions=None).delete()


def words(event: Event) -> str:
    """In the language that is active."""
    return KINDS[event.followed.kind].words(event.followed.subject, event.name)
