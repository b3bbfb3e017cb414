"""Tests against mistakes of published decoders, each with the register that shows the mistake."""

from submissions.domain.identity.makers import find_maker
from tests.submissions.domain.registers.reading import decode


def fields(registers: dict[str, str], bus: str | None = None) -> dict:
    return {row.field: row for row in decode(registers, bus=bus).explain()}


def test_mmc_utils_names_the_following_month():
    """The list of months of mmc-utils starts at index 0, but month 1 is January."""
    assert decode({"cid": "02544d5341303447113533890900d1"}).cid.mdt == "2013-01"


def test_usbsdmux_finds_a_month_13():
    """The reference file of usbsdmux, 02544d53413034471027b7748500bc00, ends in month 12."""
    assert decode({"cid": "02544d53413034471027b7748500bc00"}).cid.mdt == "2011-12"


def test_usbsdmux_takes_toshiba_for_sandisk():
    """The number 0x02 is SanDisk only in the list of MMC makers."""
    assert find_maker("SD", 0x02, 0x544D).short_name == "Toshiba"
    assert find_maker("MMC", 0x02, 0x00).short_name == "SanDisk"


def test_usbsdmux_reads_file_format_one_bit_too_wide():
    """FILE_FORMAT is bits 11:10; bit 9 is the write protection until the next power cycle."""
    rows = fields({"csd": "400e00325b5900001d177f800a400200"})
    assert rows["FILE_FORMAT"].value == "partition table"
    assert rows["WP_UPC"].value is True


def test_mmc_utils_swaps_month_and_year_of_mmc():
    """The date byte 0x97 means month 9 and year code 7."""
    registers = {"cid": "15000030303030303007b20212909701", "csd": "8c26012a0f5901e9f6d983e392404001"}
    assert decode(registers).cid.mdt == "2004-09"


def test_mmc_utils_and_usbsdmux_stop_at_version_3():
    assert decode({"scr": "0205848701006432"}).scr.sd_spec == "6.xx"


def test_mmc_utils_has_no_sduc():
    assert decode({"csd": "800e0032db79007fffff7f800a400000"}).capacity_bytes == 4 * 2**40


def test_sdio_host_looks_for_the_video_class_in_the_wrong_word():
    """The video class is in byte 15; V30 is 0x1e."""
    assert decode({"ssr": ("00" * 15 + "1e").ljust(128, "0")}).ssr.video_speed_class == 30


def test_sdio_host_does_not_shift_the_erase_size():
    """The erase size is in bytes 11 and 12."""
    assert decode({"ssr": ("00" * 11 + "000f").ljust(128, "0")}).ssr.erase_size_au == 15


def test_ironsheep_knows_two_of_five_command_bits():
    rows = fields({"scr": "0205849f00000000"})
    names = ("CMD20", "CMD23", "CMD48_49", "CMD58_59", "CMD53_54")
    assert [rows[name].value for name in names] == [True] * 5


def test_sdinfo_reads_an_emmc_as_sd():
    """The decoder sdinfo shows this eMMC SEM16G as an SD card SEM16 of 1997."""
    cid = decode({"cid": "45010053454d31364790e03506aebf4d"}).cid
    assert (cid.bus, cid.pnm, cid.prv) == ("MMC", "SEM16G", "9.0")


def test_aaru_loses_the_checksum():
    assert decode({"cid": "275048534431364760011a77d2014701"}).cid.crc == "absent"


def test_linux_before_6_7_prints_sixteen_bits_of_an_eight_bit_oem():
    assert find_maker("MMC", 0x90, 0x014A) == find_maker("MMC", 0x90, 0x4A)


def test_sbc_bench_calls_a_fake_number_what_is_a_real_emmc():
    """The number 0xdf is irregular on the SD bus and an ordinary number on the MMC bus."""
    assert find_maker("SD", 0xDF, 0x2109).irregular
    assert not find_maker("MMC", 0xDF, 0x18).irregular
