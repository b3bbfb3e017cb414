"""Tests of PiBenchmarks, FFSB, DriveSpeed, the state of the slot, and ambiguous units."""

import pytest

from submissions.domain.intake.compose import ComposeError, compose
from submissions.domain.intake.paste import read
from tests import corpus

TABLE = (
    "HDParm                    Disk Read                 40.22 MB/s\n"
    "DD                        Disk Write                17.8 MB/s\n"
    "FIO                       4k random read            2614 IOPS (10457 KB/s)\n"
    "IOZone                    4k random write           1480 KB/s\n"
)


def test_it_works():
    parsed = read(TABLE)

    assert [(f.value, f.unit, f.parameters["queue_depth"]) for f in parsed.figures] == [
        (40.22, "MiB/s", 1),
        (17.8, "MB/s", 1),
        (2614, "1/s", 64),
        (10457, "KiB/s", 64),
        (1480, "KiB/s", 1),
    ]


def test_a_table_that_repeats_the_tools_counts_once():
    hdparm = " Timing O_DIRECT disk reads: 126 MB in  3.01 seconds =  41.90 MB/sec\n"

    assert [f.tool for f in read(hdparm + TABLE).figures] == ["hdparm", *["pibenchmarks"] * 4]


def test_a_summary_said_twice_counts_once():
    summary = "FIO results - 4k RandWrite: 964 IOPS (3859 KB/s) - 4k RandRead: 2614 IOPS (10457 KB/s)\n"

    assert [f.value for f in read(summary + TABLE).figures if f.metric == "iops"] == [964, 2614]


def test_host_and_serials_do_not_reach_the_report():
    name = "012-ricsanfre-sandisk-ultra-32gb-rpi4-run1.txt"
    text = (corpus.LOGS / "pibenchmarks" / name).read_text(
        "utf-8"
    ) + "  Host: node1 serial: 1000000068c7f820\n"

    assert not [word for word in ("node1", "68c7f820", "wlan0") if word in str(compose(read(text)))]


def test_the_sums_of_ffsb_are_mixed_work():
    document = compose(corpus.load(corpus.LOGS / "ffsb" / "002-jta-run-003222.txt"))
    numbers = {
        (b["parameters"]["operation"], b["metric"]): (b["values"], b["unit"])
        for b in document["extra"]["beside"]
    }

    sums = {
        (row["metric"], row["parameters"].get("direction")): (row["values"], row["unit"])
        for row in document["measurements"]
        if row["workload"] == "mixed"
    }
    assert sums == {
        ("duration", None): ([15.96], "s"),
        ("iops", None): ([4356.5], "1/s"),
        ("throughput", "read"): ([944], "KiB/s"),
        ("throughput", "write"): ([16], "MiB/s"),
    }
    told = document["measurements"][0]["parameters"]
    assert told["threads"] == 4
    assert told["weights"].startswith("readall:1 create:1 append:1 delete:1 stat:1")
    assert "num_dirs" not in told["weights"]
    assert numbers["readall", "throughput"] == ([944], "KiB/s")
    assert numbers["delete", "iops"] == ([6.83], "1/s")
    assert numbers["open call", "latency_max"] == ([99.432999], "ms")


def test_drivespeed_writes_synchronously():
    parsed = corpus.load(corpus.LOGS / "drivespeed" / "001-longbottom-extreme-fat-rpi.txt")
    (first, *_) = parsed.figures

    assert (first.value, first.unit, first.parameters["sync"]) == (16.24, "MB/s", "osync")
    assert sum(figure.workload == "stream" for figure in parsed.figures) == 12


def test_a_network_share_is_no_card():
    parsed = corpus.load(corpus.LOGS / "drivespeed" / "002-longbottom-lanspeed-network-share.txt")

    with pytest.raises(ComposeError, match="network share"):
        compose(parsed)


def test_the_slot_tells_its_bus_mode():
    document = compose(read(TABLE + (corpus.LOGS / "other" / "007-pi4-mmc-ios-ddr50.txt").read_text("utf-8")))

    assert document["host"]["bus_mode"] == {
        "clock_hz": 50000000,
        "width_bits": 4,
        "name": "DDR50",
        "signal_voltage_mv": 1800,
    }


@pytest.mark.parametrize(
    ("words", "mode"), [("2 (sd high-speed)", "SD high-speed"), ("1 (mmc high-speed)", "MMC high-speed")]
)
def test_a_mode_may_have_a_hyphen(words: str, mode: str):
    assert [fact.value for fact in read(f"timing spec:\t{words}\n").facts] == [mode]


@pytest.mark.parametrize(
    "line", ["Write = 15.3692 Mb/s", "Read speed: 20 Mbps", "speed = 1234 bps", "read: 12 M/s"]
)
def test_an_ambiguous_unit_is_asked_for(line: str):
    parsed = read(line)

    assert parsed.figures == ()
    assert [question.about for question in parsed.questions] == ["unit"]


@pytest.mark.parametrize(
    ("words", "mode"),
    [
        ("ultra high speed DDR50 SDHC", "DDR50"),
        ("UHS-I speed SDR104 SDXC", "SDR104"),
        ("high speed SDHC", "SD high-speed"),
        ("HS400 Enhanced strobe MMC", "HS400"),
        ("high speed DDR MMC", "MMC DDR52"),
    ],
)
def test_the_kernel_tells_the_bus_mode(words: str, mode: str):
    log = f"[    1.2] mmc0: new {words} card at address e624\n[    1.3] mmcblk0: mmc0:e624 SP32G 29.7 GiB\n"
    document = compose(read(log + TABLE))

    assert document["host"]["bus_mode"] == {"name": mode}
    assert "size_bytes" not in document["card"]


def test_two_slots_tell_no_bus_mode():
    log = "mmc0: new high speed SDHC card at address e624\nmmc1: new HS200 MMC card at address 0001\n"

    assert "host" not in compose(read(log + TABLE))
