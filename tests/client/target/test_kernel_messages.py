"""Errors of a card are found in the kernel's log under all names of the card, and only since it was inserted."""

import pytest
from cardbench.target.kernel_messages import find_complaints, names_in_log, select_complaints
from cardbench.target.sysfs import Sysfs

from tests.client.target.test_identity import TREES

CARD = ("mmcblk0(p\\d+)?", "mmc0")
QUEUE = "mmc0: running CQE recovery"


def test_it_works(tmp_path):
    log = tmp_path / "kmsg"
    log.write_text(f"6,1,2,-;mmc0: new SDXC card at address aaaa\n3,2,3,-;{QUEUE}\n SUBSYSTEM=mmc\n")
    assert find_complaints("mmcblk0", Sysfs(tmp_path), log) == (QUEUE,)
    assert find_complaints("", Sysfs(tmp_path), log) == ()
    assert find_complaints("mmcblk0", Sysfs(tmp_path), tmp_path / "none") == ()


@pytest.mark.parametrize(
    "line",
    [
        QUEUE,
        "mmc0: cqhci: timeout for tag 30",
        "mmc0: Timeout waiting for hardware interrupt.",
        "mmc0: error -110 whilst initialising SD card",
        "mmcblk0: error -110 transferring data, sector 8",
        "I/O error, dev mmcblk0, sector 8 op 0x0:(READ)",
        "Buffer I/O error on dev mmcblk0p2, logical block 0, async page read",
    ],
)
def test_trouble_is_found_under_each_name(line):
    assert select_complaints([line], CARD) == (line,)


@pytest.mark.parametrize(
    "line",
    [
        "mmc1: error -110 whilst initialising SD card",
        "I/O error, dev mmcblk01, sector 8",
        "mmc0: new ultra high speed SDR104 SDXC card at address aaaa",
        "EXT4-fs (mmcblk0p2): mounted filesystem with ordered data mode",
    ],
)
def test_what_is_no_trouble_or_of_another_disk_is_left(line):
    assert select_complaints([line], CARD) == ()


@pytest.mark.parametrize(
    ("names", "arrival", "trouble"),
    [
        (CARD, "mmc0: new high speed SDHC card at address 0001", QUEUE),
        (CARD, "mmc0: card aaaa removed", QUEUE),
        (("sdb\\d*",), "sd 2:0:0:0: [sdb] Attached SCSI removable disk", "I/O error, dev sdb, sector 8"),
        (("loop3",), "loop3: detected capacity change from 0 to 16777216", "I/O error, dev loop3, sector 8"),
    ],
)
def test_an_earlier_card_is_forgotten(names, arrival, trouble):
    assert select_complaints([trouble, arrival], names) == ()
    assert select_complaints([arrival, trouble, trouble], names) == (trouble, trouble)


def test_a_card_in_a_reader_is_named_by_its_place_too():
    names = names_in_log("sdb", Sysfs(TREES / "usb-reader"))
    found = select_complaints(["usb 2-1: reset high-speed USB device: timeout", "usb 2-4: timeout"], names)
    assert [line.partition(":")[0] for line in found] == ["usb 2-1"]
