"""Tests of PiBenchmarks: the host, the drive and the card that it prints before it measures."""

import pytest

from submissions.domain.intake.paste import read
from tests import corpus

CID = "Card CSD status register: MID: {} OID: SD PNM: SD32G PRV: 8.5 MDATE: {}\n"


def facts_of(text: str) -> dict[str, float | str]:
    return {fact.name: fact.value for fact in read(text).facts}


def test_it_works():
    parsed = corpus.load(corpus.LOGS / "pibenchmarks/012-ricsanfre-sandisk-ultra-32gb-rpi4-run1.txt")
    told = {fact.name: fact.value for fact in parsed.facts}

    assert {figure.subject for figure in parsed.figures} == {"mmcblk0p2"}
    assert told == {
        "board": "Raspberry Pi 4 Model B Rev 1.2",
        "kernel": "5.4.0-1041-raspi",
        "pnm": "SD32G",
        "about_size_bytes": 31911607009,
        "mid": 3,
        "oid": 0x5344,
        "hardware_revision": 8,
        "firmware_revision": "5",
        "mdt": "2021-01",
        "brand": "SanDisk",
        "clock_hz": 50_000_000,
        "tool_version": "3.489",
    }


@pytest.mark.parametrize(
    ("printed", "month"), [("1/2021", "2021-01"), ("11/209", "2009-11"), ("2/208", "2008-02")]
)
def test_the_year_lost_its_zero(printed: str, month: str):
    assert facts_of(CID.format("3", printed))["mdt"] == month


def test_the_number_of_the_maker_is_hexadecimal():
    assert facts_of(CID.format("1b", "1/2021"))["mid"] == 0x1B


def test_an_unknown_maker_is_no_brand():
    text = "MicroSD information: Clock Speed:  - Manufacturer: 0x0000ad - Model: USD00 - Vendor: LS - Class: A1\n"

    assert facts_of(text) == {"pnm": "USD00"}


def test_the_clock_of_the_first_slot_is_none_of_the_second():
    drive = "System rootfs drive (/) has been detected as /dev/mmcblk{}p2 (mmcblk{}p2)\n"
    card = "MicroSD information: Clock Speed: 50.0 - Manufacturer: SanDisk - Model: SD32G - Vendor: SD\n"

    assert "clock_hz" in facts_of(drive.format(0, 0) + card)
    assert "clock_hz" not in facts_of(drive.format(1, 1) + card)


@pytest.mark.parametrize("printed", [".", "5.0.1", "..."])
def test_a_clock_that_only_looks_like_a_number_is_none(printed: str):
    card = "MicroSD information: Clock Speed: {} - Manufacturer: SanDisk - Model: SD32G - Vendor: SD\n"

    assert facts_of(card.format("50.0"))["clock_hz"] == 50_000_000
    assert facts_of(card.format(printed)) == {}


def test_a_drive_that_inxi_saw_at_usb_is_one():
    (fact,) = read("  ID-1: /dev/sda type: USB vendor: Samsung model: Flash Drive FIT \n").facts

    assert (fact.name, fact.value, fact.subject) == ("transport", "USB", "sda")
