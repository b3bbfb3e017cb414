"""Photos of cards: drawn anew."""

import contextlib
import io
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from submissions.apart import drawing
from submissions.writing import photos

ORIENTATION, MAKE, GPS = 0x0112, 0x010F, 0x8825


def image(
    size: tuple[int, int] = (400, 300), *, kind: str = "JPEG", mode: str = "RGB", **options: Any
) -> bytes:
    """Left half red."""
    drawn = Image.new(mode, size, "white")
    drawn.paste("red", (0, 0, size[0] // 2, size[1]))
    written = io.BytesIO()
    drawn.save(written, kind, **options)
    return written.getvalue()


def with_exif(**tags: Any) -> bytes:
    exif = Image.Exif()
    exif[MAKE] = "SpyCam"
    exif[ORIENTATION] = tags.get("orientation", 1)
    exif.get_ifd(GPS)[2] = (48.0, 8.0, 15.0)
    return image(exif=exif)


def opened(jpeg: bytes) -> Image.Image:
    return Image.open(io.BytesIO(jpeg))


def huge_png(width: int, height: int) -> bytes:
    """A few bytes that claim to be a huge picture."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 999))
        + chunk(b"IEND", b"")
    )


# Drawing anew


def test_it_works() -> None:
    picture = photos.redraw(image())
    assert (picture.width, picture.height) == (400, 300)
    red, green, _ = opened(picture.jpeg).convert("RGB").getpixel((50, 150))  # type: ignore[misc]
    assert red > 240 and green < 40


def test_nothing_but_pixels_is_left() -> None:
    sent = with_exif()
    assert b"SpyCam" in sent
    picture = photos.redraw(sent + b"tail with a secret")
    assert not opened(picture.jpeg).getexif()
    assert b"SpyCam" not in picture.jpeg and b"secret" not in picture.jpeg


def test_it_is_turned_upright() -> None:
    picture = photos.redraw(with_exif(orientation=6))
    assert (picture.width, picture.height) == (300, 400)


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
def test_every_kind_becomes_a_jpeg(kind: str, mode: str) -> None:
    sent = Image.new("RGBA", (100, 80), (255, 255, 255, 0)).convert(mode)
    written = io.BytesIO()
    sent.save(written, kind)
    assert opened(photos.redraw(written.getvalue()).jpeg).format == "JPEG"


def test_a_large_one_is_made_smaller() -> None:
    picture = photos.redraw(image((4000, 1000)))
    assert (picture.width, picture.height) == (1600, 400)


@pytest.mark.parametrize(
    ("sent", "code", "words"),
    [
        (b"", "wrong_photo", "cannot be read"),
        (b"<svg onload='alert(1)'/>", "wrong_photo", "cannot be read"),
        (image()[:400], "wrong_photo", "is the file complete"),
        (image(kind="GIF"), "wrong_photo", "as JPEG, PNG or WebP"),
        (huge_png(60_000, 60_000), "too_large", "too many pixels"),
        (huge_png(4_000, 4_000), "too_large", "at most 10,000,000"),
        (b"x" * (photos.MAX_BYTES + 1), "too_large", "12,000,001 bytes"),
    ],
)
def test_what_cannot_be_shown_is_refused(sent: bytes, code: str, words: str) -> None:
    with pytest.raises(photos.PhotoError, match=words) as refused:
        photos.redraw(sent)
    assert refused.value.code == code


SEEDS = [with_exif(), image(kind="PNG"), image(kind="WEBP")]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_a_damaged_file_is_refused_or_drawn(seed: bytes, data: st.DataObject) -> None:
    damaged = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 12))):
        damaged[data.draw(st.integers(0, min(len(seed) - 1, 400)))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(drawing.PhotoError):
        drawing.redraw(bytes(damaged))
