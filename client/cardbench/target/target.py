"""Open the target of a measurement: a device, a file, a new file in a directory, or the simulated card."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cardbench.errors import DeviceError, SafetyError, UsageError, name_errno
from cardbench.sizes import MIB, SECOND_NS
from cardbench.target import extents, live, mounts
from cardbench.target.device import Device
from cardbench.target.engine import Engine, EngineError, Opened
from cardbench.target.extents import NoAddresses
from cardbench.target.live import Below
from cardbench.target.simulated import SimulatedEngine
from cardbench.target.surface import SPAN_BYTES, Surface, WorkDirectory
from cardbench.target.sysfs import Sysfs

_SMALLEST_BYTES = 16 * MIB
_SPACE_BYTES = 1024 * MIB
_FILL_NS_PER_BYTE = 20 * SECOND_NS / SPAN_BYTES  # if writing is slower, the file becomes shorter
# File systems that reserve space without writing it. On others the C library would write zeros to reserve it.
_RESERVING = ("ext4", "xfs", "btrfs", "f2fs", "tmpfs")


@dataclass(frozen=True)
class Ready:
    """A target that is ready to be measured: the device, opened by an engine, and the bytes that may be accessed."""

    engine: Device
    surface: Surface
    io: str
    card: Below | None = None  # the card that stores the temporary file, if its addresses are known
    hidden: str = ""  # why they are not known
    place: WorkDirectory | None = None  # the directory of the temporary file
    caveats: tuple[str, ...] = ()  # sentences about the certainty of the results


def _ready(engine: Device, opened: Opened, *, may_write: bool, shows_boundaries: bool) -> Ready:
    surface = Surface(
        size_bytes=opened.size_bytes,
        logical_block_bytes=opened.logical_block_bytes,
        may_write=may_write,
        shows_boundaries=shows_boundaries,
        max_queue_depth=engine.max_queue_depth,
    )
    return Ready(engine, surface, opened.io)


def open_simulated(engine: SimulatedEngine) -> Ready:
    """Open the simulated card, and return it as a target."""
    opened = engine.open("/simulated", write=True)
    return _ready(engine, opened, may_write=True, shows_boundaries=True)


@contextmanager
def open_device(command: list[str], path: Path, *, may_write: bool, whole: bool) -> Iterator[Ready]:
    """Open a block device, or a file in its place, as the target of a `with` block.

    `whole`: its first byte is the first byte of the flash. If `may_write`, the kernel ensures that no other program
    uses it. Raises UsageError, SafetyError and EngineError.
    """
    with Engine(command) as engine:
        opened = _open(engine, str(path), write=may_write)
        if opened.size_bytes < _SMALLEST_BYTES:
            raise UsageError(
                f"{path} holds {opened.size_bytes:,} bytes, but needs at least {_SMALLEST_BYTES:,}."
            )
        yield _ready(engine, opened, may_write=may_write, shows_boundaries=whole)


def holes(path: Path, *, may_write: bool) -> list[range]:
    """Return the byte ranges of the holes of a file.

    Raises UsageError if there are holes and writing is not allowed, DeviceError if the disk has no room to fill them.
    """
    with path.open("rb") as file:
        gaps = [*extents.holes(file.fileno())]
    missing, space = sum(map(len, gaps)), os.statvfs(path)
    if missing and not may_write:
        raise UsageError(
            f"{missing:,} bytes of {path} are holes: reading them does not reach the card. Copy the file"
            " with “cp --sparse=never” and measure the copy, or let cardbench fill the holes with"
            " --destructive."
        )
    if missing > space.f_bavail * space.f_frsize:
        raise DeviceError(
            f"There is not enough space to write the {missing:,} bytes missing from {path}.", code="ENOSPC"
        )
    return gaps


def fill(engine: Device, stretches: Iterable[range]) -> None:
    """Write every block of 1 MiB that overlaps a hole, so that the file is stored on the disk. Raises EngineError."""
    numbers = {
        place // MIB for stretch in stretches for place in range(stretch.start, stretch.stop, MIB // 2)
    }
    numbers |= {(stretch.stop - 1) // MIB for stretch in stretches}
    for number in sorted(numbers):
        engine.write(MIB, [number * MIB], seed=0)
    engine.sync()


@contextmanager
def open_directory(
    command: list[str],
    directory: Path,
    *,
    most_bytes: int = SPAN_BYTES,
    begin: Callable[[], None] = lambda: None,
    may_remount: bool = False,
) -> Iterator[Ready]:
    """Open a temporary file in a directory, written once from end to end, as the target of a `with` block.

    It is unlinked before the first byte is written, so it never remains after this process. `begin` is called before
    the first write.
    """
    mount, place = (
        mounts.find_mount(directory),
        WorkDirectory(directory, mounts.disk_below(directory, Sysfs()), may_remount=may_remount),
    )
    handle = _create_nameless_file(directory, mount.filesystem, most_bytes)
    try:
        path = f"/proc/self/fd/{handle}"
        with Engine(command, pass_fds=[handle]) as engine:
            begin()
            os.ftruncate(handle, _fill(engine, path))
            opened = _open(engine, path, write=True)
            ready = _ready(engine, opened, may_write=True, shows_boundaries=False)
            own = replace(ready.surface, is_own_file=True, is_sync_mount="sync" in mount.options)
            ready = replace(ready, surface=own)
            yield replace(_with_card(ready, handle, directory), place=place)
    finally:
        os.close(handle)


@contextmanager
def open_space(command: list[str], directory: Path) -> Iterator[Ready]:
    """Open a temporary file over half of the free space of a directory, reserved and not yet written.

    If the file system cannot reserve space, the file has at most 1 GiB.
    """
    filesystem = mounts.find_mount(directory).filesystem
    most_bytes = sys.maxsize if filesystem in _RESERVING else _SPACE_BYTES
    handle = _create_nameless_file(directory, filesystem, most_bytes)
    try:
        with Engine(command, pass_fds=[handle]) as engine:
            opened = _open(engine, f"/proc/self/fd/{handle}", write=True)
            ready = _ready(engine, opened, may_write=True, shows_boundaries=False)
            yield replace(ready, surface=replace(ready.surface, is_own_file=True))
    finally:
        os.close(handle)


def _with_card(ready: Ready, handle: int, directory: Path) -> Ready:
    if ready.io != "direct":
        return replace(ready, hidden="this file system does not allow direct I/O")
    try:
        card = live.find_card(ready.engine, ready.surface, handle=handle, directory=directory, sysfs=Sysfs())
        return replace(ready, card=card)
    except NoAddresses as reason:
        return replace(ready, hidden=str(reason))


def _open(engine: Engine, path: str, *, write: bool) -> Opened:
    try:
        return engine.open(path, write=write)
    except EngineError as error:
        if error.code == "EBUSY":
            raise SafetyError(
                f"{path} is in use, so the kernel does not allow exclusive access. Unmount it first."
            ) from error
        if error.code in ("EACCES", "EPERM"):
            raise UsageError(
                f"{path}: you do not have permission to open it. Be root, or join the group of the device"
                " (often “disk”)."
            ) from error
        raise


def _create_nameless_file(directory: Path, filesystem: str, most_bytes: int) -> int:
    """Return the handle of a new file without a name, of at most `most_bytes` bytes and half of the free space."""
    space = os.statvfs(directory)
    size_bytes = min(most_bytes, space.f_bavail * space.f_frsize // 2 // MIB * MIB)
    if size_bytes < _SMALLEST_BYTES:
        raise DeviceError(
            f"{directory} does not have enough space: it must have at least {2 * _SMALLEST_BYTES:,} bytes free.",
            code="ENOSPC",
        )
    try:
        handle, name = tempfile.mkstemp(dir=directory, prefix=".cardbench-")
    except OSError as error:
        raise UsageError(f"Cannot create a file in {directory}: {error.strerror}.") from error
    try:
        Path(name).unlink()
        _reserve(handle, size_bytes, filesystem)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _reserve(handle: int, size_bytes: int, filesystem: str) -> None:
    if filesystem not in _RESERVING:
        os.ftruncate(handle, size_bytes)
        return
    try:
        os.posix_fallocate(handle, 0, size_bytes)
    except OSError as error:
        raise DeviceError(f"Cannot reserve space: {error.strerror}.", code=name_errno(error)) from error


def _fill(engine: Engine, path: str) -> int:
    """Write the file once, so that every block has its address. Return the bytes written within the time budget."""
    opened = _open(engine, path, write=True)
    spent_ns, filled_bytes, budget_ns = 0, 0, opened.size_bytes * _FILL_NS_PER_BYTE
    while filled_bytes < opened.size_bytes and (spent_ns < budget_ns or filled_bytes < _SMALLEST_BYTES):
        spent_ns += sum(engine.write(MIB, [filled_bytes], seed=0))
        filled_bytes += MIB
    engine.sync()
    engine.close()
    return filled_bytes
