"""Test the tool, maker, metric, board and use that the examples of CONTRIBUTING.md add.

The tests pass only in the copy of the project in which test_contributing.py follows the examples.
"""

import json
from typing import Any

from submissions.domain import report
from submissions.domain.identity.makers import find_maker
from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read
from submissions.domain.measuring.normalize import normalize
from submissions.domain.ranking import boards, uses
from tests import factories


def test_the_tool_is_read() -> None:
    composed: Any = compose(read("sdspeed write: 21.4 MB/s in blocks of 4 MiB"))
    (measurement,) = composed["measurements"]
    assert (composed["run"]["tool"], composed["run"]["target"]) == ("sdspeed", "file")
    assert (measurement["values"], measurement["unit"]) == ([21.4], "MB/s")


def test_the_maker_is_found() -> None:
    maker = find_maker("SD", 0x78, 0x4142)
    assert (maker.manufacturer, maker.brands, maker.confidence) == ("Example Flash", ("Example",), "low")


def test_the_metric_and_the_figure_are_measured() -> None:
    parameters = {"direction": "read", "order": "random", "block_size_bytes": 16384}
    rows = [
        factories.stream("iops", "1/s", [900], **parameters),
        factories.stream("latency_p90", "ms", [2], **parameters),
    ]
    body = json.dumps(factories.report(measurements=rows)).encode()
    measured, missed = normalize(report.parse(body), bus="SD")
    expected = [("iops", 900.0, "rand_read_16k"), ("latency_p90", 2_000_000.0, "")]
    assert [(row.metric, row.value, row.figure) for row in measured] == expected
    assert missed == ()


def test_the_board_has_its_slot() -> None:
    board = boards.all_boards()["example-board-2"]
    assert (board.title, board.interface.name) == ("Example Board 2", "sdr104")


def test_the_use_has_its_needs() -> None:
    use = uses.find_use("e-reader")
    assert (use.leading, [need.ability for need in use.needs]) == ("small_reads", ["large_reads"])
