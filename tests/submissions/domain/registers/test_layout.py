"""Tests that a register that is read and written again has the same bytes, since one table does both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.registers import cid, csd, encode, ext_csd, identity_bytes, ocr, scr, ssr
from submissions.domain.registers.hexdigits import LENGTHS
from submissions.domain.registers.register_layout import Field, explain, layout, read_fields
from tests.submissions.domain.registers.reading import decode

TABLES = [
    cid.SD,
    cid.MMC,
    cid.MMC_1,
    csd.SD_1,
    csd.SD_2,
    csd.SD_3,
    csd.MMC,
    scr.SCR,
    ssr.SSR,
    ext_csd.EXT_CSD,
    ocr.OCR,
]

SA04G = {
    "cid": "02544d5341303447113533890900d371",
    "csd": "400e00325b5900001d177f800a40008d",
    "scr": "0235800001000000",
}


def raw(length: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=length, max_size=length)


def readable(register: str) -> st.SearchStrategy[str]:
    blank = {bytes(LENGTHS[register]), b"\xff" * LENGTHS[register]}
    return raw(LENGTHS[register]).filter(lambda register_bytes: register_bytes not in blank).map(bytes.hex)


def test_it_works():
    rows = {row.field: row for row in decode(SA04G).explain()}
    assert (rows["MDT"].bits, rows["MDT"].raw, rows["MDT"].value) == ("19:8", "0x0d3", "2013-03")
    assert rows["MDT"].meaning == "made in March 2013"
    assert rows["TAAC"].meaning == "asynchronous part of the access time: 1,000,000 ns"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.register}-{len(table.rows)}")
@given(data=st.data())
def test_writing_what_was_read_gives_the_same_bytes(table, data):
    register = data.draw(raw(table.byte_count))
    assert encode(read_fields(table, register)) == register


@pytest.mark.parametrize("register", LENGTHS)
@pytest.mark.parametrize("bus", ["SD", "MMC"])
@given(data=st.data())
def test_every_register_decodes_to_its_own_bytes(register, bus, data):
    """SD has no CSD_STRUCTURE 3; all other registers that are not blank can be read."""
    text = data.draw(readable(register).filter(lambda digits: register != "csd" or digits[0] not in "cdef"))
    value = getattr(decode({register: text}, bus=bus), register)
    assert encode(value.reading).hex() == text


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.register}-{len(table.rows)}")
@given(data=st.data())
def test_every_bit_is_explained_once(table, data):
    rows = explain(read_fields(table, data.draw(raw(table.byte_count))))
    assert sum(row.high - row.low + 1 for row in table.rows) == table.byte_count * 8
    assert all(row.meaning for row in rows)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.register}-{len(table.rows)}")
def test_every_row_says_what_it_is(table):
    assert all(row.says for row in table.rows)


def test_overlapping_rows_are_refused():
    with pytest.raises(ValueError, match="second overlaps"):
        layout("cid", 1, (Field("first", 7, 3), Field("second", 3, 0)))


def test_gaps_become_reserved_rows():
    table = layout("cid", 1, (Field("middle", 5, 2),))
    assert [row.name for row in table.rows] == ["reserved_7_6", "middle", "reserved_1_0"]


def test_the_serial_number_is_hidden_unless_asked_for():
    answer = decode(SA04G)
    hidden = f"{answer.as_dict()}{answer.explain()}{answer!r}"
    assert "35338909" not in hidden
    assert str(0x35338909) not in hidden
    assert answer.as_dict(serial=True)["cid"]["psn"] == 0x35338909
    assert any(row.value == 0x35338909 for row in answer.explain(serial=True))


def test_json_carries_the_specifications_names():
    answer = decode(SA04G).as_dict()
    assert answer["cid"]["mid"] == 2
    assert (answer["cid"]["oid"], answer["cid"]["oid_hex"]) == ("TM", "0x544d")
    assert (answer["csd"]["csd_structure"], answer["scr"]["sd_spec"]) == (1, "3.0x")
    assert answer["ssr"] is None


def test_identity_is_the_same_whatever_the_host_does_to_the_checksum():
    cids = [decode({"cid": SA04G["cid"][:30] + last}).cid for last in ("", "00", "01", "70", "71")]
    assert len({identity_bytes(cid.raw) for cid in cids}) == 1
