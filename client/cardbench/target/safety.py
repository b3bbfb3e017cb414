"""Check that no data is lost: every command that writes to a device or a file must pass all of these checks."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cardbench.errors import SafetyError
from cardbench.target import identity, mounts
from cardbench.target.posix import fcntl
from cardbench.target.sysfs import Sysfs, blocks, find

# The system runs from a disk that is mounted at one of these.
_SYSTEM_MOUNTS = ("/", "/boot", "/boot/firmware", "/boot/efi", "/usr", "/var", "/etc")


@dataclass(frozen=True)
class Facts:
    """The facts about a block device that may forbid writing to it."""

    name: str
    parent: str = ""  # the disk of a partition
    read_only: bool = False
    removable: bool = False
    bus: str | None = None  # SD, MMC, USB
    mounted_at: tuple[str, ...] = ()  # mount points of the device, its partitions, or volumes made of it
    swaps: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()  # names of encryption, volumes or arrays on the device
    loops: tuple[str, ...] = ()  # loop devices that have this device as their backing file


def kernel_name(path: Path) -> str:
    """Return the kernel's name of a block device with any path, by the device's number; "" if unknown."""
    number = path.stat().st_rdev
    block = find(Sysfs(), f"{os.major(number)}:{os.minor(number)}")
    return block.name if block else ""


def gather_facts(name: str, *, sysfs: Sysfs | None = None, proc: Path = Path("/proc")) -> Facts:
    """Return the facts about a block device of this machine. Raises SafetyError if the kernel does not know it."""
    sysfs = sysfs or Sysfs()
    block = find(sysfs, name)
    if not block:
        raise SafetyError(f"{name} is not a block device that the kernel knows, so it cannot be checked.")
    return Facts(
        name=block.name,
        parent=block.parent,
        read_only=sysfs.text(f"{block.path}/ro") == "1",
        removable=sysfs.text(f"block/{block.disk}/removable") == "1",
        bus=identity.bus(sysfs, block.disk),
        mounted_at=tuple(
            mount.mount_point
            for mount in mounts.read(proc)
            if block.disk in mounts.disks_of_mount(sysfs, mount)
        ),
        swaps=tuple(path for path, disks in mounts.swaps(sysfs, proc) if block.disk in disks),
        holders=_holders(sysfs, block.disk),
        loops=loops_over(Path("/dev") / block.name, sysfs),
    )


def _holders(sysfs: Sysfs, disk: str) -> tuple[str, ...]:
    family = [block for block in blocks(sysfs) if block.disk == disk]
    return tuple(holder for block in family for holder in sysfs.names(f"{block.path}/holders"))


def loops_over(path: Path, sysfs: Sysfs) -> tuple[str, ...]:
    """Return the names of the loop devices that have this file or device as their backing file."""
    resolved = str(path.resolve())
    return tuple(
        name for name in sysfs.names("block") if sysfs.text(f"block/{name}/loop/backing_file") == resolved
    )


def objections(facts: Facts, *, even_if_fixed: bool = False) -> list[str]:
    """Return the reasons not to write to a device, as sentences; none if it is safe.

    `even_if_fixed` omits the objection that the device is neither removable nor a card.
    """
    system = [place for place in facts.mounted_at if place in _SYSTEM_MOUNTS]
    movable = facts.removable or facts.bus in ("SD", "MMC")
    rules = (
        (facts.parent, f"it is a partition; name the whole device, {facts.parent}"),
        (system, f"the system runs from it (mounted at {', '.join(system)})"),
        (facts.mounted_at, f"it is mounted at {', '.join(facts.mounted_at)}; unmount it first"),
        (facts.swaps, f"it is used for swap ({', '.join(facts.swaps)}); use swapoff first"),
        (facts.holders, f"it is part of {', '.join(facts.holders)}"),
        (facts.loops, f"{', '.join(facts.loops)} uses it as a loop device; use losetup -d first"),
        (facts.read_only, "it is read-only; is the card's lock switch on?"),
        (
            not movable and not even_if_fixed,
            "it is neither removable nor an SD or MMC card",
        ),
    )
    return [sentence for holds, sentence in rules if holds]


def is_fixed_disk(disk: str, sysfs: Sysfs) -> bool:
    """Return whether a disk is built-in hardware: neither removable, nor a card, nor on USB."""
    is_hardware = bool(sysfs.names(f"block/{disk}/device"))
    return is_hardware and sysfs.text(f"block/{disk}/removable") != "1" and not identity.bus(sysfs, disk)


def check_device(facts: Facts, *, even_if_fixed: bool, say: Callable[[str], None]) -> None:
    """Raise SafetyError with all objections to writing to a device. Say so if `even_if_fixed` overrules one."""
    reasons = objections(facts, even_if_fixed=even_if_fixed)
    if reasons:
        raise SafetyError(f"Not writing to {facts.name}: {'; '.join(reasons)}.")
    if even_if_fixed and objections(facts):
        say(
            f"--even-if-fixed: {facts.name} is neither removable nor an SD or MMC card; cardbench writes"
            " to it anyway."
        )


def check_file(path: Path, *, proc: Path = Path("/proc")) -> None:
    """Raise SafetyError if a file is the backing file of a device, a swap file, or open in another program."""
    loops = loops_over(path, Sysfs())
    rules = (
        (loops, f"{', '.join(loops)} uses it as a loop device; use losetup -d first"),
        (str(path) in dict(mounts.swaps(Sysfs(), proc)), "it is used for swap; use swapoff first"),
        (_is_open(path), "another program has it open; is it the disk of a virtual machine?"),
    )
    reasons = [sentence for holds, sentence in rules if holds]
    if reasons:
        raise SafetyError(f"Not writing to {path}: {'; '.join(reasons)}.")


def _is_open(path: Path) -> bool:
    # The kernel refuses a lease for writing if another program has the file open, fcntl(2).
    try:
        with path.open("rb+") as file:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as error:  # others say that it may not be opened, or that there are no leases here
        return error.errno in (errno.EAGAIN, errno.ETXTBSY)
    return False


@dataclass(frozen=True)
class Victim:
    """A device or file that may be overwritten, in its state when the user was asked."""

    name: str
    size_bytes: int
    serial: str = ""  # hex; empty if the device has no serial number or hides it
    sequence: str = ""  # the kernel's number of the medium, different for each one; empty before Linux 5.15


@dataclass(frozen=True)
class Consent:
    """The consent to overwrite a device that the user gave in advance by options."""

    yes: bool = False
    size_bytes: int | None = None
    serial: str = ""


def read_answer(question: str) -> str:
    """Ask a question on standard error, and return the line that the user types, without blanks around it."""
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def confirm(victim: Victim, consent: Consent) -> None:
    """Return if the user consents to overwrite a device, else raise SafetyError.

    The user types the name of the device, or has given --yes with the right size or serial number.
    """
    name = victim.name
    if consent.yes:
        _check_given(victim, consent)
        return
    if not sys.stdin.isatty():
        raise SafetyError(
            "There is no terminal to ask for confirmation. Use --yes with --confirm-size or --confirm-serial."
        )
    if read_answer(f"Everything on {name} will be lost. Type {name} to continue: ") != name:
        raise SafetyError("The names do not match. Nothing was written.")


def _check_given(victim: Victim, consent: Consent) -> None:
    # At least one option must be given, and every given option must be right.
    serial = consent.serial.lower().removeprefix("0x").lstrip("0")
    if consent.size_bytes is None and not serial:
        raise SafetyError(
            "--yes needs --confirm-size or --confirm-serial with the exact size or serial number of"
            f" {victim.name}. Nothing was written."
        )
    if consent.size_bytes not in (None, victim.size_bytes):
        raise SafetyError(f"The size of {victim.name} is not the one in --confirm-size. Nothing was written.")
    if serial and serial != victim.serial:
        raise SafetyError(
            f"The serial number of {victim.name} is not the one in --confirm-serial. Nothing was written."
        )


def check_unchanged(agreed: Victim, now: Victim) -> None:
    """Raise SafetyError if the card was replaced after the question and before the first write."""
    if agreed != now:
        raise SafetyError(
            f"{agreed.name} is now a different device: its size, serial number or medium has changed."
            " Nothing was written."
        )
