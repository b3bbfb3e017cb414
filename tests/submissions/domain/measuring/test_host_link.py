"""Tests of the rate of the bus between host and card: clock times width / 8, twice that at double data rate."""

import re

import pytest

from submissions.domain import tables
from submissions.domain.measuring import host_link
from submissions.domain.measuring.host_link import Link
from submissions.domain.report import BusMode, Host


def rate(host: Host, bus: str | None = "SD") -> tuple[float, bool]:
    link = host_link.find_link(host, bus)
    return link.raw_bytes_per_second, link.is_stated


@pytest.mark.parametrize(
    ("name", "clock_hz", "width_bits", "expected"),
    [
        ("SD default", 25_000_000, 4, 12.5e6),
        ("SD high-speed", 50_000_000, 4, 25e6),
        ("SD high-speed", 100_000_000, 4, 50e6),  # overclocked: the clock counts, not the name
        ("SD high-speed", 50_000_000, 1, 6.25e6),
        ("SDR50", 100_000_000, 4, 50e6),
        ("DDR50", 50_000_000, 4, 50e6),
        ("ddr50", 50_000_000, 4, 50e6),
        ("SDR104", 208_000_000, 4, 104e6),
        ("SDR104", 200_000_000, 4, 100e6),
        ("DDR200", 208_000_000, 4, 208e6),
        ("MMC DDR52", 52_000_000, 8, 104e6),
        ("HS200", 200_000_000, 8, 200e6),
        ("HS400", 200_000_000, 8, 400e6),
        ("mmc HS400 enhanced strobe", 200_000_000, 8, 400e6),
        ("", 50_000_000, 4, 25e6),
    ],
)
def test_clock_and_width_give_the_rate(name: str, clock_hz: int, width_bits: int, expected: float) -> None:
    host = Host(bus_mode=BusMode(name=name, clock_hz=clock_hz, width_bits=width_bits))  # type: ignore[arg-type]
    assert rate(host) == (expected, True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("DDR50", 50e6), ("sdr104", 104e6), ("HS400", 400e6), ("USB 2", 60e6), ("USB 3", 500e6)],
)
def test_without_a_clock_the_name_gives_the_rate(name: str, expected: float) -> None:
    assert rate(Host(bus_mode=BusMode(name=name))) == (expected, True)
    assert rate(Host(bus_mode=BusMode(name=name, clock_hz=1_000_000))) == (expected, True)


@pytest.mark.parametrize(
    ("bus", "expected"), [("SD", 312e6), ("MMC", 400e6), ("USB", 1250e6), (None, 1250e6)]
)
def test_of_an_unknown_host_only_the_bus_sets_a_limit(bus: str | None, expected: float) -> None:
    assert rate(Host(), bus) == (expected, False)
    assert rate(Host(bus_mode=BusMode(name="warp")), bus) == (expected, False)


@pytest.mark.parametrize(
    "board",
    [
        "Raspberry Pi 3 Model B Plus Rev 1.3",
        "Raspberry Pi Zero W Rev 1.1",
        "Raspberry Pi Model B Rev 2",
        "BeagleBone",
    ],
)
def test_a_reader_in_an_old_board_hangs_on_usb_2(board: str) -> None:
    assert host_link.find_link(Host(board=board, interface="usb"), "USB") == Link(60e6, True, 32.5e6)
    assert not host_link.find_link(Host(board=board, interface="unknown"), "SD").is_stated


@pytest.mark.parametrize(
    ("board", "raw"),
    [
        ("Raspberry Pi Zero 2 W Rev 1.0", 25e6),
        ("Raspberry Pi 3 Model B+", 25e6),
        ("Raspberry Pi 4 Model B", 50e6),
        ("Raspberry Pi 5", 104e6),
    ],
)
def test_the_slot_of_a_board_is_known_by_its_name(board: str, raw: float) -> None:
    assert host_link.find_link(Host(board=board, interface="mmc"), "SD") == Link(raw, is_stated=True)


def test_a_slot_whose_clock_was_raised_is_not_that_of_its_board() -> None:
    raised = Host(board="Raspberry Pi 3 Model B+, overclocked slot", interface="mmc")
    assert not host_link.find_link(raised, "SD").is_stated


def test_a_named_mode_wins_over_the_port() -> None:
    host = Host(board="BeagleBone", interface="usb", bus_mode=BusMode(name="DDR50"))
    assert host_link.find_link(host, "SD").raw_bytes_per_second == 50e6


@pytest.mark.parametrize(
    "board", ["Raspberry Pi 4 Model B Rev 1.4", "Raspberry Pi 5 Model B Rev 1.0", "", "Laptop"]
)
def test_newer_boards_have_ports_of_both_kinds(board: str) -> None:
    assert not host_link.find_link(Host(board=board, interface="usb"), "USB").is_stated


def test_every_port_leads_to_a_mode() -> None:
    modes = {row["name"] for row in tables.rows("bus_modes")}
    for row in tables.rows("ports"):
        assert re.compile(row["board"])
        assert row["mode"] in modes
