"""Tests of the decision between SD and MMC: the facts that decide, their order, and the result if nothing decides."""

import pytest

from submissions.domain.errors import DecodeError
from tests.submissions.domain.registers.reading import decode

SD_CID = "02544d5341303447113533890900d371"
SD_CSD = "400e00325b5900001d177f800a40008d"
MMC_CID = "45010053454d3034473a2a40cb9aa200"
MMC_CSD = "d00f00320f5903fffffffdff8a404000"
UNKNOWN_CID = "7700004142434445103533890900d300"
EXT_CSD = "08".rjust(386, "0").ljust(1024, "0")


def test_it_works():
    assert decode({"cid": SD_CID, "csd": SD_CSD}).bus == "SD"
    assert decode({"cid": MMC_CID, "csd": MMC_CSD}).bus == "MMC"


@pytest.mark.parametrize(
    ("stated", "bus"), [("SD", "SD"), ("sd\n", "SD"), ("SDcombo", "SD"), ("MMC", "MMC"), ("eMMC", "MMC")]
)
def test_the_host_is_believed_first(stated, bus):
    answer = decode({"cid": SD_CID, "scr": "0235800001000000"}, bus=stated)
    assert (answer.bus, answer.bus_reason) == (bus, "the host said so")


@pytest.mark.parametrize("stated", ["SDIO", "usb", " ", 7])
def test_a_bus_without_these_registers_is_refused(stated):
    with pytest.raises(DecodeError) as caught:
        decode({"cid": SD_CID}, bus=stated)
    assert caught.value.field == "bus"


def test_no_bus_is_no_statement():
    assert decode({"csd": SD_CSD}, bus="").bus == "SD"


@pytest.mark.parametrize(
    ("registers", "bus", "reason"),
    [
        ({"cid": UNKNOWN_CID, "scr": "0235800001000000"}, "SD", "SCR"),
        ({"cid": UNKNOWN_CID, "ext_csd": EXT_CSD}, "MMC", "EXT_CSD"),
        ({"cid": UNKNOWN_CID, "csd": MMC_CSD}, "MMC", "125:122"),
        ({"cid": UNKNOWN_CID, "csd": SD_CSD}, "SD", "structure 1"),
        ({"csd": "800e0032db79007fffff7f800a400000"}, "SD", "SDUC"),
        ({"csd": "800e0032db79000076b27f800a400000"}, "MMC", "structure 2"),
        ({"cid": SD_CID}, "SD", "known only on SD"),
        ({"cid": MMC_CID}, "MMC", "known only on MMC"),
    ],
)
def test_evidence(registers, bus, reason):
    answer = decode(registers)
    assert answer.bus == bus
    assert reason in answer.bus_reason


def test_without_evidence_both_readings_are_offered():
    answer = decode({"cid": UNKNOWN_CID})
    assert (answer.bus, answer.cid, answer.capacity_bytes) == (None, None, None)
    assert [(reading.bus, reading.cid.pnm) for reading in answer.readings] == [
        ("SD", "ABCDE"),
        ("MMC", "ABCDE?"),
    ]
    assert [reading["bus"] for reading in answer.as_dict()["readings"]] == ["SD", "MMC"]


def test_registers_of_two_cards_are_said():
    answer = decode({"cid": SD_CID, "csd": SD_CSD, "ext_csd": EXT_CSD}, bus="SD")
    assert [(finding.code, finding.register) for finding in answer.findings] == [("wrong_bus", "ext_csd")]
