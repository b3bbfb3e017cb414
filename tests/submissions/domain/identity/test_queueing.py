"""Tests whether a Raspberry Pi 5 queues commands in a card, by the table of its kernel."""

import pytest

from submissions.domain.identity.suspicions import find_suspicions
from submissions.domain.identity.suspicions.quirks import queue_on_pi_5
from submissions.domain.registers import Decoded, decode


def card(mid: int, oid: str, name: str, revision: int, *made_in: int) -> Decoded:
    year, month = made_in
    made = ((year - 2000) << 4) | month
    raw = bytes([mid]) + oid.encode() + name.encode().ljust(5) + bytes([revision]) + b"\1\2\3\4"
    cid = (raw + made.to_bytes(2, "big") + b"\0").hex()
    return decode({"cid": cid}, bus="SD")


def state(decoded: Decoded) -> str:
    told = queue_on_pi_5(decoded)
    assert told and told.source and told.sentence.startswith("On a Raspberry Pi 5")
    return told.state


@pytest.mark.parametrize(
    ("decoded", "expected"),
    [
        (card(0xAD, "LS", "USD00", 0x10, 2024, 9), "on"),
        (card(0xAD, "LS", "USD00", 0x00, 2024, 9), "off"),
        (card(0x74, "J`", "USD00", 0x20, 2026, 3), "off"),
        (card(0x74, "J`", "USD00", 0x20, 2026, 4), "on"),
        (card(0x74, "J`", "USD00", 0x21, 2025, 1), "on"),
        (card(0x1B, "SM", "JD1S5", 0x30, 2023, 6), "hangs"),
        (card(0x1B, "SM", "JD1S5", 0x30, 2024, 6), "off"),
        (card(0x9F, "TI", "SD128", 0x61, 2021, 11), "hangs"),
        (card(0x9F, "TI", "SD64G", 0x61, 2019, 11), "hangs"),
        (card(0x9F, "TI", "SD128", 0x61, 2023, 5), "off"),
        (card(0x03, "SD", "SR64G", 0x80, 2018, 1), "off"),
    ],
)
def test_it_works(decoded: Decoded, expected: str):
    assert state(decoded) == expected


def test_to_be_trusted_is_no_defect():
    assert find_suspicions(card(0xAD, "LS", "USD00", 0x10, 2024, 9)) == ()


def test_an_erase_that_destroys_is_one():
    (defect,) = find_suspicions(card(0x27, "PH", "SD128", 0x30, 2022, 1))
    assert (defect.id, defect.weight) == ("Q:ERASE_BROKEN", "I")


def test_without_the_cid_of_an_sd_card_nothing_is_told():
    assert queue_on_pi_5(decode({"csd": "400e00325b5900001d177f800a40008d"}, bus="SD")) is None
