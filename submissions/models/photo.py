"""Photo: of the card of a submission, as its owner took it."""

from django.db import models
from django.db.models import Q

from submissions.models.submission import Submission


class PhotoQuerySet(models.QuerySet["Photo"]):
    def public(self) -> "PhotoQuerySet":
        """Of submissions that are worked out: what is refused or waits is nobody's business."""
        return self.filter(submission__state=Submission.State.PROCESSED)


class Photo(models.Model):
    """Drawn anew from what was sent, so that nothing else is in the file; it goes with its submission."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="photo")
    jpeg = models.BinaryField()
    width = models.PositiveSmallIntegerField()
    height = models.PositiveSmallIntegerField()
    kept_at = models.DateTimeField(auto_now=True)

    objects = PhotoQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(name="photos_have_a_size", condition=Q(width__gt=0, height__gt=0))
        ]

    def __str__(self) -> str:
        return f"{self.width} × {self.height}"
