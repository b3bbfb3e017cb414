"""Tests of the size of a device, in the languages of fdisk."""

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


def sizes(text: str) -> list[tuple[str, str, float | str]]:
    return [(fact.subject, fact.name, fact.value) for fact in read(text).facts]


def test_lsblk_rounds_unless_it_prints_bytes():
    rounded = "mmcblk0     179:0    0  29.7G  0 disk \n├─mmcblk0p1 179:1    0   256M  0 part /boot\n"

    assert sizes(rounded) == [("mmcblk0", "about_size_bytes", 31890132173)]
    assert sizes(rounded.replace("29.7G", "31914983424")) == [("mmcblk0", "size_bytes", 31914983424)]


def test_a_disk_that_stays_is_no_card():
    assert sizes("sda           8:0    0 465.8G  0 disk \n") == []
    assert sizes("sdb           8:16   1   3.8T  0 disk \n") == [("sdb", "about_size_bytes", 4178144185549)]


def test_the_kernel_lists_blocks_of_1024_bytes():
    assert sizes(" 179       48   15339520 mmcblk1\n 179       49   15338496 mmcblk1p1\n") == [
        ("mmcblk1", "size_bytes", 15339520 * 1024)
    ]


def test_a_list_does_not_say_what_was_measured():
    hdparm = " Timing O_DIRECT disk reads: 126 MB in  3.01 seconds =  41.90 MB/sec\n"

    assert read("mmcblk0     179:0    0  29.7G  0 disk \n" + hdparm).figures[0].subject == ""


def test_sectors_of_a_card_have_512_bytes():
    assert sizes("Disk /dev/mmcblk0: 15273600 sectors, 3361M\n") == [
        ("mmcblk0", "size_bytes", 15273600 * 512)
    ]
    assert sizes("Disk /dev/sda: 15273600 sectors, 7.3 GiB\n") == []


def test_parted_names_a_card_but_no_other_disk():
    assert sizes("Model: SD DR032 (sd/mmc)\n") == [("", "pnm", "DR032")]
    assert sizes("Model: ATA QEMU (scsi)\n") == []
