"""Tests of templates of rows with typed slots: the rows that they match, and the values of slots."""

import re

import pytest

from submissions.domain.intake.lines import LONGEST_LINE, NotANumber
from submissions.domain.intake.scene import any_of
from submissions.domain.intake.slots import TYPES, Quantity, Row, count_bytes, spell_unit
from submissions.domain.intake.tools import KINDS
from tests.submissions.domain.intake.timing import cpu_seconds

READ = Row(r"Timing {kind:cached|buffered disk} reads: {volume:size} in {time:time} = {rate:binary_rate}")


def test_it_works():
    found = READ.match("  Timing buffered disk reads: 134 MB in  3.01 seconds =  44,52 MB/sec ", 2)

    assert found
    assert (found["kind"], found["volume"]) == ("buffered disk", 134_000_000)
    assert (found["time"], found["rate"]) == (Quantity(3.01, "s"), Quantity(44.52, "MiB/s"))
    assert found.text("volume") == "134 MB"
    assert found.span("kind") == (9, 22)


@pytest.mark.parametrize(
    ("slot", "text", "value"),
    [
        ("number", "1,093.127", 1093.127),
        ("number", "1.093,127", 1093.127),
        ("number", ".829", 0.829),
        ("count", "2,732", 2732),
        ("count", "2 732", 2732),
        ("hex", "0x1B", 27),
        ("hex", "1b", 27),
        ("size", "29.7 GiB", 31890132173),
        ("size", "512 Bytes", 512),
        ("size", "4kB", 4000),
        ("binary_size", "4kB", 4096),
        ("rate", "9.5 KB/s", Quantity(9.5, "kB/s")),
        ("binary_rate", "9.5 KB/s", Quantity(9.5, "KiB/s")),
        ("binary_rate", "12 Byte/s", Quantity(12, "B/s")),
        ("time", "720 us", Quantity(720, "us")),
        ("time", "720µs", Quantity(720, "us")),
        ("time", "5 msec", Quantity(5, "ms")),
        ("access", "Reading", "read"),
        ("access", "written", "write"),
    ],
)
def test_a_value_is_in_a_base_unit_or_as_a_report_spells_it(slot: str, text: str, value: object):
    found = Row(f"{{value:{slot}}}").match(text)

    assert found
    assert found["value"] == value


def test_a_slot_that_is_not_there_is_none():
    found = Row(r"a(?: {more:count})?").match("a")

    assert found
    assert (found["more"], found.text("more")) == (None, "")


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Row("{value:number}"), "1.2.3,4,5"),
        (Row("{value:B}", types={"B": ("[0-9.]{1,3}B", TYPES["size"][1])}), "9..B"),
    ],
)
def test_what_only_looks_like_a_number_is_none(row: Row, text: str):
    found = row.match(text)

    assert found
    with pytest.raises(NotANumber):
        found["value"]


@pytest.mark.parametrize("slot", ["rate", "binary_rate"])
def test_a_rate_has_a_unit_of_reports(slot: str):
    row = Row(f"{{value:{slot}}}")

    assert row.match("7 GB/s")
    assert row.match("7 TB/s") is None


def test_a_row_ends_with_its_line_unless_it_says_so():
    assert Row("Run {run:count}").match("Run 2 of 3") is None
    assert Row("Run {run:count}…").match("Run 2 of 3")


def test_a_blank_is_one_or_more_and_perhaps_none_before_a_question_mark():
    assert Row("a b").match("a \t b")
    assert Row("a b").match("ab") is None
    assert Row("a ?b").match("ab")
    assert Row("[a b]c").match("  c") is None  # in brackets it is itself


def test_several_rows_are_one_pattern():
    both = any_of([READ, re.compile("[xy] [0-9] mb/s", re.IGNORECASE)])

    assert both.match("X 4 MB/s")
    assert both.match("timing cached") is None


@pytest.mark.parametrize(
    ("text", "binary", "unit"),
    [
        ("KB/sec", False, "kB/s"),
        ("kiB", False, "KiB"),
        ("MB/s", True, "MiB/s"),
        ("B/s", True, "B/s"),
        ("Bytes", False, "B"),
    ],
)
def test_units_are_spelled_as_in_reports(text: str, binary: bool, unit: str):
    assert spell_unit(text, binary=binary) == unit


def test_a_prefix_alone_is_a_power_of_1024():
    assert [count_bytes(1, unit) for unit in ("B", "kB", "KiB", "k", "TiB")] == [1, 1000, 1024, 1024, 1024**4]


ROWS = [row for kind in KINDS for row, _ in kind.rows if isinstance(row, Row)]


@pytest.mark.parametrize("piece", ["0.", "1,1", "a ", "  ", "1 ", "/s", "MB ", "| 1", "[0", "x;", "mmc0: "])
def test_no_row_goes_back_and_forth_in_a_long_line(piece: str):
    """A pattern that backtracks takes a hundred times as long for a line ten times as long."""
    long = piece * (LONGEST_LINE // len(piece))

    def match_all(text: str) -> None:
        for row in ROWS:
            row.match(text)

    assert cpu_seconds(match_all, long) < 30 * max(cpu_seconds(match_all, long[: len(long) // 10]), 0.002)
