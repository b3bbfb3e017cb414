"""The template tags format numbers, units and makers for pages."""

from typing import Any

import pytest
from django.template import Context, Template

from submissions.models import Measurement, Variant
from submissions.pages import wording
from submissions.templatetags import flash


def measurement(*repeats: float, metric: str = "throughput", value: float | None = None) -> Measurement:
    return Measurement(metric=metric, repeats=list(repeats), value=value)


def render_text(text: str, **context: Any) -> str:
    return Template("{% load flash %}" + text).render(Context(context))


def test_it_works() -> None:
    one = measurement(42_511_000, 42_688_000, value=42_600_000)
    assert (
        render_text("{{ one|measured_value }} ({{ one|each_repeat }})", one=one)
        == "42.6 MB/s (42.5 MB/s · 42.7 MB/s)"
    )


def test_what_was_not_measured_is_a_dash_and_not_zero() -> None:
    assert flash.measured_value(measurement(value=None)) == "–"
    assert flash.measured_value(measurement(value=0.0)) == "0 B/s"
    assert flash.each_repeat(measurement()) == ""


@pytest.mark.parametrize(
    ("metric", "value", "words"),
    [
        ("iops", 1905.2, "1,905 IOPS"),
        ("latency_p99", 2_270_000.0, "2.27 ms"),
        ("align_diff", -7823.0, "-7.82 µs"),
        ("erase_block_size", 4194304.0, "4 MiB"),
        ("open_au_linear", 3.0, "3"),
    ],
)
def test_the_unit_is_that_of_the_metric(metric: str, value: float, words: str) -> None:
    assert flash.measured_value(measurement(metric=metric, value=value)) == words


@pytest.mark.parametrize(
    ("ratio", "words"), [(None, ""), (0.0, "0\u00a0%"), (0.042, "4\u00a0%"), (1.5, "150\u00a0%")]
)
def test_a_ratio_is_shown_in_percent(ratio: float | None, words: str) -> None:
    assert flash.percent(ratio) == words


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (None, "–"),
        (0.83, "83\u00a0%"),
        (0.0099, "under 1 %"),
        (0.01, "1\u00a0%"),
        (0.99, "99\u00a0%"),
        (0.996, "over 99 %"),
        (1.0, "over 99 %"),
    ],
)
def test_nothing_is_certain(probability: float | None, words: str) -> None:
    assert flash.chance(probability) == words


@pytest.mark.parametrize(
    ("capacity_bytes", "words"),
    [
        (3_904_897_024, "3.90 GB (3,904,897,024 bytes)"),
        (512_000_000, "0.51 GB (512,000,000 bytes)"),
    ],
)
def test_the_size_of_a_card_is_exact(capacity_bytes: int, words: str) -> None:
    assert flash.card_size(capacity_bytes) == words


@pytest.mark.parametrize(
    ("manufactured", "words"),
    [("2013-03", "March 2013"), ("2025-12", "December 2025"), ("2013", "2013"), ("", "")],
)
def test_a_month_is_written_out(manufactured: str, words: str) -> None:
    assert wording.month(manufactured) == words


@pytest.mark.parametrize(
    ("number", "digits", "words"), [(2, 2, "0x02"), (0x544D, 4, "0x544d"), (0, 4, "0x0000"), (None, 2, "")]
)
def test_identifiers_are_hexadecimal(number: int | None, digits: int, words: str) -> None:
    assert flash.hexadecimal(number, digits) == words


# Tests of the maker's name.


def test_the_maker_is_looked_up() -> None:
    sandisk = Variant(bus="SD", mid=0x03, oid=0x5344)
    assert "SanDisk" in flash.maker(sandisk)


def test_an_unknown_maker_is_not_guessed() -> None:
    assert flash.maker(Variant(bus="SD", mid=0xE7, oid=0x0102)) == "unknown maker"


def test_without_a_cid_nothing_is_said_of_the_maker() -> None:
    assert flash.maker(Variant(bus="SD", mid=None, oid=None)) == ""
