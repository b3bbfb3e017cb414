"""What is to be told: subscriptions are made here, changes found, and deliveries worked one by one.

A change is one transaction: the state, the event, and a delivery for each subscription, which the database keeps
unique. A delivery is taken for as long as its next pause, then sent, then marked; whoever dies in between leaves it to
be taken again. Only who dies between the answer of the receiver and the mark sends twice, with the same id.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from submissions.following import channels
from submissions.following.kinds import KINDS, State, UnknownSubject, state_of
from submissions.models import Delivery, Event, Followed, Subscription

# Seconds before each further attempt; the first is longer than an attempt may take. After the last it is given up.
PAUSES_S = (12, 15, 60, 300, 1800, 7200, 21_600, 86_400)
MOST_OF_ONE, MOST_ASKED = 20, 3
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


def look() -> int:
    """Find what changed -> how many events. One query for each thing that is followed."""
    return sum(map(_looked_at, Followed.objects.all()))


def _looked_at(followed: Followed) -> bool:
    try:
        state = state_of(followed.kind, followed.subject)
    except UnknownSubject:
        return False
    return state.key not in ("", followed.state) and _note(followed.pk, state)


@transaction.atomic
def _note(pk: int, state: State) -> bool:
    """Write down a change, unless somebody else has."""
    changed = Followed.objects.filter(pk=pk).exclude(state=state.key)
    if not changed.update(state=state.key, looked_at=timezone.now()):
        return False
    event = Event.objects.create(followed_id=pk, name=state.name, path=state.path)
    told = Subscription.objects.confirmed().filter(followed=pk)
    Delivery.objects.bulk_create(
        Delivery(subscription=one, event=event, next_at=event.happened_at) for one in told
    )
    return True


def deliver() -> int | None:
    """Try everything that is due -> seconds until the next attempt is; None when nothing waits."""
    for delivery in _taken():
        _attempt(delivery)
    waiting = Delivery.objects.filter(done_at=None).order_by("next_at").first()
    return max(1, int((waiting.next_at - timezone.now()).total_seconds()) + 1) if waiting else None


def _taken() -> Iterator[Delivery]:
    while delivery := _take():
        yield delivery


@transaction.atomic
def _take() -> Delivery | None:
    """The next one that is due, for nobody else until its next pause is over."""
    now = timezone.now()
    delivery = Delivery.objects.due(now=now).select_for_update(skip_locked=True).first()
    if delivery:
        delivery.next_at = now + timedelta(seconds=PAUSES_S[min(delivery.attempts, len(PAUSES_S) - 1)])
        delivery.attempts += 1
        delivery.save(update_fields=["attempts", "next_at"])
    return delivery


def _attempt(delivery: Delivery) -> None:
    subscription = delivery.subscription
    try:
        answer = channels.send(delivery)
    except channels.NotDelivered as error:
        over = timezone.now() if delivery.attempts >= len(PAUSES_S) else None
        _mark(delivery, str(error), done_at=over)
        return
    _mark(delivery, answer, done_at=timezone.now())
    if delivery.event is None and subscription.channel == Subscription.Channel.HOOK:
        confirm(subscription)  # it answered


def _mark(delivery: Delivery, answer: str, *, done_at: object) -> None:
    Delivery.objects.filter(pk=delivery.pk).update(answer=answer[:200], done_at=done_at)


def forget() -> None:
    """Addresses that nobody confirmed, and what was delivered long ago."""
    now = timezone.now()
    Subscription.objects.stale(before=now - UNCONFIRMED).delete()
    Delivery.objects.filter(done_at__lt=now - KEPT).delete()


def words(event: Event) -> str:
    """In the language that is active."""
    return KINDS[event.followed.kind].words(event.followed.subject, event.name)
