"""Find messages about errors of a card in the kernel's log, since the card was inserted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cardbench.target.sysfs import Sysfs, device_directory, mmc_host, usb_interface

_TROUBLE = re.compile(r"I/O error|error -\d+|timeout|timed out|CRC|recovery", re.IGNORECASE)
# How the drivers of cards, SCSI disks and loop devices announce a new medium.
_ARRIVAL = re.compile(
    r"new .*card at address|card [0-9a-f]+ removed|Attached SCSI|new .*USB device|USB disconnect"
    r"|detected capacity change"
)
_MOST_BYTES = 8192  # largest record of the kernel's log


def find_complaints(disk: str, sysfs: Sysfs, source: Path = Path("/dev/kmsg")) -> tuple[str, ...]:
    """Return the error messages about a disk since its medium was inserted; none if the log may not be read."""
    return select_complaints(_read_lines(source), names_in_log(disk, sysfs)) if disk else ()


def names_in_log(disk: str, sysfs: Sysfs) -> tuple[str, ...]:
    """Return regular expressions of the names that the kernel's messages give a disk.

    They are its own name, that of its controller such as mmc0, and its address on USB and SCSI.
    """
    interface = usb_interface(sysfs, disk)
    usb = interface.name.partition(":")[0] if interface else ""
    place = device_directory(sysfs, disk).name
    scsi = place if re.fullmatch(r"\d+:\d+:\d+:\d+", place) else ""
    partition = r"(p\d+)?" if disk[-1:].isdigit() else r"\d*"
    names = (
        f"{disk}{partition}",
        mmc_host(sysfs, disk),
        usb and f"usb {re.escape(usb)}",
        scsi and f"sd {scsi}",
    )
    return tuple(filter(None, names))


def select_complaints(lines: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the log lines that report an error of a disk, after the last line that announces a new medium.

    `names`: regular expressions of the names of the disk.
    """
    own = re.compile(rf"(?<![\w-])({'|'.join(names)})(?![\w-])")
    found: list[str] = []
    for line in lines:
        if not own.search(line):
            continue
        if _ARRIVAL.search(line):
            found = []
        elif _TROUBLE.search(line):
            found.append(line[:120])
    return tuple(found)


def _read_lines(source: Path) -> list[str]:
    """Return the messages of the kernel's log, without the numbers and the semicolon before each (ABI of dev-kmsg)."""
    lines: list[str] = []
    with suppress(OSError, AttributeError):  # some systems have no such log, or no O_NONBLOCK
        handle = os.open(source, os.O_RDONLY | os.O_NONBLOCK)
        try:
            while record := os.read(handle, _MOST_BYTES):
                lines += [line.partition(";")[2] for line in record.decode("utf-8", "replace").splitlines()]
        finally:
            os.close(handle)
    return lines
