"""Tests that dates of published results are read as exactly as they are known, and not more exactly."""

import datetime as dt

import pytest

from submissions.domain.measuring.periods import UNKNOWN, Period, parse_period


def period(start: str = "", end: str = "") -> Period:
    first, last = (dt.datetime.fromisoformat(f"{day}T00:00:00Z") if day else None for day in (start, end))
    return Period(first, last)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("2015-02-17", period("2015-02-17", "2015-02-18")),
        ("17 February 2015", period("2015-02-17", "2015-02-18")),
        ("February 17, 2015", period("2015-02-17", "2015-02-18")),
        ("2016-12", period("2016-12-01", "2017-01-01")),
        ("March 2019", period("2019-03-01", "2019-04-01")),
        ("2016", period("2016-01-01", "2017-01-01")),
        ("2021 (by the name of the image)", period("2021-01-01", "2022-01-01")),
        ("2016-2018", period("2016-01-01", "2019-01-01")),
        ("2017 to 2021-01", period("2017-01-01", "2021-02-01")),
        ("by 2014-05", period(end="2014-06-01")),
        ("2013 or later", period("2013-01-01")),
        ("2026-02-14; 2026-02", period("2026-02-14", "2026-02-15")),
        ("2026-02-14; 2026-03-01", period("2026-02-14", "2026-03-02")),
        ("by 2014-05; 2013", period("2013-01-01", "2014-01-01")),
        ("2016-13-01", UNKNOWN),
        ("0016", UNKNOWN),
        ("2021 to 2017", UNKNOWN),
        ("last summer", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_date_becomes_the_time_that_it_allows(words: str, expected: Period):
    assert parse_period(words) == expected


@pytest.mark.parametrize(
    ("words", "precision"),
    [("2015-02-17", "day"), ("2016-03", "month"), ("2016", "year"), ("2016-2018", ""), ("by 2014-05", "")],
)
def test_a_period_knows_how_exact_it_is(words: str, precision: str):
    assert parse_period(words).precision == precision
