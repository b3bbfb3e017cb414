"""Tests that only cards are ranked: other devices, contradicting labels and impossible rates exclude a whole run."""

import re
from typing import Any

import msgspec
import pytest
from cardbench.cli import doubts

from submissions.domain import tables
from submissions.domain.intake.compose import ComposeError, compose
from submissions.domain.intake.paste import read
from submissions.domain.measuring import medium, normalize
from submissions.domain.report import parse
from tests import corpus
from tests.conftest import PROJECT

GB = 10**9
SEQ = {
    "direction": "write",
    "order": "sequential",
    "block_size_bytes": 2**20,
    "queue_depth": 1,
    "io": "direct",
}
RANDOM = {"direction": "read", "order": "random", "block_size_bytes": 4096, "queue_depth": 1, "io": "direct"}
STICK = {"interface": "usb", "reader": "SanDisk Extreme Pro (0781:5588)"}


def why(
    *,
    host: dict[str, Any] | None = None,
    label: dict[str, Any] | None = None,
    rates: tuple[float, ...] = (20e6,),
    iops: tuple[float, ...] = (1500,),
    more: dict[str, Any] | None = None,
    simulated: bool = False,
    **card: Any,
) -> str:
    """Return why the report of a card with these fields is not ranked; "" if it is."""
    rows = [("throughput", "B/s", rate, SEQ) for rate in rates] + [
        ("iops", "1/s", rate, RANDOM) for rate in iops
    ]
    measurements = [
        {
            "workload": "stream",
            "metric": metric,
            "unit": unit,
            "values": [value],
            "parameters": shape | (more or {}),
        }
        for metric, unit, value, shape in rows
    ]
    document = {
        "format": "flashdb-report",
        "format_version": 1,
        "client": {"name": "cardbench"},
        "card": {"label": {"brand": "SanDisk", "line": "Ultra"} | (label or {})} | card,
        "host": host or {},
        "run": {"suite": "quick", "tool": "cardbench"},
        "measurements": measurements,
        "simulated": simulated,
    }
    report = parse(msgspec.json.encode(document))
    measured, _ = normalize.normalize(report, bus=report.card.bus)
    return medium.why_no_card(report, measured, size_bytes=report.card.size_bytes)


def test_an_ordinary_card_is_ranked():
    assert why() == ""
    assert why(host={"interface": "mmc", "device": "mmcblk0"}, bus="SD", size_bytes=63_864_569_856) == ""


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ({"interface": "other", "device": "nvme0n1"}, "nvme0n1 is an NVMe disk"),
        ({"interface": "other", "device": "sda"}, "sda is neither in a card slot nor on a USB port"),
        ({"interface": "other"}, "The disk is neither"),
        ({"device": "loop12"}, "loop device"),
        ({"device": "/dev/zram1"}, "memory used"),
        ({"device": "dm-4"}, "a volume"),
        ({"device": "md127"}, "a volume"),
        ({"interface": "usb", "device": "vdb"}, "virtual machine"),
        ({"device": "shm"}, "memory"),
        ({"driver": "ahci"}, "the driver ahci is a fixed disk"),
        ({"driver": "nvme", "interface": "unknown"}, "NVMe"),
        ({"driver": "virtio_blk"}, "virtual machine"),
        ({"filesystem": "tmpfs"}, "host's memory"),
        ({"filesystem": "nfs4"}, "a different machine"),
    ],
)
def test_what_is_no_card(host, words):
    assert words in why(host=host)


@pytest.mark.parametrize(
    "host",
    [
        {"interface": "usb", "device": "sdb", "driver": "uas", "reader": "Kingston DataTraveler Max"},
        {"interface": "usb", "device": "sda", "driver": "usb-storage"},
        {"interface": "mmc", "device": "mmcblk2", "driver": "sdhci-pci", "filesystem": "f2fs"},
        {"interface": "unknown", "filesystem": "overlay"},
        {"device": "disk4"},
        {},
    ],
)
def test_what_may_be_a_card(host):
    assert why(host=host) == ""


def test_a_card_on_another_bus_of_its_own_is_one():
    """A microcontroller reads cards by SPI, neither in a slot nor over USB, and the CID identifies the card."""
    assert why(host={"interface": "other", "board": "ESP32"}, bus="SD") == ""


@pytest.mark.parametrize("label", [{"marks": ["E150"]}, {"line": "microSD Express", "marks": []}])
def test_an_express_card_is_an_nvme_disk_and_fast(label):
    express = {"interface": "other", "device": "nvme0n1", "driver": "nvme"}
    assert why(host=express, label=label, rates=(1580e6, 1210e6), iops=(14_000,)) == ""
    assert (
        why(host=express, label=label, rates=(880e6,), iops=(170_000,), more={"queue_depth": 32}, bus="SD")
        == ""
    )
    assert why(host=express, label=label, rates=(7e9,))
    assert why(host={"device": "loop0"}, label=label)


@pytest.mark.parametrize(
    ("capacity_gb", "size_bytes"),
    [
        (64, 274_880_000_000),
        (64, 630_000_000),
        (512, 31_914_983_424),
        (128, 63_864_569_856),
        (0.512, 32_000_000),
    ],
)
def test_a_label_that_does_not_fit(capacity_gb, size_bytes):
    reason = why(label={"capacity_gb": capacity_gb}, size_bytes=size_bytes)
    assert reason.startswith(f"the label says {capacity_gb:g} GB, but the measured device holds")
    assert "correct the capacity" in reason


@pytest.mark.parametrize(
    ("capacity_gb", "size_bytes"),
    [
        (64, 63_864_569_856),
        (32, 31_914_983_424),
        (4, 3_904_897_024),
        (2, 1_967_128_576),
        (1, 1_018_691_584),
        (0.512, 512 * 2**20),
        (0.016, 15_728_640),
        (1000, 1_024_000_000_000),
        (1024, 1_000_204_886_016),
        (400, 399_958_343_680),
        (59.6, 64_000_000_000),
        (None, 274_880_000_000),
    ],
)
def test_real_sizes_fit(capacity_gb, size_bytes):
    label = {"capacity_gb": capacity_gb} if capacity_gb else {}
    assert why(label=label, size_bytes=size_bytes) == ""


def test_a_test_that_goes_further_than_the_label():
    assert "covered 120 GB" in why(label={"capacity_gb": 32}, more={"span_bytes": 120 * GB})
    assert why(label={"capacity_gb": 128}, more={"span_bytes": 120 * GB}) == ""
    assert why(label={"capacity_gb": 100}, more={"span_bytes": 105 * GB}) == ""  # labels round
    assert "covered 109 GB" in why(label={"capacity_gb": 100}, more={"span_bytes": 109 * GB})
    assert "covered" in why(label={"capacity_gb": 8}, more={"file_size_bytes": 16 * GB})


@pytest.mark.parametrize(
    ("host", "bus", "rate"),
    [
        ({"interface": "mmc", "bus_mode": {"name": "DDR50"}}, "SD", 88e6),
        ({"interface": "mmc"}, "SD", 560e6),
        ({"interface": "usb", "bus_mode": {"name": "USB 2"}}, "USB", 140e6),
        ({}, None, 1882e6),
    ],
)
def test_one_impossible_rate_speaks_for_the_whole_run(host, bus, rate):
    card = {"bus": bus} if bus else {}
    assert "more than its link can carry" in why(host=host, rates=(20e6, rate), **card)
    assert why(host=host, rates=(20e6, rate), more={"io": "buffered"}, **card) == "", (
        "the page cache answered"
    )
    assert why(host=host, rates=(20e6,), **card) == ""


def test_a_rate_at_random_or_of_unknown_order_may_be_a_slip_of_a_block_size():
    """Scripts print operations per second without a block size.

    A value with a wrong size is excluded, the run is not.
    """
    host = {"interface": "mmc", "bus_mode": {"name": "SDR50"}}
    assert why(host=host, iops=(19_000,)) == ""
    assert why(host=host, rates=(88e6,), more={"order": "random"}) == ""


@pytest.mark.parametrize(
    ("host", "iops", "depth", "is_card"),
    [
        ({}, 4_053, 1, True),
        ({}, 8_338, 1, False),
        ({}, 10_928, 32, True),
        ({}, 91_000, 32, False),
        (STICK, 12_000, 1, True),
        (STICK, 48_000, 1, False),
        ({"interface": "usb"}, 12_000, 1, False),
        ({"interface": "mmc"}, 12_000, 1, True),
    ],
)
def test_no_card_answers_so_often(host, iops, depth, is_card):
    assert bool(why(host=host, iops=(iops,), more={"queue_depth": depth})) != is_card


@pytest.mark.parametrize(
    ("host", "depth", "most"), [({}, 1, 8_000), ({}, 32, 25_000), (STICK, 1, 25_000), (STICK, 32, 60_000)]
)
def test_the_most_that_a_card_or_a_stick_may_answer(host, depth, most):
    assert why(host=host, iops=(most,), more={"queue_depth": depth}) == ""
    assert f"{most + 1:,} operations" in why(host=host, iops=(most + 1,), more={"queue_depth": depth})


def test_operations_on_less_than_a_page_tell_more_of_the_program():
    assert why(iops=(91_000,), more={"block_size_bytes": 512}) == ""


def test_beyond_every_slot_a_rate_in_order_is_no_card():
    assert "400 MB/s" in why(rates=(20e6, 400e6))
    assert why(rates=(20e6, 400e6), more={"order": "random"}) == ""
    assert why(rates=(20e6, 327e6)) == ""


def test_emmc_answers_more_often_than_a_card():
    assert why(host={"interface": "mmc"}, iops=(9_085,), bus="MMC") == ""


def test_a_fast_stick_is_one():
    stick = {"interface": "usb", "device": "sda", "driver": "uas", "reader": "Kingston DT Max (0951:1666)"}
    assert why(host=stick, rates=(1010e6, 930e6), iops=(9_400,), bus="USB") == ""


def test_an_invented_card_is_what_it_says():
    assert why(host={"device": "nvme0n1"}, simulated=True) == ""


def test_every_reason_says_what_to_do():
    assert all(rule["next_step"] and rule["looks_at"] for rule in tables.rows("medium"))
    assert {rule["name"] for rule in tables.rows("medium")} == medium._APPLIES.keys()


@pytest.mark.parametrize("device", ["nvme0n1", "loop3", "zram0", "dm-1", "md0", "vda", "sda", "mmcblk0"])
@pytest.mark.parametrize("interface", ["other", "mmc", "usb"])
def test_the_client_asks_about_what_the_server_does_not_rank(device, interface):
    """The client is right if it found a slot or a port; the server also judges the name of the device."""
    host = {"device": device, "interface": interface}
    if doubts.find_doubts({"card": {"label": {"brand": "SanDisk"}}, "host": host}):
        assert why(host=host)
    elif interface == "other":
        pytest.fail("the client says nothing of a fixed disk")


def test_the_client_and_the_server_agree_on_sizes():
    for size_bytes in range(28 * GB, 38 * GB, GB // 8):
        card = {"label": {"brand": "X", "capacity_gb": 32}, "size_bytes": size_bytes}
        assert bool(doubts.find_doubts({"card": card})) == bool(
            why(label={"capacity_gb": 32}, size_bytes=size_bytes)
        )


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("/dev/nvme0n1:\n Timing O_DIRECT disk reads: 2400 MB in  3.00 seconds = 800.00 MB/sec\n", "nvme0n1"),
        ("/dev/vda1:\n Timing O_DIRECT disk reads: 240 MB in  3.00 seconds = 80.00 MB/sec\n", "vda"),
        ("/dev/md0:\n Timing O_DIRECT disk reads: 240 MB in  3.00 seconds = 80.00 MB/sec\n", "md0"),
        (
            "dd if=/dev/zram0 of=/dev/null bs=4M count=100 iflag=direct\n100+0 records in\n100+0 records out\n"
            "419430400 bytes (419 MB, 400 MiB) copied, 0.44 s, 953 MB/s\n",
            "zram0",
        ),
    ],
)
def test_a_text_that_names_its_disk(text, device):
    document = compose(read(text))
    assert document["host"]["device"] == device
    assert explain_text(document)


def test_fio_names_the_disk_it_kept_busy():
    job = "fio --name=r --filename=test --rw=randread --bs=4k --iodepth=1 --ioengine=libaio --direct=1"
    output = """r: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=1
r: (groupid=0, jobs=1): err= 0: pid=811: Sat Nov 21 10:00:00 2026
  read: IOPS=1520, BW=6080KiB/s (6226kB/s)(178MiB/30001msec)

Disk stats (read/write):
  {}: ios=45600/3, merge=0/1, ticks=29000/4, in_queue=29004, util=99.1%
"""
    card, disk = (compose(read(f"$ {job}\n{output.format(name)}")) for name in ("mmcblk0", "nvme1n1"))
    assert (card["host"]["device"], explain_text(card)) == ("mmcblk0", "")
    assert "nvme1n1 is an NVMe disk" in explain_text(disk)


def explain_text(document: dict[str, Any]) -> str:
    document["card"] = document.get("card", {}) | {"label": {"brand": "X"}}
    report = parse(msgspec.json.encode(document))
    measured, _ = normalize.normalize(report, bus=report.card.bus)
    return medium.why_no_card(report, measured, size_bytes=report.card.size_bytes)


@pytest.mark.parametrize("path", corpus.files(corpus.LOGS), ids=lambda path: path.stem)
def test_no_log_of_a_card_is_lost(path):
    try:
        document = compose(corpus.load(path))
    except ComposeError:
        pytest.skip("makes no report")
    assert bool(explain_text(document)) == ("iscsi" in path.stem)


def test_an_ssd_behind_usb_that_no_line_names():
    table = """     Category                  Test                      Result
HDParm                    Disk Read                 {rate} MB/s
FIO                       4k random read            {read} IOPS ({read_kb} KB/s)
FIO                       4k random write           {write} IOPS ({write_kb} KB/s)
IOZone                    4k read                   {single} KB/s
IOZone                    4k random write           {single} KB/s
"""
    ssd = table.format(
        rate=310.2, read=31_000, read_kb=124_000, write=27_500, write_kb=110_000, single=47_000
    )
    card = table.format(rate=43.5, read=2_900, read_kb=11_600, write=1_050, write_kb=4_200, single=9_800)
    assert "an SSD" in explain_text(compose(read(ssd)))
    assert explain_text(compose(read(card))) == ""


def test_a_next_step_names_the_link_of_the_receipt() -> None:
    """The next steps once named “Claim it”, which is a different action, on the page of an account."""
    steps = " ".join(row["next_step"] for row in tables.rows("medium"))
    links = (PROJECT / "templates" / "submissions" / "_ownership.html").read_text(encoding="utf-8")
    named = set(re.findall("under “([^”]+)”", steps))
    assert named and all(f'"{name}"' in links for name in named)
