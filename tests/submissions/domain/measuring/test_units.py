"""Tests of units: every spelling has its factor, and nothing is guessed."""

import pytest

from submissions.domain.errors import UnknownWorkload
from submissions.domain.measuring import units

# Worked out by hand.
FACTORS = [
    ("B/s", "B/s", 1),
    ("kB/s", "B/s", 1_000),
    ("MB/s", "B/s", 1_000_000),
    ("GB/s", "B/s", 1_000_000_000),
    ("KiB/s", "B/s", 1_024),
    ("MiB/s", "B/s", 1_048_576),
    ("GiB/s", "B/s", 1_073_741_824),
    ("1/s", "1/s", 1),
    ("ns", "ns", 1),
    ("us", "ns", 1_000),
    ("ms", "ns", 1_000_000),
    ("s", "ns", 1_000_000_000),
    ("B", "B", 1),
    ("kB", "B", 1_000),
    ("MB", "B", 1_000_000),
    ("GB", "B", 1_000_000_000),
    ("KiB", "B", 1_024),
    ("MiB", "B", 1_048_576),
    ("GiB", "B", 1_073_741_824),
    ("count", "count", 1),
]


@pytest.mark.parametrize(("unit", "base", "factor"), FACTORS)
def test_it_works(unit: str, base: str, factor: int) -> None:
    assert units.factor(unit, base=base) == factor


def test_every_unit_was_worked_out() -> None:
    assert [unit for unit, _, _ in FACTORS] == list(units.UNITS)


@pytest.mark.parametrize(
    "unit", ["", "KB/s", "Mb/s", "mb/s", "MB", "M/s", "µs", "IOPS", " MB/s", "B/S", "sec"]
)
def test_a_unit_is_never_guessed(unit: str) -> None:
    with pytest.raises(UnknownWorkload) as refused:
        units.factor(unit, base=units.RATE)
    assert refused.value.field == "unit"
    assert refused.value.code in ("unknown_unit", "wrong_unit")


def test_an_unknown_unit_is_told_which_there_are() -> None:
    with pytest.raises(UnknownWorkload, match=r"“Mb/s” is unknown; use one of B/s, kB/s, MB/s") as refused:
        units.factor("Mb/s", base=units.RATE)
    assert refused.value.code == "unknown_unit"


@pytest.mark.parametrize(("unit", "base"), [("1/s", "B/s"), ("MB/s", "1/s"), ("MB", "B/s"), ("ns", "count")])
def test_a_unit_of_another_kind_is_refused(unit: str, base: str) -> None:
    with pytest.raises(UnknownWorkload, match=f"its base unit is {base}") as refused:
        units.factor(unit, base=base)
    assert refused.value.code == "wrong_unit"
