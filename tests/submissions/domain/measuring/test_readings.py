"""Tests that a reading of a card or its host has the kind of the first row that fits its name and value."""

import pytest

from submissions.domain.measuring.readings import kind_of


@pytest.mark.parametrize(
    ("name", "value", "title"),
    [
        ("kernel log", "mmc0: tuning execution failed: -5", "tuning fails in UHS-I mode"),
        ("kernel log", "mmc0: card 59b4 removed", "disappeared from the bus"),
        ("kernel log", "error -110 sending stop command", "reads or writes fail with errors"),
        ("kernel log", "critical medium error (READ)", "reads or writes fail with errors"),
        ("kernel log", "cache flush error -110", "the write cache does not respond"),
        ("UHS-I compatibility", "not compatible", "does not work in UHS-I mode"),
        ("UHS-I compatibility", "compatible", "UHS-I"),
        ("nvme power_cycles", 12.0, "Power cycles"),
        ("LIFE_TIME_EST_TYP_A", "0x01", "Life"),
    ],
)
def test_it_works(name: str, value: float | str, title: str) -> None:
    kind = kind_of(name, value)
    assert kind
    assert kind.title == title


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel log", "mmc0: new high speed SDHC card"),
        ("my kernel log", "tuning execution failed"),
        ("note", "I/O error"),
        ("OCR", "0x80ff8000"),
    ],
)
def test_what_says_nothing_of_a_model(name: str, value: str) -> None:
    assert kind_of(name, value) is None
