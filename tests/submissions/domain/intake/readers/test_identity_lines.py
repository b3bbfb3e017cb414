"""CIDs that stand field by field in logs, or raw in JSON."""

import pytest

from submissions.domain.intake.paste import read

NUTTX = "mmcsd_decode_cid: mid: 02 oid: 544d pnm: SA08G prv: 7 psn: 1107393314 mdt: c6 crc: 7e\n"


def cid(text: str) -> str | None:
    return read(text).registers.get("cid")


def test_it_works():
    assert cid(NUTTX) == "02544d53413038470742017b2200c6fd"
    assert cid("[    1.2] " + NUTTX.replace("_cid", "CID")) == "02544d53413038470742017b2200c6fd"


def test_a_negative_serial_number_is_one_of_32_bits():
    negative = NUTTX.replace("psn: 1107393314", f"psn: {1107393314 - 2**32}")

    assert cid(negative) == cid(NUTTX)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("oid: 544d", "oid: 0254"), ("prv: 7", "prv: 8"), ("crc: 7e", "crc: 7f"), ("prv: 7", "prv: 777")],
)
def test_fields_against_their_checksum_are_none(field: str, wrong: str):
    assert cid(NUTTX.replace(field, wrong)) is None


@pytest.mark.parametrize("register", ["744a605553442020104182bbc7010600", "400e00325b5900003b377f800a404001"])
def test_json_calls_a_register_raw(register: str):
    parsed = read(f'  "cid": {{\n    "reg": "CID",\n    "raw": "{register}",\n    "fields": [\n')

    assert list(parsed.registers.values()) == [register]


def test_raw_below_anything_else_is_none():
    assert read('"kind": "key",\n"raw": "744a605553442020104182bbc7010600",\n').registers == {}


def test_bits_of_a_bus_are_no_result():
    assert read("Data transfer rate     : 25 Mbit/s\n").questions == ()
