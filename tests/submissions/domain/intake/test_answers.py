"""Tests that open questions of a text are asked, and that the answers are used."""

import pytest

from submissions.domain.intake.parsed import Parsed
from submissions.domain.intake.paste import read

MIB = 1024**2
TABLE = "4MiB    10.3M/s \n2MiB    9M/s \n"
VERDICT = "Sequential write speed 18432 KB/sec (target 10000) - PASS\n"
TABLE_OF_FIO = "Block Size | 4k            (IOPS)\nRead       | 1.50 MB/s      (100)\n"
TABLE_OF_IOZONE = (
    "| Block Size (KB) | Sequential Read (MB/s) | Random Write (MB/s) |\n"
    "|        4        |         24.59          |        20.63        |\n"
)
INTERRUPTED = "align 4096\tpre 1ms\ton 1ms\tpost 1ms\tdiff 9us\n^C\n"
LOST = "align 4096\tpre 686s\ton 694s\tpost 686s\tdiff 900s\nalign 2048\tpre 686s\ton 694s\tpost 686s\tdiff 900s\n"
RATE = "  write: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10001msec)\n"


def read_with_answers(text: str, *chosen: str) -> Parsed:
    """Return the contents of a text that is read again with an answer to each question in turn."""
    questions = read(text).questions
    assert len(questions) == len(chosen)
    for question, answer in zip(questions, chosen, strict=True):
        assert answer in question.choices
    return read(
        text, answers={question.key: answer for question, answer in zip(questions, chosen, strict=True)}
    )


def test_it_works() -> None:
    parsed = read_with_answers(TABLE, "open-au random 3")
    assert [
        (f.workload, f.value, f.parameters["order"], f.parameters["open_au"]) for f in parsed.figures
    ] == [
        ("open-au", 10.3, "random", 3),
        ("open-au", 9, "random", 3),
    ]
    assert parsed.figures[1].parameters["erase_size_bytes"] == 4 * MIB
    assert parsed.not_understood == ()
    assert [question.answer for question in parsed.questions] == ["open-au random 3"]


def test_every_table_is_asked_about() -> None:
    parsed = read_with_answers(
        TABLE * 2 + "== again ==\n" + TABLE, "open-au sequential 1", "fat", "open-au sequential 2"
    )
    assert [(f.workload, f.parameters.get("open_au")) for f in parsed.figures[::2]] == [
        ("open-au", 1),
        ("fat", None),
        ("open-au", 2),
    ]


@pytest.mark.parametrize(
    ("text", "chosen", "expected"),
    [
        ("AU=0, linear access\n" + TABLE, ["random 5"], [("open-au", "MB/s", 10.3), ("open-au", "MB/s", 9)]),
        (
            INTERRUPTED,
            ["1024"],
            [("align", "ms", 1), ("align", "ms", 1), ("align", "ms", 1), ("align", "us", 9)],
        ),
        (LOST, ["us"], [("align", "us", value) for value in (686, 694, 686, 900)] * 2),
        (VERDICT, ["old"], [("stream", "KiB/s", 18432)]),
        (TABLE_OF_FIO, ["1048576"], [("stream", "1/s", 100), ("stream", "B/s", 1.5 * MIB)]),
        (TABLE_OF_IOZONE, ["1000000"], [("stream", "B/s", 24.59e6), ("stream", "B/s", 20.63e6)]),
        (RATE, ["random 4096"], [("stream", "1/s", 100), ("stream", "KiB/s", 400)]),
        ("Write = 16 Mb/s\n", ["1000000 bits"], [("unknown", "B/s", 2e6)]),
        ("Write = 16 Mb/s\n", ["1048576 bytes"], [("unknown", "B/s", 16 * MIB)]),
        ("Write = 16 b/s\n", ["1 bits"], [("unknown", "B/s", 2)]),
    ],
)
def test_an_answer_makes_measurements(
    text: str, chosen: list[str], expected: list[tuple[str, str, float]]
) -> None:
    parsed = read_with_answers(text, *chosen)
    assert [(f.workload, f.unit, f.value) for f in parsed.figures] == expected
    assert parsed.not_understood == ()


def test_each_run_of_dd_is_asked_about() -> None:
    run = "134217728 bytes (134 MB, 128 MiB) copied, 16 s, 8.4 MB/s\n"
    first = read(run * 2)
    assert [question.about for question in first.questions] == ["direction", "direction"]
    directions = dict(zip((question.key for question in first.questions), ("read", "write"), strict=True))
    then = read(run * 2, answers=directions)
    assert [q.about for q in then.questions] == ["direction", "block_size_bytes"] * 2
    sizes = {question.key: "1048576" for question in then.questions if question.about == "block_size_bytes"}
    parsed = read(run * 2, answers=directions | sizes)
    assert [(f.value, f.parameters["direction"]) for f in parsed.figures] == [
        (8388608, "read"),
        (8388608, "write"),
    ]


def test_what_is_no_choice_is_no_answer() -> None:
    (question,) = read(TABLE).questions
    parsed = read(TABLE, answers={question.key: "very fast"})
    assert (parsed.figures, parsed.questions[0].answer) == ((), "")


def test_an_answer_to_nothing_changes_nothing() -> None:
    assert read(TABLE, answers={"dd.direction.1": "read"}) == read(TABLE)
