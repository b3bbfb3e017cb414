"""Tests of the format of reports: a valid report is read, any other is refused with the position of its error."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.json_shape import MAX_LEVELS
from submissions.domain.report import (
    MAX_BYTES,
    ShapeError,
    content_hash,
    parse,
)

CONTRACT = (Path(__file__).parents[3] / "api" / "v1" / "REPORT.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```json\n(.*?)```", CONTRACT, re.DOTALL)[0].encode()

Place = tuple[str | int, ...]


def document() -> dict[str, Any]:
    return dict(json.loads(EXAMPLE))


def with_value(path: Place, value: Any) -> bytes:
    """Return the example report with another value at this path."""
    changed = document()
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(changed).encode()


def drop_field(name: str) -> bytes:
    return json.dumps({key: value for key, value in document().items() if key != name}).encode()


def with_text(old: str, new: str) -> bytes:
    """Return the example report with a piece of its JSON text replaced, for JSON that `json` would not write."""
    assert EXAMPLE.count(old.encode()) == 1
    return EXAMPLE.replace(old.encode(), new.encode("utf-8", "surrogatepass"))


def nest(levels: int) -> bytes:
    """Return the example report with an `extra` of this depth."""
    lists = "[" * (levels - 1) + "]" * (levels - 1)
    return with_text('"simulated": true', f'"simulated": true, "extra": {{"a": {lists or 1}}}')


def refusal(body: bytes) -> ShapeError:
    with pytest.raises(ShapeError) as refused:
        parse(body)
    assert len(refused.value.detail) <= 400
    return refused.value


def test_it_works() -> None:
    report = parse(EXAMPLE)

    assert report.card.bus == "SD"
    assert report.card.size_bytes == 15_523_119_104
    assert report.host.bus_mode.width_bits == 4
    assert (
        report.run.started_at is not None and report.run.started_at.isoformat() == "2026-11-20T12:00:00+00:00"
    )
    assert report.measurements[0].values == (42_511_000, 42_790_000, 42_688_000)
    assert report.measurements[2].parameters.align_bytes == 4_194_304
    assert report.simulated


def test_what_is_left_out_is_not_known() -> None:
    smallest = {
        "format": "flashdb-report",
        "format_version": 1,
        "client": {"name": "me"},
        "card": {},
        "run": {"suite": "quick", "tool": "me"},
        "measurements": [],
    }

    report = parse(json.dumps(smallest).encode())

    assert report.uuid is report.source is report.card.size_bytes is report.run.started_at is None
    assert (report.host.interface, report.run.target, report.card.condition) == ("unknown",) * 3


def test_a_report_cut_off_anywhere_is_refused() -> None:
    codes = [refusal(EXAMPLE[:length]).code for length in range(len(EXAMPLE.rstrip()))]
    assert codes == ["empty_body"] + ["not_json"] * (len(codes) - 1)


@pytest.mark.parametrize("body", [b"", b" \r\n\t "])
def test_nothing_is_refused(body: bytes) -> None:
    assert refusal(body).code == "empty_body"


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + EXAMPLE,
        EXAMPLE.decode().encode("utf-16"),
        with_text("Raspberry", "RÃ¤spberry").replace("Ã¤".encode(), "ä".encode("latin-1")),
        with_text("Raspberry", "\ud800"),
        with_text("Raspberry", "\\ud800"),
        with_text("Raspberry", "\\udc00\\ud800"),
        with_text("Raspberry", "\0"),
        with_text("42511000", "NaN"),
        with_text("42511000", "-Infinity"),
        with_text("42511000", "042511000"),
        EXAMPLE + b"x",
        EXAMPLE + EXAMPLE,
        EXAMPLE + b"\0",
        b"flashbench -a /dev/mmcblk0",
    ],
    ids=[
        *("byte order mark", "UTF-16", "Latin-1", "surrogate", "escaped surrogate", "surrogates swapped"),
        *(
            "NUL byte",
            "NaN",
            "infinity",
            "leading zero",
            "something after",
            "two reports",
            "NUL after",
            "prose",
        ),
    ],
)
def test_what_is_not_json_is_refused(body: bytes) -> None:
    error = refusal(body)
    assert (error.code, error.field) == ("not_json", "")


@pytest.mark.parametrize("body", [b"[]", b"null", b'"report"', b"1", b"[" * 100_000])
def test_another_document_is_refused(body: bytes) -> None:
    error = refusal(body)
    assert (error.code, error.field) == ("wrong_shape", "")


@pytest.mark.parametrize("name", ["format", "format_version", "client", "card", "run", "measurements"])
def test_a_missing_field_is_named(name: str) -> None:
    error = refusal(drop_field(name))
    assert error.detail == f"Object missing required field “{name}”"


@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("cards",), ""),
        (("card", "size"), "card"),
        (("card", "registers", "rca"), "card.registers"),
        (("host", "bus_mode", "clock"), "host.bus_mode"),
        (("measurements", 1, "parameters", "blocksize"), "measurements[1].parameters"),
    ],
)
def test_an_unknown_field_is_refused_and_named(path: Place, field: str) -> None:
    error = refusal(with_value(path, 1))
    assert (error.field, error.detail) == (field, f"Object contains unknown field “{path[-1]}”")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "other-report"),
        (("format_version",), 2),
        (("format_version",), True),
        (("uuid",), "7b0f3f0e"),
        (("client",), None),
        (("client", "name"), ""),
        (("client", "name"), "my tool"),
        (("client", "name"), "a" * 65),
        (("card",), []),
        (("card", "bus"), "sd"),
        (("card", "registers", "cid"), 27),
        (("card", "registers", "cid"), "0" * 4097),
        (("card", "condition"), "new"),
        (("card", "size_bytes"), 0),
        (("card", "size_bytes"), -1),
        (("card", "size_bytes"), 1.5),
        (("card", "size_bytes"), "15523119104"),
        (("card", "size_bytes"), 2**63),
        (("card", "size_bytes"), 10**400),
        (("card", "label", "capacity_gb"), 0),
        (("card", "label", "brand"), "a" * 201),
        (("card", "label", "brand"), "a\0b"),
        (("card", "label", "brand"), "a\x1b[2J"),
        (("host", "bus_mode", "width_bits"), 3),
        (("host", "interface"), "scsi"),
        (("run", "destructive"), 1),
        (("run", "duration_ns"), -1),
        (("run", "started_at"), 1763640000),
        (("run", "started_at"), "2026-11-20"),
        (("run", "started_at"), "2026-11-20T12:00:00"),
        (("run", "started_at"), "2026-13-01T00:00:00Z"),
        (("run", "started_at"), "0001-01-01T00:00:00+14:00"),
        (("run", "started_at"), "1989-12-31T23:59:59Z"),
        (("run", "started_at"), "9999-12-31T23:59:59-14:00"),
        (("measurements",), {}),
        (("measurements",), [document()["measurements"][0]] * 20_001),
        (("measurements", 0, "workload"), "open au"),
        (("measurements", 2, "metric"), "-"),
        (("measurements", 0, "unit"), ""),
        (("measurements", 1, "unit"), "\x7f"),
        (("measurements", 0, "unit"), "a" * 17),
        (("measurements", 2, "values"), 5),
        (("measurements", 2, "values"), [1] * 10_001),
        (("measurements", 2, "values", 1), "5"),
        (("measurements", 2, "values", 1), None),
        (("measurements", 2, "values", 1), True),
        (("measurements", 2, "values", 1), 10**400),
        (("measurements", 1, "parameters", "queue_depth"), 0),
        (("measurements", 1, "parameters", "sync"), "O_SYNC"),
        (("measurements", 1, "operations"), 0),
        (("note",), "a" * 4001),
        (("extra",), []),
    ],
)
def test_a_wrong_value_is_refused_at_its_place(path: Place, value: Any) -> None:
    error = refusal(with_value(path, value))
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    assert (error.code, error.field) == ("wrong_shape", place.removeprefix("."))


@pytest.mark.parametrize("number", ["1e309", "-1e309", "9" * 310])
def test_a_number_no_double_can_hold_is_refused(number: str) -> None:
    assert refusal(with_text("42790000", number)).field == "measurements[0].values[1]"


@pytest.mark.parametrize("started_at", ["1990-01-01T00:00:00Z", "2100-12-31T23:59:59-12:00"])
def test_a_clock_that_may_be_right_is_believed(started_at: str) -> None:
    assert parse(with_value(("run", "started_at"), started_at)).run.started_at is not None


def test_a_wrong_clock_is_said_in_words() -> None:
    error = refusal(with_value(("run", "started_at"), "1970-01-01T00:00:12Z"))
    assert error.detail == "The run began in the year 1970; is the host's clock set?"


@pytest.mark.parametrize(
    ("path", "value", "hint"),
    [
        (("client", "name"), "my tool", "without spaces"),
        (("note",), "\0", "control characters"),
        (("measurements", 0, "metric"), "two words", "without spaces"),
        (("measurements", 0, "unit"), "\0", "control characters"),
        (("measurements", 0, "parameters", "weights"), "create=4", "create:4 append:3"),
        (("source",), {"title": "a", "url": "ftp://a/b"}, "http://"),
        (("source",), {"title": "a", "url": 'http://a/"onclick='}, "http://"),
    ],
)
def test_a_pattern_is_explained_and_not_printed(path: Place, value: Any, hint: str) -> None:
    detail = refusal(with_value(path, value)).detail
    assert hint in detail
    assert "regex" not in detail


def test_what_was_sent_is_not_echoed_at_length() -> None:
    assert len(refusal(with_value(("card", "condition"), "z" * 1_000_000)).detail) == 301


def test_a_report_may_have_eight_million_bytes_and_not_one_more() -> None:
    assert parse(EXAMPLE.ljust(MAX_BYTES))
    error = refusal(EXAMPLE.ljust(MAX_BYTES + 1))
    assert MAX_BYTES == 8_000_000
    assert (error.code, "8,000,001 bytes" in error.detail) == ("too_large", True)


def test_nesting_has_an_end_that_does_not_depend_on_the_reader() -> None:
    assert parse(nest(MAX_LEVELS))
    error = refusal(nest(MAX_LEVELS + 1))
    assert (error.code, error.field) == ("wrong_shape", "extra")


def test_nesting_that_exhausts_the_reader_is_refused_all_the_same() -> None:
    assert refusal(nest(100_000)).code == "not_json"


def test_a_whole_number_may_be_written_with_a_point() -> None:
    """In JSON 2.0 is an integer, and some programs write integers only in this form."""
    assert parse(with_value(("card", "size_bytes"), 4_000_000_000.0)).card.size_bytes == 4_000_000_000
    assert parse(with_value(("format_version",), 1.0)) == parse(EXAMPLE)


@pytest.mark.parametrize(
    ("size_bytes", "words"), [(2.5, "got “float”"), (1e300, "got “float”"), (0.0, ">= 1")]
)
def test_another_number_is_none(size_bytes: float, words: str) -> None:
    error = refusal(with_value(("card", "size_bytes"), size_bytes))
    assert (error.field, words in error.detail) == ("card.size_bytes", True)


def test_a_point_opens_no_way_around_the_limit_of_nesting() -> None:
    deep = nest(900).replace(b'"format_version": 1', b'"format_version": 1.0')
    assert refusal(deep).code in ("wrong_shape", "not_json")


def test_of_a_field_given_twice_the_last_counts() -> None:
    twice = with_text('"simulated": true', '"simulated": true, "simulated": false')
    assert not parse(twice).simulated
    assert content_hash(twice) == content_hash(with_text('"simulated": true', '"simulated": false'))


# Equal content


def test_order_and_blanks_make_no_difference_to_the_hash() -> None:
    backwards = dict(reversed(document().items()))
    assert content_hash(json.dumps(backwards, indent=7).encode()) == content_hash(EXAMPLE)


def test_escapes_make_no_difference_to_the_hash() -> None:
    assert content_hash(with_text("Raspberry", "\\u0052aspberry")) == content_hash(EXAMPLE)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("simulated",), False),
        (("note",), "another"),
        (("extra",), {"a": 1}),
        (("measurements", 0, "values"), [42_790_000, 42_511_000, 42_688_000]),
        (("measurements", 1, "values", 0), 1905.2000000000003),
        (("card", "size_bytes"), 15_523_119_105),
    ],
)
def test_every_value_makes_a_difference_to_the_hash(path: Place, value: Any) -> None:
    assert content_hash(with_value(path, value)) != content_hash(EXAMPLE)


def test_huge_numbers_in_extra_are_told_apart() -> None:
    first, second = (with_value(("extra",), {"a": 10**300 + more}) for more in (0, 1))
    assert parse(first) and parse(second)
    assert content_hash(first) != content_hash(second)


# Whatever arrives


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def list_places(value: Any, path: Place = ()) -> list[Place]:
    """Return the path of every value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, part in inner for place in list_places(part, (*path, name)))]


def check_outcome(body: bytes) -> None:
    """Check that a body is either read, and then has a hash, or is refused."""
    try:
        parse(body)
    except ShapeError as error:
        assert error.detail
    else:
        assert len(content_hash(body)) == 64


@given(st.binary(max_size=200))
def test_any_bytes_are_taken_or_refused(body: bytes) -> None:
    check_outcome(body)


@given(anything)
def test_any_json_is_taken_or_refused(value: Any) -> None:
    check_outcome(json.dumps(value).encode())


@given(st.sampled_from(list_places(document())[1:]), anything)
def test_anything_in_any_place_is_taken_or_refused(path: Place, value: Any) -> None:
    check_outcome(with_value(path, copy.deepcopy(value)))


@given(st.integers(0, len(EXAMPLE)), st.binary(max_size=4), st.integers(0, 8))
def test_any_damage_is_taken_or_refused(at: int, new: bytes, removed: int) -> None:
    check_outcome(EXAMPLE[:at] + new + EXAMPLE[at + removed :])


def test_half_a_character_behind_a_wrong_number_is_refused_as_any_other() -> None:
    """The value 1.5 for an integer is decoded twice, and the second decoding must not raise an uncaught error."""
    with pytest.raises(ShapeError) as refused:
        parse(b'{"format":1.5,"note":"\\ud800x"}')
    assert refused.value.code in ("not_json", "wrong_shape", "invalid_report")
