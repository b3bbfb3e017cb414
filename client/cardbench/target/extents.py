"""Find the addresses on the disk where a file is stored, and the holes of the file.

By FIEMAP (Linux, Documentation/filesystems/fiemap.rst), else by FIBMAP.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cardbench.target.posix import fcntl

_FS_IOC_FIEMAP, _FIBMAP, _FIGETBSZ = 0xC020660B, 1, 2
_FIEMAP_FLAG_SYNC = 1
_HEADER, _EXTENT = struct.Struct("=QQLLLL"), struct.Struct("=QQQ16xL12x")
_EXTENTS_AT_ONCE = 512
_LAST, _UNWRITTEN = 0x1, 0x800
# Flags of extents without a lasting address: unknown, not allocated yet, encoded, not aligned, in metadata, shared.
_NO_ADDRESS = 0x2 | 0x4 | 0x8 | 0x100 | 0x200 | 0x2000


class NoAddresses(Exception):
    """The addresses of a file on the disk cannot be found or change; the message says why."""


@dataclass(frozen=True)
class Extent:
    """A part of a file that is contiguous on the disk."""

    offset_bytes: int  # in the file
    address_bytes: int  # on the block device of the file system
    length_bytes: int


def extents(handle: int) -> tuple[Extent, ...]:
    """Return the extents of an open file in order, each as long as possible. Raises NoAddresses."""
    try:
        return tuple(join_extents(_read_fiemap(handle)))
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL):
            raise NoAddresses(f"the file system did not answer: {error.strerror}") from error
    try:
        return tuple(join_extents(_read_fibmap(handle)))
    except OSError as error:
        raise NoAddresses(
            f"the file system does not report where its files are ({error.strerror})"
        ) from error


def holes(handle: int) -> Iterator[range]:
    """Yield the byte ranges of the holes of an open file. Reading a hole gives zeros, and accesses no card."""
    end, offset = os.fstat(handle).st_size, 0
    while (begin := os.lseek(handle, offset, os.SEEK_HOLE) if offset < end else end) < end:
        try:
            offset = os.lseek(handle, begin, os.SEEK_DATA)
        except OSError:  # ENXIO: no data behind it
            offset = end
        yield range(begin, offset)


def join_extents(pieces: Iterable[Extent]) -> Iterator[Extent]:
    """Yield the extents, with neighbours joined that follow each other both in the file and on the disk."""
    before: Extent | None = None
    for piece in pieces:
        if before and _follows(before, piece):
            before = Extent(
                before.offset_bytes, before.address_bytes, before.length_bytes + piece.length_bytes
            )
            continue
        if before:
            yield before
        before = piece
    if before:
        yield before


def _follows(before: Extent, piece: Extent) -> bool:
    length = before.length_bytes
    return (
        before.offset_bytes + length == piece.offset_bytes
        and before.address_bytes + length == piece.address_bytes
    )


def _read_fiemap(handle: int) -> Iterator[Extent]:
    offset, is_last = 0, False
    while not is_last:
        buffer = bytearray(_HEADER.size + _EXTENTS_AT_ONCE * _EXTENT.size)
        _HEADER.pack_into(buffer, 0, offset, 2**64 - 1 - offset, _FIEMAP_FLAG_SYNC, 0, _EXTENTS_AT_ONCE, 0)
        fcntl.ioctl(handle, _FS_IOC_FIEMAP, buffer)
        count = _HEADER.unpack_from(buffer)[3]
        if not count:
            return
        for number in range(count):
            place, address, length, flags = _EXTENT.unpack_from(buffer, _HEADER.size + number * _EXTENT.size)
            if flags & _NO_ADDRESS:
                raise NoAddresses("parts of the file have no space of their own on the disk")
            if not flags & _UNWRITTEN:
                yield Extent(place, address, length)
            offset, is_last = place + length, bool(flags & _LAST)


def _read_fibmap(handle: int) -> Iterator[Extent]:
    # FAT supports this; only root may ask.
    block_bytes = _ask(handle, _FIGETBSZ, 0)
    for number in range(os.fstat(handle).st_size // block_bytes):
        block = _ask(handle, _FIBMAP, number)
        if block:
            yield Extent(number * block_bytes, block * block_bytes, block_bytes)


def _ask(handle: int, request: int, value: int) -> int:
    buffer = bytearray(struct.pack("=i", value))
    fcntl.ioctl(handle, request, buffer)
    (answer,) = struct.unpack("=I", buffer)
    return int(answer)
