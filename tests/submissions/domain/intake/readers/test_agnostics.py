"""Tests of Raspberry Pi Diagnostics: two sets of jobs with the same names, and numbers that are printed twice."""

import msgspec
import pytest

from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read
from tests import corpus

NEW = "Run 1\nseq-write;0;0;74557;18\nseq-read;92239;22;0;0\nrand-4k-write;0;0;5833;1458\n"
VERDICTS = (
    "Sequential write speed 3251 KB/sec (target 10000) - FAIL\n"
    "Random write speed 15 IOPS (target 500) - FAIL\n"
    "Random read speed 1651 IOPS (target 1500) - PASS\n"
)
BANNER = "Raspberry Pi Diagnostics - version 0.9\nMon Jan 15 13:11:52 {}\n\nTest : SD Card Speed Test\n"


def test_it_works():
    (write, _, read_rate, *_) = read(NEW).figures

    assert (write.value, write.unit) == (74557, "KiB/s")
    assert write.parameters == {
        "direction": "write",
        "order": "sequential",
        "io": "direct",
        "queue_depth": 32,
        "block_size_bytes": 4194304,
        "file_size_bytes": 268435456,
        "sync": "fsync_at_end",
    }
    assert "sync" not in read_rate.parameters


def test_a_number_said_twice_counts_once():
    verdict = "Sequential write speed 74557 KB/sec (target 10000) - PASS\n"

    assert len(read(NEW + verdict).figures) == len(read(NEW).figures)


def test_the_old_job_is_told_by_its_date():
    (write, random_write, _) = read(BANNER.format(2024) + VERDICTS).figures

    assert (write.parameters["queue_depth"], write.parameters["block_size_bytes"]) == (4, 524288)
    assert (random_write.metric, random_write.value) == ("iops", 15)


def test_without_date_or_rows_it_asks():
    parsed = read(VERDICTS)

    assert [question.about for question in parsed.questions] == ["block_size_bytes"]
    assert ["queue_depth" in figure.parameters for figure in parsed.figures] == [False, False]


def test_a_later_date_without_rows_tells_nothing():
    banner = BANNER.format(2025).replace("0.9", "(unknown)")

    assert read(banner + VERDICTS).questions[0].about == "block_size_bytes"


@pytest.mark.parametrize(
    ("version", "depth"), [("0.9", 4), ("0.14", 4), ("0.15", 32), ("0.19", 32), ("1.0", 32)]
)
def test_the_version_tells_the_job_whatever_the_date(version: str, depth: int):
    (write, *_) = read(BANNER.format(2025).replace("0.9", version) + VERDICTS).figures

    assert write.parameters["queue_depth"] == depth


def test_a_verdict_may_be_cut_behind_its_target():
    assert read("Random write speed 15 IOPS (target 500)\n").figures[0].value == 15


def test_it_gives_what_was_typed_in_by_hand():
    typed = (corpus.LOGS.parent / "data" / "agnostics-by-hand.json").read_bytes()
    document = compose(corpus.load(corpus.LOGS / "agnostics/016-bretmlw-amazon-basics-64gb-cq-off.txt"))

    for by_hand in msgspec.json.decode(typed):
        del by_hand["parameters"]["command_queue"]  # said in the title only
        assert by_hand in document["measurements"]


RUN = """\
Run 1
seq-write;0;0;5821;11
rand-4k-write;0;0;1125;281
rand-4k-read;4921;1230;0;0
"""
FAILED = """\
Sequential write speed 5821 {}(target 10000) - FAIL
Note that sequential write speed declines over time as a card is used - your card may require reformatting
Random write speed 281 IOPS (target 500) - FAIL
Random read speed 1230 IOPS (target 1500) - FAIL
"""


@pytest.mark.parametrize("unit", ["KB/sec ", "kb/s ", ""])
def test_verdicts_repeat_the_rows_above(unit: str):
    parsed = read(RUN + FAILED.format(unit) + "Run 2\n" + RUN.partition("\n")[2])

    assert parsed.cases == ()
    assert len(parsed.figures) == 12
    assert parsed.not_understood == ()


def test_verdicts_below_words_of_people_repeat_them_too():
    parsed = read(f"{RUN}\nThis is what it says of them:\n\n{FAILED.format('KB/sec ')}")

    assert len(parsed.figures) == 6


def test_each_run_meets_its_targets_or_not():
    passed = FAILED.format("KB/sec ").replace("FAIL", "PASS")
    verdicts = read(f"Run 1\n{FAILED.format('KB/sec ')}Run 2\n{passed}").facts_named("speed_test")

    assert [verdict.value for verdict in verdicts] == ["failed", "passed"]
