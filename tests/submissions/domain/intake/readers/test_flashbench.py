"""Tests of flashbench's output, complete and damaged."""

import pytest

from submissions.domain.intake.parsed import Figure, Parsed
from submissions.domain.intake.paste import read

KIB, MIB = 1024, 1024**2
ALIGN = "align 4194304\tpre 1.66ms\ton 2.27ms\tpost 1.58ms\tdiff 650µs\n"
LAST = "align 2048\tpre 1.75ms\ton 1.76ms\tpost 1.76ms\tdiff 11.8µs\n"
OPEN_AU = (
    "$ flashbench -O --erasesize=$[4*1024*1024] --blocksize=$[16 * 1024] --open-au-nr=3 {} /dev/mmcblk0\n"
)


def values(parsed: Parsed, **where: object) -> list[tuple[float | None, str]]:
    chosen = [
        f for f in parsed.figures if where.items() <= ({"metric": f.metric} | dict(f.parameters)).items()
    ]
    return [(figure.value, figure.unit) for figure in chosen]


def diff(cell: str) -> Figure:
    text = f"align 4096 pre 795µs on 4.67µs post 795µs diff {cell}\nalign 2048 pre 1µs on 1µs post 1µs diff 0ns\n"
    return read(text).figures[3]


def test_it_works():
    parsed = read(OPEN_AU.format("") + "4MiB    6.45M/s \n2MiB    607K/s  \n")

    assert values(parsed, open_au=3, block_size_bytes=4 * MIB, order="sequential") == [(6.45, "MB/s")]
    assert values(parsed, open_au=3, block_size_bytes=2 * MIB) == [(607, "kB/s")]
    assert parsed.figures[0].parameters == {
        "direction": "write",
        "queue_depth": 1,
        "io": "direct",
        "sync": "osync",
        "data": "constant",
        "order": "sequential",
        "block_size_bytes": 4 * MIB,
        "open_au": 3,
        "erase_size_bytes": 4 * MIB,
    }


def test_random_is_told_by_the_command_line():
    parsed = read(OPEN_AU.format("--random") + "4MiB    3.07M/s \n")

    assert values(parsed, order="random", open_au=3) == [(3.07, "MB/s")]


def test_random_is_told_by_the_heading():
    parsed = read("AU=2, linear access\n4MiB    10M/s   \n=== AU=5, random access ===\n4MiB    9.9M/s  \n")

    assert values(parsed, order="sequential", open_au=2) == [(10, "MB/s")]
    assert values(parsed, order="random", open_au=5) == [(9.9, "MB/s")]


def test_without_either_it_asks():
    parsed = read("4MiB    10M/s   \n2MiB    9M/s   \n")

    assert parsed.figures == ()
    assert [question.about for question in parsed.questions] == ["workload"]


def test_an_align_table_tells_its_block_size_by_its_last_row():
    parsed = read(ALIGN + LAST)

    assert values(parsed, metric="align_diff", align_bytes=4 * MIB, block_size_bytes=KIB) == [(650, "us")]
    assert len(parsed.figures) == 8


def test_the_command_line_goes_before_the_last_row():
    parsed = read("$ flashbench -a /dev/sda --blocksize=512\n" + ALIGN)

    assert values(parsed, metric="align_pre", block_size_bytes=512) == [(1.66, "ms")]


def test_an_interrupted_align_test_asks_for_the_block_size():
    parsed = read(ALIGN + "^C\n")

    assert parsed.figures == ()
    assert [question.about for question in parsed.questions] == ["block_size_bytes"]


@pytest.mark.parametrize("cell", ["650us", "650?s", "650Âµs", "650μs", "650\ufffds"])
def test_a_mangled_micro_sign_is_read(cell: str):
    assert (diff(cell).value, diff(cell).unit) == (650, "us")


@pytest.mark.parametrize(
    ("line", "diff"),
    [
        ("align 2048 pre 1.75ms on 2.4ms post 1.66ms diff 686s\n", (686, "us")),
        ("align 2048 pre 686s on 1.4ms post 694s diff 710s\n", (710, "us")),
        ("align 2048 pre 999ms on 3s post 1s diff 2s\n", (2, "s")),
    ],
)
def test_where_a_micro_sign_was_lost_the_other_times_tell(line: str, diff: tuple[float, str]):
    parsed = read(line)

    assert (values(parsed, metric="align_diff"), parsed.questions) == ([diff], ())


@pytest.mark.parametrize("diff", ["8s", "900ms"])
def test_where_both_add_up_or_neither_it_is_asked(diff: str):
    parsed = read(f"align 2048 pre 686s on 694s post 686s diff {diff}\n")

    assert (parsed.figures, parsed.questions[0].about) == ((), "unit")


@pytest.mark.parametrize(
    ("cell", "value"), [("-3602ns", -3602), ("-13790n", -13790), ("-9999ns", -9999), ("1e+03µ", 1000)]
)
def test_a_cut_unit_is_still_that_unit(cell: str, value: float):
    assert diff(cell).value == value


def test_a_cut_number_is_no_number():
    assert (diff("-790784").value, diff("-790784").failure) == (None, "cut_off")


def test_a_read_that_failed_is_not_a_fast_read():
    parsed = read("align 2048\tpre 81µs\ton 0ns\tpost 79.8µs\tdiff -80390n\n")

    assert [figure.value for figure in parsed.figures] == [81, None, 79.8, None]
    assert parsed.figures[1].failure == "io_error"


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("2.084G/", 2.084, "GB/s"),
        ("1e+03K/", 1000, "kB/s"),
        ("5G/s", 5, "GB/s"),
        ("912K/s", 912, "kB/s"),
        ("999B/s", 999, "B/s"),
    ],
)
def test_rates_are_powers_of_1000(cell: str, value: float, unit: str):
    assert values(read(OPEN_AU.format("") + f"1.5MiB  {cell} \n")) == [(value, unit)]


def test_find_fat_has_a_column_for_each_erase_block():
    parsed = read("$ flashbench -f /dev/mmcblk0\n4MiB    865K/s   3.56M/s  \n")

    assert values(parsed, erase_block_index=0) == [(865, "kB/s")]
    assert values(parsed, erase_block_index=1) == [(3.56, "MB/s")]


def test_columns_that_nothing_announces_may_be_a_card_each():
    table = "Size A (C2-4GB) B (C4-4GB)\n4MiB    865K/s   3.56M/s\n2MiB    865K/s   3.56M/s\n"
    parsed = read(table)

    assert parsed.figures == ()
    assert [question.about for question in parsed.questions] == ["workload"]
    answered = read(table, answers={parsed.questions[0].key: "fat"})
    assert values(answered, erase_block_index=1, block_size_bytes=4194304) == [(3.56, "MB/s")]


def test_program_has_eight_columns():
    row = "2MiB    1.85G/s  2.455G/  2.529G/  1.829G/  2.701G/  2.698G/  2.829G/  2.252G/  \n"
    parsed = read("$ flashbench -p /dev/loop0\n" + row)

    assert values(parsed, direction="read", order="sequential") == [(1.829, "GB/s")]
    assert values(parsed, direction="write", order="random", data="zeros") == [(2.701, "GB/s")]


def test_scatter_and_interval_are_kept():
    parsed = read("0.015625\t0.075432\n512 bytes: min 79.9µs avg 111µs max 273µs: 6.40569 MB/s\n")

    assert [(f.workload, f.value, f.unit) for f in parsed.figures] == [
        ("scatter", 0.075432, "ms"),
        ("interval", 79.9, "us"),
        ("interval", 111, "us"),
        ("interval", 273, "us"),
    ]


def test_a_row_without_a_rate_was_killed():
    parsed = read(OPEN_AU.format("") + "1KiB    3.53M/s \n512B    \n")

    assert parsed.figures[1].failure == "interrupted"


def test_a_rate_after_an_error_is_none():
    parsed = read(OPEN_AU.format("") + "time_write: Input/output error\n4MiB    1.787G/ \n")

    assert (parsed.figures[0].value, parsed.figures[0].failure) == (None, "io_error")


def test_atoi_knows_no_suffix():
    parsed = read("$ flashbench -a -b 2K /dev/mmcblk0\n" + ALIGN)

    assert values(parsed, metric="align_pre", block_size_bytes=2) == [(1.66, "ms")]


def test_a_character_echoed_before_the_row_does_no_harm():
    assert values(read(OPEN_AU.format("") + "^N2MiB    9.8M/s  \n"), block_size_bytes=2 * MIB) == [
        (9.8, "MB/s")
    ]


def test_a_command_goes_on_in_the_next_line():
    text = "$ flashbench -O --erasesize=$[4 * 1024 * 1024] \\\n --open-au-nr=7 /dev/mmcblk0\n4MiB    1M/s\n"

    assert values(read(text), open_au=7) == [(1, "MB/s")]


def test_several_tests_in_one_call_are_told_apart():
    parsed = read("$ flashbench -a -O --open-au-nr=3 /dev/sdb\n" + LAST + "4MiB    421K/s   \n")

    assert values(parsed, open_au=3) == [(421, "kB/s")]


def test_a_value_in_bold_type_is_where_it_was_pasted():
    line = "- **4MiB** 6.45M/s"
    (figure,) = read(OPEN_AU.format("") + line + "\n").figures

    assert line[figure.span.start : figure.span.end] == "6.45M/s"
