"""Tests of CrystalDiskMark's text, as its versions copy it to the clipboard."""

import pytest

from submissions.domain.intake.paste import read

BANNER = "CrystalDiskMark {} x64 (C) 2007-2021 hiyohiyo\n* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n"


def test_it_works():
    parsed = read(
        BANNER.format("8.0.4")
        + "[Write]\n  RND    4KiB (Q= 32, T= 2):     3.511 MB/s [    857.2 IOPS] < 36801.22 us>\n"
    )

    assert [(f.metric, f.value, f.unit) for f in parsed.figures] == [
        ("throughput", 3_511_000, "B/s"),
        ("iops", 857.2, "1/s"),
        ("latency_mean", 36801.22, "us"),
    ]
    assert parsed.figures[0].parameters == {
        "direction": "write",
        "order": "random",
        "block_size_bytes": 4096,
        "queue_depth": 64,
        "io": "direct",
    }
    assert (parsed.not_understood, parsed.facts_named("tool_version")[0].value) == ((), "8.0.4")


@pytest.mark.parametrize(
    ("row", "block_size", "depth"),
    [
        ("          Sequential Write :    17.520 MB/s", 1048576, 1),
        ("        Random Write 512KB :     2.140 MB/s", 524288, 1),
        ("  Random Write 4KB (QD=32) :     1.183 MB/s [   288.8 IOPS]", 4096, 32),
        ("  Sequential Write (Q= 32,T= 1) :    87.523 MB/s", 131072, 32),
        ("        Sequential Write (T= 1) :    82.102 MB/s", 1048576, 1),
        (" Random Write 4KiB (Q=  8,T= 8) :     3.191 MB/s [   779.1 IOPS]", 4096, 64),
    ],
)
def test_what_older_versions_wrote(row: str, block_size: int, depth: int):
    (first, *_) = read(BANNER.format("5.1.2") + row + "\n").figures

    assert (first.parameters["direction"], first.unit) == ("write", "B/s")
    assert (first.parameters["block_size_bytes"], first.parameters["queue_depth"]) == (block_size, depth)


@pytest.mark.parametrize("before", ["", BANNER.format("8.0.4") + "[Mix] Read 70%/Write 30%\n"])
def test_without_its_banner_or_of_a_mix_a_row_is_not_understood(before: str):
    assert read(before + "  SEQ    1MiB (Q=  8, T= 1):    92.871 MB/s [     88.6 IOPS]\n").figures == ()


KDE = "KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark\n[Read]\n"


def test_what_a_megabyte_is_the_operations_tell():
    """88.0 operations of 1 MiB are 92.27 MB, or in the units of KDiskMark 90,112 KiB."""
    (rate, _) = read(KDE + "Sequential   1 MiB (Q=  8, T= 1):    90.112 MB/s [     88.0 IOPS]\n").figures

    assert (rate.tool, rate.value, rate.unit) == ("kdiskmark", 88 * 1024**2, "B/s")


def test_a_row_that_contradicts_itself_is_not_understood():
    assert read(KDE + "Sequential   1 MiB (Q=  8, T= 1):    95.112 MB/s [     88.0 IOPS]\n").figures == ()


def test_few_operations_are_rounded_too_much_to_contradict():
    (rate, _) = read(KDE + "Random   4 KiB (Q=  1, T= 1):     0.005 MB/s [     1.1 IOPS]\n").figures

    assert rate.value == 5000
