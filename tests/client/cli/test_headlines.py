"""The headlines of a report page are certain; likely results follow with their probability. The summary comes last."""

import json

import pytest
from cardbench.cli import show, verdict

from tests.client.cli.test_show import READS, WRITES, entry, stream

OPEN_UNITS = {
    "workload": "geometry",
    "metric": "open_au_random",
    "unit": "count",
    "values": [1],
    "parameters": {},
}


def headlines(*rows: dict, confidence: float = 0.0, doubts: tuple[str, ...] = ()) -> list[str]:
    geometry = {"open_au_random": {"confidence": confidence}}
    report = {"run": {"doubts": doubts}, "measurements": [*rows], "extra": {"geometry": geometry}}
    return [kind for kind, _ in verdict.list_strengths_and_weaknesses(report)]


def test_it_works():
    assert headlines(stream("throughput", 35e6, **WRITES), stream("iops", 800, **READS)) == ["good", "weak"]
    assert headlines(OPEN_UNITS, confidence=0.99) == ["weak"]


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([700.0, 900.0, 1400.0], ["weak"]),
        ([700.0, 900.0, 1600.0], []),
        ([4000.0, 9000.0], ["good"]),
        ([3900.0, 9000.0, 9000.0], []),
    ],
)
def test_every_repeat_has_to_say_so(values, kinds):
    assert headlines(stream("iops", 0, **READS) | {"values": values}) == kinds


def test_a_host_that_was_slow_itself_says_nothing_against_a_card():
    busy = ("the host was busy",)
    assert headlines(stream("iops", 800, **READS), doubts=busy) == []
    assert headlines(stream("iops", 4100, **READS), doubts=busy) == ["good"]


def test_what_is_only_likely_is_no_headline():
    none = OPEN_UNITS | {"values": [], "failure": {"code": "none_found"}}
    assert headlines(OPEN_UNITS, none, confidence=0.93) == []
    report = {"measurements": [none], "extra": {"geometry": {"open_au_random": {"confidence": 0.93}}}}
    page = show.result(report, everything=False)
    assert "likely (93%)" in page
    assert "weak at" not in page


def test_a_run_ends_with_the_summary(cardbench, tmp_path):
    short = cardbench("demo").stdout
    assert "multiples of" not in short, "details are for --all"
    assert short.index("In short") < short.index("missing measurements")
    everything = cardbench("demo", "--all", "-o", tmp_path / "r.json").stdout
    assert everything.index("multiples of") < everything.index("In short")
    *_, last = everything.splitlines()
    assert f"submit {tmp_path / 'r.json'}” shares it." in last
    assert json.loads((tmp_path / "r.json").read_bytes())["measurements"]


def test_what_was_cut_short_is_counted():
    failed = entry(values=[], failure={"code": "EIO", "detail": "read at byte 4096 failed"})
    page = show.result({"measurements": [failed], "extra": {"not_run": ["a", "b"]}}, everything=False)
    assert "missing measurements: 1\nMeasurements not run: 2\n" in page
