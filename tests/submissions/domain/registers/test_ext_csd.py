"""Tests of the EXT_CSD with hand-made registers, as no raw EXT_CSD of a real device was published."""

import pytest

from tests.submissions.domain.registers.reading import decode

MIB = 2**20


def ext_csd(changes: dict[int, bytes]):
    raw = bytearray(512)
    for at, written in {192: b"\x08", **changes}.items():
        raw[at : at + len(written)] = written
    return decode({"ext_csd": raw.hex()}).ext_csd


def test_it_works():
    register = ext_csd({212: (15_269_888).to_bytes(4, "little"), 226: b"\x20", 168: b"\x20"})
    assert (register.ext_csd_rev, register.emmc_version) == (8, "5.1")
    assert register.capacity_bytes == 7_818_182_656
    assert (register.boot_partition_bytes, register.rpmb_bytes) == (4 * MIB, 4 * MIB)


def test_it_tells_the_size_that_the_csd_cannot():
    raw = bytearray(512)
    raw[192], raw[212:216] = 8, (61_071_360).to_bytes(4, "little")
    answer = decode({"csd": "d00f00320f5903fffffffdff8a404000", "ext_csd": raw.hex()})
    assert (answer.bus, answer.capacity_bytes) == ("MMC", 61_071_360 * 512)


def test_health():
    register = ext_csd({267: b"\x02", 268: b"\x01", 269: b"\x0b"})
    assert register.pre_eol == "warning: 80 % of the reserve is used"
    assert (register.life_time_a, register.life_time_b) == (1, 11)


def test_health_does_not_exist_before_version_5():
    register = ext_csd({192: b"\x06", 267: b"\x01", 268: b"\x01"})
    assert (register.pre_eol, register.life_time_a) == (None, None)


def test_undefined_health_is_none():
    register = ext_csd({})
    assert (register.pre_eol, register.life_time_a, register.life_time_b) == (None, None, None)


def test_cache_and_queue():
    register = ext_csd({249: (512).to_bytes(4, "little"), 307: b"\x1f", 308: b"\x01"})
    assert (register.cache_bytes, register.queue_depth) == (64 * 1024, 32)
    assert ext_csd({307: b"\x1f"}).queue_depth == 0


@pytest.mark.parametrize(
    ("raw", "version"), [(b"RC30B007", "RC30B007"), (bytes([6, 0, 0, 0, 0, 0, 0, 0]), "0x0600000000000000")]
)
def test_firmware(raw, version):
    assert ext_csd({254: raw}).firmware_version == version


def test_general_partitions():
    """The size is 3 x 8 (protection group) x 1 (erase group) x 512 KiB = 12 MiB."""
    register = ext_csd({143: b"\x03", 221: b"\x08", 224: b"\x01"})
    assert register.general_partition_bytes == (12 * MIB,)


def test_bytes_are_numbered_as_in_the_standard():
    raw = bytearray(512)
    raw[192] = 8
    rows = {row.field: row for row in decode({"ext_csd": raw.hex()}).explain()}
    assert rows["EXT_CSD_REV"].bits == "[192]"
    assert rows["SEC_COUNT"].bits == "[215:212]"
    assert rows["EXT_CSD_REV"].meaning == "eMMC version 5.1"
