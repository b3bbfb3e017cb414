"""Tests of suspicions: rules that apply to known fakes and not to genuine cards, and the verdict from them."""

import csv
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.identity.suspicions import Suspicion, find_suspicions, verdict
from submissions.domain.identity.suspicions.quirks import all_quirks
from submissions.domain.identity.suspicions.rules import all_rules
from submissions.domain.registers import decode

VECTORS = Path(__file__).parents[3] / "data" / "cid_vectors.csv"

SA04G = {"cid": "02544d5341303447113533890900d371", "csd": "400e00325b5900001d177f800a40008d"}
SC16G_CSD = "400e00325b59000076b27f800a404013"


def rows() -> list[dict[str, str]]:
    with VECTORS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cid(mid: str, oid: str, name: str, *, prv: str = "10", serial: str = "1a2b3c4d", mdt: str = "0d3") -> str:
    """Return the first 15 bytes of an SD CID, without its checksum."""
    return mid + oid + name.encode().ljust(5).hex() + prv + serial + "0" + mdt


def ids(registers: dict[str, str], **others) -> list[str]:
    return [suspicion.id for suspicion in find_suspicions(decode(registers, bus="SD"), **others)]


def test_it_works():
    suspicions = find_suspicions(decode({"cid": "0000000000000000000000375600ea00"}, bus="SD"))
    assert suspicions[0].id == "C1"
    assert suspicions[0].reason == "suspicious because the manufacturer, OEM and product name are all blank"
    assert verdict(suspicions) == "suspicious"


def test_a_genuine_card_raises_nothing():
    suspicions = find_suspicions(
        decode(SA04G), label_brand="Kingston", size_bytes=3_904_897_024, received_on=date(2014, 5, 7)
    )
    assert suspicions == ()
    assert verdict(suspicions) == "nothing unusual"


@pytest.mark.parametrize(
    "row", [row for row in rows() if row["brand"] and row["bus"] == "SD"], ids=lambda row: row["cid"]
)
def test_no_labelled_retail_card_is_called_suspicious(row):
    """The one exception failed a capacity test."""
    registers = {name: row[name] for name in ("cid", "csd", "scr", "ssr")}
    answer = verdict(find_suspicions(decode(registers, bus="SD"), label_brand=row["brand"].split(" (")[0]))
    assert (answer == "suspicious") == ("counterfeit" in row["brand"])


def test_nobody_is_called_a_counterfeiter():
    assert not any("counterfeit" in rule.reason or "fake" in rule.reason for rule in all_rules())


@pytest.mark.parametrize(
    ("registers", "rule"),
    [
        ({"cid": cid("00", "3432", "SD16G")}, "C2"),
        ({"cid": cid("fe", "3432", "SD16G")}, "C3"),
        ({"cid": cid("6f", "0013", "USD")}, "C4"),
        ({"cid": cid("12", "3456", "ASTC")}, "C5"),
        ({"cid": cid("27", "5048", "SMI")}, "C6"),
        ({"cid": cid("03", "5344", "ASTC", prv="80")}, "C7"),
        ({"cid": cid("28", "4245", "00000")}, "C8"),
        ({"cid": cid("9f", "5449", "00000")}, "C8"),
        ({"cid": cid("27", "5048", "")}, "C9"),
        ({"cid": cid("77", "4142", "USD")}, "C9"),
        ({"cid": cid("41", "3432", "SD16G"), "csd": SA04G["csd"]}, "C10"),
        ({"cid": cid("02", "544d", "SA16G"), "csd": "400e00325b5900006b497f800a400000"}, "C10"),  # 14.4 GB
        ({"cid": cid("02", "544d", "SA16G"), "csd": "400e00325b59000071497f800a400000"}, None),  # 15.2 GB
        ({"cid": cid("03", "5344", "SL16G", prv="80"), "csd": "400e00325b59000073a77f800a400000"}, "C11"),
        ({"cid": cid("03", "5344", "SL16G", prv="30")}, "C12"),
        ({"cid": cid("1b", "534d", "EB1QT", prv="20")}, "C13"),
        ({"cid": cid("1b", "534d", "ABCDE", prv="30")}, None),
        ({"cid": cid("1b", "534d", "E1B2C", prv="30")}, "C13"),
        ({"cid": cid("1b", "534d", "ED1QT", prv="30"), "csd": SC16G_CSD}, "C14"),
        ({"cid": cid("02", "544d", "SA04G", serial="0000ffff")}, "C15"),
        ({"cid": cid("02", "544d", "SA04G", serial="00010000")}, None),
        ({"cid": cid("02", "544d", "SA04G", serial="77777777")}, "C15"),
        ({"cid": cid("1d", "4144", "SD", serial="00000123")}, None),
        ({"cid": cid("02", "544d", "SA04G", serial="00000000")}, "C16"),
        ({"cid": cid("02", "544d", "SA04G", mdt="0dd")}, "C17"),
        ({"cid": cid("02", "544d", "SA04G", mdt="051"), "csd": SA04G["csd"]}, "C18"),
        ({"cid": SA04G["cid"][:30] + "73"}, "C20"),
        ({"csd": "002d0032135f83ffffffff8016400000"}, "C21"),
        ({"csd": SA04G["csd"], "scr": "0225000000000000"}, "C21"),
        ({"scr": "0235000000000000", "ssr": ("00" * 14 + "10").ljust(128, "0")}, "C21"),
        (
            {
                "csd": "400e0032" + "1b5" + SA04G["csd"][11:],
                "ssr": ("00" * 10 + "900000" + "00" + "10").ljust(128, "0"),
            },
            "C21",
        ),
        ({"cid": cid("02", "544d", "SA04G", mdt="135"), "scr": "0235000000000000"}, "C22"),
        ({"csd": "400e00325b590000efff7f800a400000"}, None),
        ({"csd": "400e00325b590000ea5f7f800a400000"}, "C23"),
        ({"csd": SA04G["csd"], "ssr": "04".rjust(18, "0").ljust(128, "0")}, "C24"),
    ],
)
def test_rule(registers, rule):
    fired = ids(registers)
    assert rule in fired if rule else fired == []


def test_label_against_maker():
    samsung = {"cid": cid("1b", "534d", "EB1QT", prv="30")}
    assert ids(samsung, label_brand="  samsung ") == []
    assert ids(samsung, label_brand="SanDisk") == ["C19"]
    assert ids(samsung, label_brand="Some Market") == []


def test_the_reason_quotes_the_card_but_never_its_serial_number():
    (suspicion,) = find_suspicions(
        decode({"cid": cid("1b", "534d", "EB1QT", prv="30")}), label_brand="SanDisk"
    )
    assert "label says sandisk" in suspicion.reason
    assert "0x1b with OEM SM" in suspicion.reason
    assert "1a2b3c4d" not in suspicion.reason


def test_identity_of_another_card():
    """In Wiren Board's log 3 the registers are of the card in the slot, but fdisk shows the card in the reader."""
    registers = {"cid": "824a544e43617264204000081100e200", "csd": "400e00325b5900001db17f800a400000"}
    suspicions = find_suspicions(decode(registers), size_bytes=7_902_068_736)
    assert [suspicion.id for suspicion in suspicions if suspicion.weight == "H"] == ["D1"]
    assert "3,985,637,376 bytes, but the system sees 7,902,068,736" in suspicions[-1].reason
    assert verdict(suspicions) == "suspicious"


def test_a_reader_that_hides_a_few_sectors_is_no_other_card():
    assert ids(SA04G, size_bytes=3_904_897_024 - 512) == []
    assert ids(SA04G, size_bytes=3_904_897_024 - 524_288) == []


def test_one_cid_with_two_csds():
    assert ids(SA04G, seen_csds=[SA04G["csd"]]) == []
    assert ids(SA04G, seen_csds=[SA04G["csd"][:30] + "00"]) == []
    assert ids(SA04G, seen_csds=[SC16G_CSD, SA04G["csd"]]) == ["C25"]


@pytest.mark.parametrize(
    ("received_on", "expected"),
    [(date(2013, 3, 1), []), (date(2013, 1, 2), []), (date(2012, 12, 1), ["C17"])],
)
def test_date_in_the_future(received_on, expected):
    """The card was made in 2013-03; clocks may be wrong by two months."""
    assert ids(SA04G, received_on=received_on) == expected


def test_date_before_the_emmc_version():
    """Year code 13 with EXT_CSD_REV 7 is 2010; eMMC 5.0 came in 2013."""
    raw = bytearray(512)
    raw[192] = 7
    answer = decode({"cid": "15010038475446345203112233445d00", "ext_csd": raw.hex()})
    assert [suspicion.id for suspicion in find_suspicions(answer)] == ["M1"]


def test_a_misread_line_is_not_judged():
    answer = decode({"cid": "00035344534331364780da9e301d013c"}, bus="SD")
    assert answer.findings[-1].suggestion == "035344534331364780da9e301d013c"
    assert find_suspicions(answer) == ()


def test_without_a_bus_nothing_is_judged():
    assert find_suspicions(decode({"cid": "7700004142434445103533890900d300"})) == ()


def test_fake_number_of_sd_is_fine_on_mmc():
    answer = decode({"cid": "df18004142434445461011223344c700"}, bus="MMC")
    assert find_suspicions(answer) == ()


@pytest.mark.parametrize(
    ("weights", "answer"),
    [
        ("", "nothing unusual"),
        ("W", "nothing unusual"),
        ("WW", "unusual"),
        ("S", "unusual"),
        ("SW", "suspicious"),
        ("SS", "suspicious"),
        ("H", "suspicious"),
        ("I", "nothing unusual"),
        ("SI", "unusual"),
    ],
)
def test_verdict(weights, answer):
    assert verdict([Suspicion("", weight, "", "", "") for weight in weights]) == answer


def test_canvas_go_plus_of_november_2019_hangs_on_a_cache_flush():
    (suspicion,) = find_suspicions(decode({"cid": "9f544953443634476136980065013b7e"}))
    assert (suspicion.id, suspicion.weight) == ("Q:BROKEN_SD_CACHE", "I")
    assert "never finishes" in suspicion.reason
    assert find_suspicions(decode({"cid": "9f54495344363447614b1004af017400"})) == ()


def test_a_defect_of_the_queue_needs_a_queue():
    made_2019 = "035344534e31323880f79e34f6013c63"
    assert ids({"cid": made_2019, "csd": "400e0032db790003b8ab7f800a40405f"}) == ["Q:BROKEN_SD_CACHE"]
    assert ids({"cid": made_2019}) == []


def test_every_rule_and_quirk_is_complete():
    assert all(rule.source and rule.reason and rule.false_positives for rule in all_rules())
    assert {rule.weight for rule in all_rules()} == {"H", "S", "W"}
    assert all(quirk.source and quirk.effect for quirk in all_quirks())


@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16), st.text(), st.integers(0))
def test_any_card_can_be_judged(cid_bytes, csd_bytes, label, size):
    csd_bytes = bytes([csd_bytes[0] & 0x7F]) + csd_bytes[1:]
    if not any(cid_bytes) or not any(csd_bytes) or cid_bytes == b"\xff" * 16:
        return
    answer = decode({"cid": cid_bytes.hex(), "csd": csd_bytes.hex()})
    suspicions = find_suspicions(answer, label_brand=label, size_bytes=size, received_on=date(2026, 11, 20))
    assert all(suspicion.reason for suspicion in suspicions)
