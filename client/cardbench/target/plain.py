"""Read and write files in Python if there is no engine. Data passes through the system's cache: less certain."""

from __future__ import annotations

import importlib
import os
import random
import shutil
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from cardbench.errors import DeviceError, UsageError, name_errno
from cardbench.sizes import KIB, MIB
from cardbench.target.device import Device
from cardbench.target.engine import EngineError
from cardbench.target.surface import Surface
from cardbench.target.target import Ready

CAVEAT = (
    "checked without the engine, through this system's page cache: less certain, and without testing a"
    " command queue"
)
_SECTOR_BYTES = 4 * KIB
_HEADER = struct.Struct("<QQ")  # seed, and the offset to which the sector was written
_LEAST_BYTES, _MOST_BYTES = 16 * MIB, 1024 * MIB
_NO_CACHE = 48  # F_NOCACHE of fcntl(2) on macOS


class PlainDevice(Device):
    """A file as a device, read and written in Python, one operation at a time."""

    max_queue_depth = 1

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._pool = random.Random(0).getrandbits(8 * MIB).to_bytes(MIB, "little")

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Read once at each offset. Return the times in ns. Raises EngineError."""
        return [self._time(self._get, offset, length_bytes) for offset in offsets_bytes]

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """Write once at each offset. Return the times in ns. Raises EngineError."""
        times = [
            self._time(self._put, offset, self._pattern(seed, offset, length_bytes))
            for offset in offsets_bytes
        ]
        return [*times[:-1], times[-1] + self.sync()] if sync and times else times

    def run_queue(
        self, verb: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """Raise EngineError, because Python has no queue of operations."""
        raise EngineError(f"{verb}: a queue of {depth} requests needs the engine", code="ENOTSUP")

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """Return the position to which the data at each offset was written with this seed; None if it was not."""
        self.sync()
        return [self._find_place(self._get(offset, length_bytes), seed) for offset in offsets_bytes]

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Return a checksum of the data at each offset."""
        self._drop_cache()
        return [zlib.crc32(self._get(offset, length_bytes)) for offset in offsets_bytes]

    def sync(self) -> int:
        """Wait until everything written is on the device, and drop it from the cache. Return the time in ns."""
        time_ns = self._time(self._flush)
        self._drop_cache()
        return time_ns

    def rest(self, seconds: float) -> None:
        """Leave the device idle for some seconds."""
        time.sleep(seconds)

    def _get(self, offset: int, length: int) -> bytes:
        with _name_failure(f"read at byte {offset}"):
            self._file.seek(offset)
            data = self._file.read(length)
        if len(data) < length:
            raise EngineError(f"short read at byte {offset} (EIO)", code="EIO")
        return data

    def _put(self, offset: int, data: bytes) -> None:
        with _name_failure(f"write at byte {offset}"):
            self._file.seek(offset)
            written = self._file.write(data)
        if written < len(data):
            raise EngineError(f"short write at byte {offset} (EIO)", code="EIO")

    def _time(self, act: Callable[..., object], *arguments: object) -> int:
        begin_ns = time.perf_counter_ns()
        act(*arguments)
        return time.perf_counter_ns() - begin_ns

    def _flush(self) -> None:
        with _name_failure("sync"):
            os.fsync(self._file.fileno())

    def _drop_cache(self) -> None:
        with suppress(AttributeError, OSError):  # not on every system
            os.posix_fadvise(self._file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def _pattern(self, seed: int, place: int, length: int) -> bytes:
        # Each sector contains its own position.
        sectors = range(place, place + length, _SECTOR_BYTES)
        return b"".join(_HEADER.pack(seed, at) + self._body(at) for at in sectors)

    def _body(self, place: int) -> bytes:
        start = place % MIB
        return self._pool[start + _HEADER.size : start + _SECTOR_BYTES]

    def _find_place(self, data: bytes, seed: int) -> int | None:
        written_seed, place = _HEADER.unpack_from(data)
        is_whole = written_seed == seed and data == self._pattern(seed, place, len(data))
        return place if is_whole else None


@contextmanager
def _name_failure(what: str) -> Iterator[None]:
    """Raise EngineError with the name of the operation instead of an OSError."""
    try:
        yield
    except OSError as error:
        raise EngineError(f"{what} failed ({name_errno(error)})", code=name_errno(error)) from error


@contextmanager
def open_plain(path: Path, *, may_write: bool) -> Iterator[Ready]:
    """Open a file, or a temporary file in a directory, as a device without the engine. Raises DeviceError."""
    try:
        with (
            _own_file(path) if path.is_dir() else path.open("r+b" if may_write else "rb", buffering=0) as file
        ):
            size_bytes = file.seek(0, os.SEEK_END) // MIB * MIB
            if size_bytes < _LEAST_BYTES:
                raise UsageError(f"{path} is too small: it needs at least {_LEAST_BYTES:,} bytes.")
            is_own = path.is_dir()
            surface = Surface(
                size_bytes, 512, may_write or is_own, shows_boundaries=False, is_own_file=is_own
            )
            yield Ready(PlainDevice(file), surface, "buffered", caveats=(CAVEAT,))
    except OSError as error:
        raise DeviceError(f"{path}: {error.strerror}.", code=name_errno(error)) from error


@contextmanager
def _own_file(directory: Path) -> Iterator[IO[bytes]]:
    size_bytes = min(_MOST_BYTES, shutil.disk_usage(directory).free // 2 // MIB * MIB)
    if size_bytes < _LEAST_BYTES:
        raise DeviceError(
            f"{directory} does not have enough space: it must have at least {2 * _LEAST_BYTES:,} bytes free.",
            code="ENOSPC",
        )
    with tempfile.TemporaryFile(dir=directory, prefix=".cardbench-", buffering=0) as file:
        _avoid_cache(file)
        file.truncate(size_bytes)
        yield file


def _avoid_cache(file: IO[bytes]) -> None:
    if sys.platform == "darwin":
        importlib.import_module("fcntl").fcntl(file.fileno(), _NO_CACHE, 1)
