"""Tests of the search for registers among other text."""

import pytest

from submissions.domain.intake.lines import split
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.paste import read
from submissions.domain.intake.readers import identity_lines


@pytest.mark.parametrize("register", ["744a605553442020104182bbc7010600", "400e00325b5900003b377f800a404001"])
def test_json_calls_a_register_raw(register: str):
    parsed = read(f'  "cid": {{\n    "reg": "CID",\n    "raw": "{register}",\n    "fields": [\n')

    assert list(parsed.identity.registers.values()) == [register]


def test_raw_below_anything_else_is_none():
    assert read('"kind": "key",\n"raw": "744a605553442020104182bbc7010600",\n').identity.registers == {}


def test_bits_of_a_bus_are_no_result():
    assert read("Data transfer rate     : 25 Mbit/s\n").questions == ()


CID, CSD = "035344534c33324780123456780123ab", "400e00325b590000ee7f7f800a404001"


def find_subject(text: str) -> str:
    """Return the disk of the registers in these lines; lines with a prompt count as understood."""
    lines = split(text)
    prompts = [Span(line.number, 0, len(line.text)) for line in lines if line.text.startswith("$")]
    return identity_lines.find_registers(lines, prompts, []).subject


def test_registers_are_of_the_disk_in_their_path():
    assert find_subject(f"$ cat /sys/block/mmcblk1/device/cid\n{CID}\n$ hdparm -t /dev/sda\n") == "mmcblk1"
    assert (
        find_subject(f"$ for f in cid; do echo $f $(cat /sys/block/mmcblk1/device/$f); done\ncid {CID}\n")
        == "mmcblk1"
    )
    assert find_subject(f"/sys/block/mmcblk1/device/cid:{CID}\n") == "mmcblk1"


def test_registers_of_two_disks_or_without_a_path_have_none():
    two = f"/sys/block/mmcblk1/device/cid:{CID}\n/sys/block/mmcblk0/device/csd:{CSD}\n"

    assert find_subject(two) == find_subject(f"$ hdparm -t /dev/sda\n$ cat cid\n{CID}\n") == ""
