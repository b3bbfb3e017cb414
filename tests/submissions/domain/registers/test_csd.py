"""Tests of the CSD: capacities and the interface, for SDSC, SDHC, SDXC, SDUC and MMC."""

import pytest

from submissions.domain.errors import DecodeError
from submissions.domain.registers.csd import access_time_ns
from tests.submissions.domain.registers.reading import decode


def csd(text: str, bus: str = "SD"):
    return decode({"csd": text}, bus=bus).csd


def test_it_works():
    register = csd("400e00325b5900001d177f800a40008d")
    assert (register.csd_structure, register.capacity_class) == (1, "SDHC")
    assert register.capacity_bytes == (0x1D17 + 1) * 524_288 == 3_904_897_024
    assert register.transfer_rate_bits_per_second == 25_000_000
    assert register.command_classes == (0, 2, 4, 5, 7, 8, 10)


@pytest.mark.parametrize(
    ("text", "capacity_bytes", "capacity_class"),
    [
        (
            "002d00321b5983d67efbff8016400000",
            2_012_160 * 512,
            "SDSC",
        ),  # SD01G, sectors as FreeBSD printed them
        ("002d0032135983c9f6d9cf8016400001", (0xF27 + 1) * 2 ** (3 + 2 + 9), "SDSC"),  # PQI 64 MB
        (
            "400e00325b59000076b27f800a404000",
            31_116_288 * 512,
            "SDHC",
        ),  # SC16G, sectors as the kernel printed them
        ("400e00325b590003b9ff7f800a4040ab", 128_043_712_512, "SDXC"),
        ("800e0032db79007fffff7f800a400000", 4 * 2**40, "SDUC"),
        ("8c26012a0f5901e9f6d983e392404001", 32_112_640, "MMC"),  # Nokia 6600, 32 MB
    ],
)
def test_capacity(text, capacity_bytes, capacity_class):
    register = csd(text, "MMC" if capacity_class == "MMC" else "SD")
    assert (register.capacity_bytes, register.capacity_class) == (capacity_bytes, capacity_class)


def test_sdhc_ends_at_32_gib():
    assert csd("400e00325b590000fffe7f800a400000").capacity_class == "SDHC"
    assert csd("400e00325b590000ffff7f800a400000").capacity_class == "SDXC"


def test_emmc_above_two_gib_sends_to_ext_csd():
    register = csd("d00f00320f5903fffffffdff8a404000", "MMC")
    assert register.capacity_bytes is None
    assert "SEC_COUNT" in register.capacity_reason


def test_command_queue_of_an_a2_card():
    assert csd("400e0032db790001d77b7f800a40008b").command_classes == (0, 1, 2, 4, 5, 7, 8, 10, 11)


def test_mmc_counts_26_megahertz():
    assert csd("d04f01320f5903ffffffffe78a400051", "MMC").transfer_rate_bits_per_second == 26_000_000
    assert csd("8c26012a0f5901e9f6d983e392404001", "MMC").transfer_rate_bits_per_second == 20_000_000


@pytest.mark.parametrize(
    ("code", "nanoseconds"),
    [
        (0x08, 1),  # 1.0 x 1 ns
        (0x0E, 1_000_000),  # 1.0 x 1 ms
        (0x26, 1_500_000),  # 1.5 x 1 ms
        (0x2D, 200_000),  # 2.0 x 100 us
        (0x7F, 80_000_000),  # 8.0 x 10 ms
        (0x00, None),  # mantissa 0 is reserved
    ],
)
def test_access_time(code, nanoseconds):
    assert access_time_ns(code) == nanoseconds


def test_impossible_block_length_is_said():
    answer = decode({"csd": "002d0032135083c9f6d9cf8016400000"}, bus="SD")
    assert [finding.code for finding in answer.findings] == ["reserved_code"]


def test_sd_has_no_structure_three():
    with pytest.raises(DecodeError, match="CSD_STRUCTURE 3"):
        csd("c00e00325b5900001d177f800a40008d")
