"""Photos of cards: a file that was sent is never served. It is decoded, reduced, turned upright and encoded anew."""

import io
import struct
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageOps

from submissions.domain.errors import ReportError

MAX_BYTES: Final = 12_000_000
# Of a JPEG only as much as is needed is decoded, of a progressive one all, 6 bytes a pixel. The others are kept whole,
# 4 bytes a pixel: PNG twice, WebP up to four times.
MAX_PIXELS: Final = {"JPEG": 50_000_000, "progressive JPEG": 12_000_000, "PNG": 10_000_000, "WEBP": 6_000_000}
_FORMATS: Final = ("JPEG", "PNG", "WEBP")
LONGEST_EDGE: Final = 1600
QUALITY: Final = 82
# PNG, first edition, 11.2.2: the signature, then IHDR, in which the bit depth follows width and height.
_PNG, _BIT_DEPTH_AT = b"\x89PNG\r\n\x1a\n", 24
_INDEXED: Final = ("1", "P", "PA")  # modes whose values cannot be averaged
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


def refuse_bytes(body: bytes) -> None:
    """Raises PhotoError for more than MAX_BYTES."""
    if len(body) > MAX_BYTES:
        raise _refusal(f"has {len(body):,} bytes; at most {MAX_BYTES:,} are taken", code="too_large")


def redraw(body: bytes) -> Picture:
    """Bytes of an image -> a JPEG of at most LONGEST_EDGE pixels. Raises PhotoError."""
    _refuse_depth(body)
    try:
        with Image.open(io.BytesIO(body), formats=_FORMATS) as opened:
            _refuse_size(opened)
            opened.draft("RGB", _size_needed(*opened.size))
            return _drawn(opened)
    except PhotoError:
        raise
    except Image.DecompressionBombError as error:  # what Pillow refuses to open is far larger than we take
        raise _refusal("has too many pixels; send a smaller one", code="too_large") from error
    except _BROKEN as error:
        raise _refusal("cannot be read as JPEG, PNG or WebP; is the file complete?") from error


def _size_needed(width: int, height: int) -> tuple[int, int]:
    """The size at which the longer edge has LONGEST_EDGE pixels."""
    longer = max(width, height)
    return max(1, width * LONGEST_EDGE // longer), max(1, height * LONGEST_EDGE // longer)


def _drawn(image: Image.Image) -> Picture:
    """Reduced before anything else: every other step makes a copy."""
    whole = image.convert("RGBA") if image.mode in _INDEXED else image
    whole.thumbnail((LONGEST_EDGE, LONGEST_EDGE))
    upright = ImageOps.exif_transpose(whole)
    layered = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    paper = Image.new("RGB", layered.size, "white")
    paper.paste(layered, mask=layered if layered.mode == "RGBA" else None)
    written = io.BytesIO()
    paper.save(written, "JPEG", quality=QUALITY, optimize=True)
    return Picture(written.getvalue(), *paper.size)


def _refuse_size(image: Image.Image) -> None:
    """Before anything is decoded: a small file may claim any size."""
    kind = f"{'progressive ' if 'progressive' in image.info else ''}{image.format}"
    (width, height), most = image.size, MAX_PIXELS[kind]
    if width * height > most:
        raise _refusal(
            f"has {width:,} × {height:,} pixels; at most {most:,} in all are taken of a {kind}",
            code="too_large",
        )


def _refuse_depth(body: bytes) -> None:
    if body.startswith(_PNG) and body[_BIT_DEPTH_AT : _BIT_DEPTH_AT + 1] == b"\x10":
        raise _refusal("has 16 bits for each colour; save it with 8, or as a JPEG", code="too_large")


def _refusal(what: str, *, code: str = PhotoError.code) -> PhotoError:
    return PhotoError(f"The photo {what}.", field="photo", code=code)
