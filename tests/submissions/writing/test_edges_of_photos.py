"""Photos just at their limits."""

import io

import pytest
from PIL import Image

from submissions.models import Photo
from submissions.writing import ingest, photos
from tests.factories import body, uuid


def drawn(width: int, height: int, kind: str = "PNG", mode: str = "RGB", colour: object = 200) -> bytes:
    written = io.BytesIO()
    Image.new(mode, (width, height), colour).save(written, kind)  # type: ignore[arg-type]
    return written.getvalue()


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [(1600, 800, (1600, 800)), (1602, 801, (1600, 800)), (900, 3200, (450, 1600)), (3, 2, (3, 2))],
)
def test_the_longer_edge_has_1600_pixels_at_most(width: int, height: int, size: tuple[int, int]) -> None:
    picture = photos.redraw(drawn(width, height, colour=(9, 9, 9)))
    assert (picture.width, picture.height) == size
    assert Image.open(io.BytesIO(picture.jpeg)).size == size


def test_fifty_million_pixels_are_taken_and_no_more() -> None:
    assert photos.redraw(drawn(10_000, 5_000, kind="JPEG", mode="L")).width == 1600
    with pytest.raises(photos.PhotoError, match="at most 50,000,000 in all") as refused:
        photos.redraw(drawn(10_000, 5_001, kind="JPEG", mode="L"))
    assert (refused.value.code, refused.value.field) == ("too_large", "photo")


def test_twelve_million_bytes_are_read_and_no_more() -> None:
    padded = drawn(4, 4, colour=(1, 2, 3)).ljust(12_000_000, b"\0")
    assert photos.redraw(padded).width == 4
    with pytest.raises(photos.PhotoError, match="12,000,001 bytes; at most 12,000,000"):
        photos.redraw(padded + b"\0")


def test_what_is_transparent_lies_on_white_paper() -> None:
    picture = photos.redraw(drawn(8, 8, mode="RGBA", colour=(255, 0, 0, 0)))
    assert min(Image.open(io.BytesIO(picture.jpeg)).getpixel((4, 4))) > 250  # type: ignore[arg-type]
    solid = photos.redraw(drawn(8, 8, mode="RGBA", colour=(255, 0, 0, 255)))
    red, green, _ = Image.open(io.BytesIO(solid.jpeg)).getpixel((4, 4))  # type: ignore[misc]
    assert (red > 240, green < 20) == (True, True)


@pytest.mark.django_db
def test_a_photo_belongs_to_its_submission_and_takes_the_place_of_the_last() -> None:
    one, other = (
        ingest.receive(body(uuid=uuid(number), note=str(number)), channel="api", submitter="s").submission
        for number in (1, 2)
    )
    for submission, width in ((one, 5), (other, 7), (other, 9)):
        photos.keep(submission, photos.redraw(drawn(width, 4, colour=(1, 1, 1))))
    assert sorted(Photo.objects.values_list("submission", "width", "height")) == [
        (one.pk, 5, 4),
        (other.pk, 9, 4),
    ]
    photos.remove(one)
    photos.remove(one)
    assert Photo.objects.get().submission == other
