"""JSON from outside is read or refused with the path of the error; no JSON ends the program."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from cardbench.api import Session
from cardbench.cli import disks, doubts, parse, reports, show, verdict
from cardbench.errors import ServerRefused, UsageError
from cardbench.measuring import report, resume
from cardbench.measuring.session import Subject, measure_subject
from cardbench.measuring.suites import Choice
from cardbench.shapes import REPORT, ShapeError, decode
from cardbench.target import simulated, target
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.domain import report as domain

GOLDEN = json.loads((Path(__file__).parent / "golden" / "demo-seed-1.json").read_bytes())


def test_it_works():
    assert decode(b'{"a": [1, 2.5]}', {"a": [float], "b?": str}) == {"a": [1, 2.5]}
    assert decode(json.dumps(GOLDEN).encode(), REPORT) == GOLDEN


@pytest.mark.parametrize(
    ("content", "shape", "words"),
    [
        ('{"a": {"b": [1, "x"]}}', {"a": {"b": [int]}}, r"a\.b\[1\] must be a whole number"),
        ('{"a": true}', {"a": int}, "a must be a whole number"),
        ('{"a": null}', {"a": (str, float)}, "a must be text or a number"),
        ('{"a": {"x": 1}}', {"a": {str: str}}, r"a\.x must be text"),
        ("{}", {"a": str}, "a is missing"),
        (
            '{"format": "", "host": {"filesystem_block_bytes": "4K"}}',
            REPORT,
            r"host\.filesystem_block_bytes must be a whole number",
        ),
        ("[]", {"a": str}, "it must be an object"),
        ('{"a": 1, "a": 2}', object, "a occurs twice"),
        ("[1e999]", object, r"\[0\] is not a 64-bit number"),
        ("[NaN]", object, r"\[0\] is not a 64-bit number"),
        ("1" * 5000, object, "it is not a 64-bit number"),
        ("[" * 100_000, object, "it is nested too deeply"),
        ("[" * 102 + "]" * 102, object, ".* is nested too deeply"),
        (r'{"a": "\ud800"}', object, "a contains half a character"),
        (r'{"\ud800": 1}', object, "it contains half a character"),
        ('{"a": 1', object, "it is not JSON: .*line 1 column 8"),
        ("", object, "it is not JSON"),
    ],
)
def test_the_place_and_the_error_are_named(content, shape, words):
    with pytest.raises(ShapeError, match=f"^{words}"):
        decode(content.encode(), shape)


def test_bytes_that_are_no_text():
    with pytest.raises(ShapeError, match="not JSON"):
        decode(b"\xff")


def test_null_is_as_good_as_missing_where_it_may_be_missing():
    assert decode(b'{"a": null, "b": null, "c": null}', {"a?": str, "b?": (str, None)}) == {
        "b": None,
        "c": None,
    }


def test_what_is_not_listed_may_be_anything():
    assert decode(b'{"a": [{"b": null}]}', {}) == {"a": [{"b": None}]}


NASTY: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        2**63,
        10**19,
        1e308,
        -1e-320,
        "",
        "x",
        "\x1b[2J",
        "9" * 50,
        [],
        {},
        [[]],
        [None],
        {"a": []},
    ]
)


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yield the path of every part of a JSON document."""
    for step, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, step)
        if isinstance(part, (dict, list)):
            yield from places(part, (*path, step))


@cache
def everything() -> dict:
    """Return a report of all workloads on a simulated card, with a measurement of each kind, and with failures."""
    choice, engine = Choice("full"), simulated.SimulatedEngine(1)
    subject = Subject(simulated.identity(1), simulated.HOST, "simulated", choice)
    document, _ = measure_subject(subject, target.open_simulated(engine), seed=1, quiet=True)
    kinds = {(row["workload"], row["metric"]): row for row in document["measurements"]}
    failure = {"code": "EIO", "detail": "read at byte 4096 failed"}
    document["measurements"] = [
        *kinds.values(),
        GOLDEN["measurements"][0] | {"values": [], "failure": failure},
    ]
    document["run"]["doubts"] = ["the host was busy"]
    document["extra"] |= {"failure": failure, "flashbench": ["4MiB\t10.3M/s"], "not_run": ["align"]}
    return json.loads(json.dumps(document))


# One path of each kind, so that parts of the card are changed as often as the many repeats of a measurement.
PLACES = st.deferred(
    lambda: st.sampled_from(
        [*{re.sub(r"\d\d+", "", str(path)): path for path in places(everything())}.values()]
    )
)


def replace_part(document: Any, path: tuple, value: Any) -> None:
    """Replace the part of a document at a path, unless an earlier change has removed it."""
    *steps, last = path
    with suppress(KeyError, IndexError, TypeError):
        for step in steps:
            document = document[step]
        document[last] = deepcopy(value)


@given(st.lists(st.tuples(PLACES, NASTY), min_size=1, max_size=4))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_report_breaks_what_reads_it(tmp_path, changes):
    document = deepcopy(everything())
    for place, value in changes:
        replace_part(document, place, value)
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document))
    try:
        read = report.load(path)[1]
        doubts.find_doubts(read), [*verdict.list_strengths_and_weaknesses(read)]
        report.encode(read)
        reports.show_report(reports.ShowRequest(report=path))
        resume.load(path)
    except UsageError as error:
        assert str(path) in str(error)


DECODED = {
    "sentence": "Made by Toshiba.",
    "maker": {"brands": ["Toshiba"], "conflicts": ["another one"]},
    "products": [{"brand": "Toshiba", "line": "Exceria"}],
    "findings": [{"register": "cid", "detail": "odd"}],
    "suspicions": [{"reason": "odd"}],
    "verdict": "unusual",
    "readings": [],
}
PARSED = {
    "cases": [
        {"case": 0, "report": GOLDEN | {"extra": {"left_out": [{"reason": "slow"}]}}, "needs": ["label"]}
    ],
    "problem": {"detail": "Nothing."},
    "questions": [{"line": 2, "detail": "Which?", "key": "a", "choices": {"b": "c"}, "answer": None}],
    "tools": ["dd"],
    "numbers": {"understood": 1, "not_understood": 1},
    "not_understood": [{"line": 3, "text": "x"}],
    "not_understood_lines": 12,
}
FOUND = {
    "state": "processed",
    "findings": [{"severity": "alarm", "sentence": "Fake.", "next_step": "Give it back."}],
}
SEARCHED = {
    "models": [{"brand": "A", "line": "B", "capacity_gb": 64, "lost_data": True}],
    "untested": [{"brand": "A"}],
}
REPORTED = {"card": {"label": {"brand": "A", "line": "B"}}}


def read_parsed(site: Session) -> list[str]:
    parsed = site.parse("")
    return [*parse.lines(Path("log"), parsed | {"saved": []})]


# The response of a server, and the function of the client that reads it.
READERS: list[tuple[dict, Callable[[Session], object]]] = [
    (DECODED, lambda site: [*disks._decoding_lines(site.decode())]),
    (PARSED, read_parsed),
    (FOUND, lambda site: show.finding_lines(site.submission("x").get("findings", []))),
    (SEARCHED, lambda site: verdict.find_warnings(site, REPORTED)),
    ({"results": [{"value": 1.5}, {"value": None}], "next": None}, verdict.find_typical_figures),
]


@given(st.sampled_from(READERS), st.data())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_answer_of_a_server_breaks_what_reads_it(monkeypatch, reader, data):
    answer, read = deepcopy(reader[0]), reader[1]
    for place in data.draw(st.lists(st.sampled_from([*places(answer)]), max_size=3)):
        replace_part(answer, place, data.draw(NASTY))
    monkeypatch.setattr("cardbench.server.http.ask", lambda *_, **__: json.dumps(answer).encode())
    try:
        read(Session("http://127.0.0.1:9"))
    except ServerRefused as error:
        is_no_report = read is read_parsed and answer["cases"] != PARSED["cases"]
        assert is_no_report or "http://127.0.0.1:9 did not answer like a flashdb server" in str(error)


def structs(kind: Any) -> Iterator[type]:
    """Yield the classes of objects that a type of the report format, or a list of it, permits."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
    for part in get_args(kind):
        yield from structs(part)


def unknown_fields(shape: Any, kind: Any, path: str = "") -> Iterator[str]:
    """Yield the names of a shape that are missing in the report format, except below `extra`."""
    inner = shape[0] if isinstance(shape, list) else shape
    for struct in structs(kind) if isinstance(inner, dict) else ():
        types = get_type_hints(struct, include_extras=True)
        for name, part in inner.items():
            field = name.rstrip("?")
            if field not in types:
                yield f"{path}.{field}"
            elif field != "extra":
                yield from unknown_fields(part, types[field], f"{path}.{field}")


def test_the_client_reads_what_the_contract_has():
    assert [*unknown_fields(REPORT, domain.Report)] == []
    assert [*unknown_fields({"card?": {"colour?": str}}, domain.Report)] == [".card.colour"]
    assert [*unknown_fields({"measurements?": [{"colour": str}]}, domain.Report)] == [".measurements.colour"]


@given(st.binary(max_size=200) | st.text().map(str.encode))
def test_no_bytes_break_the_decoder(content):
    try:
        value = decode(content, REPORT)
    except ShapeError as error:
        assert str(error)
    else:
        assert isinstance(value, dict)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_is_read_is_what_json_reads(value):
    content = json.dumps(value).encode()
    try:
        assert decode(content) == json.loads(content)
    except ShapeError as error:
        assert re.search("64-bit|half a character", str(error))
        assert (
            "Infinity" in content.decode()
            or "NaN" in content.decode()
            or re.search(r"\d{19}|\\ud", content.decode())
        )
