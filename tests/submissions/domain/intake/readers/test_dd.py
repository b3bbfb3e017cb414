"""Tests of the output of dd in the languages in which people paste it."""

import pytest

from submissions.domain.intake.compose import ComposeError, compose
from submissions.domain.intake.paste import read

WRITE = "$ dd if=/dev/zero of=test bs=4M count=10 conv=fsync\n"
READ = "$ dd if=/dev/mmcblk0 of=/dev/null iflag=direct bs=4M count=10\n"
IN_SHORT = "41943040 bytes (42 MB) copied, 4 s, 10.5 MB/s"


def test_it_works():
    (figure,) = read(f"{WRITE}10+0 records in\n10+0 records out\n{IN_SHORT}\n").figures

    assert (figure.workload, figure.metric, figure.unit) == ("stream", "throughput", "B/s")
    assert figure.value == 10485760
    assert figure.parameters == {
        "direction": "write",
        "order": "sequential",
        "block_size_bytes": 4194304,
        "queue_depth": 1,
        "io": "buffered",
        "sync": "fsync_at_end",
        "data": "zeros",
    }
    assert figure.span.line == 4


def test_a_direct_read_says_so():
    (figure,) = read(f"{READ}{IN_SHORT}\n").figures

    assert figure.parameters["direction"] == "read"
    assert figure.parameters["io"] == "direct"
    assert "sync" not in figure.parameters


@pytest.mark.parametrize(
    "line",
    [
        "41943040 bytes (42 MB, 40 MiB) copied, 4 s, 10.5 MB/s",
        "41943040 bytes (42 MB) copied, 4.0 seconds, 10.5 MB/s",
        "41943040 bytes (42 MB, 40 MiB) copied, 4,0 s, 10,5 MB/s",
        "скопировано 41943040 байт (42 MB), 4,0 c, 10,5 MB/c",
        "скопировано 41943040 байта (42 MB, 40 MiB), 4 s, 10,5 MB/s",
        "41943040 Bytes (42 MB, 40 MiB) kopiert, 4 s, 10,5 MB/s",
        "41943040 octets (42 MB, 40 MiB) copiés, 4 s, 10,5 MB/s",
        "复制了41943040字节（42 MB，40 MiB），4 s，10.5 MB/s",
        "41943040字节(42 MB)已复制，4 秒，10.5 MB/秒",
        "41943040 バイト (42 MB, 40 MiB) コピーされました、 4 s、 10.5 MB/s",
        "41943040 bytes (42 MB, 40 MiB) copiados, 4 s, 10,5 MB/s",
        "skopiowane 41943040 bajtów (42 MB, 40 MiB), 4 s, 10,5 MB/s",
        "41943040 octets (42 MB) copiés, 4,0 secondes, 10,5 MB/s",
        "41943040 바이트 (42 MB, 40 MiB) 복사함, 4 s, 10.5 MB/s",
        "41943040 tavua (42 MB, 40 MiB) kopioitu, 4 s, 10,5 MB/s",
        "41943040 bayt (42 MB, 40 MiB) kopyalandı, 4 s, 10,5 MB/s",
        "41943040 bytes (40.0MB) copied, 4.000000 seconds, 10.0MB/s",
        "41943040 bytes (40 M) copied, 4.000 s, 10 M/s",
        "41943040 bytes transferred in 4.000000 secs (10485760 bytes/sec)",
    ],
)
def test_every_language_gives_the_same_rate(line: str):
    assert [figure.value for figure in read(f"{WRITE}{line}\n").figures] == [10485760]


def test_nuttx_counts_microseconds_and_kib():
    (figure,) = read(
        "nsh> dd if=/dev/zero of=/mnt/sd0/t bs=512 count=2000\n1024000 bytes copied, 300000 usec, 3333 KB/s\n"
    ).figures

    assert figure.value == pytest.approx(1024000 / 0.3)
    assert figure.parameters["block_size_bytes"] == 512


def test_russian_records_tell_the_block_size():
    heading = "============== Linear read speed (dd, 64kb block, skip 1024) ============\n"
    body = "640+0 записей получено\n640+0 записей отправлено\nскопировано 41943040 байт (42 MB), 4 c, 10,5 MB/c\n"
    (figure,) = read(heading + body).figures

    assert figure.parameters == {
        "direction": "read",
        "order": "sequential",
        "block_size_bytes": 65536,
        "queue_depth": 1,
    }


def test_a_rate_that_is_not_bytes_over_seconds_is_not_understood():
    parsed = read(f"{WRITE}41943040 bytes (42 MB) copied, 4 s, 105 MB/s\n")

    assert parsed.figures == ()
    assert [rest.line for rest in parsed.not_understood] == [2]


@pytest.mark.parametrize(
    "error",
    [
        "dd: fdatasync failed for ‘/dev/mmcblk0’: Input/output error",
        "dd: error writing '/dev/mmcblk0': Input/output error",
        "dd: чтение «/dev/sdf»: Ошибка ввода/вывода",
    ],
)
def test_a_rate_after_an_error_is_marked(error: str):
    (figure,) = read(f"{WRITE}{error}\n10+0 records in\n10+0 records out\n{IN_SHORT}\n").figures

    assert (figure.value, figure.failure) == (None, "io_error")
    assert "/dev" not in figure.detail


def test_the_next_run_is_not_marked():
    text = f"{WRITE}dd: error reading '/dev/sdf': Input/output error\n{IN_SHORT}\n{IN_SHORT}\n"

    assert [figure.value for figure in read(text).figures] == [None, 10485760]


def test_an_input_closed_late_spoils_nothing():
    text = f"{WRITE}{IN_SHORT}\ndd: closing input file ‘/dev/zero’: Bad file descriptor\n{IN_SHORT}\n"

    assert [figure.value for figure in read(text).figures] == [10485760, 10485760]


def test_without_a_command_it_asks():
    parsed = read(f"10+0 records in\n10+0 records out\n{IN_SHORT}\n")

    assert parsed.figures == ()
    assert [question.about for question in parsed.questions] == ["direction"]


def test_nothing_copied_is_no_rate():
    assert read(f"{WRITE}0 bytes (0 B) copied, 0.0004 s, 0.0 kB/s\n").figures == ()


RECORDS = "10+0 records in\n10+0 records out\n"


def test_progress_is_no_measurement():
    """The option status=progress shows only the last second before the flush."""
    progress = "20971520 bytes (21 MB, 20 MiB) copied, 1 s, 21.0 MB/s\n31457280 bytes (31 MB) copied, 2 s, 15.7 MB/s\n"
    parsed = read(f"{WRITE}{progress}{RECORDS}{IN_SHORT}\n")

    assert [figure.value for figure in parsed.figures] == [10485760]
    assert parsed.not_understood == ()


def test_runs_of_which_only_the_rate_was_kept_all_count():
    assert [figure.span.line for figure in read(f"{WRITE}{IN_SHORT}\n{IN_SHORT}\n").figures] == [2, 3]


@pytest.mark.parametrize(
    "prompt",
    [
        "macbook:~ joe$ sudo ",
        "/ # ",
        "~ # ",
        "1|root@android:/ # ",
        "toybox$ ",
        "joe@host ~ % ",
        "Then I ran `",
    ],
)
def test_a_new_command_ends_the_old_one_whatever_its_prompt(prompt: str):
    """Otherwise a read would be attributed to the write command above it."""
    (_, second) = read(f"{WRITE}{IN_SHORT}\n{prompt}dd if=card of=/dev/null bs=1M\n{IN_SHORT}\n").figures

    assert second.parameters["direction"] == "read"


def test_what_follows_the_command_is_not_part_of_it():
    (figure,) = read(f"$ sync; dd if=/dev/zero of=t bs=4M conv=fsync; rm t\n{IN_SHORT}\n").figures

    assert figure.parameters["sync"] == "fsync_at_end"


def test_a_title_ends_the_command():
    assert [q.about for q in read(f"{WRITE}{IN_SHORT}\n## Another\n{IN_SHORT}\n").questions] == ["direction"]


def test_a_card_that_is_full_ends_the_run_as_meant():
    full = f"{WRITE}dd: error writing 'test': No space left on device\n11+0 records in\n10+0 records out\n{IN_SHORT}\n"

    assert [figure.value for figure in read(full).figures] == [10485760]


@pytest.mark.parametrize("command", ["dd if=/dev/zero of=/dev/null bs=1M", "dd if=/dev/zero bs=1M | md5sum"])
def test_what_never_reached_a_card_is_not_measured(command: str):
    parsed = read(f"$ {command}\n{IN_SHORT}\n")

    assert (parsed.figures, parsed.questions) == ((), ())


@pytest.mark.parametrize(
    "command",
    [
        "dd if=/dev/mmcblk0 bs=4M | gzip > card.gz",
        "dd if=/dev/mmcblk0 bs=4M > card.img",
        "xzcat card.img.xz | sudo dd of=/dev/sdb bs=4M conv=fsync",
    ],
)
def test_of_a_pipe_the_slower_end_is_not_known(command: str):
    parsed = read(f"$ {command}\n{IN_SHORT}\n")

    assert (parsed.figures, parsed.questions) == ((), ())
    with pytest.raises(ComposeError, match="dd used a pipe"):
        compose(parsed)


@pytest.mark.parametrize(
    "command", ["dd if=/dev/sdb bs=1M > /dev/null", "dd if=/dev/sdb of=/dev/null bs=1M | cat"]
)
def test_what_a_shell_throws_away_was_read(command: str):
    (figure,) = read(f"$ {command}\n{IN_SHORT}\n").figures

    assert figure.parameters["direction"] == "read"


def test_a_raw_device_of_macos_has_no_cache_before_it():
    (figure,) = read(f"$ dd if=/dev/rdisk2 of=/dev/null bs=1m\n{IN_SHORT}\n").figures

    assert (figure.parameters["direction"], figure.parameters["io"]) == ("read", "direct")
