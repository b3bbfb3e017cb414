"""What people follow: what is compared (Followed), who follows it (Subscription), what changed (Event), and whom that
was sent to (Delivery). An event and its deliveries are written in one transaction; each is delivered once.
"""

import secrets
from datetime import datetime
from typing import Self

from django.db import models
from django.urls import reverse


class Followed(models.Model):
    """Something that is looked at for changes, by its kind (following/kinds.py) and its name within the kind."""

    kind = models.CharField(max_length=16)
    subject = models.CharField(max_length=1000)
    state = models.CharField(max_length=200, help_text="as it was last seen; another one is an event")
    looked_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="followed_once", fields=["kind", "subject"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class Event(models.Model):
    followed = models.ForeignKey(Followed, on_delete=models.CASCADE, related_name="events")
    name = models.CharField(max_length=600, help_text="what the words of the kind name: a model, a figure")
    path = models.CharField(max_length=300, help_text="the page that shows it")
    happened_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.followed}: {self.name}"


def _secret() -> str:
    return secrets.token_urlsafe(24)


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    def confirmed(self) -> Self:
        return self.filter(confirmed_at__isnull=False)

    def stale(self, *, before: datetime) -> Self:
        """Made before then, and never confirmed."""
        return self.filter(confirmed_at=None, created_at__lt=before)


class Subscription(models.Model):
    """Ends by being deleted, and its address with it."""

    class Channel(models.TextChoices):
        MAIL = "mail", "e-mail"
        HOOK = "hook", "webhook"

    followed = models.ForeignKey(Followed, on_delete=models.CASCADE, related_name="subscriptions")
    channel = models.CharField(max_length=4, choices=Channel)
    address = models.CharField(max_length=500, help_text="an e-mail address, or where a webhook goes")
    submitter = models.CharField(max_length=24, help_text="keyed hash of who made it")
    secret = models.CharField(max_length=40, unique=True, default=_secret, help_text="opens its page")
    key = models.CharField(max_length=40, default=_secret, help_text="signs what a webhook sends")
    site = models.CharField(max_length=300, help_text="https://host of the links in it")
    language = models.CharField(max_length=10)
    created_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True)

    objects = SubscriptionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="subscribed_once", fields=["followed", "channel", "address"])
        ]

    def __str__(self) -> str:
        return f"{self.channel}: {self.followed}"

    def get_absolute_url(self) -> str:
        return reverse("following", args=[self.secret])


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self, *, now: datetime) -> Self:
        """Oldest first, with what they tell and whom."""
        due = self.filter(done_at=None, next_at__lte=now).order_by("next_at", "pk")
        return due.select_related("subscription__followed", "event")


class Delivery(models.Model):
    """Without an event: the question whether the subscription is wanted."""

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, null=True, related_name="deliveries")
    attempts = models.PositiveSmallIntegerField(default=0)
    answer = models.CharField(max_length=200, blank=True, help_text="what the last attempt came to")
    next_at = models.DateTimeField(help_text="not tried before")
    done_at = models.DateTimeField(null=True, help_text="delivered, or given up")

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="delivered_once", fields=["subscription", "event"], nulls_distinct=False
            )
        ]
        indexes = [
            models.Index(name="delivery_due", fields=["next_at"], condition=models.Q(done_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.subscription}, attempt {self.attempts}"
