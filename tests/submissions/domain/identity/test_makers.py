"""Tests of the tables of makers and product names: every row has a source, and a number is limited evidence."""

import csv
import re
from pathlib import Path

import pytest

from submissions.domain import tables
from submissions.domain.identity.makers import all_makers, all_products, find_maker, find_product

DATA = Path(tables.__file__).with_name("data")
TABLES = ("makers.csv", "product_names.csv", "quirks.csv", "suspicions.csv")


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_it_works():
    maker = find_maker("SD", 0x02, 0x544D)
    assert maker.short_name == "Toshiba"
    assert "Kingston" in maker.brands
    assert any("SanDisk" in conflict for conflict in maker.conflicts)
    assert maker.is_known


@pytest.mark.parametrize("name", TABLES)
def test_every_row_has_a_source(name):
    without = [number for number, row in enumerate(rows(name), 2) if not row["source"].strip()]
    assert without == []


@pytest.mark.parametrize("name", TABLES)
def test_no_row_has_a_cell_too_many_or_too_few(name):
    assert all(None not in row and None not in row.values() for row in rows(name))


def test_no_row_is_hidden_by_another():
    assert len(all_makers()) == len(rows("makers.csv"))
    assert len(all_products()) == len(rows("product_names.csv"))


def test_every_row_reads():
    for maker in all_makers():
        assert maker.bus in ("SD", "MMC")
        assert maker.confidence in ("high", "medium", "low")
        assert maker.manufacturer
    for product in all_products():
        re.compile(product.pnm)


@pytest.mark.parametrize("maker", all_makers(), ids=lambda maker: f"{maker.bus}-{maker.mid:02x}-{maker.oid}")
def test_a_number_alone_never_names_a_brand(maker):
    assert find_maker(maker.bus, maker.mid, None).brands == ()
    assert find_maker(maker.bus, maker.mid, 0xBEEF).brands == ()


def test_an_unseen_oem_keeps_the_manufacturer_its_number_agrees_on():
    maker = find_maker("SD", 0x1B, 0x5858)
    assert (maker.manufacturer, maker.brands, maker.confidence) == ("Samsung", (), "low")
    assert maker.source


def test_an_unseen_oem_of_a_shared_number_names_nobody_but_shows_the_candidates():
    maker = find_maker("SD", 0x9C, 0x5858)
    assert not maker.is_known
    assert maker.conflicts == ("Barun Electronics", "Sony")


def test_an_unknown_number():
    maker = find_maker("SD", 0x77, 0x4142)
    assert (maker.is_known, maker.confidence, maker.short_name) == (False, "none", "an unknown maker")


def test_the_two_buses_have_nothing_in_common():
    assert find_maker("SD", 0x11, 0x0000).manufacturer != find_maker("MMC", 0x11, 0x0000).manufacturer


def test_no_bus_no_maker():
    assert not find_maker(None, 0x03, 0x5344).is_known


def test_conflicts_are_shown_not_resolved():
    maker = find_maker("SD", 0x9F, 0x5449)
    assert not maker.is_known
    assert len(maker.conflicts) == 3


@pytest.mark.parametrize(
    ("identity", "brand"),
    [
        (("SD", 0x02, 0x544D, "SA04G"), "Kingston"),
        (("SD", 0x03, 0x5344, "SA16G"), "SanDisk"),
        (("SD", 0x03, 0x5344, "WX64G"), "Western Digital"),
        (("SD", 0x74, 0x4A60, "00000"), "Gigastone"),
        (("SD", 0x64, 0x5043, ""), "Kodak"),
        (("MMC", 0x45, 0x0100, "DG4008"), "SanDisk"),
    ],
)
def test_product(identity, brand):
    assert brand in [product.brand for product in find_product(*identity)]


def test_one_name_may_stand_for_several_products():
    assert len(find_product("SD", 0x1B, 0x534D, "GD4QT")) == 2


def test_a_phison_name_tells_no_brand():
    assert [product.brand for product in find_product("SD", 0x27, 0x5048, "SD16G")] == [""]


def test_an_unknown_product():
    assert find_product("SD", 0x03, 0x5344, "NONE!") == ()
