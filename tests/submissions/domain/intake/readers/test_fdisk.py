"""The size of a device in the languages of fdisk."""

import pytest

from submissions.domain.intake.paste import read


def test_it_works():
    (size,) = read("Disk /dev/mmcblk1: 3904 MB, 3904897024 bytes\n").facts

    assert (size.name, size.value, size.subject) == ("size_bytes", 3904897024, "mmcblk1")


@pytest.mark.parametrize(
    "line",
    [
        "Disk /dev/sdf: 7.4 GiB, 7902068736 bytes, 15433728 sectors",
        "Диск /dev/sdf: 7902 МБ, 7902068736 байт",
        "Festplatte /dev/sdf: 7,4 GiB, 7902068736 Bytes, 15433728 Sektoren",
        "Disque /dev/sdf : 7,4 GiB, 7902068736 octets, 15433728 secteurs",
        "Disk /dev/sdf：7.4 GiB，7902068736 字节，15433728 个扇区",
    ],
)
def test_every_language_gives_the_same_size(line: str):
    assert [fact.value for fact in read(f"{line}\n").facts] == [7902068736]


def test_sectors_and_bytes_must_agree():
    parsed = read("Disk /dev/sdf: 7.4 GiB, 7902068736 bytes, 1543372 sectors\n")

    assert parsed.facts == ()
    assert len(parsed.not_understood) == 1


def test_factors_must_multiply_to_the_number():
    (fact,) = read("3904897024: 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 7 7 19\n").facts

    assert fact.value == "3904897024 = 2^22 7^2 19^1"
    assert read("3904897024: 2 2 7\n").facts == ()
