"""Tests of the search for registers in pasted texts of any kind."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.errors import DecodeError
from submissions.domain.intake.readers.registers_dump import LONGEST_TEXT, RegistersDump, split
from submissions.domain.registers import Cid, decode, decode_readable

LOGS = Path(__file__).parents[4] / "data" / "registers"
CID = "02544d5341303447113533890900d371"
CSD = "400e00325b5900001d177f800a40008d"
SCR = "0235800001000000"


def log(name: str) -> str:
    return (LOGS / f"{name}.txt").read_text(encoding="utf-8")


def cid_of(dump: RegistersDump) -> Cid:
    cid = decode(dump.registers, bus=dump.bus or "SD").cid
    assert cid is not None
    return cid


def test_it_works():
    dump = split(log("sysfs-head-toshiba-sa04g"))
    assert dump.registers == {"cid": CID, "csd": CSD, "scr": SCR}
    assert (dump.bus, dump.size_bytes) == ("SD", 3_904_897_024)


def test_bare_registers_are_told_apart():
    assert split(f"{CID}\n{CSD}\n{SCR}\n{'00' * 63}80").registers == {
        "cid": CID,
        "csd": CSD,
        "scr": SCR,
        "ssr": "00" * 63 + "80",
    }


def test_a_bare_csd_alone_is_no_cid():
    assert split(CSD.upper()).registers == {"csd": CSD.upper()}


@pytest.mark.parametrize(
    "line",
    [
        f"cid: {CID}",
        f"CID {CID}",
        f'  "cid": "{CID}",',
        f'ATTRS{{cid}}=="{CID}"',
        f"/sys/block/mmcblk0/device/cid:{CID}",
        f"| Card identification | `cid` | `{CID}` |",
        f"**CID:** {CID} (added by hand)",
        f"cid:{CID}",
        f"==> /sys/block/mmcblk0/device/cid <==\n{CID}",
    ],
)
def test_a_register_is_found_however_it_is_written(line):
    assert split(line).registers == {"cid": CID}


@pytest.mark.parametrize("separator", [" ", ":", ", "])
def test_digits_in_pieces_are_joined(separator):
    pieces = separator.join(CID[at : at + 2] for at in range(0, 32, 2))
    assert cid_of(split(f"CID: {pieces} decoded by hand")).pnm == "SA04G"


def test_udevadm_tells_bus_and_size():
    dump = split(log("udevadm-sandisk-sem04g"))
    assert (dump.bus, dump.size_bytes) == ("MMC", 7_733_248 * 512)
    assert cid_of(dump).pnm == "SEM04G"


@pytest.mark.parametrize(
    ("name", "product", "registers"),
    [
        ("udevadm-sandisk-sc16g", "SC16G", {"cid", "csd", "scr", "ssr", "ocr"}),
        ("sysfs-grep-kingston-sd64g", "SD64G", {"cid", "csd", "scr", "ssr", "ocr"}),
        ("notes-gigastone-00000", "00000", {"cid", "csd", "scr", "ocr"}),
        ("adva-sdcard-info-usdu1", "USDU1", {"cid"}),
    ],
)
def test_real_logs(name, product, registers):
    dump = split(log(name))
    assert set(dump.registers) == registers
    assert cid_of(dump).pnm == product


def test_cardbench_identify():
    text = f"  Size            3.9 GB (3,904,897,024 bytes)\n  CID             {CID}\n  OCR             0x00200000\n"
    dump = split(text)
    assert dump.registers == {"cid": CID, "ocr": "0x00200000"}
    assert dump.size_bytes == 3_904_897_024


def test_a_report_of_cardbench():
    text = f'{{"card": {{"bus": "SD", "registers": {{"cid": "{CID}", "csd": "{CSD}"}}, "size_bytes": 3904897024}}}}'
    dump = split(text)
    assert dump.registers == {"cid": CID, "csd": CSD}
    assert (dump.bus, dump.size_bytes) == ("SD", 3_904_897_024)


# mmc-utils


def test_ext_csd_is_rebuilt_from_what_mmc_utils_prints():
    """The card has 0x0733c000 sectors of 512 bytes; EXT_CSD counts the cache in kilobits; other fields are unknown."""
    dump = split(log("mmc-extcsd-read-sld64g"))
    ext_csd = decode(dump.registers).ext_csd
    assert ext_csd is not None
    assert ext_csd.capacity_bytes == 0x0733C000 * 512 == 61_865_984_000
    assert (ext_csd.emmc_version, ext_csd.cache_bytes) == ("5.1", 8 * 2**20)
    assert "HS400" in ext_csd.timings
    assert {"EXT_CSD_REV", "SEC_COUNT", "CACHE_SIZE", "DEVICE_TYPE"} <= dump.printed["ext_csd"]
    assert "PRE_EOL_INFO" not in dump.printed["ext_csd"]


def test_a_cid_is_rebuilt_from_what_mmc_utils_prints():
    text = (
        "type: 'SD'\n\tMID: 0x02 (Unlisted)\n\tOID: 'TM'\n\tPNM: 'SA04G'\n\tPRV: 0x11 (1.1)\n"
        "\tPSN: 0x35338909\n\tMDT: 0x0d3 2013 mar\n\tCRC: 0x38\n"
    )
    dump = split(text)
    assert dump.registers["cid"][:30] == CID[:30]
    assert cid_of(dump).mdt == "2013-03"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("type: 'SD'\nmanufacturer: 'Unlisted' 'TM'\nproduct: 'SA04G' 1.1\n", "with -v only"),
        ("P: /devices/platform/mmc\nE: ID_NAME=SA04G\nE: ID_SERIAL=0x35338909\n", "with -a only"),
        ("Manufacturer ID: 3\nOEM: 5344\nName: SL16G\n", "not the register itself"),
    ],
)
def test_a_tool_that_left_the_register_out_is_recognised(text, hint):
    with pytest.raises(DecodeError, match="No register was found.*" + hint):
        split(text)


# Sizes and their cards


def test_the_size_of_a_partition_or_of_another_disk_is_not_that_of_the_card():
    text = (
        f"cid: {CID}\nDisk /dev/sda: 500.1 GB, 500107862016 bytes\n"
        "Disk /dev/mmcblk0: 3904 MB, 3904897024 bytes\n/sys/block/mmcblk0/mmcblk0p1/size:1024\nSize: 4.0 GB\n"
    )
    assert split(text).size_bytes == 3_904_897_024


# Refusals


@pytest.mark.parametrize("text", ["", "hello", "0x02", "deadbeef", "a page about CID and CSD: see below"])
def test_text_without_a_register_says_what_to_paste(text):
    with pytest.raises(DecodeError, match="head /sys/block/mmcblk0/device") as refused:
        split(text)
    assert (refused.value.code, refused.value.field) == ("no_register", "text")


def test_two_cards_are_not_mixed():
    other = CID.replace("3533", "3633")
    with pytest.raises(DecodeError, match="two different CID registers, the second in line 2"):
        split(f"cid: {CID}\ncid: {other}")


def test_the_same_card_twice_is_one_card():
    assert split(f"cid: {CID}\ncid: {CID[:30]}00").registers == {"cid": CID}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (CID[:-1], "found 31, an odd number"),
        (f"cid: {CID}0", "digit 33 is too many"),
        (f"cid: {CID[:5]}z{CID[6:]}", "has 'z' at position 6"),
        (f"{CID[:5]}z{CID[6:]}", "has 'z' at position 6"),
    ],
)
def test_a_misspelled_register_is_left_to_the_decoder_to_complain_about(text, hint):
    with pytest.raises(DecodeError, match=hint):
        decode(split(text).registers)


def test_too_much_text_is_refused():
    with pytest.raises(DecodeError, match="the limit is 200,000"):
        split("x" * (LONGEST_TEXT + 1))


@given(st.text(alphabet=st.sampled_from("cidsr0123456789abcdefx:=[]\"' \n$,_/<>"), max_size=400) | st.text())
def test_any_text_gives_registers_or_a_clear_error(text):
    try:
        dump = split(text)
        decode_readable(dump.registers, bus=dump.bus)
    except DecodeError as error:
        assert error.detail and error.field


@pytest.mark.parametrize("piece", ["cid ", "cid:0", "[A", "==> ", "02 ", "'", "Disk ", "PNM: '", "\n0x"])
def test_the_cost_grows_with_the_length_only(piece):
    """The text has a quarter of a million characters, for which a quadratic reader would need minutes."""
    text = piece * (LONGEST_TEXT // len(piece))
    with pytest.raises(DecodeError):
        decode(split(text).registers)
