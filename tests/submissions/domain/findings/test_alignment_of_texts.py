"""Tests that a pasted text with partitions and an allocation unit yields a finding on whether they are aligned."""

import pytest

from submissions.domain.findings import describe_findings
from submissions.domain.findings.text_findings import find_in_text

DISK = "Disk /dev/{}: 29.7 GiB, 31914983424 bytes, 62333952 sectors\nUnits: sectors of 1 * 512 = 512 bytes\n"
ROW = "/dev/{}p1        {}   532479   524288  256M  c W95 FAT32 (LBA)\n"
UNIT = "preferred_erase_size: 4194304\n"


def sentences(text: str) -> list[str]:
    words = describe_findings(find_in_text(text))
    return [one.sentence for one in words if one.kind == "alignment"]


def test_it_works() -> None:
    card = DISK.format("mmcblk0")

    assert sentences(card + ROW.format("mmcblk0", 8192) + UNIT) == [
        "Its partitions start at multiples of 4 MiB."
    ]
    (misaligned,) = sentences(card + ROW.format("mmcblk0", 63) + UNIT)
    assert "A partition starts at 31.5 KiB, in the middle of a block of 4 MiB" in misaligned


def test_a_dump_of_sfdisk_tells_it_too() -> None:
    dump = "/dev/mmcblk0p1 : start=        2048, size=      524288, type=c\n"

    assert "in the middle of a block" in sentences(dump + UNIT)[0]


@pytest.mark.parametrize(
    "text",
    [
        DISK.format("mmcblk0") + ROW.format("mmcblk0", 2048),
        DISK.format("mmcblk0") + ROW.format("mmcblk0", 237),  # the files behind its FAT may be aligned
        DISK.format("mmcblk0") + UNIT,
    ],
)
def test_one_of_both_tells_nothing(text: str) -> None:
    assert sentences(text) == []


def test_sector_63_is_wrong_for_any_unit() -> None:
    text = DISK.format("sdb") + ROW.format("sdb", 63).replace("p1", "1")
    (finding,) = (one for one in describe_findings(find_in_text(text)) if one.kind == "alignment")

    assert "starts at 31.5 KiB, in the middle of a block of 4 KiB" in finding.sentence
    assert "sector 8192" in finding.next_step


def test_cylinders_are_too_rough() -> None:
    old = "Disk /dev/mmcblk0: 3904 MB, 3904897024 bytes\nUnits = cylinders of 128 * 512 = 65536 bytes\n"

    assert sentences(old + ROW.format("mmcblk0", 1) + UNIT) == []


def test_partitions_of_another_disk_do_not_count() -> None:
    other = DISK.format("sda") + "/dev/sda1   63   532479   524288  256M  c W95 FAT32 (LBA)\n"
    card = DISK.format("mmcblk0") + ROW.format("mmcblk0", 8192)
    timing = "/dev/mmcblk0:\n Timing buffered disk reads: 66 MB in  3.05 seconds =  21.63 MB/sec\n"

    assert sentences(other + card + UNIT) == []
    assert sentences(other + card + UNIT + timing) == ["Its partitions start at multiples of 4 MiB."]
