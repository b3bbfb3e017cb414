"""Tests of the identification of a card by its registers, as one sentence and as JSON."""

from datetime import date

import pytest

from submissions.domain.identity.identification import Identification, describe_card, identify
from submissions.domain.registers import decode

SA04G = {"cid": "02544d5341303447113533890900d371", "csd": "400e00325b5900001d177f800a40008d"}


def card(bus: str | None = "SD", **registers: str) -> Identification:
    return identify(decode(registers, bus=bus))


def test_it_works() -> None:
    answer = identify(
        decode(SA04G), label_brand="Kingston", size_bytes=3_904_897_024, received_on=date(2014, 5, 7)
    )
    assert describe_card(answer) == (
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
    assert describe_card(card(**registers)) == sentence


def test_without_a_cid_nothing_is_judged() -> None:
    answer = card(csd=SA04G["csd"])
    assert (answer.verdict, answer.maker, answer.products) == ("", None, ())


def test_an_undecided_bus_is_identified_both_ways() -> None:
    told = card(None, cid="7411225344434152441012345678013b")
    assert [reading.decoded.bus for reading in told.readings] == ["SD", "MMC"]
    assert all(reading.maker for reading in told.readings)
