"""Tests of the ways in which names of models may be written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.json_shape import ShapeError
from submissions.domain.report import Label, parse
from submissions.domain.spelling import problem
from tests.factories import body, specimen


def test_it_works() -> None:
    assert problem("SanDisk", "Extreme Pro", "SDSQXCU-064G-GN6MA") == ""


@pytest.mark.parametrize(
    "name",
    [
        "Śandısk",
        "Кингстон",
        "KIOXIA キオクシア",
        "金士顿",
        "삼성",
        "Verbatim® µSD",
        "Toshiba™",
        "นารา",
        "हिन्दी",
        "Łódź",
    ],
)
def test_names_of_the_world_are_taken(name: str) -> None:
    assert problem(name) == ""


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Sam\u202egnus", "U+202E"),
        ("\u200bSanDisk", "U+200B"),
        ("San\u00adDisk", "U+00AD"),
        ("San\u2066Disk", "U+2066"),
        ("San\tDisk", "U+0009"),
        ("San\U000e0041Disk", "U+E0041"),
        ("Kingston\ufe0f", "U+FE0F"),
        ("King\u034fston", "U+034F"),
        ("K\u0336i\u0336n\u0336gston", "struck through"),
        ("\U0001d5e6\U0001d5ee\U0001d5fbdisk", "formulas"),
        ("Kingst\u043en", "two scripts|scripts that look alike"),
        ("\u0405anDisk", "scripts that look alike"),
        ("S\u03b1mdisk", "scripts that look alike"),
        ("Sa" + "\u0301" * 150 + "n", "2 accents"),
        ("San\u0300\u0301\u0302\u0303Disk", "2 accents"),
        ("\u200b\u200b", "letter"),
        ("--", "letter"),
        ("2024", "letter"),
        ("karl@bigbox", "not an address"),
        ("https://shop.example", "not an address"),
    ],
)
def test_a_name_that_deceives_is_refused_in_words(name: str, says: str) -> None:
    refused = problem(name)
    assert any(part in refused for part in says.split("|"))
    with pytest.raises(ShapeError) as error:
        parse(body(card=specimen(1, label={"brand": name})))
    assert error.value.field == "card.label"


def test_line_and_number_are_looked_at_as_well() -> None:
    with pytest.raises(ValueError, match="invisible"):
        Label(brand="SanDisk", model_number="X\u202eY")
    assert Label(brand="SanDisk", model_number="128").model_number == "128"


@given(st.text(max_size=60))
def test_no_invisible_letter_is_ever_taken(name: str) -> None:
    if not problem(name):
        assert not set("\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2066\u2069\ufeff\x00\n") & set(name)
