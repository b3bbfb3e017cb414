"""What visitors say about a submission or a model: "same here", or "wrong, because …"."""

from typing import Self

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q

from submissions.models.submission import Submission


class RemarkQuerySet(models.QuerySet["Remark"]):
    def on(self, *, submission: Submission | None = None, slug: str = "") -> Self:
        """About a submission, or about a model."""
        return self.filter(submission=submission) if submission else self.filter(slug=slug)


class Remark(models.Model):
    """One per visitor and subject; a second one replaces the first."""

    class Kind(models.TextChoices):
        SAME = "same", "same here"
        WRONG = "wrong", "wrong"

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
