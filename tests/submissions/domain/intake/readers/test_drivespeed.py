"""Tests of DriveSpeed: its other tests besides those of large files with direct I/O."""

from collections import Counter

from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read
from tests import corpus

PARSED = corpus.load(corpus.LOGS / "drivespeed/001-longbottom-extreme-fat-rpi.txt")


def test_it_works():
    counts = Counter(figure.workload for figure in PARSED.figures)

    assert counts == {"stream": 12, "cached": 6, "random-access": 6, "small-files": 13}


def test_only_large_files_past_the_cache_are_measurements_of_the_report():
    document = compose(PARSED)

    assert {(m["workload"], m["parameters"]["io"]) for m in document["measurements"]} == {
        ("stream", "direct")
    }
    assert {row["workload"] for row in document["extra"]["beside"]} == {
        "cached",
        "random-access",
        "small-files",
    }


def test_a_row_means_what_stands_above_it():
    random = [figure for figure in PARSED.figures if figure.workload == "random-access"]
    files = [figure for figure in PARSED.figures if figure.workload == "small-files"]

    assert (random[3].value, random[3].unit) == (1.36, "ms")
    assert random[3].parameters == {
        "direction": "write",
        "span_bytes": 4 * 1024**2,
        "order": "random",
        "block_size_bytes": 1024,
    }
    assert (files[3].value, files[3].unit) == (4.10, "MB/s")
    assert files[3].parameters == {"direction": "read", "file_size_bytes": 4096, "file_count": 200}
    assert (files[-1].metric, files[-1].value, files[-1].parameters) == (
        "duration",
        0.469,
        {"action": "delete"},
    )


def test_of_a_row_that_ends_in_no_number_nothing_is_measured():
    sizes = "DriveSpeed RasPi 1.1 test\n File KB 4 8 16 4 8 16\n"
    row = " ms/file 1.5 2.5 3.5 4.5 5.5 6.5 {}\n"

    assert len(read(sizes + row.format("0.469")).figures) == 7
    assert read(sizes + row.format("1.2.3,4,5")).figures == ()
