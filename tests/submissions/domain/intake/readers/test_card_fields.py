"""Tests of CIDs that logs print field by field."""

import pytest

from submissions.domain.intake.paste import read

NUTTX = "mmcsd_decode_cid: mid: 02 oid: 544d pnm: SA08G prv: 7 psn: 1107393314 mdt: c6 crc: 7e\n"


def cid(text: str) -> str | None:
    return read(text).identity.registers.get("cid")


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


def facts(text: str) -> dict[str, object]:
    return {fact.name: fact.value for fact in read(text).facts}


def test_fields_without_their_serial_number_name_a_model():
    other = NUTTX.replace("1107393314", "305419896")

    assert facts(other) == {"pnm": "SA08G", "mid": 2, "oid": 0x544D}
    assert facts(other.replace("oid: 544d", "oid: 0254")) == {"pnm": "SA08G", "mid": 2}


def test_freebsd_prints_the_maker_in_decimal():
    line = "mmcsd0: 32GB <SDHC SC32G 8.0 SN 9DC03993 MFG 10/2018 by 116 SD> at mmc0 50.0MHz/4bit\n"

    assert (cid(line) or "")[:30] == "745344" + b"SC32G".hex() + "80" + "9dc03993" + "012a"
    assert read(line).not_understood == ()


def test_a_script_may_list_the_attributes_of_an_emmc():
    text = "eMMC name: MK2704\neMMC date: 04/2023\neMMC oemid: 0x0100\neMMC manfid: 0x000070\n"

    assert facts(text) == {"pnm": "MK2704", "mdt": "2023-04", "oid": 256, "mid": 0x70, "bus": "MMC"}
    assert facts(text.replace("eMMC name: MK2704\n", "")) == {}


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("Card size: 15.93 GB (GB = 1E9 bytes)", {"about_size_bytes": 15930000000}),
        ("cardSize: 15849.75 MB (MB = 1,000,000 bytes)", {"about_size_bytes": 15849750000}),
        (
            "mmcsd_decode_csd: Capacity: 15558144Kb, Block size: 512b, nblocks: 31116288",
            {"size_bytes": 15558144 * 1024},
        ),
    ],
)
def test_a_size_may_be_exact_or_rounded(line: str, fact: dict[str, int]):
    assert facts(f"{line}\n") == fact


@pytest.mark.parametrize("line", ["Capacity: 7 GB (... bytes)", "Capacity: 0 GB (0 bytes)", "size: 00000000"])
def test_a_size_without_digits_or_of_nothing_is_none(line: str):
    parsed = read(f"Manufacturer ID: 3\nOEM: SD\nName: SU08G\n{line}\n")

    assert "size_bytes" not in {fact.name for fact in parsed.facts}
    assert parsed.figures == ()
