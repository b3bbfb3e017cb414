"""Photos of cards. A file that was sent is never served: it is decoded, turned upright, reduced and encoded anew."""

import io
import struct
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageOps

from submissions.domain.errors import ReportError
from submissions.models import Photo, Submission

MAX_BYTES: Final = 12_000_000
MAX_PIXELS: Final = 50_000_000  # more than phones take by default; decoded about 200 MB
LONGEST_EDGE: Final = 1600
QUALITY: Final = 82
_FORMATS: Final = ("JPEG", "PNG", "WEBP")
# What Pillow raises on files that are damaged or made to harm.
_BROKEN: Final = (OSError, ValueError, SyntaxError, EOFError, struct.error)


class PhotoError(ReportError):
    """Not a photo that can be shown."""

    code = "wrong_photo"


@dataclass(frozen=True, slots=True)
class Picture:
    """`jpeg` holds pixels and no metadata: no place, no time, no camera, no thumbnail."""

    jpeg: bytes
    width: int
    height: int


def redraw(body: bytes) -> Picture:
    """Bytes of an image -> a JPEG of at most LONGEST_EDGE pixels. Raises PhotoError."""
    if len(body) > MAX_BYTES:
        raise _refusal(f"has {len(body):,} bytes; at most {MAX_BYTES:,} are taken", code="too_large")
    try:
        with Image.open(io.BytesIO(body), formats=_FORMATS) as opened:
            _refuse_size(*opened.size)
            opened.draft(
                "RGB", (LONGEST_EDGE, LONGEST_EDGE)
            )  # of a JPEG only as much as is needed is decoded
            return _drawn(ImageOps.exif_transpose(opened))
    except PhotoError:
        raise
    except Image.DecompressionBombError as error:  # what Pillow refuses to open is far larger than we take
        raise _refusal(f"has too many pixels; at most {MAX_PIXELS:,} are taken", code="too_large") from error
    except _BROKEN as error:
        raise _refusal("cannot be read as JPEG, PNG or WebP; is the file complete?") from error


def keep(submission: Submission, picture: Picture) -> None:
    """Store the photo of a submission, in place of a former one."""
    fields = {"jpeg": picture.jpeg, "width": picture.width, "height": picture.height}
    Photo.objects.update_or_create(submission=submission, defaults=fields)


def remove(submission: Submission) -> None:
    """Delete the photo of a submission, if there is one."""
    Photo.objects.filter(submission=submission).delete()


def _drawn(image: Image.Image) -> Picture:
    layered = image.convert("RGBA" if image.has_transparency_data else "RGB")
    layered.thumbnail((LONGEST_EDGE, LONGEST_EDGE))
    paper = Image.new("RGB", layered.size, "white")
    paper.paste(layered, mask=layered if layered.mode == "RGBA" else None)
    written = io.BytesIO()
    paper.save(written, "JPEG", quality=QUALITY, optimize=True)
    return Picture(written.getvalue(), *paper.size)


def _refuse_size(width: int, height: int) -> None:
    """Before anything is decoded: a small file may claim any size."""
    if width * height > MAX_PIXELS:
        raise _refusal(
            f"has {width:,} × {height:,} pixels; at most {MAX_PIXELS:,} in all are taken", code="too_large"
        )


def _refusal(what: str, *, code: str = PhotoError.code) -> PhotoError:
    return PhotoError(f"The photo {what}.", field="photo", code=code)
