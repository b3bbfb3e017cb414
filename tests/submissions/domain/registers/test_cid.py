"""Tests of the CID of SD, eMMC and MMC 1.x, and of the rules for the year of an eMMC."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.registers.cid import mmc_years
from tests.submissions.domain.registers.reading import decode

EMMC_CSD = "d00f00320f5903fffffffdff8a404000"
EMMC_CID = "45010053454d3034473a2a40cb9aa200"  # SEM04G, month 10, year code 2


def ext_csd(**byte_values: int) -> str:
    raw = bytearray(512)
    for name, value in byte_values.items():
        raw[int(name.removeprefix("b"))] = value
    return raw.hex()


def test_it_works():
    cid = decode({"cid": "9f544953443634476136980065013b7e"}).cid
    assert (cid.mid, cid.oid, cid.oid_text, cid.pnm) == (0x9F, 0x5449, "TI", "SD64G")
    assert (cid.prv, cid.psn, cid.mdt) == ("6.1", 0x36980065, "2019-11")


def test_a_name_never_holds_what_a_database_refuses():
    cid = decode({"cid": "000000555344000020000025670196e1"}, bus="SD").cid
    assert cid.pnm == "USD"
    assert decode({"cid": "0000000155440a0020000025670196e1"}, bus="SD").cid.pnm == "?UD?"


def test_the_oem_is_hex_where_it_has_no_letters():
    assert decode({"cid": "6f0013534d4920200000000000012200"}, bus="SD").cid.oid_text == "0x0013"


def test_month_thirteen_is_no_date():
    answer = decode({"cid": "02544d5341303447113533890900dd"}, bus="SD")
    assert answer.cid.mdt is None
    assert answer.cid.mdt_reason == "month 13 does not exist"
    assert [finding.code for finding in answer.findings] == ["undated"]


def test_filled_reserved_bits_do_not_move_the_date():
    """Samsung, Longsys and Lexar have filled bits 23:20 since 2022."""
    cid = decode({"cid": "1b534d4a4431593730d27654a6a19cbd"}).cid
    assert cid.mdt == "2025-12"


def test_emmc():
    cid = decode({"cid": EMMC_CID, "csd": EMMC_CSD, "ext_csd": ext_csd(b192=7)}).cid
    assert (cid.bus, cid.mid, cid.oid, cid.pnm) == ("MMC", 0x45, 0x00, "SEM04G")
    assert (cid.prv, cid.psn, cid.mdt) == ("3.10", 0x2A40CB9A, "2015-10")
    assert (cid.reading["BIN"], cid.reading["CBX"]) == (0, 1)


def test_emmc_without_ext_csd_offers_every_year():
    cid = decode({"cid": EMMC_CID, "csd": EMMC_CSD}).cid
    assert cid.mdt is None
    assert cid.mdt_candidates == ("1999-10", "2015-10", "2031-10")
    assert "EXT_CSD_REV" in cid.mdt_reason


def test_before_version_four_there_is_no_ext_csd_to_ask():
    cid = decode({"cid": "15000030303030303007b20212909701", "csd": "8c26012a0f5901e9f6d983e392404001"}).cid
    assert cid.mdt == "2004-09"


def test_mmc_1_has_a_wide_manufacturer_and_seven_letters():
    """CSD structure 1, SPEC_VERS 1: MID has 24 bits, the name 7 bytes, a revision 4 bits, the serial 24 bits."""
    cid = decode(
        {"cid": "00000153444d42203136 21 abcdef 5200".replace(" ", ""), "csd": "44" + EMMC_CSD[2:]}
    ).cid
    assert (cid.mid, cid.oid, cid.pnm, cid.prv) == (1, None, "SDMB 16", "2.1")
    assert (cid.psn, cid.mdt) == (0xABCDEF, "1999-05")


@pytest.mark.parametrize(
    ("code", "revision", "mid", "years"),
    [
        (0, 4, 0x15, (1997,)),
        (15, 4, 0x15, (2012,)),
        (0, 5, 0x15, (2013,)),
        (12, 8, 0x15, (2025,)),
        (13, 8, 0x15, (2010,)),
        (13, 8, 0x45, (2026,)),
        (15, 5, 0x45, (2028,)),
        (0, 9, 0x15, (2029,)),
        (9, 9, 0x15, (2038,)),
        (10, 9, 0x15, (2023,)),
        (15, 9, 0x15, (2028,)),
        (1, None, 0x15, (1998, 2014, 2030)),
        (11, None, 0x15, (2008, 2024)),
        (13, None, 0x15, (2010, 2026)),
    ],
)
def test_years_of_emmc(code, revision, mid, years):
    assert mmc_years(code, revision, mid=mid) == years


@given(st.binary(min_size=16, max_size=16).filter(any), st.sampled_from(["SD", "MMC"]))
def test_every_cid_can_be_sent_as_json_and_stored_as_text(raw, bus):
    if raw == b"\xff" * 16:
        return
    answer = json.dumps(decode({"cid": raw.hex()}, bus=bus).as_dict())
    assert "\\u0000" not in answer
