"""Define AuditEntry and Remark.

An AuditEntry is a decision about a submission or the name of a model, with actor, time and reason; it never changes.
A Remark is the opinion of a visitor about a submission or a model; a moderator publishes it.
"""

from datetime import timedelta
from typing import Any, NamedTuple, Self

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from submissions.models.submission import Submission

# Remarks count if their visitor was seen this long before; those of new visitors wait for a moderator.
RETURNING_AFTER = timedelta(days=7)


class Role(models.TextChoices):
    """The capacity in which an actor decides, which the audit log shows to the public instead of a name."""

    KEY = "key", _("somebody with its delete key")
    OWNER = "owner", _("the account it belongs to")
    MODERATOR = "moderator", _("a moderator")
    VISITORS = "visitors", _("visitors")
    RULE = "rule", _("a rule")
    SYSTEM = "system", _("the people who run this site")


class Actor(NamedTuple):
    role: Role
    account: User | None = None


SYSTEM = Actor(Role.SYSTEM)


class AuditEntryQuerySet(models.QuerySet["AuditEntry"]):
    def write(self, action: "AuditEntry.Action", *, by: Actor, subject: str, **columns: Any) -> "AuditEntry":
        """Write an entry of the audit log. `columns`: submission, reason, and the values `before` and `after`."""
        return self.create(action=action, role=by.role, account=by.account, subject=subject, **columns)

    def write_about(
        self, submission: Submission, action: "AuditEntry.Action", *, by: Actor, **columns: Any
    ) -> None:
        """Write an entry of the audit log about a submission that still exists; `columns` as in `write`."""
        self.write(action, by=by, subject=submission.public_id, submission=submission, **columns)

    def of(self, submission: Submission) -> Self:
        """Return the audit entries about a submission, the oldest first; one query."""
        return self.filter(submission=submission).order_by("at", "pk")


class AuditEntry(models.Model):
    class Action(models.TextChoices):
        AMENDED = "amended", _("corrected")
        DELETED = "deleted", _("deleted")
        ADOPTED = "adopted", _("claimed for an account")
        HELD = "held", _("held back")
        RELEASED = "released", _("restored to the rankings")
        CONFIRMED = "confirmed", _("confirmed")
        DISPUTED = "disputed", _("disputed")
        EXCLUDED = "excluded", _("left out of the rankings")
        MERGED = "merged", _("merged")
        RENAMED = "renamed", _("renamed")
        SPLIT = "split", _("split")
        PUBLISHED = "published", _("visitor’s remark published")
        HIDDEN = "hidden", _("visitor’s remark hidden")

    at = models.DateTimeField(auto_now_add=True)
    action = models.CharField(max_length=16, choices=Action)
    role = models.CharField(max_length=16, choices=Role)
    account = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="+", help_text="shown in the admin alone"
    )
    submission = models.ForeignKey(
        Submission,
        on_delete=models.CASCADE,
        null=True,
        related_name="audit",
        help_text="null once it is deleted: nothing that was said about it is kept then",
    )
    subject = models.CharField(max_length=200, help_text="id of the submission, or slug of the model")
    reason = models.TextField(blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    objects = AuditEntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [models.Index(name="audit_newest", fields=["-at"])]

    def __str__(self) -> str:
        return f"{self.subject} {self.get_action_display()} by {self.get_role_display()}"

    @property
    def changed_fields(self) -> list[str]:
        """Return the names of the fields that this decision changed, in words; only the admin shows their values."""
        before, after = _flatten(self.before or {}), _flatten(self.after or {})
        names = sorted({**before, **after})
        return [name.replace("_", " ") for name in names if before.get(name) != after.get(name)]


def _flatten(document: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in document.items():
        flat |= _flatten(value) if isinstance(value, dict) else {name: value}
    return flat


class RemarkQuerySet(models.QuerySet["Remark"]):
    def by_returning(self) -> Self:
        """Return the remarks of visitors who had sent a report, or had an account, a week before the remark.

        Other remarks do not count.
        """
        long_before = OuterRef("made_at") - RETURNING_AFTER
        reports = Submission.objects.filter(submitter=OuterRef("visitor"), received_at__lte=long_before)
        earlier = Exists(reports.filter(state=Submission.State.PROCESSED))
        return self.filter(Q(earlier) | Q(account__date_joined__lte=F("made_at") - RETURNING_AFTER))

    def on(self, *, submission: Submission | None = None, slug: str = "") -> Self:
        """Return the remarks about a submission, or about the model with this slug."""
        return self.filter(submission=submission) if submission else self.filter(slug=slug)


class Remark(models.Model):
    """The remark of a visitor about a submission or a model; a second remark replaces the first."""

    class Kind(models.TextChoices):
        SAME = "same", _("same here")
        WRONG = "wrong", _("wrong")

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, null=True, related_name="remarks")
    slug = models.SlugField(max_length=200, blank=True, help_text="of the model it is about")
    kind = models.CharField(max_length=5, choices=Kind)
    reason = models.CharField(max_length=500, blank=True)
    published = models.BooleanField(
        default=False, help_text="readers see the reason; it is counted in any case"
    )
    visitor = models.CharField(max_length=64, help_text="keyed hash that tells visitors apart")
    account = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now=True)

    objects = RemarkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_remark_per_visitor",
                fields=["submission", "slug", "visitor"],
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="a_remark_is_about_one_thing",
                condition=Q(submission=None) ^ Q(slug=""),
            ),
            models.CheckConstraint(name="wrong_has_a_reason", condition=Q(kind="same") | ~Q(reason="")),
        ]
        indexes = [models.Index(name="remark_on_model", fields=["slug"], condition=~Q(slug=""))]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.reason}" if self.reason else self.get_kind_display()
