"""Tests of SCR and SSR: versions and promised classes. The SSR examples are published readings of real cards."""

import pytest

from submissions.domain.registers.scr import VERSIONS
from tests.submissions.domain.registers.reading import decode

MIB = 2**20


def scr(text: str):
    return decode({"scr": text}).scr


def ssr(from_byte_4: str, **others: str):
    text = ("00000000" + from_byte_4.replace(" ", "")).ljust(128, "0")
    return decode({"ssr": text, **others}).ssr


def test_it_works():
    card = ssr("08000000 04 00 90 0001 1b 39 1e 0008 000000 02 ff 00 03")  # Kingston Canvas Go! Plus 64 GB
    assert (card.speed_class, card.uhs_speed_grade, card.video_speed_class, card.app_perf_class) == (
        10,
        3,
        30,
        2,
    )
    assert (card.au_size_bytes, card.uhs_au_size_bytes, card.vsc_au_size_mb) == (4 * MIB, 4 * MIB, 8)
    assert (card.erase_size_au, card.erase_timeout_seconds, card.erase_offset_seconds) == (1, 6, 3)
    assert (card.queue_depth, card.cache, card.host_maintenance, card.card_maintenance) == (
        32,
        True,
        True,
        True,
    )
    assert (card.discard, card.full_erase) == (True, True)


def test_sandisk_sc16g():
    card = ssr("04000000 04 00 90 000f 05 1a 00 0000 000000 01", csd="400e00325b59000076b27f800a404013")
    assert (card.speed_class, card.uhs_speed_grade, card.app_perf_class) == (10, 1, 1)
    assert (card.au_size_bytes, card.uhs_au_size_bytes, card.protected_area_bytes) == (
        4 * MIB,
        8 * MIB,
        64 * MIB,
    )
    assert (card.erase_size_au, card.erase_timeout_seconds, card.erase_offset_seconds) == (15, 1, 1)


def test_an_old_class_2_card():
    card = ssr("04000000 01 01 90 000b 05 00 00")  # SanDisk SU16G of 2010
    assert (card.speed_class, card.performance_move_mb_per_second, card.uhs_speed_grade) == (2, 1, 0)
    assert card.uhs_au_size_bytes is None


def test_goodram_a2():
    card = ssr("00000000 04 00 a0 0100 fd 3a 1e 0008 000000 02 3c 00 00")
    assert (card.au_size_bytes, card.erase_size_au, card.erase_timeout_seconds) == (8 * MIB, 256, 63)
    assert (card.queue_depth, card.cache, card.discard) == (8, True, False)


def test_no_queue_is_zero_deep():
    assert ssr("04000000 04 00 90 000f 05 1a 00").queue_depth == 0


@pytest.mark.parametrize(
    ("code", "kib"),
    [("1", 16), ("6", 512), ("7", 1024), ("9", 4096), ("a", 8192), ("b", 12288), ("d", 24576), ("f", 65536)],
)
def test_allocation_units(code, kib):
    assert ssr(f"00000000 04 00 {code}0").au_size_bytes == kib * 1024


def test_no_allocation_unit_is_none():
    assert ssr("00000000 04").au_size_bytes is None


def test_large_allocation_units_do_not_exist_before_version_3():
    text = "000000000000000004 00 a0".replace(" ", "").ljust(128, "0")
    answer = decode({"ssr": text, "scr": "0225800000000000"})
    assert answer.scr.sd_spec == "3.0x"
    old = decode({"ssr": text, "scr": "0225000000000000"})
    assert (answer.ssr.au_size_bytes, old.ssr.au_size_bytes) == (8 * MIB, None)
    assert [finding.code for finding in old.findings] == ["contradiction"]


def test_reserved_classes_are_none_and_said():
    answer = decode({"ssr": "00" * 8 + "09" + "00" * 5 + "2007" + "00" * 48})
    assert (answer.ssr.speed_class, answer.ssr.uhs_speed_grade, answer.ssr.video_speed_class) == (
        None,
        None,
        None,
    )
    assert [finding.code for finding in answer.findings] == ["reserved_code"] * 3


def test_protected_area_of_sdsc_counts_in_units_of_the_csd():
    """With READ_BL_LEN 9 and C_SIZE_MULT 3 the unit is 2^(3 + 2 + 9) = 16 KiB."""
    card = ssr("00000028", csd="002d0032135983c9f6d9cf8016400001")
    assert card.protected_area_bytes == 0x28 * 16_384


@pytest.mark.parametrize(
    ("text", "sd_spec"),
    [
        ("00a5000008070302", "1.0x"),  # PQI 64 MB
        ("0125000000000000", "1.10"),  # ATP 2 GB
        ("0235000000000000", "2.00"),
        ("0235800100000000", "3.0x"),
        ("0205848701006432", "6.xx"),
        ("0245848700000000", "6.xx"),
        ("0235840000000000", "4.xx"),
        ("0235804300000000", "5.xx"),  # SPECX counts although SPEC4 is 0
        ("0235814000000000", "9.xx"),
        ("0235818000000000", "newer than 9.xx"),
        ("0335800000000000", None),
    ],
)
def test_version(text, sd_spec):
    assert scr(text).sd_spec == sd_spec


def test_versions_are_ordered():
    assert VERSIONS.index("2.00") < VERSIONS.index("3.0x") < VERSIONS.index("9.xx")


def test_commands_and_widths():
    register = scr("0205848701006432")
    assert register.bus_widths == (1, 4)
    assert (register.speed_class_control, register.set_block_count, register.extension_registers) == (
        True,
        True,
        True,
    )


def test_a_version_without_its_older_flags_is_said():
    codes = [finding.code for finding in decode({"scr": "0235008000000000"}).findings]
    assert codes == ["contradiction"]


def test_reserved_version_is_said():
    assert [finding.code for finding in decode({"scr": "0335800000000000"}).findings] == ["reserved_code"]


def test_ocr():
    ocr = decode({"ocr": "c0ff8000"}, bus="SD").ocr
    assert (ocr.powered_up, ocr.high_capacity, ocr.uhs_ii) == (True, True, False)
    assert decode({"ocr": "00200000"}, bus="SD").ocr.high_capacity is None
