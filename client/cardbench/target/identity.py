"""Read the `card` and `host` parts of a report from sysfs. Registers stay raw; the server decodes them."""

from __future__ import annotations

import os
import platform
import re
from typing import Any

from cardbench.shapes import JsonDict
from cardbench.target.sysfs import (
    SECTOR_BYTES,
    Block,
    Sysfs,
    blocks,
    device_directory,
    mmc_host,
    size_bytes,
    usb_interface,
)

REGISTERS = ("cid", "csd", "scr", "ssr", "ocr")

# The kernel's "timing spec" (drivers/mmc/core/debugfs.c) -> the name of the bus mode in the specifications.
TIMINGS = {
    "sd high-speed": "SD high-speed",
    "mmc high-speed": "MMC high-speed",
    "sd uhs sdr12": "SDR12",
    "sd uhs sdr25": "SDR25",
    "sd uhs sdr50": "SDR50",
    "sd uhs sdr104": "SDR104",
    "sd uhs ddr50": "DDR50",
    "mmc ddr52": "MMC DDR52",
    "mmc hs200": "HS200",
    "mmc hs400": "HS400",
    "mmc hs400 enhanced strobe": "HS400",
}
# Placeholders of board makers in the field for the name of the board.
_NO_BOARD = ("", "none", "default string", "system product name", "to be filled by o.e.m.")


def card(sysfs: Sysfs, disk: str) -> JsonDict:
    """Return the `card` part of a report: the facts that the system knows about the card, without guesses."""
    directory = f"block/{disk}/device"
    registers = {name: sysfs.text(f"{directory}/{name}") for name in REGISTERS} | {
        "ext_csd": _ext_csd(sysfs, disk)
    }
    return _drop_unknown(
        bus=bus(sysfs, disk),
        registers={name: value for name, value in registers.items() if value},
        size_bytes=size_bytes(sysfs, Block(disk)),
        preferred_erase_size_bytes=sysfs.number(f"{directory}/preferred_erase_size") or None,
    )


def partition_starts(sysfs: Sysfs, disk: str) -> list[JsonDict]:
    """Return the positions in bytes where the partitions of a disk begin, as readings for a report."""
    starts = (
        (block.name, sysfs.number(f"{block.path}/start")) for block in blocks(sysfs) if block.parent == disk
    )
    return [
        {"name": "partition_start_bytes", "value": start * SECTOR_BYTES, "unit": "B", "of": name}
        for name, start in starts
        if start is not None
    ]


def serial(sysfs: Sysfs, disk: str) -> str:
    """Return the serial number of a card in lower-case hex, to recognize the same card; "" if it is not known.

    It is only compared, and neither stored nor shown.
    """
    return sysfs.text(f"block/{disk}/device/serial").lower().removeprefix("0x").lstrip("0")


def bus(sysfs: Sysfs, disk: str) -> str | None:
    """Return "SD", "MMC" or "USB"; None for any other kind of disk."""
    kind = sysfs.text(f"block/{disk}/device/type")
    if disk.startswith("mmcblk"):
        return kind if kind in ("SD", "MMC") else None
    return "USB" if usb_interface(sysfs, disk) else None


def _ext_csd(sysfs: Sysfs, disk: str) -> str:
    """Return the EXT_CSD of an MMC device from debugfs, which only root may read; "" if there is none."""
    name = device_directory(sysfs, disk).name
    return sysfs.text(f"kernel/debug/{mmc_host(sysfs, disk)}/{name}/ext_csd")


def host(sysfs: Sysfs, disk: str = "") -> JsonDict:
    """Return the `host` part of a report, such as board, kernel and reader.

    It has no host name, no address and no serial number.
    """
    system = platform.uname()
    return _drop_unknown(
        board=board(sysfs),
        machine=system.machine,
        kernel=system.release,
        device=disk[:64],
        interface=_interface(sysfs, disk),
        driver=_driver(sysfs, disk),
        reader=_reader(sysfs, disk),
        bus_mode=bus_mode(sysfs.text(f"kernel/debug/{mmc_host(sysfs, disk)}/ios")),
        memory_bytes=_memory_bytes(),
        scheduler=_scheduler(sysfs.text(f"block/{disk}/queue/scheduler")),
    )


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _scheduler(text: str) -> str:
    # The word in brackets, in a text such as "none [mq-deadline] bfq".
    match = re.search(r"\[(\S+)\]", text)
    return match[1] if match else ""


def board(sysfs: Sysfs) -> str:
    """Return the name of the board from the device tree, else from the firmware; "" if neither has it."""
    for path in ("firmware/devicetree/base/model", "class/dmi/id/product_name", "class/dmi/id/board_name"):
        name = sysfs.text(path)
        if name.lower() not in _NO_BOARD:
            return name[:200]
    return ""


def _interface(sysfs: Sysfs, disk: str) -> str:
    if not disk:
        return "unknown"
    if mmc_host(sysfs, disk):
        return "mmc"
    return "usb" if usb_interface(sysfs, disk) else "other"


def _driver(sysfs: Sysfs, disk: str) -> str:
    if mmc_host(sysfs, disk):
        controller = device_directory(sysfs, disk).parent
        return sysfs.link_name(controller / "device" / "driver") or sysfs.link_name(
            f"class/mmc_host/{mmc_host(sysfs, disk)}/device/driver"
        )
    interface = usb_interface(sysfs, disk)
    return sysfs.link_name(interface / "driver") if interface else ""


def _reader(sysfs: Sysfs, disk: str) -> str:
    """Return the name of a USB reader with the numbers of its maker and product, but never its serial number."""
    interface = usb_interface(sysfs, disk)
    if not interface:
        return ""
    names = (sysfs.text(f"block/{disk}/device/{name}") for name in ("vendor", "model"))
    numbers = ":".join(sysfs.text(interface.parent / name) for name in ("idVendor", "idProduct"))
    return " ".join(filter(None, (*names, f"({numbers})" if numbers != ":" else "")))


def bus_mode(ios: str) -> JsonDict:
    """Return name, clock, width and voltage of the bus from the text of debugfs `mmcN/ios`, as far as readable."""
    fields = dict(re.findall(r"^([a-z ]+):\s*(.*?)\s*$", ios, re.MULTILINE))
    timing = _bracket_text(fields.get("timing spec", ""))
    clock = re.match(r"\d+", fields.get("actual clock") or fields.get("clock") or "")
    width = re.match(r"(1|4|8)\b", _bracket_text(fields.get("bus width", "")))
    voltage = re.match(r"(\d+\.\d+) V", _bracket_text(fields.get("signal voltage", "")))
    return _drop_unknown(
        name=TIMINGS.get(timing.lower(), timing),
        clock_hz=int(clock[0]) or None if clock else None,
        width_bits=int(width[1]) if width else None,
        signal_voltage_mv=round(float(voltage[1]) * 1000) if voltage else None,
    )


def _bracket_text(text: str) -> str:
    # The text in parentheses, such as in "7 (sd uhs DDR50)".
    match = re.search(r"\((.*)\)", text)
    return match[1] if match else ""


def _drop_unknown(**fields: Any) -> JsonDict:
    return {name: value for name, value in fields.items() if value not in (None, "", {})}
