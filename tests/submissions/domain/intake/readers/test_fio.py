"""Tests of fio in all its forms: text of versions 2 and 3, JSON, terse lines, and tables that scripts make of it."""

import json
from typing import Any

import pytest

from submissions.domain.intake.parsed import Parsed
from submissions.domain.intake.paste import read

HEADER_3 = (
    "job: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine={}, iodepth={}\n"
)
STARTED = "job: (groupid=0, jobs={}): err= {}: pid=4225: Sun Nov 24 16:34:51 2019\n"
RATE_3 = "  read: IOPS=855, BW=3424KiB/s (3506kB/s)(402MiB/120117msec)\n"
COMMAND = "$ fio --name=a --filename=/dev/mmcblk0 --rw=randwrite --bs=4k --ioengine=libaio --iodepth=32 --direct=1\n"


def readings(parsed: Parsed) -> list[tuple[str, float | None, str]]:
    return [(figure.metric, figure.value, figure.unit) for figure in parsed.figures]


def test_it_works():
    parsed = read(HEADER_3.format("libaio", 32) + STARTED.format(1, 0) + RATE_3)

    assert readings(parsed) == [("iops", 855, "1/s"), ("throughput", 3424, "KiB/s")]
    assert parsed.figures[0].parameters == {
        "direction": "read",
        "order": "random",
        "block_size_bytes": 4096,
        "queue_depth": 32,
    }


@pytest.mark.parametrize(
    ("engine", "depth", "jobs", "queue_depth"),
    [("psync", 32, 1, 1), ("libaio", 8, 4, 32), ("psync", 1, 8, 8)],
)
def test_the_queue_depth_is_what_can_be_in_flight(engine: str, depth: int, jobs: int, queue_depth: int):
    parsed = read(HEADER_3.format(engine, depth) + STARTED.format(jobs, 0) + RATE_3)

    assert parsed.figures[0].parameters["queue_depth"] == queue_depth


def test_the_command_line_tells_about_caches():
    (first, *_) = read(COMMAND + STARTED.format(1, 0) + RATE_3.replace("read", "write")).figures

    assert first.parameters == {
        "direction": "write",
        "order": "random",
        "block_size_bytes": 4096,
        "queue_depth": 32,
        "io": "direct",
        "sync": "none",
    }


@pytest.mark.parametrize(
    ("option", "sync"),
    [
        ("--fsync=1", "fsync_each"),
        ("--end_fsync=1", "fsync_at_end"),
        ("--sync=1", "osync"),
        ("--sync=dsync", "dsync"),
    ],
)
def test_what_is_synchronous_is_told(option: str, sync: str):
    text = COMMAND.replace("\n", f" {option}\n") + STARTED.format(1, 0) + RATE_3.replace("read", "write")

    assert read(text).figures[0].parameters["sync"] == sync


def test_latencies_are_those_of_completion():
    text = (
        HEADER_3.format("psync", 1)
        + STARTED.format(1, 0)
        + RATE_3
        + "    slat (usec): min=2, max=74678, avg=248.19, stdev=2305.18\n"
        + "    clat (msec): min=113, max=886, avg=558.90, stdev=77.46\n"
        + "    clat percentiles (msec):\n"
        + "     | 30.00th=[  518], 40.00th=[  535], 50.00th=[  550], 60.00th=[  575],\n"
        + "     | 99.00th=[  760], 99.50th=[  785], 99.90th=[  827], 99.95th=[  835],\n"
    )

    assert readings(read(text))[2:] == [
        ("latency_mean", 558.9, "ms"),
        ("latency_max", 886, "ms"),
        ("latency_p50", 550, "ms"),
        ("latency_p99", 760, "ms"),
        ("latency_p999", 827, "ms"),
    ]


def test_version_2_counts_in_1024():
    text = (
        "job: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=4\n"
        + STARTED.format(1, 0)
        + "  read : io=27763MB, bw=94763KB/s, iops=23690, runt=300001msec\n"
    )

    assert readings(read(text)) == [("iops", 23690, "1/s"), ("throughput", 94763, "KiB/s")]


def test_a_job_that_failed_has_no_rate():
    parsed = read(HEADER_3.format("psync", 1) + STARTED.format(1, 5) + RATE_3)

    assert [(f.value, f.failure, f.detail) for f in parsed.figures] == [
        (None, "tool_error", "fio ended with error 5")
    ] * 2


def test_reads_and_writes_at_once_are_no_figure():
    parsed = read(HEADER_3.replace("randread", "randrw").format("psync", 1) + STARTED.format(1, 0) + RATE_3)

    assert {figure.workload for figure in parsed.figures} == {"mixed"}


OTHER_3 = HEADER_3.replace("job:", "b:").replace("randread", "write")


@pytest.mark.parametrize(
    ("heads", "jobs", "workload"),
    [
        (HEADER_3, 1, "stream"),
        (HEADER_3 + "...\nfio-3.16\nStarting 4 processes\n", 4, "stream"),
        (HEADER_3 + "...\nfio-3.16\nStarting 4 processes\n", 1, "part"),  # a quarter of the work of the card
        (HEADER_3 + "...\nfio-3.16\nStarting 1 process\n", 1, "stream"),  # the dots are their owner's
        (COMMAND.replace("--rw", "--numjobs=4 --rw"), 1, "part"),
        (COMMAND.replace("--rw", "--rate_iops=100 --rw") + HEADER_3, 1, "part"),
        (HEADER_3 + OTHER_3, 6, "part"),
        (HEADER_3 + OTHER_3, 1, "part"),
        (HEADER_3 + OTHER_3.replace("g=0", "g=1"), 1, "stream"),
        (OTHER_3 + "Starting 1 process\n" + HEADER_3, 1, "stream"),  # two runs
        (OTHER_3 + STARTED.format(1, 0) + HEADER_3, 1, "stream"),
    ],
)
def test_jobs_that_run_at_once_are_no_figure(heads: str, jobs: int, workload: str):
    parsed = read(heads.format("libaio", 64, "libaio", 64) + STARTED.format(jobs, 0) + RATE_3)

    assert {figure.workload for figure in parsed.figures} == {workload}


@pytest.mark.parametrize(("groups", "workload"), [((0, 1), "stream"), ((0, 0), "part")])
def test_json_of_jobs_that_run_at_once_is_no_figure(groups: tuple[int, int], workload: str):
    options = {"rw": "randread", "bs": "4k", "numjobs": "2"}
    jobs = [
        {"groupid": group, "job options": options, "read": {"total_ios": 9, "iops": 855}} for group in groups
    ]
    parsed = read(json.dumps({"fio version": "fio-3.28", "jobs": jobs}, indent=1))

    assert [figure.workload for figure in parsed.figures] == [workload] * 2


def test_without_the_job_it_asks():
    parsed = read(STARTED.format(1, 0) + RATE_3)

    assert parsed.figures == ()
    assert [question.about for question in parsed.questions] == ["access_pattern"]


def document(**job: Any) -> dict[str, Any]:
    write = {
        "total_ios": 100,
        "bw": 1000,
        "bw_bytes": 1024500,
        "iops": 250.12,
        "clat_ns": {"mean": 4e6, "max": 9000000, "percentile": {"99.000000": 8000000}},
    }
    idle = {"total_ios": 0, "bw": 0, "bw_bytes": 0, "iops": 0.0}
    return {
        "fio version": "fio-3.33",
        "global options": {"ioengine": "libaio", "direct": "1", "iodepth": "32"},
        "jobs": [
            {"error": 0, "job options": {"rw": "randwrite", "bs": "4k"}, "read": idle, "write": write, **job}
        ],
    }


def test_json_between_other_lines():
    text = "note: it works\n" + json.dumps(document(), indent=2) + "\nthat is it, 5 of 5\n"
    parsed = read(text)

    assert readings(parsed) == [
        ("throughput", 1024500, "B/s"),
        ("iops", 250.12, "1/s"),
        ("latency_mean", 4e6, "ns"),
        ("latency_max", 9e6, "ns"),
        ("latency_p99", 8e6, "ns"),
    ]
    assert parsed.figures[0].parameters["queue_depth"] == 32
    assert [rest.text for rest in parsed.not_understood] == ["that is it, 5 of 5"]


@pytest.mark.parametrize("lines", ["> {}\n", "{}\n\n", "\u00a0{}\n"])
def test_json_as_a_mail_or_a_page_shows_it(lines: str):
    text = "".join(lines.format(line) for line in json.dumps(document(), indent=2).splitlines())

    assert len(read(text).figures) == 5


def test_json_of_a_failed_job():
    assert [f.failure for f in read(json.dumps(document(error=5))).figures] == ["tool_error"] * 5


def test_json_that_is_cut_off_is_not_understood():
    text = json.dumps(document(), indent=2)[:-20]

    assert read(text).figures == ()


@pytest.mark.parametrize("jobs", [None, 5, [5], [{"write": 5}], [{"write": {"bw": True, "total_ios": "x"}}]])
def test_json_of_another_shape_does_no_harm(jobs: Any):
    assert read(json.dumps({"fio version": "fio-3.33", "jobs": jobs})).figures == ()


def test_terse_output():
    fields = ["3", "fio-3.33", "job", "0", "0", *["0"] * 83]
    fields[46:50] = ["65536", "3855", "963", "17000"]  # KiB, KiB/s, operations per second, ms
    fields[55:57] = ["900", "1038.5"]  # clat: longest, mean, in microseconds
    parsed = read(COMMAND + ";".join(fields) + "\n")

    assert readings(parsed) == [
        ("throughput", 3855, "KiB/s"),
        ("iops", 963, "1/s"),
        ("latency_max", 900, "us"),
        ("latency_mean", 1038.5, "us"),
    ]


TABLE = "| Block Size | 4k (IOPS) | 64k (IOPS) |\n|---|---|---|\n| Randwrite | {} | 40.22 MB/s (628) |\n"


def test_a_table_is_read():
    parsed = read(TABLE.format("24.34 MB/s (6086)"))

    # 6086 * 4096 is 24.93 million: a megabyte of this table has 1,024,000 bytes
    assert [(f.metric, f.value) for f in parsed.figures[:2]] == [("iops", 6086), ("throughput", 24_924_160)]
    assert parsed.figures[0].parameters == {
        "direction": "write",
        "order": "random",
        "block_size_bytes": 4096,
    }


def test_a_megabyte_may_be_one_million_bytes():
    parsed = read(TABLE.format("24.93 MB/s (6086)").replace("40.22", "41.16"))

    assert parsed.figures[1].value == 24_930_000


def test_a_table_that_contradicts_itself_is_asked_about():
    parsed = read(TABLE.format("24.93 MB/s (6086)"))

    assert {figure.metric for figure in parsed.figures} == {"iops"}
    assert [question.about for question in parsed.questions] == ["unit"]


def test_latencies_of_fsync_are_not_those_of_writes():
    """The latencies of fsync have another unit, too."""
    text = (
        HEADER_3.format("sync", 1)
        + STARTED.format(1, 0)
        + RATE_3
        + "    clat percentiles (nsec):\n"
        + "     | 50.00th=[12608], 99.00th=[23168],\n"
        + "    sync (usec): min=161, max=345, avg=192.48, stdev=20.09\n"
        + "    sync percentiles (usec):\n"
        + "     | 50.00th=[  186], 99.00th=[  260],\n"
    )
    parsed = read(text)

    assert readings(parsed)[2:] == [("latency_p50", 12608, "ns"), ("latency_p99", 23168, "ns")]
    assert parsed.not_understood == ()


@pytest.mark.parametrize(
    ("printed", "rate"),
    [
        ("BW=20.0MiB/s (22.0MB/s)", (22.0, "MB/s")),  # 20.99 MiB/s
        ("BW=65.8MiB/s (68.0MB/s)", (65.8, "MiB/s")),  # 68.99 MB/s
        ("BW=84.0MiB/s (88.0MB/s)", (84.0, "MiB/s")),  # 83.97 MiB/s
    ],
)
def test_of_two_rates_the_one_that_kept_its_carry_counts(printed: str, rate: tuple[float, str]):
    line = RATE_3.replace("BW=3424KiB/s (3506kB/s)", printed)
    parsed = read(HEADER_3.format("psync", 1) + STARTED.format(1, 0) + line)

    assert readings(parsed)[1] == ("throughput", *rate)


def test_writes_have_the_block_size_of_writes():
    header = "job: (g=0): rw=write, bs=4K-4K/8K-8K/4K-4K, ioengine=sync, iodepth=1\n"
    line = "  write: io=27763MB, bw=94763KB/s, iops=11845, runt=300001msec\n"

    assert read(header + STARTED.format(1, 0) + line).figures[0].parameters["block_size_bytes"] == 8192


def test_blocks_of_several_sizes_are_kept_beside():
    header = "job: (g=0): rw=randrw, bs=512-64K/512-64K, ioengine=libaio, iodepth=64\n2.0.8\n"
    parsed = read(header + STARTED.format(1, 0) + "  read : io=3MB, bw=2423.6KB/s, iops=783 , runt=13msec\n")

    assert (parsed.questions, parsed.facts_named("tool_version")[0].value) == ((), "2.0.8")
    assert {figure.workload for figure in parsed.figures} == {"mixed"}


def test_terse_lines_beside_their_text_count_once():
    terse = ";".join(["3", "fio-3.28", "job", "0", "0", *["7"] * 120]) + "\n"
    text = HEADER_3.format("libaio", 32) + terse + STARTED.format(1, 0) + RATE_3

    assert (len(read(text).figures), read(text).questions) == (2, ())


@pytest.mark.parametrize(("block", "size"), [("4k", 4096), ("4KB", 4096), ("4kib", 4000), ("512b", 512)])
def test_units_of_its_options_are_turned_round(block: str, size: int):
    command = f"$ fio --name=t --rw=randread --bs={block} --direct=1\n"
    (figure,) = read(f"{command}   READ: bw=16.5MiB/s (17.3MB/s), io=1024MiB (1074MB), run=6-6msec\n").figures

    assert figure.parameters["block_size_bytes"] == size


SUM = (
    "READ: bw={}KiB/s (8698kB/s), 8494KiB/s-8494KiB/s (8698kB/s-8698kB/s), io=83.0MiB (87.0MB), run=1-1msec\n"
)
LOOP = "$ for v in a b; do fio --name=t --filename=/dev/mmcblk0 {} --direct=1 | grep READ; done\n"


@pytest.mark.parametrize("lines", [("seq: " + SUM, "rand: " + SUM), (RATE_3, RATE_3), (SUM, SUM)])
def test_each_result_asks_for_itself(lines: tuple[str, str]):
    _, second = read("".join(lines).format(8494, 8000)).questions
    answered = read("".join(lines).format(8494, 8000), answers={second.key: "random 4096"})

    assert {figure.span.line for figure in answered.figures} == {2}


def test_both_directions_of_a_result_are_asked_about_once():
    both = RATE_3 + RATE_3.replace("read", "write") + SUM.format(3424)

    assert len(read(both).questions) == 1


@pytest.mark.parametrize("heading", ["== 4k ==\n", "bs=4k\n"])
def test_a_heading_tells_the_value_of_a_variable(heading: str):
    text = LOOP.format("--rw=read --bs=$bs") + heading + SUM.format(8494) + heading.replace("4", "64") + SUM
    sizes = [figure.parameters["block_size_bytes"] for figure in read(text.format(9000)).figures]

    assert sizes == [4096, 65536]


def test_a_heading_tells_the_pattern():
    (figure,) = read(LOOP.format("--rw=${rw} --bs=4k") + "== randread ==\n" + SUM.format(8494)).figures

    assert figure.parameters["order"] == "random"


def test_a_heading_that_does_not_tell_it_leaves_it_open():
    assert read(LOOP.format("--rw=read --bs=$bs") + "== first ==\n" + SUM.format(8494)).questions


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--iodepth=$d", "queue_depth"),
        ("--numjobs=$n", "queue_depth"),
        ("--direct=$d", "io"),
        ("--fsync=$s", "sync"),
    ],
)
def test_a_variable_is_no_default(option: str, name: str):
    line = RATE_3.replace("read", "write")
    (figure, _) = read(f"$ fio --rw=randwrite --bs=4k {option} --filename=/dev/mmcblk0\n{line}").figures

    assert name not in figure.parameters


READ_4K = (
    "$ fio --rw=randread --bs=4k --filename=/dev/mmcblk0\n  read: IOPS={}, BW={} ({})(402MiB/120117msec)\n"
)


@pytest.mark.parametrize(
    ("line", "iops", "throughput", "unit"),
    [
        (("2,123", "8,494KiB/s", "8,698kB/s"), 2123, 8494, "KiB/s"),
        (("855", "3,424KiB/s", "3,506kB/s"), 855, 3424, "KiB/s"),
        (("2.123", "8.494KiB/s", "8.698kB/s"), 2123, 8494, "KiB/s"),
        (("2123", "8,294MiB/s", "8,697MB/s"), 2123, 8.294, "MiB/s"),
        (("52.3k", "204MiB/s", "214MB/s"), 52300, 204, "MiB/s"),
    ],
)
def test_marks_of_thousands_are_told_from_decimal_ones(
    line: tuple[str, ...], iops: float, throughput: float, unit: str
):
    assert readings(read(READ_4K.format(*line))) == [("iops", iops, "1/s"), ("throughput", throughput, unit)]
