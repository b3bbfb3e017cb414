"""Tests of every form in which hosts and tools print a register, and of clear errors for unreadable ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.errors import DecodeError
from submissions.domain.registers.crc7 import crc7
from submissions.domain.registers.hexdigits import LENGTHS, parse
from tests.submissions.domain.registers.reading import decode, decode_readable

CID = "02544d5341303447113533890900d371"
CSD = "400e00325b5900001d177f800a40008d"


def refusal(register: str, text: str) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        parse(register, text)
    assert caught.value.field == register
    return caught.value


def test_it_works():
    register = parse("cid", CID)
    assert register.raw == bytes.fromhex(CID)
    assert register.crc == "valid"


@pytest.mark.parametrize(
    "text",
    [
        CID.upper(),
        f"0x{CID}",
        f"0X{CID.upper()}\n",
        "02:54:4d:53:41:30:34:47:11:35:33:89:09:00:d3:71",
        "02 54 4d 53 41 30 34 47 11 35 33 89 09 00 d3 71",
        "02-54-4d-53-41-30-34-47-11-35-33-89-09-00-d3-71",
        "$02 $54 $4D $53 $41 $30 $34 $47 $11 $35 $33 $89 $09 $00 $D3 $71",
        "0x02, 0x54, 0x4d, 0x53, 0x41, 0x30, 0x34, 0x47, 0x11, 0x35, 0x33, 0x89, 0x09, 0x00, 0xd3, 0x71",
        "02544d53 41303447 11353389 0900d371",
        "0x02544d53:0x41303447:0x11353389:0x0900d371",
        "  02544D53_41303447_11353389_0900D371  ",
    ],
)
def test_forms(text):
    assert parse("cid", text).raw.hex() == CID


def test_four_words_last_first_are_turned_by_their_checksum():
    register = parse("cid", "0900d371 11353389 41303447 02544d53")
    assert register.raw.hex() == CID
    assert register.words_reversed


def test_words_without_a_checksum_are_not_turned():
    register = parse("cid", "0900d300 11353389 41303447 02544d53")
    assert register.raw.hex().startswith("0900d300")
    assert not register.words_reversed


def test_turned_words_are_said():
    codes = [finding.code for finding in decode({"cid": "0900d371 11353389 41303447 02544d53"}).findings]
    assert codes == ["words_reversed"]


def test_ssr_as_words():
    text = ":".join(["80000000", "08000000"] + ["00000001"] * 14)
    assert parse("ssr", text).raw.hex().startswith("8000000008000000")


def test_fifteen_bytes():
    register = parse("cid", CID[:30])
    assert register.raw.hex() == CID[:30] + "00"
    assert register.crc == "absent"


@pytest.mark.parametrize(
    ("last", "state"),
    [
        ("71", "valid"),
        ("70", "valid_end_bit_cleared"),
        ("00", "absent"),
        ("01", "absent"),
        ("08", "absent"),
        ("ff", "absent"),
        ("73", "wrong"),
    ],
)
def test_last_byte(last, state):
    assert parse("cid", CID[:30] + last).crc == state


def test_a_wrong_checksum_is_said_and_read_all_the_same():
    answer = decode({"cid": CID[:30] + "73"})
    assert [finding.code for finding in answer.findings] == ["wrong_crc"]
    assert answer.cid.pnm == "SA04G"


def test_crc7_of_the_specification():
    """PLSS 4.5 gives the checksum 0x4A for CMD0 and 0x2A for CMD17, both with argument 0."""
    assert crc7(bytes.fromhex("4000000000")) == 0x4A
    assert crc7(bytes.fromhex("5100000000")) == 0x2A


def test_stranger_is_named_with_its_position():
    assert "'g' at position 5" in refusal("cid", "0254g" + CID[5:]).detail


def test_odd_number_of_digits():
    assert "found 31, an odd number" in refusal("cid", CID[:31]).detail


@pytest.mark.parametrize("register", LENGTHS)
def test_wrong_length(register):
    detail = refusal(register, "12" * (LENGTHS[register] + 1)).detail
    assert detail.startswith(register.upper())
    assert f"digit {LENGTHS[register] * 2 + 1} is too many" in detail


@pytest.mark.parametrize("register", LENGTHS)
@pytest.mark.parametrize(("filler", "name"), [("00", "zeros"), ("ff", "ones")])
def test_a_register_the_host_did_not_read(register, filler, name):
    assert f"all {name}" in refusal(register, filler * LENGTHS[register]).detail


def test_a_whole_log_is_refused():
    assert "paste the register alone" in refusal("cid", CID * 1000).detail


def test_nothing_given():
    with pytest.raises(DecodeError, match="There is no register"):
        decode({"cid": "", "csd": ""})


def test_unknown_register():
    with pytest.raises(DecodeError, match="'cdi' is unknown"):
        decode({"cdi": CID})


def test_unreadable_register_does_not_take_the_others_along():
    answer = decode_readable({"cid": CID, "csd": CSD, "ssr": "00" * 64})
    assert answer.cid.pnm == "SA04G"
    assert [(finding.code, finding.register) for finding in answer.findings] == [
        ("undecodable_register", "ssr")
    ]


def test_nothing_readable_is_refused():
    with pytest.raises(DecodeError) as caught:
        decode_readable({"cid": "zz"})
    assert caught.value.field == "cid"


@given(st.sampled_from(sorted(LENGTHS)), st.text())
def test_any_text_is_read_or_refused(register, text):
    try:
        assert len(parse(register, text).raw) == LENGTHS[register]
    except DecodeError as error:
        assert error.field == register


@given(
    st.dictionaries(st.sampled_from([*LENGTHS, "x"]), st.text("0123456789abcdefxABCDEF :$-"), max_size=4),
    st.text(),
)
def test_any_report_is_read_or_refused(registers, bus):
    try:
        decode(registers, bus=bus)
    except DecodeError as error:
        assert error.detail
