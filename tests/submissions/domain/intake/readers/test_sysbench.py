"""Tests of sysbench before 1.0, which adds up reads and writes, and counts in powers of 1024."""

import pytest

from submissions.domain.intake.paste import read

OLD = """Block size 16Kb
Doing {} test
Read 450Mb  Written 300Mb  Total transferred 750Mb  (2.4999Mb/sec)
  159.99 Requests/sec executed
"""


@pytest.mark.parametrize(("test", "direction"), [("random read", "read"), ("sequential rewrite", "write")])
def test_it_works(test: str, direction: str):
    figures = read(OLD.format(test)).figures

    assert [(f.metric, f.value, f.unit) for f in figures] == [
        ("throughput", 2.4999, "MiB/s"),
        ("iops", 159.99, "1/s"),
    ]
    assert {(f.parameters["direction"], f.parameters["block_size_bytes"]) for f in figures} == {
        (direction, 16384)
    }


def test_the_sum_of_reads_and_writes_is_no_figure():
    assert read(OLD.format("random r/w")).figures == ()


def test_without_the_lines_above_it_asks():
    (question,) = read(OLD.splitlines()[-1] + "\n").questions

    assert question.about == "pattern"


def test_a_sum_is_shared_out_by_the_operations():
    performed = "Operations performed:  28800 Read, 19200 Write, 61361 Other = 109361 Total\n"
    first, rest = OLD.format("random r/w").split("Read", 1)
    figures = read(f"{first}{performed}Read{rest}").figures

    assert [(f.workload, f.metric, f.parameters["direction"], round(f.value or 0, 3)) for f in figures] == [
        ("mixed", "throughput", "read", 1.5),
        ("mixed", "throughput", "write", 1.0),
        ("mixed", "iops", "read", 95.994),
        ("mixed", "iops", "write", 63.996),
    ]
