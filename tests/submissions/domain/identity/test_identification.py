"""Everything registers tell, in one sentence and as JSON."""

import json
from datetime import date
from typing import Any

import pytest

from submissions.domain.identity.identification import Identification, as_dict, identify, in_one_sentence
from submissions.domain.registers import decode

SA04G = {"cid": "02544d5341303447113533890900d371", "csd": "400e00325b5900001d177f800a40008d"}
SERIAL = 0x35338909
# The Raspberry Pi bootloader's line: 00 and the first 15 bytes of a SanDisk CID.
SHIFTED = "00035344534331364780ecf4c851011b"


def card(bus: str | None = "SD", **registers: str) -> Identification:
    return identify(decode(registers, bus=bus))


def test_it_works() -> None:
    answer = identify(
        decode(SA04G), label_brand="Kingston", size_bytes=3_904_897_024, received_on=date(2014, 5, 7)
    )
    assert in_one_sentence(answer) == (
        "Made by Toshiba (TM), product SA04G, revision 1.1, March 2013, 3,904,897,024 bytes."
    )
    assert answer.maker and answer.maker.short_name == "Toshiba"
    assert [product.brand for product in answer.products] == ["Kingston"]
    assert (answer.verdict, answer.suspicions) == ("nothing unusual", ())


@pytest.mark.parametrize(
    ("registers", "sentence"),
    [
        ({"csd": SA04G["csd"]}, "3,904,897,024 bytes."),
        ({"scr": "0235800001000000"}, ""),
        (
            {"cid": "0000000000000000000000375600ea00"},
            "Made by an unknown maker, without a product name, revision 0.0, October 2014.",
        ),
        (
            {"cid": "02544d5341303447113533890900d071"},
            "Made by Toshiba (TM), product SA04G, revision 1.1, month unknown.",
        ),
    ],
)
def test_the_sentence_says_what_is_known_and_no_more(registers: dict[str, str], sentence: str) -> None:
    assert in_one_sentence(card(**registers)) == sentence


def test_without_a_cid_nothing_is_judged() -> None:
    answer = card(csd=SA04G["csd"])
    assert (answer.verdict, answer.maker, answer.products) == ("", None, ())


def test_an_undecided_bus_is_identified_both_ways() -> None:
    answer = card(None, cid="7411225344434152441012345678013b")
    assert [reading.decoded.bus for reading in answer.readings] == ["SD", "MMC"]
    assert all(reading.maker for reading in answer.readings)


def test_the_answer_is_json_with_one_name_for_each_field() -> None:
    answer = as_dict(card(**SA04G))
    assert json.loads(json.dumps(answer)) == answer
    assert (answer["mid"], answer["oid"], answer["mdt"], answer["csd_structure"]) == (2, "TM", "2013-03", 1)
    assert answer["au_size_bytes"] is None  # no SSR was given: missing is not zero


@pytest.mark.parametrize("cid", [SA04G["cid"], SHIFTED])
def test_the_serial_number_is_nowhere_unless_asked_for(cid: str) -> None:
    answer: Any = as_dict(card(cid=cid), explain=True)
    text = json.dumps(answer)
    serials = ("35338909", str(SERIAL), "ecf4c851", str(0xECF4C851), str(0x80ECF4C8))
    assert not [serial for serial in serials if serial in text]


def test_the_serial_number_is_given_when_asked_for() -> None:
    assert as_dict(card(**SA04G), serial=True)["psn"] == SERIAL
    assert as_dict(card(cid=SHIFTED), serial=True)["findings"][-1]["suggestion"] == SHIFTED[2:]
