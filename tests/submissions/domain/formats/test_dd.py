"""dd in the languages people paste it in."""

import pytest

from submissions.domain.formats.paste import read

WRITE = "$ dd if=/dev/zero of=test bs=4M count=10 conv=fsync\n"
READ = "$ dd if=/dev/mmcblk0 of=/dev/null iflag=direct bs=4M count=10\n"
IN_SHORT = "41943040 bytes (42 MB) copied, 4 s, 10.5 MB/s"


def test_it_works():
    (finding,) = read(f"{WRITE}10+0 records in\n10+0 records out\n{IN_SHORT}\n").findings

    assert (finding.workload, finding.metric, finding.unit) == ("stream", "throughput", "B/s")
    assert finding.value == 10485760
    assert finding.parameters == {
        "direction": "write",
        "order": "sequential",
        "block_size_bytes": 4194304,
        "queue_depth": 1,
        "io": "buffered",
        "sync": "fsync_at_end",
        "data": "zeros",
    }
    assert finding.span.line == 4


def test_a_direct_read_says_so():
    (finding,) = read(f"{READ}{IN_SHORT}\n").findings

    assert finding.parameters["direction"] == "read"
    assert finding.parameters["io"] == "direct"
    assert "sync" not in finding.parameters


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
        "41943040 bytes (40.0MB) copied, 4.000000 seconds, 10.0MB/s",
        "41943040 bytes transferred in 4.000000 secs (10485760 bytes/sec)",
    ],
)
def test_every_language_gives_the_same_rate(line: str):
    assert [finding.value for finding in read(f"{WRITE}{line}\n").findings] == [10485760]


def test_russian_records_tell_the_block_size():
    heading = "============== Linear read speed (dd, 64kb block, skip 1024) ============\n"
    body = "640+0 записей получено\n640+0 записей отправлено\nскопировано 41943040 байт (42 MB), 4 c, 10,5 MB/c\n"
    (finding,) = read(heading + body).findings

    assert finding.parameters == {
        "direction": "read",
        "order": "sequential",
        "block_size_bytes": 65536,
        "queue_depth": 1,
    }


def test_a_rate_that_is_not_bytes_over_seconds_is_not_understood():
    parsed = read(f"{WRITE}41943040 bytes (42 MB) copied, 4 s, 105 MB/s\n")

    assert parsed.findings == ()
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
    (finding,) = read(f"{WRITE}{error}\n10+0 records in\n10+0 records out\n{IN_SHORT}\n").findings

    assert (finding.value, finding.failure) == (None, "io_error")
    assert "/dev" not in finding.detail


def test_the_next_run_is_not_marked():
    text = f"{WRITE}dd: error reading '/dev/sdf': Input/output error\n{IN_SHORT}\n{IN_SHORT}\n"

    assert [finding.value for finding in read(text).findings] == [None, 10485760]


def test_an_input_closed_late_spoils_nothing():
    text = f"{WRITE}{IN_SHORT}\ndd: closing input file ‘/dev/zero’: Bad file descriptor\n{IN_SHORT}\n"

    assert [finding.value for finding in read(text).findings] == [10485760, 10485760]


def test_without_a_command_it_asks():
    parsed = read(f"10+0 records in\n10+0 records out\n{IN_SHORT}\n")

    assert parsed.findings == ()
    assert [question.about for question in parsed.questions] == ["direction"]


def test_nothing_copied_is_no_rate():
    assert read(f"{WRITE}0 bytes (0 B) copied, 0.0004 s, 0.0 kB/s\n").findings == ()
