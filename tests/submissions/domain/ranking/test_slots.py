"""Tests of slots (devices and buses): the hosts that count as the same slot, and the limits of its bus."""

import math

import pytest

from submissions.domain.errors import ReportError
from submissions.domain.identity.suspicions.quirks import Silicon
from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, slots

HOSTS = {
    "raspberry-pi-5": (
        "Raspberry Pi 5",
        "Raspberry Pi 500 Rev 1.0",
        "Raspberry Pi Compute Module 5 Lite Rev 1.0",
    ),
    "raspberry-pi-4": (
        "Raspberry Pi 4 Model B Rev 1.5",
        "Raspberry Pi 400",
        "Raspberry Pi Compute Module 4 Rev 1.0",
    ),
    "raspberry-pi-3": ("Raspberry Pi 3 Model B+", "Raspberry Pi Compute Module 3 Plus Rev 1.0"),
    "raspberry-pi-zero-2-w": ("Raspberry Pi Zero 2 W Rev 1.0",),
    "raspberry-pi-2": ("Raspberry Pi 2 Model B",),
    "raspberry-pi-zero": (
        "Raspberry Pi Model B Rev 2",
        "Raspberry Pi Zero W Rev 1.1",
        "Raspberry Pi Compute Module Rev 1.0",
    ),
    "high-speed-slot": ("BeagleBone", "BeagleBone Black", "TI AM335x BeagleBone Black"),
    "nintendo-switch": ("Nintendo Switch",),
}
UNPLACED = (
    "Raspberry Pi, model not stated",
    "Raspberry Pi 3 Model B+, overclocked slot",
    "Nintendo Switch 2",
    "",
)


@pytest.mark.parametrize("board", [*UNPLACED, *(board for boards in HOSTS.values() for board in boards)])
def test_a_host_counts_as_the_slot_of_its_board_alone(board: str) -> None:
    expected = [slot for slot, boards in HOSTS.items() if board in boards]
    assert [name for name, slot in slots.all_slots().items() if slot.takes_host(board, "mmc")] == expected


def test_a_reader_at_a_board_is_not_its_slot() -> None:
    assert not slots.find("raspberry-pi-4").takes_host("Raspberry Pi 4 Model B", "usb")


@pytest.mark.parametrize(("slot", "interface"), [("spi", "spi"), ("sd_express", "express")])
def test_a_slot_of_another_kind_takes_every_host_of_that_kind(slot: str, interface: str) -> None:
    assert slots.find(slot).takes_host("Propeller 2", interface)
    assert not slots.find(slot).takes_host("Propeller 2", "mmc")


def test_boards_with_the_same_hosts_share_a_slot() -> None:
    assert boards.find("raspberry-pi-cm5-lite").slot is boards.find("raspberry-pi-5").slot
    assert boards.find("dashcam").slot is slots.find("sdr104")


def test_a_board_and_its_slot_carry_the_same() -> None:
    assert all(board.slot.interface == board.interface for board in boards.all_boards().values())


def test_only_cards_on_the_list_of_the_kernel_are_queued_in_a_pi_5() -> None:
    listed = Silicon("SD", 0xAD, 0x4C53, "LS64G", "1.0", "2024-05")  # raspberrypi/linux pull request 6591
    other = listed._replace(mid=0x03, oid=0x5344)
    pi_5, pi_4 = slots.find("raspberry-pi-5"), slots.find("raspberry-pi-4")
    assert (pi_5.queues(listed), pi_5.queues(other), pi_4.queues(listed)) == (True, False, False)


def test_a_slot_limits_rates_alone() -> None:
    caps = dict(zip(metrics.ABILITIES, slots.find("raspberry-pi-4").log_caps, strict=True))
    assert caps["large_reads"] == pytest.approx(math.log(46.6e6))
    assert caps["small_writes"] == math.inf


def test_abilities_of_a_slot_are_of_its_kind() -> None:
    assert slots.find("spi").abilities == ("large_writes_spi", "large_reads_spi")
    assert "small_writes" in slots.find("sdr104").abilities
    assert "small_writes_queued" not in slots.find("sdr104").abilities


def test_an_unknown_slot_is_refused() -> None:
    with pytest.raises(ReportError, match="raspberry-pi-5"):
        slots.find("telepathy")
