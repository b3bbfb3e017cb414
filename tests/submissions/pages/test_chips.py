"""The page of a search shows each part of the search as a chip, with the URL of the search without this part."""

import pytest

from submissions.domain.ranking import uses
from submissions.domain.ranking.facets import FACETS
from submissions.pages.content import chips
from submissions.pages.forms.finder_form import FinderForm


@pytest.mark.parametrize(
    ("name", "asked", "words"),
    [
        ("capacity_gb_min", "32", "32"),
        ("capacity_gb_min", "0.5", "0.5"),
        ("tells_health", "yes", "yes"),
        ("flagged", "no", "no"),
        ("brand", "SanDisk", "SanDisk"),
        ("min_cards", "3", "3"),
        ("manufactured_since", "2020-01", "2020-01"),
    ],
)
def test_a_filter_is_named_as_it_was_asked(name: str, asked: str, words: str) -> None:
    (chip,) = chips.chips(FinderForm({name: asked}))
    assert chip.label == f"{FACETS[name].title}: {words}"
    assert chip.address == ""


def test_each_drops_itself_alone() -> None:
    asked = {"board": "raspberry-pi-5", "use": "camera", "q": "kingston 64gb a2", "brand": "Kingston"}
    every = chips.chips(FinderForm(asked))
    assert [chip.label for chip in every] == [
        *("kingston", "64 GB", "A2 or better", "Raspberry Pi 5 or 500"),
        *(every[4].label, f"{FACETS['brand'].title}: Kingston"),
    ]
    assert "q=kingston+a2" in every[1].address and "brand=Kingston" in every[1].address
    assert "board" not in every[3].address and "use=camera" in every[3].address
    assert "brand" not in every[5].address


def test_words_that_name_a_purpose_are_a_chip() -> None:
    (chip,) = chips.chips(FinderForm({"q": "kodi"}))
    assert chip.label == uses.find_use("media").title


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ("not sandisk 64gb", ["not sandisk", "64 GB or more"]),
        ("up to 64gb", ["up to 64 GB"]),
        ("cheapest 64gb", ["price", "64 GB or more"]),
        ("kein A1", ["not A1"]),
    ],
)
def test_limits_superlatives_and_what_is_not_wanted_are_chips(words: str, labels: list[str]) -> None:
    assert [chip.label for chip in chips.chips(FinderForm({"q": words}))] == labels


@pytest.mark.django_db
def test_ignored_words_stand_last_and_cannot_be_dropped() -> None:
    *_, last = chips.chips(FinderForm({"q": "a card for kodi please"}))
    assert (last.label, last.others) == ("a card for please", None)
