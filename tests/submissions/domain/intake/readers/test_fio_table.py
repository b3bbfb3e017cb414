"""Tests of tables of fio results: mixes of reads and writes, and the meaning of units."""

import pytest

from submissions.domain.intake.paste import read

HEADING = "Block Size | 4k            (IOPS) | 64k           (IOPS)\n"
READS = "Read       | 24.34 MB/s   (6.0k) | 12.33 MB/s    (192)\n"
TOTAL = "Total      | 48.98 MB/s  (12.2k) | 25.25 MB/s    (393)\n"


def test_a_table_of_yabs_is_a_mix_at_random():
    parsed = read(f"fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/mmcblk1p2):\n{HEADING}{READS}")

    assert {(figure.workload, figure.subject) for figure in parsed.figures} == {("mixed", "mmcblk1p2")}
    assert parsed.figures[0].parameters == {
        "direction": "read",
        "block_size_bytes": 4096,
        "order": "random",
        "queue_depth": 128,
        "io": "direct",
    }
    values = [figure.value for figure in parsed.figures]
    assert values == pytest.approx([6000, 24.34 * 1024_000, 192, 12.33 * 1024_000])


def test_its_total_tells_as_much_as_its_heading():
    parsed = read(HEADING + READS + TOTAL)

    assert {figure.workload for figure in parsed.figures} == {"mixed"}
    assert {figure.parameters["direction"] for figure in parsed.figures} == {"read"}
    assert parsed.not_understood == ()


@pytest.mark.parametrize(("answer", "workload"), [("sequential", "stream"), ("mixed", "mixed")])
def test_a_table_that_has_lost_its_total_is_asked_about(answer: str, workload: str):
    (question,) = read(HEADING + READS).questions

    assert question.about == "access_pattern"
    assert read(HEADING + READS).figures == ()
    answered = read(HEADING + READS, answers={question.key: answer})
    assert {figure.workload for figure in answered.figures} == {workload}


def test_other_blocks_are_none_of_yabs():
    parsed = read(HEADING.replace("64k", "16k") + READS.replace("192", "768"))

    assert {(figure.workload, figure.parameters["order"]) for figure in parsed.figures} == {
        ("stream", "sequential")
    }
