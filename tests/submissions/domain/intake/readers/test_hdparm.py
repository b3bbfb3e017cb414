"""Tests of the output of hdparm -t and -T."""

from submissions.domain.intake.paste import read

BUFFERED = " Timing buffered disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"


def test_it_works():
    (figure,) = read(BUFFERED).figures

    assert (figure.value, figure.unit) == (21.63, "MiB/s")
    assert figure.parameters == {
        "direction": "read",
        "order": "sequential",
        "block_size_bytes": 2097152,
        "queue_depth": 1,
        "io": "buffered",
    }


def test_direct_is_another_matter():
    (figure,) = read(" Timing O_DIRECT disk reads: 126 MB in  3.01 seconds =  41.90 MB/sec\n").figures

    assert figure.parameters["io"] == "direct"


def test_it_may_stand_in_quotation_marks():
    assert len(read(f'"{BUFFERED.strip()}"\n').figures) == 1


def test_the_cache_is_not_the_card():
    (figure,) = read(" Timing cached reads:   1438 MB in  2.00 seconds = 718.71 MB/sec\n").figures

    assert figure.workload == "hdparm"


def test_a_slow_card_is_told_in_kb():
    (figure,) = read(" Timing buffered disk reads:   2 MB in  3.10 seconds = 661.20 kB/sec\n").figures

    assert (figure.value, figure.unit) == (661.2, "KiB/s")


def test_a_rate_that_contradicts_volume_and_time_is_not_understood():
    parsed = read(" Timing buffered disk reads:  66 MB in  3.05 seconds =  216.3 MB/sec\n")

    assert parsed.figures == ()
    assert len(parsed.not_understood[0].numbers) == 3


def test_the_device_stands_above():
    parsed = read(f"/dev/mmcblk0p2:\n readahead     = 256 (on)\n{BUFFERED}")

    assert parsed.figures[0].subject == "mmcblk0p2"
    assert parsed.not_understood == ()
