"""Decide whether a run may be ranked as a card: if a rule of data/medium.csv applies, none of its figures is ranked.

The report is kept and shown in any case. The rules judge the device as the host names it, its size beside the capacity
on the label, and rates that no card on its bus can have.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from submissions.domain import tables
from submissions.domain.measuring import metrics, units
from submissions.domain.measuring.normalize import Measured
from submissions.domain.report import Card, Host, Report

# Capacity over promise. Real cards and sticks of 8 MB to 2 TB lie in 0.968 to 1.030; terabytes are promised as 1000 and
# as 1024 GB, and the smallest as powers of two.
FITS = (0.93, 1.08)
_IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
_ON_A_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "fuse.sshfs"})
_SINGLE_BYTES = 4 * metrics.KIB
# Names that the kernel gives to devices other than cards -> the kind of device. First match wins.
_NEVER_CARDS = (
    (r"nvme", "an NVMe disk"),
    (r"loop", "a loop device (a file used as a disk)"),
    (r"zram|brd|ram\d|pmem|shm", "memory used as a disk"),
    (r"dm(-|\Z)|md\d|mapper|bcache|zd\d", "a volume or an array"),
    (r"nbd|rbd|drbd", "a disk on a network"),
    (r"vd[a-z]|xvd", "a disk of a virtual machine"),
    (r"hd[a-z]", "a fixed disk"),
)
_DRIVERS = (
    (r"nvme", "an NVMe disk"),
    (r"ahci|ata_|sata|mpt\dsas|megaraid|mptsas", "a fixed disk"),
    (r"virtio|xen|vmw_pvscsi|hv_stor", "a disk of a virtual machine"),
    (r"loop|zram|null_blk", "not a medium of its own"),
)


@dataclass(frozen=True, slots=True)
class Fastest:
    """The limits of a kind of medium in operations of 4 KiB per second: one at a time, and several at once.

    A device that is faster cannot be of that kind.
    """

    single: float
    queued: float


# About twice the fastest rates published of SD cards, 4,053 and 10,928; a stick that the host names may hold an SSD.
_UNNAMED = Fastest(8_000, 25_000)
# Bytes per second of UHS-II, the fastest slot without PCIe, and 5 % for rounding (SD Physical Layer 4.2).
_FASTEST_SLOT = 1.05 * 312e6
_STICK = Fastest(25_000, 60_000)


@dataclass(frozen=True)
class Facts:
    """The facts about a run that the rules of data/medium.csv judge.

    `size_bytes`: stated by the system, else by the registers; None if by neither.
    """

    card: Card
    host: Host
    size_bytes: int | None
    measured: Sequence[Measured] = ()

    @property
    def fastest(self) -> Fastest | None:
        """Return the highest operations per second of the kind of medium.

        It is None if a slot or a register shows a card, which its bus limits instead.
        """
        if self.host.interface == "mmc" or self.card.registers.cid or self.card.label.is_express:
            return None
        return _STICK if self.host.interface == "usb" and self.host.reader else _UNNAMED

    @property
    def promised_bytes(self) -> float:
        """Return the capacity on the label of the card; 0 if the label states none."""
        return (self.card.label.capacity_gb or 0) * 1e9

    @property
    def is_card_by_name(self) -> bool:
        """Return whether a bus or a CID shows that the medium is a card or a stick, even behind an adapter."""
        return self.card.bus is not None or self.card.registers.cid is not None


# Returns the words for "{detail}" of a rule, "" if the rule does not apply.
Predicate = Callable[[Facts], str]


def _lies_on(filesystems: Collection[str], facts: Facts) -> str:
    return facts.host.filesystem if facts.host.filesystem.casefold() in filesystems else ""


def _find_words(table: Iterable[tuple[str, str]], name: str) -> str:
    return next((words for pattern, words in table if re.match(pattern, name.casefold())), "")


def _never_a_card(facts: Facts) -> str:
    device, driver = facts.host.device.removeprefix("/dev/"), facts.host.driver
    words = _find_words(_NEVER_CARDS, device) or _find_words(_DRIVERS, driver)
    if not words or ("NVMe" in words and facts.card.label.is_express):
        return ""
    return f"{device or f'The disk behind the driver {driver}'} is {words}"


def _disk_in_no_slot(facts: Facts) -> str:
    if facts.host.interface != "other" or facts.is_card_by_name or facts.card.label.is_express:
        return ""
    return facts.host.device or "The disk"


def _size_against_label(facts: Facts) -> str:
    promised, size = facts.promised_bytes, facts.size_bytes
    if not promised or not size or FITS[0] <= size / promised <= FITS[1]:
        return ""
    return f"{_gb(promised)}, but the measured device holds {_gb(size)}"


def _addressed_beyond_label(facts: Facts) -> str:
    promised = facts.promised_bytes
    areas = (
        measured.parameters.get(name) or 0
        for measured in facts.measured
        for name in ("span_bytes", "file_size_bytes")
    )
    most = max(areas, default=0)
    return (
        f"{_gb(promised)}, but the test covered {_gb(most)}" if promised and most > FITS[1] * promised else ""
    )


def _gb(size_bytes: float) -> str:
    return f"{size_bytes / 1e9:,.4g} GB"


def _rate_beyond_bus(facts: Facts) -> str:
    return next((_rate(one) for one in _rates_in_order(facts) if one.verdict == "impossible"), "")


def _rate_beyond_cards(facts: Facts) -> str:
    """Return a rate that no card has, but only if nothing names the bus.

    Some sticks are as fast, and their host names them.
    """
    if facts.fastest is not _UNNAMED:
        return ""
    return next((_rate(one) for one in _rates_in_order(facts) if (one.value or 0) > _FASTEST_SLOT), "")


def _rates_in_order(facts: Facts) -> Iterator[Measured]:
    for measured in filter(_is_direct, facts.measured):
        if measured.metric == "throughput" and measured.parameters.get("order") == "sequential":
            yield measured


def _rate(measured: Measured) -> str:
    return metrics.amount_in_words(measured.value or 0.0, units.RATE)


# Through the page cache a program may have measured memory, so such a rate says nothing of the medium, nor does a rate
# without a stated I/O mode. Real cards come with such a rate beside good ones.
def _is_direct(measured: Measured) -> bool:
    return (measured.value or 0.0) > 0 and measured.parameters.get("io") == "direct"


def _operations_beyond_bus(facts: Facts) -> str:
    fastest = facts.fastest
    for measured in filter(_is_direct, facts.measured if fastest else ()):
        assert fastest
        most = fastest.single if measured.parameters.get("queue_depth") == 1 else fastest.queued
        count = _operations(measured)
        if count > most:
            return f"{count:,.0f} operations of 4 KiB per second are more than any card or USB stick can do"
    return ""


def _operations(measured: Measured) -> float:
    """Return operations per second of at least 4 KiB, else 0, because smaller blocks measure mostly the program."""
    size = measured.parameters.get("block_size_bytes") or 0
    if not measured.value or size < _SINGLE_BYTES:
        return 0.0
    return {"iops": measured.value, "throughput": measured.value / size}.get(measured.metric, 0.0)


# When a rule of data/medium.csv applies; the answer is its detail.
_APPLIES: Mapping[str, Predicate] = {
    "in_memory": partial(_lies_on, _IN_MEMORY),
    "on_a_network": partial(_lies_on, _ON_A_NETWORK),
    "never_a_card": _never_a_card,
    "in_no_slot": _disk_in_no_slot,
    "size_against_label": _size_against_label,
    "addressed_beyond_label": _addressed_beyond_label,
    "rate_beyond_bus": _rate_beyond_bus,
    "rate_beyond_cards": _rate_beyond_cards,
    "operations_beyond_bus": _operations_beyond_bus,
}


def why_no_card(report: Report, measured: Sequence[Measured], *, size_bytes: int | None) -> str:
    """Return why no figure of this run may be ranked as a card, with advice; "" if it may, and for simulated runs."""
    if report.simulated:
        return ""
    facts = Facts(report.card, report.host, size_bytes, measured)
    for rule in tables.rows("medium"):
        if detail := _APPLIES[rule["name"]](facts):
            return f"{rule['sentence'].format(detail=detail)}. {rule['next_step']}"
    return ""
