"""Tests of iozone's rows of numbers, in which columns may be missing."""

import re

from submissions.domain.intake.paste import read

HEADING = (
    "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite\n"
)
ROW = "          102400       4     3087     3145    10337    10376     9761     5744\n"
COMMAND = "Command line used: ./iozone {} -a -s 100M -r 4k -i 0 -i 1 -i 2\n"


def test_it_works():
    parsed = read(COMMAND.format("-e -I") + HEADING + ROW)

    assert [(f.workload, f.value, f.unit) for f in parsed.figures] == [
        ("stream", 3087, "KiB/s"),
        ("rewrite", 3145, "KiB/s"),
        ("stream", 10337, "KiB/s"),
        ("reread", 10376, "KiB/s"),
        ("stream", 9761, "KiB/s"),
        ("stream", 5744, "KiB/s"),
    ]
    assert parsed.figures[-1].parameters == {
        "direction": "write",
        "order": "random",
        "block_size_bytes": 4096,
        "queue_depth": 1,
        "file_size_bytes": 104857600,
        "io": "direct",
        "sync": "fsync_at_end",
    }


def test_its_flags_say_how_it_wrote():
    (write, *_) = read(COMMAND.format("-o") + HEADING + ROW).figures

    assert (write.parameters["io"], write.parameters["sync"]) == ("buffered", "osync")


def test_what_is_read_again_without_o_direct_lies_in_the_cache():
    figures = read(COMMAND.format("-e") + HEADING + ROW).figures

    assert [figure.workload for figure in figures if figure.parameters["direction"] == "read"] == [
        "reread"
    ] * 3


def test_without_its_banner_nobody_knows():
    assert not {"io", "sync"} & read(HEADING + ROW).figures[0].parameters.keys()


def test_the_banner_alone_tells_too():
    (write, *_) = read(
        "\tInclude fsync in write timing\n\tO_DIRECT feature enabled\n" + HEADING + ROW
    ).figures

    assert (write.parameters["io"], write.parameters["sync"]) == ("direct", "fsync_at_end")


def test_operations_are_no_kilobytes():
    parsed = read("\tOutput is in ops/sec\n" + HEADING + ROW)

    assert (parsed.figures[0].metric, parsed.figures[0].unit) == ("iops", "1/s")


def test_columns_that_were_skipped_stay_empty():
    """The options -i 0 -i 2 mean: written in sequence, then read and written at random."""
    row = "          102400       4     3087     3145                        9761     5744\n"
    parsed = read(HEADING + row)

    assert [(f.workload, f.parameters.get("order"), f.value) for f in parsed.figures] == [
        ("stream", "sequential", 3087),
        ("rewrite", "sequential", 3145),
        ("stream", "random", 9761),
        ("stream", "random", 5744),
    ]


def test_without_its_spaces_the_command_tells_the_columns():
    heading, row = "kB reclen write rewrite read reread read write\n", "102400 4 3087 3145 9761 5744\n"
    (first, *_, last) = read("$ iozone -i 0 -i 2 -r 4k -I\n" + heading + row).figures

    assert (first.value, last.parameters["order"], last.value) == (3087, "random", 5744)
    (question,) = read(heading + row).questions
    answered = read(heading + row, answers={question.key: "0 1"})
    assert [f.workload for f in answered.figures] == ["stream", "rewrite", "stream", "reread"]


def test_columns_that_nothing_tells_are_not_guessed():
    assert read("kB reclen write rewrite read\n102400 4 3087 3145 10337\n").figures == ()


def test_numbers_without_a_heading_are_nothing():
    assert read(ROW).figures == ()


def test_a_table_in_mb_is_asked_for():
    table = "| Block Size (KB) | Sequential Read (MB/s) |\n|---|---|\n|        4        |         24.59          |\n"

    assert [question.about for question in read(table).questions] == ["unit"]


def test_a_heading_with_more_columns_than_iozone_has_is_not_its_own() -> None:
    """Such a heading once ended in an IndexError."""
    head = (
        "              kB  reclen    write  rewrite    read    reread ?  read     write     read"
        "   rewrite      read   fwrite frewrite    fread  freread"
    )
    ends = [102400, 4, *range(1001, 1014)]
    places = [match.end() for match in re.finditer(r"\S+", head)]
    row = ""
    for value, end in zip(ends, places, strict=False):
        row += str(value).rjust(end - len(row))
    parsed = read(f"{head}\n{row}\n")
    assert parsed.figures == () and len(parsed.not_understood) == 1


def test_a_table_in_an_unknown_unit_is_not_read() -> None:
    table = (
        "| KB | reclen | write | rewrite | read | reread | random read | random write |\n"
        "| 102400 | 1024 | 188233 | 207142 | 176447 | 176386 | 176189 | 211852 |\n"
    )
    assert read(table).figures
    assert not read("\tOutput is in furlongs/sec\n" + table).figures


def test_a_mark_before_three_digits_parts_thousands():
    marked = ROW
    for number in re.findall(r"\d{4,}", ROW):
        marked = marked.replace(number, f"{int(number):,}")
    values = [[figure.value for figure in read(HEADING + row).figures] for row in (ROW, marked)]

    assert values[0] == values[1]
    assert len(values[1]) == 6


def test_other_marks_are_none_of_iozone():
    assert read(HEADING + ROW.replace("3087", "30,87")).figures == ()
