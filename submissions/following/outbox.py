"""What is to be told: subscriptions are made here, changes found, and deliveries worked off.

A change is one transaction: the state, the event, and a delivery for each subscription, which the database keeps
unique. What waits for a subscription is taken together, for nobody else during LEASE_S, then sent, then marked; whoever
dies in between leaves it to be taken again. Only who dies between the answer of the receiver and the mark sends twice,
with the same numbers of events and the same Message-ID.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import timedelta
from itertools import islice

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from submissions.following import channels
from submissions.following.kinds import KINDS, State, UnknownSubject, state_of
from submissions.models import Delivery, Event, Followed, Subscription

# An attempt is over within the lease. Seconds before each further attempt; after the last it is given up.
LEASE_S, PAUSES_S = 30, (2, 10, 60, 300, 1800, 7200, 21_600, 86_400)  # more than a day
# So many subscriptions are told side by side before the worker turns to reports again.
AT_ONCE = 8
# What changes meanwhile waits and comes in one message. Not shorter than the lease: so nothing is taken twice.
QUIET = {"mail": timedelta(hours=1), "hook": timedelta(seconds=LEASE_S)}
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


@transaction.atomic
def end(secret: str) -> None:
    """The address is deleted, and what was sent to it. Its lock comes first, as in `_take`."""
    for subscription in Subscription.objects.filter(secret=secret).select_for_update():
        subscription.delete()


def look() -> int:
    """Find what changed -> how many events. One query for each thing that is followed."""
    return sum(map(_looked_at, Followed.objects.all()))


def _looked_at(followed: Followed) -> bool:
    try:
        state = state_of(followed.kind, followed.subject)
    except UnknownSubject:
        return False
    return KINDS[followed.kind].is_news(state.key, followed.state) and _note(followed, state)


@transaction.atomic
def _note(followed: Followed, state: State) -> bool:
    """Write down a change, unless somebody else has."""
    unseen = Followed.objects.filter(pk=followed.pk, state=followed.state)
    if not unseen.update(state=state.key):
        return False
    event = Event.objects.create(followed=followed, name=state.name, path=state.path)
    # Locked: `_take` may be about to say until when they want quiet.
    told = Subscription.objects.confirmed().filter(followed=followed).order_by("pk").select_for_update()
    Delivery.objects.bulk_create(
        Delivery(subscription=one, event=event, next_at=max(event.happened_at, one.quiet_until))
        for one in told
    )
    return True


def deliver() -> int | None:
    """Tell the first of those who are due -> seconds until the next are; None when nothing waits."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        sent = {pool.submit(channels.send, batch): batch for batch in islice(_taken(), AT_ONCE)}
        for future in as_completed(sent):
            try:
                _delivered(sent[future], future.result())
            except channels.NotDelivered as error:
                _failed(sent[future], str(error))
    waiting = Delivery.objects.filter(done_at=None).order_by("next_at").first()
    return max(1, int((waiting.next_at - timezone.now()).total_seconds()) + 1) if waiting else None


def _taken() -> Iterator[list[Delivery]]:
    while batch := _take():
        yield batch


@transaction.atomic
def _take() -> list[Delivery]:
    """All that waits for one subscription of which something is due."""
    now = timezone.now()
    due = Delivery.objects.due(now=now).select_related("subscription")
    first = due.select_for_update(skip_locked=True, of=("self", "subscription")).first()
    if first is None:
        return []
    subscription = first.subscription
    if first.event_id:  # the question, which comes first, does not count
        subscription.quiet_until = now + QUIET[subscription.channel]
        subscription.save(update_fields=["quiet_until"])
    waiting = Delivery.objects.filter(subscription=subscription, done_at=None)
    waiting.update(next_at=now + timedelta(seconds=LEASE_S), attempts=F("attempts") + 1)
    return list(waiting.select_related("subscription__followed", "event__followed").order_by("pk"))


def _delivered(batch: Sequence[Delivery], answer: str) -> None:
    _all(batch).update(answer=answer[:200], done_at=timezone.now())
    subscription = batch[0].subscription
    if subscription.channel == Subscription.Channel.HOOK:
        confirm(subscription)  # it answered


def _failed(batch: Sequence[Delivery], why: str) -> None:
    """A webhook that is given up is gone; mail may fail for a reason of our own, and its address stays."""
    now, attempts = timezone.now(), batch[0].attempts
    if attempts <= len(PAUSES_S):
        _all(batch).update(answer=why[:200], next_at=now + timedelta(seconds=PAUSES_S[attempts - 1]))
    elif batch[0].subscription.channel == Subscription.Channel.HOOK:
        end(batch[0].subscription.secret)
    else:
        _all(batch).update(answer=why[:200], done_at=now)


def _all(batch: Sequence[Delivery]) -> QuerySet[Delivery]:
    return Delivery.objects.filter(pk__in=[delivery.pk for delivery in batch])


def forget() -> None:
    """Addresses that nobody confirmed, what was delivered long ago, and what nobody follows any more."""
    now = timezone.now()
    Subscription.objects.stale(before=now - UNCONFIRMED).delete()
    Delivery.objects.filter(done_at__lt=now - KEPT).delete()
    Followed.objects.filter(subscriptions=None, created_at__lt=now - UNCONFIRMED).delete()


def words(event: Event) -> str:
    """In the language that is active."""
    return KINDS[event.followed.kind].words(event.followed.subject, event.name)
