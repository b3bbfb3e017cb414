"""A report about something other than a card, or about another card than on its label, is refused before it is sent."""

import json

import pytest
from cardbench.cli import doubts, show, subject
from cardbench.cli.main import read

GB = 10**9


def report(*, label=None, size_bytes=None, **host) -> dict:
    return {"card": {"label": label or {}, "size_bytes": size_bytes}, "host": host}


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("nvme1n1", "an NVMe disk"),
        ("sdc", "a fixed disk"),
        ("vdb", "virtual machine"),
        ("xvda", "virtual machine"),
        ("loop7", "a loop device"),
        ("zram0", "in memory"),
        ("dm-3", "a volume"),
        ("md127", "a volume"),
        ("nbd0", "on a network"),
        ("", "This disk is a fixed disk"),
    ],
)
def test_what_hangs_on_no_port_of_a_card(device, words):
    (doubt,) = doubts.find_doubts(report(device=device, interface="other"))
    assert words in doubt
    assert device in doubt


@pytest.mark.parametrize("filesystem", ["tmpfs", "ramfs", "nfs4", "cifs", "9p"])
def test_a_directory_that_lies_on_no_disk(filesystem):
    (doubt,) = doubts.find_doubts(report(filesystem=filesystem, interface="unknown"))
    assert filesystem in doubt


@pytest.mark.parametrize(
    "host", [{"interface": "mmc", "device": "mmcblk0"}, {"interface": "usb", "device": "sda"}, {}]
)
def test_a_card_and_a_stick_raise_no_doubt(host):
    assert doubts.find_doubts(report(**host)) == []


@pytest.mark.parametrize("label", [{"marks": ["E150"]}, {"line": "microSD Express"}])
def test_an_express_card_is_an_nvme_disk(label):
    assert doubts.find_doubts(report(label=label, device="nvme0n1", interface="other")) == []
    assert doubts.find_doubts(report(label=label, device="loop0", interface="other"))


@pytest.mark.parametrize(
    ("capacity_gb", "size_bytes"),
    [(64, 274_880_000_000), (64, 630_000_000), (512, 31_914_983_424), (32, 63_864_569_856), (1, 2 * GB)],
)
def test_a_size_that_is_not_the_one_on_the_label(capacity_gb, size_bytes):
    (doubt,) = doubts.find_doubts(report(label={"capacity_gb": capacity_gb}, size_bytes=size_bytes))
    assert f"{capacity_gb} GB" in doubt


@pytest.mark.parametrize(
    ("capacity_gb", "size_bytes"),
    [
        (64, 63_864_569_856),
        (4, 3_904_897_024),
        (2, 1_967_128_576),
        (0.512, 512 * 2**20),
        (1024, 1_000_204_886_016),
        (1000, 1_024_000_000_000),
        (8, 8_068_792_320),
        (None, 31_914_983_424),
    ],
)
def test_real_sizes_fit(capacity_gb, size_bytes):
    assert doubts.find_doubts(report(label={"capacity_gb": capacity_gb}, size_bytes=size_bytes)) == []


def test_nothing_good_is_said_of_a_disk():
    row = {
        "workload": "stream",
        "metric": "iops",
        "unit": "1/s",
        "values": [90_000.0],
        "parameters": {"direction": "write", "order": "random", "block_size_bytes": 4096, "queue_depth": 1}
        | {"io": "direct", "sync": "none"},
    }
    card = show.page(report(interface="mmc", device="mmcblk0") | {"measurements": [row]})
    disk = show.page(report(interface="other", device="nvme0n1") | {"measurements": [row]})
    assert "good for databases" in card
    assert "A2" not in disk
    assert "nvme0n1 is an NVMe disk" in disk
    assert "does not rank them" in disk


def test_nothing_is_sent_without_consent(cardbench, tmp_path):
    path = tmp_path / "r.json"
    document = report(label={"brand": "WD"}, device="nvme0n1", interface="other") | {
        "format": "flashdb-report"
    }
    path.write_text(json.dumps(document))
    answer = cardbench("submit", path, "--server", "http://127.0.0.1:9", "--attempts", 1)
    assert answer.returncode == 2
    assert "nvme0n1 is an NVMe disk" in answer.stderr
    assert "--even-if-no-card" in answer.stderr
    agreed = cardbench("submit", path, "--server", "http://127.0.0.1:9", "--attempts", 1, "--even-if-no-card")
    assert agreed.returncode == 6


def test_a_wrong_label_is_said_before_the_run(cardbench, image):
    words = ("--submit", "--brand", "SanDisk", "--capacity-gb", "4096", "--server", "http://127.0.0.1:9")
    answer = cardbench("run", image, *words, "--attempts", 1)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "--even-if-no-card" in answer.stderr


@pytest.mark.parametrize(("marks", "interface"), [(["--label", "marks=E150"], "express"), ([], "other")])
def test_an_express_card_is_measured_in_a_slot_of_its_own(tmp_path, marks, interface):
    disk = tmp_path / "block" / "nvme7n1"
    disk.mkdir(parents=True)
    (disk / "size").write_text("62333952")
    words = ["health", "nvme7n1", "--sysfs", str(tmp_path), *marks]
    report = subject.compose_reading(read(words)[1], "nvme7n1", {"suite": "health"})
    assert report["host"]["interface"] == interface
