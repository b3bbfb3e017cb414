"""Find signs, before a report is sent, that it is not about the card on the label, as a sentence each.

The server does not rank a report about another medium than a card, nor one with a size that does not fit the label. It
compares the same fields of the report, and the measurements, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from cardbench.cli.terminal import say
from cardbench.errors import UsageError
from cardbench.shapes import JsonMapping
from cardbench.target.safety import read_answer

# Real over labelled capacity: 0.968 to 1.030 for real cards and sticks; labels count a terabyte as 1000 or 1024 GB.
_FITS = (0.93, 1.08)
_IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs", "hugetlbfs")
_ON_A_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "fuse.sshfs")
# Kernel name -> kind of a disk that is neither in a card slot nor on a USB port. The first match wins.
_DISKS = (
    (r"nvme", "an NVMe disk"),
    (r"loop", "a loop device (a file used as a disk)"),
    (r"(z|b)?ram|pmem", "a disk in memory"),
    (r"dm-|md|bcache|zd", "a volume or an array"),
    (r"nbd|rbd|drbd", "a disk on a network"),
    (r"vd|xvd", "a disk of a virtual machine"),
    (r"", "a fixed disk"),
)


def find_doubts(report: JsonMapping) -> list[str]:
    """Return a sentence for each doubt about a report; none for a simulated card."""
    card, host = report.get("card", {}), report.get("host", {})
    if report.get("simulated"):
        return []
    return [*_doubt_medium(card.get("label", {}), host), *_doubt_size(card)]


def is_express(label: JsonMapping) -> bool:
    """Return whether a label (E150 to E600, or Express) is that of an SD Express card.

    The system sees such a card as an NVMe disk.
    """
    names = f"{label.get('line', '')} {label.get('model_number', '')}"
    return any(mark.startswith("E") for mark in label.get("marks", ())) or "express" in names.lower()


def _doubt_medium(label: JsonMapping, host: JsonMapping) -> Iterator[str]:
    device, filesystem = host.get("device", ""), host.get("filesystem", "")
    if filesystem in _IN_MEMORY + _ON_A_NETWORK:
        where = "in the memory of this machine" if filesystem in _IN_MEMORY else "on another machine"
        yield f"The measured files are {where} ({filesystem}), not on a card."
    elif host.get("interface") == "other" and not (device.startswith("nvme") and is_express(label)):
        kind = next(words for pattern, words in _DISKS if re.match(pattern, device))
        yield f"{device or 'This disk'} is {kind}: it is neither in a card slot nor on a USB port."


def _doubt_size(card: JsonMapping) -> Iterator[str]:
    size, promised = card.get("size_bytes"), card.get("label", {}).get("capacity_gb")
    if size and promised and not _FITS[0] <= size / (promised * 1e9) <= _FITS[1]:
        yield f"The label says {promised:g} GB, but the measured device holds {size / 1e9:,.2f} GB."


def ask(doubts: list[str], *, agreed: bool, what: str) -> None:
    """Ask whether to send a report in spite of doubts, unless the user agreed before. Raise UsageError if not."""
    if not doubts or agreed:
        return
    said = " ".join(doubts)
    if not sys.stdin.isatty():
        raise UsageError(
            f"{said} A server keeps such a report, but does not rank anything in it. If you meant a card,"
            f" “cardbench list” shows the cards in this machine; to send {what} anyway, add"
            " --even-if-no-card."
        )
    say(f"{said}\nA server keeps such a report, but does not rank anything in it.")
    if read_answer("Type yes to send it anyway: ").lower() != "yes":
        raise UsageError("Nothing was sent. Correct the description of the card, or leave out --submit.")
