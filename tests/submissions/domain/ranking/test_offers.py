"""Tests of offers: the choice among several prices, and tables of prices."""

import csv
from datetime import date

import pytest

from submissions.domain.errors import ReportError
from submissions.domain.ranking.offers import (
    COLUMNS,
    Offer,
    ProductOffer,
    choose_offer,
    match_offers,
    read_day,
    read_offers,
)
from tests.conftest import PROJECT

ROW = {
    "brand": "Samsung",
    "line": "PRO Endurance",
    "part": "MB-MJ32K",
    "capacity_gb": "32",
    "form": "microSD",
    "shop": "Example shop",
    "currency": "EUR",
    "amount": "9.99",
    "date": "2026-10-02",
    "source": "https://shop.example/1",
}
# The name of a column in a published table -> that of an offer.
PUBLISHED = {
    "title_or_repo_path": "source",
    "model_number": "part",
    "command_or_workload": "shop",
    "unit": "currency",
    "value": "amount",
}


def write(*rows: dict[str, str]) -> list[str]:
    """Return the lines of a CSV table with these rows, after a line with the names of columns."""
    return [",".join(COLUMNS), *(",".join(row[name] for name in COLUMNS) for row in rows)]


def refuse(*lines: str) -> ReportError:
    with pytest.raises(ReportError) as refused:
        read_offers(lines)
    return refused.value


def test_it_works() -> None:
    (read,) = read_offers(write(ROW))
    offer = Offer(9.99, "EUR", date(2026, 10, 2), "Example shop", "https://shop.example/1")
    assert read == ProductOffer("Samsung", "PRO Endurance", "MB-MJ32K", 32, "microSD", offer)


def test_columns_of_a_published_table_are_read_too() -> None:
    names = {"marks": "", **{name: ROW[PUBLISHED.get(name, name)] for name in (*PUBLISHED, *ROW)}}
    published = {name: cell for name, cell in names.items() if name not in PUBLISHED.values()}
    lines = [",".join(published), ",".join(published.values())]
    assert read_offers(lines) == read_offers(write(ROW))


def test_the_table_that_ships_is_read() -> None:
    table = (PROJECT / "submissions/starter/offers_dated.csv").read_text(encoding="utf-8").splitlines()
    offers = read_offers(table)
    assert len(offers) == len(list(csv.reader(table))) - 1
    first = offers[0]
    assert (first.brand, first.line, first.part) == ("SanDisk", "Extreme PRO", "SDSDXXD-128G-GN4IN")
    assert (first.offer.shop, first.offer.seen_on) == ("Amazon.com", date(2023, 5, 3))
    assert {one.offer.currency for one in offers} == {"USD", "EUR"}
    assert all(one.offer.amount > 0 and one.offer.source for one in offers)


def test_what_a_shop_leaves_open_may_be_empty() -> None:
    (read,) = read_offers(write(ROW | {"line": "", "part": "", "form": "", "shop": " "}))
    assert (read.line, read.part, read.form, read.offer.shop) == ("", "", "", "")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        *(({name: " "}, f"{name} is empty") for name in ("brand", "capacity_gb", "currency", "amount")),
        *(({name: ""}, f"{name} is empty") for name in ("date", "source")),
        ({"currency": "euro"}, "currency must be three letters such as EUR, not 'euro'"),
        ({"currency": "€"}, "currency must be three letters such as EUR, not '€'"),
        ({"amount": "9.99 EUR"}, "amount must be a number, not '9.99 EUR'"),
        ({"amount": "0"}, "amount is above 0 and at most 1e+07, not 0"),
        ({"amount": "-1"}, "amount is above 0 and at most 1e+07, not -1"),
        ({"amount": "nan"}, "amount is above 0 and at most 1e+07, not nan"),
        ({"amount": "1e8"}, "amount is above 0 and at most 1e+07, not 1e8"),
        ({"capacity_gb": "32 GB"}, "capacity_gb must be a number, not '32 GB'"),
        ({"capacity_gb": "inf"}, "capacity_gb is above 0 and at most 200000, not inf"),
        ({"date": "2.10.2026"}, "date must be YYYY-MM-DD, YYYY-MM or YYYY, not '2.10.2026'"),
        ({"date": "2026-13"}, "month must be in 1..12"),
        ({"date": "2026-02-30"}, "day is out of range for month"),
        ({"source": "here,and there"}, "it has more cells than the first line"),
    ],
)
def test_a_wrong_row_is_named_by_its_line(change: dict[str, str], reason: str) -> None:
    refused = refuse(*write(ROW, ROW | change))
    assert (refused.code, refused.detail) == ("wrong_rows", f"line 3: {reason}")


def test_every_wrong_row_is_named() -> None:
    wrong = [ROW | {"amount": "free"}, ROW, ROW | {"brand": ""}]
    assert refuse(*write(*wrong)).detail == (
        "line 2: amount must be a number, not 'free'; line 4: brand is empty"
    )
    many = refuse(*write(*[ROW | {"brand": ""}] * 30))
    assert many.detail.count("brand is empty") == 20


def test_a_row_that_ends_early_lacks_what_is_not_there() -> None:
    assert refuse(*write(ROW), "Samsung,PRO,,32").detail == "line 3: currency is empty"


@pytest.mark.parametrize("lines", [[], [""], ["brand,line,part,capacity_gb,form,shop,currency,amount,date"]])
def test_what_is_no_such_table_is_refused(lines: list[str]) -> None:
    refused = refuse(*lines)
    assert refused.code == "no_table" and "source" in refused.detail


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-27", date(2026, 11, 27)),
        ("2024-02-29", date(2024, 2, 29)),
        ("2026-11", date(2026, 11, 1)),
        ("2026", date(2026, 1, 1)),
    ],
)
def test_a_day_may_be_a_month_or_a_year(text: str, day: date) -> None:
    assert read_day(text) == day


@pytest.mark.parametrize("text", ["", "26", "2026-1", "2026-11-27T12:00", "2026-02-30", "yesterday", "0000"])
def test_no_day(text: str) -> None:
    with pytest.raises(ValueError, match=r"date must be|range|must be in|year 0"):
        read_day(text)


# The choice of a price


def offer(amount: float, seen_on: date | None = date(2026, 10, 2), currency: str = "EUR") -> Offer:
    return Offer(amount, currency, seen_on)


@pytest.mark.parametrize(
    ("offers", "amount"),
    [
        ([], None),
        ([offer(9)], 9),
        ([offer(9, date(2026, 9, 30)), offer(12, date(2026, 10, 1))], 12),
        ([offer(9, date(2026, 10, 31)), offer(5, date(2026, 10, 1)), offer(7)], 7),
        ([offer(9), offer(7)], 7),
        ([offer(9, currency="USD"), offer(8, currency="USD"), offer(1)], 8),
        ([offer(9, currency="USD"), offer(11)], 11),
        ([offer(3, None), offer(9)], 9),
        ([offer(3, None), offer(5, None), offer(4, None)], 4),
    ],
    ids=[
        *("none", "one", "the newest month", "the middle of a month", "the lower of two"),
        *("the most frequent currency", "the first currency", "a day goes before none", "without days"),
    ],
)
def test_the_price_that_is_told(offers: list[Offer], amount: float | None) -> None:
    chosen = choose_offer(offers)
    assert (chosen and chosen.amount) == amount
    assert choose_offer(offers[::-1]) == chosen, "the order makes no difference"


@pytest.mark.parametrize(
    ("part", "form", "matches"),
    [
        ("MB-MJ32K", "microSD", True),
        ("MB-MJ32KA/EU", "microSD", True),
        ("MB-MJ", "microSD", True),
        ("", "", True),
        ("MB-MJ32G", "microSD", False),
        ("MB-MJ32K", "SD", False),
        ("", "SD", False),
    ],
)
def test_an_offer_agrees_as_far_as_is_known(part: str, form: str, matches: bool) -> None:
    offers = read_offers(write(ROW))
    assert list(match_offers(offers, part=part, form=form)) == [one.offer for one in offers if matches]


def test_an_offer_of_a_name_alone_agrees_with_every_card_of_it() -> None:
    offers = read_offers(write(ROW | {"part": "", "form": ""}))
    assert list(match_offers(offers, part="MB-MJ32G", form="SD")) == [offers[0].offer]
