"""`cardbench show` prints a report as a page that a newcomer understands."""

from pathlib import Path

import pytest
from cardbench.api import Session
from cardbench.cli import show, verdict
from cardbench.measuring import report
from cardbench.measuring.workloads import METRIC_UNITS
from cardbench.sizes import Quantity
from cardbench.target import registers

from submissions.models import CardModel
from submissions.writing import ingest
from tests.factories import body, rand_read, specimen, uuid
from tests.performances import add_performance

GOLDEN = Path(__file__).parents[1] / "golden" / "demo-seed-1.json"


@pytest.fixture
def document() -> dict:
    return report.load(GOLDEN)[1]


def entry(**more) -> dict:
    parameters = {"direction": "read", "order": "random", "block_size_bytes": 4096, "io": "direct"}
    row: dict = {
        "workload": "stream",
        "metric": "iops",
        "values": [90.0, 100.0, 120.0],
        "parameters": parameters,
    }
    row |= more
    return {"unit": METRIC_UNITS[row["metric"]]} | row


def test_it_works(document):
    page = show.page(document)
    assert page.startswith("A simulated card")
    assert "SIM" in page
    assert "DDR50, 50 MHz, 4 bit, 1.8 V" in page
    assert "sequential read, 1 MiB" in page
    assert "multiples of" in page


def test_figures_have_a_unit_the_repeats_and_their_spread():
    page = show.page({"measurements": [entry()]})
    assert "100 per second  (90, 100, 120; spread 30.0%)" in page


def test_an_unknown_tool_and_suite_leave_no_empty_words():
    assert "With" not in show.page({"run": {"target": "device"}})
    assert "With            fio 3.36\n" in show.page({"run": {"tool": "fio", "tool_version": "3.36"}}) + "\n"


def test_failures_are_said():
    failed = entry(values=[], failure={"code": "EIO", "detail": "read at byte 4096 failed"})
    page = show.page({"measurements": [failed], "extra": {"not_run": ["random read, 1 MiB"]}})
    assert "random read, 4 KiB: read at byte 4096 failed" in page
    assert "1 more were not run" in page
    assert "How fast" not in page


def test_memory_is_not_mistaken_for_the_card():
    row = entry()
    row["parameters"]["io"] = "buffered"
    assert "not of the card" in show.page({"measurements": [row]})


def test_a_serial_number_is_not_shown(document):
    assert document["card"]["registers"]["cid"] not in show.page(document)


def test_a_report_cannot_steer_the_terminal():
    page = show.page({"host": {"board": "Pi \x1b[2J\r4"}})
    assert "Pi ·[2J·4" in page


def test_measurements_of_others_are_left_to_the_server():
    page = show.page(
        {"measurements": [{"workload": "geometry", "metric": "page_size", "unit": "B", "values": [1]}]}
    )
    assert "How fast" not in page


@pytest.mark.parametrize(
    ("value_ns", "text"),
    [
        (14, "14 ns"),
        (-92, "-92 ns"),
        (412_733, "412.7 µs"),
        (-1490, "-1.49 µs"),
        (1_710_000, "1.71 ms"),
        (2.3e9, "2.3 s"),
    ],
)
def test_times_as_people_say_them(value_ns, text):
    assert str(Quantity(value_ns, "ns")) == text


def stream(metric: str, value: float, **parameters) -> dict:
    shared = {"queue_depth": 1, "io": "direct", "sync": "none"}
    return entry(metric=metric, values=[value], parameters=shared | parameters)


WRITES = {"direction": "write", "order": "sequential", "block_size_bytes": 1024**2}
READS = {"direction": "read", "order": "random", "block_size_bytes": 4096}


def test_it_says_what_a_card_is_good_for_and_where_it_is_weak():
    page = show.page({"measurements": [stream("throughput", 35e6, **WRITES), stream("iops", 800, **READS)]})
    assert "good for sequential writes: fast enough for 4K video" in page
    assert "weak at  random reads: programs start slowly" in page


def test_what_is_in_between_is_neither():
    page = show.page({"measurements": [stream("throughput", 20e6, **WRITES)]})
    assert "Sequential writes                20 MB/s" in page
    assert "good for" not in page and "weak at" not in page


def test_what_memory_measured_says_nothing_of_the_card():
    page = show.page({"measurements": [stream("throughput", 35e6, **WRITES | {"io": "buffered"})]})
    assert "good for" not in page


def test_a_typical_card_stands_beside_it():
    page = show.page({"measurements": [stream("iops", 800, **READS)]}, {"rand_read_4k": 1600})
    assert "800 per second, a typical card 1,600 per second (×0.50)" in page


def test_a_fake_is_weak():
    row = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": [2**31]}
    card = {"size_bytes": 8_000_000_000}
    page = show.page({"card": card, "measurements": [row | {"parameters": {"capacity_kind": "limbo"}}]})
    assert "It holds only 2.15 GB (2 GiB) of 8.0 GB; data written beyond that is lost" in page
    assert "weak at  storing data" in page


def test_bars_show_where_it_drops():
    assert show.bar(10, 10) == "█" * 24
    assert show.bar(-1, 10) == show.bar(1, 0) == ""
    unit = {"direction": "write", "order": "sequential", "block_size_bytes": 65536, "io": "direct"}
    rows = [
        entry(workload="open-au", metric="throughput", values=[rate], parameters=unit | {"open_au": units})
        for units, rate in ((5, 10e6), (6, 0.5e6))
    ]
    page = show.page({"measurements": rows})
    assert f"5 sequential  64 KiB     10 MB/s  {'█' * 24}\n" in page
    assert "6 sequential  64 KiB    500 kB/s  █\n" in page


def test_a_server_that_is_not_there_does_no_harm(cardbench):
    answer = cardbench("show", GOLDEN, "--server", "http://127.0.0.1:9")
    assert (answer.returncode, "cannot be reached" in answer.stderr) == (0, True)


@pytest.mark.django_db(transaction=True)
def test_warnings_of_a_server_come_first(live_server):
    add_performance(
        "Ultra", "sdr104", {"sustained_writes": 9e6}, brand="Hsthe", lost_data=True, capacity_gb=64
    )
    CardModel.objects.update(words="hsthe ultra 64gb")
    report = {"card": {"label": {"brand": "HSTHE", "line": "Ultra", "capacity_gb": 64}}}
    warnings = verdict.find_warnings(Session(live_server.url), report)
    assert warnings == ["A card of this model lost data in a test."]
    assert show.page(report, warnings=warnings).startswith(warnings[0])
    other = {"card": {"label": {"brand": "HSTHE", "line": "Extreme", "capacity_gb": 64}}}
    assert verdict.find_warnings(Session(live_server.url), other) == []
    assert verdict.find_warnings(Session("http://127.0.0.1:9", attempts=1), report) == []


def test_the_typical_card_of_a_server(live_server):
    for number in range(3):
        receipt = ingest.receive(
            body(uuid=uuid(number), card=specimen(number), measurements=[rand_read(1000.0 + number)]),
            channel="api", submitter="anybody",
        )  # fmt: skip
        ingest.process(receipt.submission.pk)
    assert verdict.find_typical_figures(Session(live_server.url, attempts=1)) == {"rand_read_4k": 1001.0}


def test_a_card_that_fails_is_told_so_before_everything_else():
    for code, words in (
        ("EIO", "This card failed 2 times. The first error was:"),
        ("EROFS", "This card failed 2 times. The first error was:"),
        ("ENODEV", "This card disappeared"),
    ):
        row = {"workload": "stream", "metric": "iops", "unit": "1/s", "values": [], "parameters": {}}
        failure = {"code": code, "detail": "read at byte 4096 failed"}
        fast = row | {"metric": "throughput", "values": [90e6], "parameters": FAST}
        report = {"measurements": [fast, *[row | {"failure": failure}] * 2], "card": {}, "run": {}}
        first, *rest = show.page(report).splitlines()
        assert first.startswith(words)
        assert "replace it" in first
        assert ("lock switch" in first) == (code == "EROFS")
        assert not any("good for" in line for line in rest)
        report["measurements"] = [fast]
        assert "good for" in show.page(report)


FAST = {
    "direction": "write",
    "order": "sequential",
    "block_size_bytes": 1024**2,
    "queue_depth": 1,
    "io": "direct",
    "sync": "none",
}


def test_a_loop_device_is_called_so():
    disk: dict = {
        "name": "loop0",
        "bus": None,
        "movable": False,
        "size_bytes": 10**9,
        "title": "",
        "mounted_at": [],
    }
    assert show.disks([disk]).split() == ["loop0", "1.0", "GB", "loop"]
    assert "fixed" in show.disks([disk | {"name": "sda"}])


def test_files_of_several_sizes_are_told_apart():
    rows = [
        {
            "workload": "stream",
            "parameters": FAST | {"sync": "fsync_at_end", "file_size_bytes": size, "span_bytes": 1 << 30},
        }
        for size in (1 << 20, 10 << 20, 100 << 20, 1000 << 20)
    ]
    assert len({show.describe_work(row) for row in rows}) == 4
    assert show.describe_work(rows[1]) == "sequential write, 1 MiB, file of 10 MiB, fsync at end"


def test_an_emmc_has_a_name():
    name = registers.name_of("MMC", "150100384e4433523103d1a2b3c4b500")
    assert name is not None
    assert (name.mid, name.pnm, name.prv, name.mdt) == (0x15, "8ND3R1", "0.3", "2018-11")
    page = show.identity(
        {"bus": "MMC", "registers": {"cid": "150100384e4433523103d1a2b3c4b500", "ssr": "0" * 128}}, {}
    )
    assert "8ND3R1" in page and "SSR" not in page
