"""The photo of a submission: drawn anew (`apart.drawing`), kept, removed."""

from submissions.apart import workshop
from submissions.apart.drawing import MAX_BYTES, PhotoError, Picture, refuse_bytes
from submissions.models import Photo, Submission

__all__ = ["MAX_BYTES", "PhotoError", "Picture", "keep", "redraw", "remove"]


def redraw(body: bytes) -> Picture:
    """Bytes of an image -> a JPEG that can be kept. Raises PhotoError, and ReportError for what takes too much."""
    refuse_bytes(body)
    return workshop.redraw(body)


def keep(submission: Submission, picture: Picture) -> None:
    """Store the photo of a submission, in place of a former one."""
    fields = {"jpeg": picture.jpeg, "width": picture.width, "height": picture.height}
    Photo.objects.update_or_create(submission=submission, defaults=fields)


def remove(submission: Submission) -> None:
    """Delete the photo of a submission, if there is one."""
    Photo.objects.filter(submission=submission).delete()
