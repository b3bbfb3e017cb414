"""Tests of pasted texts: several tools, prompts, colours, prose; and properties that every text has."""

import html
import quopri
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.domain.intake import commands
from submissions.domain.intake.lines import LONGEST_LINE, MAX_BYTES, MOST_LINES, TextError, decimal, decode
from submissions.domain.intake.paste import read
from submissions.domain.intake.scene import Scene, any_of
from submissions.domain.intake.tools import ROWS, new_readers
from tests import corpus
from tests.submissions.domain.intake.timing import cpu_seconds

MIXED = (
    "I tried it on \x1b[33mMonday\x1b(B\x1b[m, card no. 7.\r\n"
    "pi@raspberrypi:~ $ sudo hdparm -t /dev/mmcblk0\r\n"
    " Timing buffered disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\r\n"
    "pi@raspberrypi:~ $ sudo flashbench -O --open-au-nr=1 /dev/mmcblk0\r\n"
    "\x1b[1m4MiB    6.45M/s \x1b[0m\r\n"
)
CARD = (
    "Manufacturer ID: 3\nOEM: 5344\nName: SL08G\nSD version 3.0\n\ncid: 035344534c30384780123456780fb001\n\n"
    "size,write,read\n512,6759.59,13927.58\n"
)


def test_it_works():
    parsed = read(MIXED)

    assert [(f.tool, f.value, f.span.line) for f in parsed.figures] == [
        ("hdparm", 21.63, 3),
        ("flashbench", 6.45, 5),
    ]
    assert [(rest.line, rest.text) for rest in parsed.not_understood] == [
        (1, "I tried it on Monday, card no. 7.")
    ]


def test_a_quoted_mail_is_read():
    quoted = "\n".join(f"> > {line}" for line in MIXED.splitlines())

    assert len(read(quoted).figures) == 2


@pytest.mark.parametrize(
    "wrap",
    [
        html.escape,
        lambda text: f"<pre>{html.escape(text)}</pre>".replace("\n", "<br>\n"),
        "[code]{}[/code]".format,
        "```\n{}\n```".format,
        lambda text: decode(text.encode("utf-16-le")),
        lambda text: quopri.encodestring(text.encode()).decode(),
        lambda text: text.replace("\n", "\n\n"),
    ],
)
def test_what_a_page_or_a_forum_puts_around_it_changes_nothing(wrap: Callable[[str], str]):
    numbers = [(figure.value, figure.parameters) for figure in read(MIXED).figures]

    assert [(figure.value, figure.parameters) for figure in read(wrap(MIXED)).figures] == numbers


@pytest.mark.parametrize(
    "form",
    [
        "{n:6}  {line}",
        "2024-01-05T10:00:{n:02}.1234567Z {line}",
        "2024-01-05 10:00:{n:02},123 INFO {line}",
        "2024-01-05T10:00:{n:02}+0100 box bench[77]: {line}",
        "<13>Jan  5 10:00:{n:02} root: {line}",
        "10:00:{n:02}.123 -> {line}",
        "01-05 10:00:{n:02}.123  1234  1234 I bench: {line}",
        "I (1234) bench: {line}",
        "INFO:bench:{line}",
        "bench-1  | {line}",
        "[10:00] <someone> {line}",
        "* {line}",
        '    "{line}",',
    ],
)
@pytest.mark.parametrize("text", [MIXED, CARD])
def test_what_a_log_puts_before_each_line_changes_nothing(form: str, text: str):
    lines = [form.format(n=number, line=line).rstrip() for number, line in enumerate(text.splitlines(), 1)]
    parsed, plain = read("\n".join(lines)), read(text)

    assert [(f.value, f.parameters) for f in parsed.figures] == [
        (f.value, f.parameters) for f in plain.figures
    ]
    assert [(f.name, f.value) for f in parsed.facts] == [(f.name, f.value) for f in plain.facts]
    assert parsed.identity.registers == plain.identity.registers


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("dd if=/dev/zero of=/dev/sdb bs=4M", "conv=fsync count=10"),
        ("./flashbench -O --open-au-nr=3", "--erasesize=$[8 * 1024] /dev/sdb"),
        ("./flashbench -O --open-au-nr=3 \\", "/dev/sdb"),
        ("./flashbench -O", "--open-au-nr 3 /dev/sdb"),
    ],
)
def test_a_command_may_be_wrapped(command: str, rest: str):
    rows = "41943040 bytes (42 MB) copied, 4 s, 10.5 MB/s\n4MiB    6.45M/s \n"
    (figure, *_) = read(f"> $ {command}\n> {rest}\n> {rows}").figures

    assert (figure.subject, figure.parameters.get("sync")) == (
        "sdb",
        "fsync_at_end" if "dd" in command else "osync",
    )


def test_a_name_of_two_words_is_one_option():
    rate = "   READ: bw=16.5MiB/s (17.3MB/s), io=1024MiB (1074MB), run=6-6msec\n"
    (figure,) = read(
        f'$ fio -rw=randread -bs=4k\n-name="two words" -iodepth=4 -ioengine=libaio\n{rate}'
    ).figures

    assert figure.parameters["queue_depth"] == 4


@pytest.mark.parametrize("begin", ["$ ", "        Command line used: "])
def test_iozone_repeats_its_command_wrapped_or_not(begin: str):
    rows = "kB  reclen    write  rewrite    read    reread    read     write\n"
    rows += "81920       4     1803     1985     3862     3918     3768     2143\n"
    figures = read(f"{begin}./iozone -a -e\n-I -i 0 -i 1 -i 2 -s 80M -r 4k\n{rows}").figures

    assert {figure.parameters["io"] for figure in figures} == {"direct"}


@pytest.mark.parametrize(
    ("rest", "io"), [("-s 80M -I -r 4k", "direct"), ("-I  Use O_DIRECT for all of it", "buffered")]
)
def test_what_explains_an_option_is_no_rest_of_the_command(rest: str, io: str):
    rows = "kB  reclen    write  rewrite    read    reread    read     write\n"
    rows += "81920       4     1803     1985     3862     3918     3768     2143\n"
    figures = read(f"$ iozone -a -e -i 0 -i 1 -i 2\n{rest}\n{rows}").figures

    assert {figure.parameters["io"] for figure in figures} == {io}


def test_what_a_tool_prints_below_its_command_is_not_the_command():
    timing = " Timing buffered disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"

    assert len(read(f"$ hdparm -t /dev/mmcblk0\n/dev/mmcblk0:\n{timing}").figures) == 1


def test_brackets_that_are_no_markup_stay():
    assert read("fio [R(1)] <16777> [b&c]\n").lines[0].text == "fio [R(1)] <16777> [b&c]"


def test_overwritten_progress_is_gone():
    assert [line.text for line in read("10 %\r50 %\rdone\nnext\n").lines] == ["done", "next", ""]


def test_what_hangs_on_a_question_is_not_understood_yet():
    parsed = read("4MiB    10M/s   \n2MiB    9M/s   \n")

    assert (len(parsed.questions), parsed.numbers_understood) == (1, 0)
    assert [rest.line for rest in parsed.not_understood] == [1, 2]


def test_too_large_a_text_is_refused():
    with pytest.raises(TextError, match=r"8,000,001 bytes; at most 8,000,000") as refused:
        read("x" * (MAX_BYTES + 1))

    assert refused.value.code == "too_large"


def test_what_looks_like_a_number_and_is_none_is_not_understood():
    parsed = read("$ dd if=/dev/zero of=a bs=4M\n41943040 bytes (42 MB) copied, 4 s, 10.. MB/s\n")

    assert (parsed.figures, len(parsed.not_understood)) == ((), 1)


def test_every_file_of_the_corpus_gives_what_the_table_says():
    expected = corpus.TABLE.read_text(encoding="utf-8").splitlines()

    assert list(corpus.table(corpus.LOGS, corpus.files(corpus.LOGS))) == expected


LINES = [
    line
    for path in corpus.files(corpus.LOGS)
    for line in path.read_text("utf-8", "replace").split("\n")
    if line
]
lines = st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=80)), max_size=30).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(lines)
def test_any_text_is_read_without_an_exception(text: str):
    parsed = read(text)

    assert 0 <= parsed.numbers_understood <= parsed.number_count


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(LINES), st.data())
def test_a_damaged_line_is_read_without_an_exception(line: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    read(line[:start] + data.draw(st.text(max_size=9)) + line[end:])


def long_line(unit: str) -> str:
    return unit * (LONGEST_LINE // len(unit)) + "\n"


@pytest.mark.parametrize(
    "unit",
    [
        "{\n",
        "align 1\n",
        "4MiB 1M/s\n",
        "==> \n",
        "$ dd if=a \\\n",
        *map(long_line, ["(", "1 ", " \t", "a=b ", "a1", "."]),
    ],
)
def test_the_time_grows_with_the_length_not_with_its_square(unit: str):
    few, many = unit * (4_000 // len(unit)), unit * (32_000 // len(unit))

    # 8 times as long; a square would be 64 times.
    assert cpu_seconds(read, many) < 8 * 4 * max(cpu_seconds(read, few), 0.002)


def repeat_lines(head: str, unit: str, length: int) -> str:
    """Return lines of the same length that repeat `unit` after `head`, 24,000 characters in all."""
    line = head + unit * ((length - len(head)) // len(unit) + 1)
    return f"{line[:length]}\n" * (24_000 // length)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(LINES), st.data())
def test_no_pattern_goes_back_and_forth_in_a_long_line(line: str, data: st.DataObject):
    """Pieces of real lines are repeated, in lines of two lengths.

    For lines five times as long, with as many characters in all, a pattern that backtracks takes at least five times as
    long.
    """
    start = data.draw(st.integers(0, len(line) - 1))
    unit = line[start : start + data.draw(st.integers(1, 12))]
    head = line[: data.draw(st.sampled_from([0, min(start, 300)]))]
    short, long = repeat_lines(head, unit, 400), repeat_lines(head, unit, LONGEST_LINE)
    assert cpu_seconds(read, long) < 5 * max(cpu_seconds(read, short), 0.002)


def test_arithmetic_of_the_shell_is_worked_out():
    command = commands.parse("# ./flashbench -O -e $[4*1024*1024] -b $((16 * 1024 + 512)) /dev/sda")

    assert command and (command.option("-e"), command.option("-b")) == ("4194304", "16896")


@pytest.mark.parametrize(
    "prompt", ["$ ", "# ", "> ", "host% ", "pi@raspberrypi:~ $ ", "[root@host ~]# ", "root@x:/a/b# "]
)
def test_prompts(prompt: str):
    command = commands.parse(f"{prompt}sudo ./hdparm -t /dev/sda")

    assert command and (command.program, command.words) == ("hdparm", ("-t", "/dev/sda"))


def test_a_sentence_about_a_program_is_no_command():
    assert commands.parse("dd is a tool to copy blocks") is None


@pytest.mark.parametrize(
    ("text", "size"), [("4k", 4096), ("1M", 1048576), ("4kB", 4000), ("512", 512), ("4x", None)]
)
def test_sizes_of_dd_and_fio(text: str, size: int | None):
    assert commands.size(text) == size


def test_files_come_in_several_encodings():
    for encoding in ("utf-8", "latin-1", "utf-16", "utf-16-le", "utf-16-be"):
        assert decode("5 µs".encode(encoding)) == "5 µs"
    assert decode("这是 5 µs a".encode("utf-16-le")) == "这是 5 µs a"
    assert decode(b"") == ""


def test_what_is_no_number_is_none():
    for text in ("nan", "inf", "1e999", ""):
        with pytest.raises(ValueError):
            decimal(text)


CID, CSD = "035054534c31364730da0a5d93010101", "400e00325b59000073a77f800a400001"


def test_registers_shown_one_by_one():
    where = "$ cat /sys/class/mmc_host/mmc0/mmc0:0007"
    text = f"{where}/cid\n{CID}\n{where}/csd\n{CSD}\n{where}/erase_size\n512\n{where}/fwrev\n0x0\n"
    parsed = read(f"{text}preferred_erase_size: 4194304\n")

    assert (parsed.identity.registers, parsed.not_understood) == ({"cid": CID, "csd": CSD}, ())
    assert {fact.name: fact.value for fact in parsed.facts} == {
        "erase_size_bytes": 512,
        "preferred_erase_size_bytes": 4194304,
    }


def test_a_checksum_of_a_file_is_no_register():
    """The checksum is as long as a register, but a register has a valid checksum of its own, or is named."""
    md5 = "0cc175b9c0f1b6a831c399e269772661"

    assert read(f"$ md5sum < image\n{md5}\n").identity.registers == {}
    assert read(f"$ cat /sys/block/mmcblk0/device/cid\n{md5}\n").identity.registers == {"cid": md5}


def test_lines_are_counted_before_any_is_read():
    """Texts of very many short lines took the longest time of all."""
    assert len(read("\n" * MOST_LINES).lines) == MOST_LINES + 1
    for end in ("\n", "\r", "x\r", "<br>"):
        with pytest.raises(TextError, match="20,001 lines; at most 20,000") as refused:
            read(end * (MOST_LINES + 1))
        assert refused.value.code == "too_large"


def test_what_no_reader_can_take_is_told_from_one_pattern():
    """A line is offered to readers only if a pattern of some reader fits it."""
    rows, one = [pattern for reader in new_readers(Scene()) for pattern, _ in reader.rows], any_of(ROWS)
    lines = [line for path in corpus.files(corpus.LOGS)[::7] for line in corpus.load(path).lines]
    for line in lines[::3]:
        fits = any(pattern.match(line.text, line.start) for pattern in rows)
        assert bool(one.match(line.text, line.start)) == fits
