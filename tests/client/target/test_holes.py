"""A file with holes is not measured as a card, because reading a hole accesses no card."""

import os

from cardbench.target import target

from tests.client.conftest import MIB


def sparse(image, *, kept_mib: int = 0) -> None:
    with image.open("wb") as file:
        file.write(bytes(kept_mib * MIB))
        file.truncate(32 * MIB)


def test_it_works(cardbench, image):
    assert target.holes(image, may_write=False) == []
    sparse(image, kept_mib=8)
    assert target.holes(image, may_write=True) == [range(8 * MIB, 32 * MIB)]
    answer = cardbench("run", image)
    assert answer.returncode == 2
    assert f"{24 * MIB:,} bytes of {image} are holes" in answer.stderr
    assert "cp --sparse=never" in answer.stderr


def test_holes_between_data_are_found(image):
    sparse(image, kept_mib=1)
    with image.open("r+b") as file:
        file.seek(16 * MIB)
        file.write(bytes(MIB))
    assert target.holes(image, may_write=True) == [range(MIB, 16 * MIB), range(17 * MIB, 32 * MIB)]


def test_a_file_given_up_is_written_first(cardbench, image):
    sparse(image)
    words = ("--destructive", "--yes", "--confirm-size", 32 * MIB, "--workload", "align")
    answer = cardbench("run", image, *words)
    assert answer.returncode == 0, answer.stderr
    assert f"{32 * MIB:,} bytes of card.img are holes, so cardbench writes them first." in answer.stderr
    assert target.holes(image, may_write=False) == []


def test_a_file_larger_than_the_disk_has_room_for_is_refused(cardbench, image):
    space = os.statvfs(image)
    try:
        os.truncate(image, min(space.f_bavail * space.f_frsize + 16 * 2**30, 15 * 2**40))
        size = image.stat().st_size
        answer = cardbench("run", image, "--destructive", "--yes", "--confirm-size", size)
    finally:
        os.truncate(image, 0)
    assert answer.returncode == 4
    assert "not enough space" in answer.stderr
