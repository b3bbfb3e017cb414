"""Tests of SdFat's examples: bench has a row for each run, TeensySdioDemo a row for each size of its requests."""

from submissions.domain.intake.paste import read

DEMO = "size,write,read\nbytes,KB/sec,KB/sec\n512,6759.59,13927.58\n1024,5889.88,13994.28\n"


def test_it_works():
    assert [
        (figure.parameters["direction"], figure.parameters["block_size_bytes"], figure.value, figure.unit)
        for figure in read(DEMO).figures
    ] == [
        ("write", 512, 6759.59, "kB/s"),
        ("read", 512, 13927.58, "kB/s"),
        ("write", 1024, 5889.88, "kB/s"),
        ("read", 1024, 13994.28, "kB/s"),
    ]


def test_three_numbers_without_their_heading_are_nothing():
    assert read("512,6759.59,13927.58\n").figures == ()


def test_a_row_of_bench_below_the_demo_is_no_row_of_it():
    bench = "BUF_SIZE = 512 bytes\nwrite speed and latency\n454.42,70708,933,1126\n512,6759.59,13927.58\n"

    assert {figure.value for figure in read(DEMO + bench).figures if figure.unit == "kB/s"} == {
        *(6759.59, 13927.58, 5889.88, 13994.28, 454.42)
    }


def test_a_row_of_bench_without_its_heading_is_nothing():
    assert read("size,write,read\nBUF_SIZE = 512 bytes\n454.42,70708,933,1126\n").figures == ()
