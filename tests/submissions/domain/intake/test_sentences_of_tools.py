"""Tests that a sentence that a tool prints in every run is no title, and that numbers in it are understood."""

import pytest

from submissions.domain.intake.paste import read

HDPARM = " Timing buffered disk reads: {} MB in  3.00 seconds =  {}.00 MB/sec\n"
SENTENCES = """\
Test : SD Card Speed Test
Note that sequential write speed declines over time as a card is used - your card may require reformatting
You can now delete the test files *.h2w or verify them again.
You can now delete the test files \\*.h2w or verify them again.
Device geometry:
 Operation: total time / count = avg time
Probe finished, recovering blocks... Done
                  SECTORS      ok/corrupted/changed/overwritten
This is free software; see the source for copying conditions.
You can "fix" this device using the following command:
f3fix --last-sec=16477878 /dev/sdb
         it can take longer. Please be patient.
128 files, 16Mb each
2Gb total file size
Number of random requests for random IO: 10000
sysbench 0.4.12:  multi-threaded system evaluation benchmark
Calling fsync() at the end of test, Enabled.
Using synchronous I/O mode
Threads started!
Initializing worker threads...
generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s
Writing intelligently...done
start 'em...done...done...done...
Last Benchmarked Sat 04 Mar 2023 11:02:13 AM CET (2 minutes ago)
fio-3.28-dirty
""".splitlines()


@pytest.mark.parametrize("sentence", SENTENCES)
def test_it_works(sentence: str):
    header = "a: (g=0): rw=read, bs=4096B-4096B, ioengine=sync, iodepth=1\n" if "fio" in sentence else ""
    parsed = read(header + HDPARM.format(60, 20) + sentence + "\n" + HDPARM.format(66, 22))

    assert {figure.section for figure in parsed.figures} == {""}
    assert parsed.not_understood == ()


def test_another_sentence_is_a_title():
    parsed = read(HDPARM.format(60, 20) + "Now the card of Anna\n" + HDPARM.format(66, 22))

    assert parsed.figures[-1].section == "\nNow the card of Anna"
