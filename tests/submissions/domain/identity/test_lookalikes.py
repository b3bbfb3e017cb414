"""Tests of the search for brands that look like an earlier brand."""

import pytest

from submissions.domain.identity.lookalikes import twins


def test_it_works() -> None:
    assert twins(["Klngston"], []) == {"Klngston": "Kingston"}


@pytest.mark.parametrize(
    "brand",
    [
        "SanDlsk",
        "5anDisk",
        "Sarnsung",
        "Tosh1ba",
        "Tоshiba",
        "ЅanDіsk",
        "K!ngston",
        "Sän Dlsk",
        "Kιngston",
        "Sᴀmsung",
        "Łexar",
        "Kıngston",
        "Sɑndisk",
    ],
)
def test_it_looks_like_a_known_brand(brand: str) -> None:
    assert brand in twins([brand], [])


@pytest.mark.parametrize(
    "brand", ["SanDisk", "sandisk", "San Disk", "SANDISK®", "Kingstone", "Dexar", "Intenso"]
)
def test_another_spelling_or_another_name_is_none(brand: str) -> None:
    assert twins([brand], []) == {}


def test_of_two_unknown_brands_the_second_is_the_twin() -> None:
    assert twins(["Nobrand", "N0brand"], ["Nobrand", "N0brand"]) == {"N0brand": "Nobrand"}
    assert twins(["Nobrand"], ["N0brand", "Nobrand"]) == {"Nobrand": "N0brand"}
