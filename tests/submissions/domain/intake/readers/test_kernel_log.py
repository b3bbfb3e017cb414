"""Tests of kernel logs about a card in a slot, and about a card in a USB reader."""

import pytest

from submissions.domain.findings.text_findings import find_in_text
from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read

SIZE = "[  894.4] sd 8:0:0:0: [sdb] 7936000 512-byte hardware sectors: (4.06 GB/3.78 GiB)\n"
REMOVABLE = "[  894.5] sd 8:0:0:0: [sdb] Attached SCSI removable disk\n"
HDPARM = "/dev/sdb:\n Timing O_DIRECT disk reads: 126 MB in  3.01 seconds =  41.90 MB/sec\n"


def test_it_works():
    card = compose(read(SIZE + REMOVABLE + HDPARM))["card"]

    assert card == {"bus": "USB", "size_bytes": 7936000 * 512}


def test_a_disk_that_stays_is_not_the_card():
    fixed = SIZE + REMOVABLE.replace("removable ", "")

    assert read(fixed).facts == ()


def test_a_reader_without_a_card_has_no_size():
    assert read(REMOVABLE).facts == ()


def test_the_size_of_another_disk_is_not_that_of_the_card():
    card = compose(read(SIZE + REMOVABLE + HDPARM.replace("sdb", "sdc")))["card"]

    assert "size_bytes" not in card


def test_a_mail_may_be_encoded_though_it_has_no_equals_sign():
    parsed = read(
        "Dec 17 21:11:57 archlinux-steamdeck kernel: mmc0: new ultra high speed SDR1=\n04 SDHC card at address aaaa\n"
    )

    assert [fact.value for fact in parsed.facts] == ["SDR104"]


@pytest.mark.parametrize(
    "wrapped", ["SDHC \ncard at address aaaa", "SDHC card at\naddress aaaa", "SDHC card\n"]
)
def test_a_mail_may_wrap_the_line(wrapped: str):
    (fact,) = read(f"Dez 25 11:34:41 box kernel: mmc0: new ultra high speed SDR50 {wrapped}\n").facts

    assert (fact.name, fact.value) == ("name", "SDR50")


def test_a_name_is_of_the_card_in_its_slot():
    parsed = read("mmcblk0: mmc0:0001 SEM16G 14.7 GiB\nmmcblk1: mmc1:aaaa SC16G 14.8 GiB\n")

    assert [(fact.subject, fact.value) for fact in parsed.facts_named("pnm")] == [
        ("mmcblk0", "SEM16G"),
        ("mmcblk1", "SC16G"),
    ]


def test_the_size_of_a_boot_partition_is_not_that_of_the_card():
    parsed = read("mmcblk1boot0: mmc1:0001 MK2704 partition 1 2.00 MiB\n")

    assert [(fact.subject, fact.name, fact.value) for fact in parsed.facts] == [("mmcblk1", "pnm", "MK2704")]


@pytest.mark.parametrize(
    ("line", "trouble"),
    [
        (
            "blk_update_request: I/O error, dev mmcblk0, sector 123 op 0x1:(WRITE) flags 0x0",
            "I/O error (WRITE)",
        ),
        ("I/O error, dev mmcblk0, sector 8 op 0x3:(DISCARD) flags 0x0", "I/O error (DISCARD)"),
        ("print_req_error: I/O error, dev mmcblk0, sector 123", "I/O error"),
        ("Buffer I/O error on dev mmcblk0p2, logical block 7, async page read", "I/O error (READ)"),
        ("mmcblk0: error -110 sending status command, retrying", "error -110 sending status command"),
        (
            "mmcblk0: timed out sending r/w cmd command, card status 0x900",
            "timed out sending r/w cmd command",
        ),
        ("mmcblk0: timed out sending SET_BLOCK_COUNT command", "timed out sending SET_BLOCK_COUNT command"),
        ("mmc0: cache flush error -110", "cache flush error -110"),
        ("mmc0: running CQE recovery", "running CQE recovery"),
        ("mmc0: cqhci: timeout for tag 30, qcnt 1", "cqhci: timeout"),
        ("mmc0: card 59b4 removed", "card removed"),
        ("mmc0: Card stuck in wrong state! card_busy_detect status: 0xe00", "Card stuck in wrong state"),
        ("mmc0: tried to HW reset card, got error -110", "tried to HW reset card, got error -110"),
    ],
)
def test_trouble_is_told_once_without_what_varies(line: str, trouble: str):
    again = line.replace("123", "456").replace("30", "31")
    parsed = read(f"[   62.0] {line}\n[   63.0] {again}\n")

    assert [(fact.name, fact.value) for fact in parsed.facts] == [("trouble", trouble)]
    assert parsed.not_understood == ()


def test_trouble_of_another_disk_is_none_of_a_card():
    assert read("[   62.0] blk_update_request: I/O error, dev sda, sector 123 op 0x1:(WRITE)\n").facts == ()


NEW_CARD = "mmc0: new ultra high speed SDR104 SDXC card at address 59b4\nmmcblk1: mmc0:59b4 USD00 119 GiB\n"
TUNING = "mmc{}: tuning execution failed: -5\n"


def find_troubles(text: str) -> list[tuple[object, str]]:
    return [(fact.value, fact.subject) for fact in read(text).facts_named("trouble")]


@pytest.mark.parametrize("log", [NEW_CARD + TUNING, TUNING + NEW_CARD])
def test_trouble_is_that_of_the_disk_in_its_host(log: str):
    assert find_troubles(log.format(0)) == [("tuning execution failed: -5", "mmcblk1")]
    assert find_troubles(log.format(1)) == [("tuning execution failed: -5", "")]


@pytest.mark.parametrize(
    "device",
    [
        "mmc1: new high speed SDIO card at address 0001\n",
        "[    4.4] brcmfmac mmc1:0001:1: Direct firmware load for brcm/brcmfmac43455-sdio.bin failed\n",
    ],
)
def test_trouble_of_another_device_in_a_slot_is_none_of_a_card(device: str):
    gone = "mmc1: card 0001 removed\n"
    for log in (device + TUNING, TUNING + device, device + gone, gone + device):
        assert find_troubles(log.format(1)) == []
    assert find_troubles((device + TUNING).format(0)) == [("tuning execution failed: -5", "")]


def test_the_bus_mode_is_that_of_the_disk_in_its_host():
    (mode,) = read(NEW_CARD).facts_named("name")

    assert (mode.value, mode.subject) == ("SDR104", "mmcblk1")


def test_a_card_that_was_put_back_is_no_trouble():
    removed = "mmc0: card 59b4 removed\n"

    assert find_troubles(removed + NEW_CARD) == []
    assert find_troubles(NEW_CARD + removed) == [("card removed", "mmcblk1")]


def test_a_card_that_went_away_in_trouble_was_not_pulled_out():
    failed = "mmcblk1: error -110 sending stop command\n"

    assert ("card removed", "mmcblk1") in find_troubles(
        NEW_CARD + failed + "mmc0: card 59b4 removed\n" + NEW_CARD
    )


MEDIUM_ERROR = "blk_update_request: critical medium error, dev sdb, sector 8192\n"
ON_USB = "usb-storage 2-1:1.0: USB Mass Storage device detected\n"


@pytest.mark.parametrize("sign", [REMOVABLE, ON_USB, "scsi host6: usb-storage 2-1:1.0\n"])
def test_a_stick_or_a_reader_has_trouble_too(sign: str):
    partition = "Buffer I/O error on dev sdb1, logical block 0, async page read\n"

    assert find_troubles(sign + MEDIUM_ERROR + partition) == [
        ("critical medium error", "sdb"),
        ("I/O error (READ)", "sdb"),
    ]


@pytest.mark.parametrize("sign", ["", ON_USB + REMOVABLE.replace("removable ", "")])
def test_trouble_of_a_fixed_disk_is_none_of_a_card(sign: str):
    assert find_troubles(sign + MEDIUM_ERROR) == []


@pytest.mark.parametrize(
    "line",
    [
        "mmcblk0: error -110 transferring data, sector 8192, nr 8, cmd response 0x900, card status 0xc00",
        "mmcblk0: error -110 requesting status",
        "mmcblk0: response CRC error sending r/w command, card status 0x900",
        "mmc0: tried to HW reset card, got error -110",
        "mmc0: switch to bus width 8 ddr failed",
        "mmc0: card_busy_detect: error sending status cmd",
        "mmc0: Card stuck being busy",
        "mmcblk0: recovery failed",
        "mmc0: cache flush error -110",
    ],
)
def test_each_trouble_is_told(line: str):
    assert [finding for finding in find_in_text(line) if finding.code.startswith("trouble_")]
