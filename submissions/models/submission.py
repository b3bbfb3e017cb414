"""Define Submission: one report as received, with its state and its result."""

import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.db.models.functions import Left, Length
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from submissions.models import keys

# Old code writes rows without a column that a release brings.
EMPTY: dict[str, Any] = {"blank": True, "default": "", "db_default": ""}
TEXT_SHOWN = 16_000  # characters

_ALPHABET, _LETTERS = "23456789abcdefghjkmnpqrstuvwxyz", 12


def new_public_id() -> str:
    """Return a random id of 12 characters (about 59 bits), without characters that are easily confused."""
    number = secrets.randbelow(len(_ALPHABET) ** _LETTERS)
    return "".join(_ALPHABET[number // len(_ALPHABET) ** place % len(_ALPHABET)] for place in range(_LETTERS))


def raw_fields(prefix: str = "") -> list[str]:
    """Return the names of the columns of submissions with up to 8 MB, which no list needs."""
    return [f"{prefix}{name}" for name in ("body", "pasted", "published")]


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def waiting(self) -> Self:
        """Return submissions that are not processed yet, the oldest first."""
        return self.filter(state=Submission.State.RECEIVED).order_by("received_at")

    def numbered(self, words: Iterable[str]) -> "Submission | None":
        """Return a submission with one of these words as its public id, or None; one query."""
        return self.filter(public_id__in=words).only("public_id").first()

    def by_one_person(self) -> Self:
        """Return submissions that one person sent, as `is_by_one_person` decides."""
        return self.exclude(channel="bulk").exclude(submitter=keys.local_submitter())

    def overdue(self, *, since: datetime, now: datetime) -> Self:
        """Return submissions received before `since`, or after `now`, so that none waits if a clock was put back."""
        return self.filter(Q(received_at__lt=since) | Q(received_at__gt=now))

    def get_same(self, uuid: UUID | None, content_hash: str) -> "Submission":
        """Return the submission with this uuid, else with this content; at most two queries. Raise DoesNotExist."""
        by_uuid = self.filter(uuid=uuid).first() if uuid else None
        return by_uuid or self.get(content_hash=content_hash)

    def voice_of(self, account: User) -> str:
        """Return the submitter hash of an account's first submission, under which the account counts; one query.

        It is "" if the account has sent none.
        """
        return self.filter(account=account).order_by("pk").values_list("submitter", flat=True).first() or ""

    def published(self) -> Self:
        """Return processed submissions of real cards, the newest first, with rows loaded as by `recent`."""
        real = self.filter(state=Submission.State.PROCESSED, run__card__variant__card_model__simulated=False)
        return real.recent()

    def recent(self) -> Self:
        """Return submissions, the newest first, with run, host, card and model loaded, not raw reports; one query."""
        return (
            self.defer(*raw_fields())
            .select_related("run__host", "run__card__variant__card_model")
            .order_by("-received_at", "-id")
        )

    def headlines(self) -> Self:
        """Return submissions that were not rejected, the newest first, with the few columns for a line; one query."""
        model = "run__card__variant__card_model"
        columns = ("public_id", "state", "received_at", "run__tool", "run__source_author")
        shown = self.exclude(state=Submission.State.REJECTED)
        named = shown.select_related(model).only(*columns, f"{model}__name", f"{model}__simulated")
        return named.order_by("-received_at", "-id")

    def received_before(self, public_id: str) -> Self:
        """Return submissions received before the submission `public_id`, or all if that does not exist; one query."""
        named = Submission.objects.filter(public_id=public_id if public_id.isalnum() else "")
        later = named.values_list("received_at", "pk").first()
        if later is None:
            return self
        at, pk = later
        return self.filter(received_at__lte=at).exclude(received_at=at, pk__gte=pk)

    def with_text(self) -> Self:
        """Return submissions as `recent` does, with `.text_length`, and `TEXT_SHOWN` letters in `.text_begins`."""
        begins = Left("published", TEXT_SHOWN)
        return self.recent().annotate(text_begins=begins, text_length=Length("published"))


class Submission(models.Model):
    """A report as it was sent; only its state, the sender's amendments and a moderator's ruling change.

    The table is also the queue: submissions in the state “received” are to be processed.
    """

    class State(models.TextChoices):
        RECEIVED = "received", _("received")
        PROCESSED = "processed", _("processed")
        REJECTED = "rejected", _("rejected")
        HELD = "held", _("held back")

    class Ruling(models.TextChoices):
        """The decision of a moderator about a submission, which takes precedence over every rule."""

        NONE = "", "none"
        CONFIRMED = "confirmed", _("confirmed")
        DISPUTED = "disputed", _("disputed")
        EXCLUDED = "excluded", _("excluded")

    public_id = models.CharField(max_length=12, unique=True, default=new_public_id)
    uuid = models.UUIDField(
        null=True,
        unique=True,
        help_text="made by the client, never published; of a bulk file a keyed hash of it",
    )
    proof = models.CharField(
        max_length=64,
        **EMPTY,
        help_text="hash of the secret with which its sender gets the delete key again; empty: nobody does",
    )
    content_hash = models.CharField(max_length=64, unique=True)
    body = models.BinaryField(
        help_text="the report, verbatim; of a pasted text, what it was understood to say"
    )
    pasted = models.BinaryField(null=True, help_text="the text as it was pasted, verbatim")
    published = models.TextField(blank=True, help_text="what readers may see of the pasted text")
    channel = models.CharField(max_length=16, help_text="how it came: api, page, bulk")
    submitter = models.CharField(
        max_length=64, help_text="keyed hash that tells submitters apart; says nothing else"
    )
    network = models.BigIntegerField(
        null=True,
        help_text="keyed hash of the network of its sender (IPv4 /24, IPv6 /48), never shown; null if not known",
    )
    vouched = models.BooleanField(
        default=False,
        db_default=False,
        help_text="the operator vouches for its source: it counts as that of a trusted person",
    )
    account = models.ForeignKey(
        User,
        on_delete=models.SET_NULL,
        null=True,
        related_name="submissions",
        help_text="whoever may correct and delete it; never shown",
    )
    amendments = models.JSONField(
        default=dict,
        help_text="what its owner says instead: label, condition, note; the report stays as it is",
    )
    ruling = models.CharField(max_length=9, choices=Ruling, default=Ruling.NONE, blank=True)
    ruling_reason = models.CharField(max_length=500, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.RECEIVED)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="how often processing was begun")
    reason_code = models.CharField(max_length=64, blank=True)
    reason_detail = models.TextField(blank=True)
    reason_field = models.CharField(max_length=200, blank=True)
    not_understood = models.JSONField(default=list, help_text="measurements that stay in the raw report only")
    received_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(name="submission_newest", fields=["-received_at", "-id"]),
            models.Index(name="submission_finished", fields=["finished_at", "id"]),
            models.Index(name="submission_of_submitter", fields=["submitter", "received_at"]),
            models.Index(name="submission_to_do", fields=["received_at"], condition=Q(state="received")),
        ]
        constraints = [
            models.CheckConstraint(
                name="rejected_submissions_have_a_reason",
                condition=~Q(state="rejected") | ~Q(reason_code=""),
            ),
            models.CheckConstraint(
                name="held_submissions_have_a_reason",
                condition=~Q(state="held") | ~Q(reason_detail=""),
            ),
            models.CheckConstraint(
                name="finished_submissions_have_a_time",
                condition=Q(state="received", finished_at=None)
                | (~Q(state="received") & Q(finished_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    def get_absolute_url(self) -> str:
        return reverse("submission", args=[self.public_id])

    @property
    def is_waiting(self) -> bool:
        return self.state == self.State.RECEIVED

    @property
    def is_taken_over(self) -> bool:
        """Return whether the operator loaded this submission from an earlier publication."""
        return self.channel in ("bulk", "mail")

    @property
    def is_by_one_person(self) -> bool:
        """Return False if this submission is from a bulk load or this server, which may send any number of cards."""
        return self.channel != "bulk" and self.submitter != keys.local_submitter()

    @property
    def is_filed(self) -> bool:
        """Return whether this submission was processed to a result, ranked or held back."""
        return self.state in (self.State.PROCESSED, self.State.HELD)
