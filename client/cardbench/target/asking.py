"""Ask a device for the block that describes its health: CMD56 of SD, and the health log of NVMe.

Neither reads nor writes stored data. Both need the rights of root (CAP_SYS_RAWIO, CAP_SYS_ADMIN) and the whole device.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cardbench.errors import DeviceError, UsageError, name_errno
from cardbench.target.posix import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK_BYTES = 512
# linux/mmc/ioctl.h: _IOWR(179, 0, struct mmc_ioc_cmd), its fields, and the flags of linux/mmc/core.h for a command
# with data and the response R1.
_MMC_IOC_CMD = 0xC048B300
_MMC_FIELDS = struct.Struct("=iiII4IIIIIIIIIQ")
_GENERAL_COMMAND, _FLAGS = 56, 0xB5
# linux/nvme_ioctl.h: _IOWR('N', 0x41, struct nvme_admin_cmd); NVM Express Base Specification 2.0, 5.16.1.3.
_NVME_IOCTL_ADMIN_CMD = 0xC0484E41
_NVME_FIELDS = struct.Struct("=BBHIIIQQII6III")
_GET_LOG_PAGE, _HEALTH_LOG, _ALL_NAMESPACES = 0x02, 0x02, 0xFFFFFFFF


@contextmanager
def open_read_only(path: Path) -> Iterator[int]:
    """Open a device read-only. Raises UsageError without permission, DeviceError if it cannot be opened."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError as error:
        raise UsageError(f"{path}: only root may open it.") from error
    except OSError as error:
        raise DeviceError(f"{path} cannot be opened: {error.strerror}.", code=name_errno(error)) from error
    try:
        yield handle
    finally:
        os.close(handle)


def send_general_command(device: int, argument: int, *, prepares: bool = False) -> bytes:
    """Send CMD56 with an argument to an SD card, and return the 512 bytes that the card sends.

    If `prepares` is true, the card receives a block of 512 zeros instead, and the result is that block.
    """
    block = ctypes.create_string_buffer(BLOCK_BYTES)
    request = _MMC_FIELDS.pack(
        int(prepares), 0, _GENERAL_COMMAND, argument, *(0,) * 4, _FLAGS, BLOCK_BYTES, 1, *(0,) * 5,
        ctypes.addressof(block),
    )  # fmt: skip
    _ask(device, _MMC_IOC_CMD, request)
    return block.raw


def read_health_log(device: int) -> bytes:
    """Return the SMART / Health Information log of an NVMe device, 512 bytes."""
    block = ctypes.create_string_buffer(BLOCK_BYTES)
    words = (BLOCK_BYTES // 4 - 1) << 16 | _HEALTH_LOG
    request = _NVME_FIELDS.pack(
        _GET_LOG_PAGE, 0, 0, _ALL_NAMESPACES, 0, 0, 0, ctypes.addressof(block), 0, BLOCK_BYTES, words,
        *(0,) * 7,
    )  # fmt: skip
    _ask(device, _NVME_IOCTL_ADMIN_CMD, request)
    return block.raw


def _ask(device: int, number: int, request: bytes) -> None:
    """Make an ioctl. Raises UsageError without permission, DeviceError if the device or its driver refuses."""
    try:
        answer = fcntl.ioctl(device, number, bytearray(request))
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES):
            raise UsageError("Only root can ask a device for its health.") from error
        raise DeviceError(f"No answer: {error.strerror}.", code=name_errno(error)) from error
    if answer > 0:  # the status of NVMe
        raise DeviceError(f"The device refused to answer (status {answer:#x}).", code="EIO")
