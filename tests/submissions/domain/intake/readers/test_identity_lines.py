"""Registers among other text."""

import pytest

from submissions.domain.intake.paste import read


@pytest.mark.parametrize("register", ["744a605553442020104182bbc7010600", "400e00325b5900003b377f800a404001"])
def test_json_calls_a_register_raw(register: str):
    parsed = read(f'  "cid": {{\n    "reg": "CID",\n    "raw": "{register}",\n    "fields": [\n')

    assert list(parsed.registers.values()) == [register]


def test_raw_below_anything_else_is_none():
    assert read('"kind": "key",\n"raw": "744a605553442020104182bbc7010600",\n').registers == {}


def test_bits_of_a_bus_are_no_result():
    assert read("Data transfer rate     : 25 Mbit/s\n").questions == ()
