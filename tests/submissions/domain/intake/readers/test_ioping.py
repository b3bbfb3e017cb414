"""Tests of ioping's output today, and of version 0.6, with times in one unit and mb/s."""

import pytest

from submissions.domain.intake.paste import read

NEW = """4 KiB <<< . (ext4 /dev/mmcblk0p2): request=9 time=765.5 us
--- . (ext4 /dev/mmcblk0p2) ioping statistics ---
9 requests completed in 6.33 ms, 36 KiB read, 1.42 k iops, 5.55 MiB/s
min/avg/max/mdev = 570.6 us / 703.4 us / 1.2 ms / 89.8 us
"""
OLD = """4096 bytes from . (ext4 /dev/mmcblk0p2): request=9 time=0.4 ms
--- . (ext4 /dev/mmcblk0p2) ioping statistics ---
9 requests completed in 9009.6 ms, 1420 iops, 5.55 mb/s
min/avg/max/mdev = 0.5/0.7/1.2/0.1 ms
"""


@pytest.mark.parametrize(("text", "mean"), [(NEW, (703.4, "us")), (OLD, (0.7, "ms"))])
def test_it_works(text: str, mean: tuple[float, str]):
    figures = read(text).figures

    assert [(f.metric, f.value, f.unit) for f in figures] == [
        ("iops", 1420, "1/s"),
        ("throughput", 5.55, "MiB/s"),
        ("latency_mean", *mean),
        ("latency_max", 1.2, "ms"),
    ]
    assert {(f.parameters["direction"], f.subject) for f in figures} == {("read", "mmcblk0")}


@pytest.mark.parametrize(
    ("sums", "block"),
    [
        ("9 requests completed in 9.54 ms, 4.50 KiB written, 943 iops, 471.9 KiB/s", 512),
        ("9 requests completed in 9.54 ms, 36 KiB read, 943 iops, 3.7 MiB/s", 4096),
        ("9 requests completed in 9009.6 ms, 36 KiB read, 13 iops, 0.1 MiB/s", 4096),
    ],
)
def test_rate_and_iops_tell_the_size_of_a_request_where_they_are_exact(sums: str, block: int):
    figures = read(f"--- . (ext4 /dev/mmcblk0p2) ioping statistics ---\n{sums}\n").figures

    assert {figure.parameters["block_size_bytes"] for figure in figures} == {block}


def test_without_a_request_it_asks():
    parsed = read("".join(NEW.splitlines(keepends=True)[1:]).replace("36 KiB read, ", ""))

    assert [question.about for question in parsed.questions] == ["direction"]
    assert parsed.figures == ()
