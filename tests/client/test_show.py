"""A page that a newcomer understands."""

from pathlib import Path

import pytest
from cardbench import report, show

GOLDEN = Path(__file__).parent / "golden" / "demo-seed-1.json"


@pytest.fixture
def document() -> dict:
    return report.load(GOLDEN)[1]


def entry(**more) -> dict:
    parameters = {"direction": "read", "order": "random", "block_size_bytes": 4096, "io": "direct"}
    row = {"workload": "stream", "metric": "iops", "unit": "1/s", "values": [90.0, 100.0, 120.0]}
    return row | {"parameters": parameters} | more


def test_it_works(document):
    page = show.page(document)
    assert page.startswith("A simulated card")
    assert "SIM" in page
    assert "DDR50, 50 MHz, 4 bit, 1.8 V" in page
    assert "sequential read, 1 MiB" in page
    assert "multiples of" in page


def test_figures_have_a_unit_the_repeats_and_their_spread():
    page = show.page({"measurements": [entry()]})
    assert "100 per second  (90 per second to 120 per second; 3 repeats, spread 30.0%)" in page


def test_failures_are_said():
    failed = entry(values=[], failure={"code": "EIO", "detail": "read at byte 4096 failed"})
    page = show.page({"measurements": [failed], "extra": {"not_run": ["random read, 1 MiB"]}})
    assert "random read, 4 KiB: read at byte 4096 failed" in page
    assert "1 more were not run" in page
    assert "How fast" not in page


def test_memory_is_not_mistaken_for_the_card():
    row = entry()
    row["parameters"]["io"] = "buffered"
    assert "not of the card" in show.page({"measurements": [row]})


def test_a_serial_number_is_not_shown(document):
    assert document["card"]["registers"]["cid"] not in show.page(document)


def test_a_report_cannot_steer_the_terminal():
    page = show.page({"host": {"board": "Pi \x1b[2J\r4"}})
    assert "Pi ·[2J·4" in page


def test_measurements_of_others_are_left_to_the_server():
    page = show.page(
        {"measurements": [{"workload": "geometry", "metric": "page_size", "unit": "B", "values": [1]}]}
    )
    assert "How fast" not in page


@pytest.mark.parametrize(
    ("value_ns", "text"),
    [
        (14, "14 ns"),
        (-92, "-92 ns"),
        (412_733, "413 µs"),
        (-1490, "-1.49 µs"),
        (1_710_000, "1.71 ms"),
        (2.3e9, "2.3 s"),
    ],
)
def test_times_as_people_say_them(value_ns, text):
    assert show.duration(value_ns) == text
