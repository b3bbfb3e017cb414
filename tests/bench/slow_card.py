"""Provide a block device that is always as slow as a card: a loop device over a FUSE file with delayed replies.

Each request takes the time of its kind and length, one after the other, from its arrival: a rest before it saves no
time, unlike with a cgroup's limits. A request that continues a large one has no command time, because the kernel splits
the requests of different programs in different ways. Needs root and a kernel with FUSE. Protocol: linux/fuse.h.
"""

import ctypes
import errno
import os
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cardbench.sizes import MIB

COMMAND_NS = {"read": 1_000_000, "write": 2_000_000}
BYTES_PER_S = {"read": 80e6, "write": 20e6}
_HEADER = struct.Struct("<IIQQIIIHH")  # length, opcode, unique, node, uid, gid, pid
_ANSWER = struct.Struct("<IiQ")  # length, -errno, unique
_PLACE = struct.Struct("<QQI")  # of READ and WRITE: handle, offset, size
_WRITE_PLACE_BYTES = 40
_GETATTR, _OPEN, _READ, _WRITE, _RELEASE, _FSYNC, _FLUSH, _INIT = 3, 14, 15, 16, 18, 20, 25, 26
_UNANSWERED = (2, 36, 42)  # FORGET, INTERRUPT, BATCH_FORGET
_MAX_PAGES, _DIRECT_IO, _FOREVER_S = 1 << 22, 1, 10**6
_MOST_BYTES, _PIECE_BYTES = MIB, MIB // 2  # of one request
_SPIN_NS = 150_000  # at the end of a wait: sleep is less exact


@contextmanager
def slow_card(place: Path, size_bytes: int) -> Iterator[Path | None]:
    """Yield the path of the slow device; print a line and yield None if there is no FUSE."""
    file = place / "card"
    file.touch()
    words = [sys.executable, "-m", "tests.bench.slow_card", str(file), str(size_bytes)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        if not server.stdout.readline():
            print("no FUSE here: nothing is as slow as a card")
            yield None
            return
        losetup = ["losetup", "--find", "--show", "--direct-io=on", str(file)]
        device = subprocess.run(losetup, check=True, capture_output=True, text=True).stdout.strip()
        try:
            yield Path(device)
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
            subprocess.run(["umount", file], check=True)


class _File:
    """The only file of its file system: kept in memory, and slow to answer."""

    def __init__(self, channel: int, size_bytes: int) -> None:
        self._channel = channel
        self._content = memoryview(bytearray(os.urandom(MIB)) * (size_bytes // MIB))
        self._request = memoryview(bytearray(_MOST_BYTES + 4096))
        self._came_ns, self._end = 0, ("", 0)
        self._answers: dict[int, Callable[[memoryview], bytes | memoryview]] = {
            _INIT: self._init,
            _GETATTR: self._attributes,
            _OPEN: lambda _: struct.pack("<QII", 0, _DIRECT_IO, 0),
            _READ: self._read,
            _WRITE: self._write,
            **dict.fromkeys((_RELEASE, _FSYNC, _FLUSH), lambda _: b""),
        }

    def serve(self) -> None:
        """Answer the FUSE requests of the kernel until the file is unmounted."""
        while True:
            try:
                length = os.readv(self._channel, [self._request])
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return
                continue
            self._came_ns = time.monotonic_ns()
            _, opcode, unique, *_ = _HEADER.unpack_from(self._request)
            if opcode not in _UNANSWERED:
                self._answer(opcode, unique, self._request[_HEADER.size : length])

    def _answer(self, opcode: int, unique: int, body: memoryview) -> None:
        answer = self._answers.get(opcode)
        content, status = (answer(body), 0) if answer else (b"", -errno.ENOSYS)
        os.writev(self._channel, [_ANSWER.pack(_ANSWER.size + len(content), status, unique), content])

    def _init(self, _: memoryview) -> bytes:
        limits = struct.pack("<HHIIHH32x", 12, 9, _MOST_BYTES, 1, _MOST_BYTES // 4096, 0)
        return struct.pack("<IIII", 7, 31, 0, _MAX_PAGES) + limits

    def _attributes(self, _: memoryview) -> bytes:
        size_bytes, mode = len(self._content), stat.S_IFREG | 0o600
        head = struct.pack("<QIIQQQ", _FOREVER_S, 0, 0, 1, size_bytes, size_bytes // 512)
        return head + struct.pack("<24x12xIIIIIII", mode, 1, 0, 0, 0, 4096, 0)

    def _read(self, body: memoryview) -> memoryview:
        _, offset, size = _PLACE.unpack_from(body)
        self._wait("read", offset, size)
        return self._content[offset : offset + size]

    def _write(self, body: memoryview) -> bytes:
        _, offset, size = _PLACE.unpack_from(body)
        self._content[offset : offset + size] = body[_WRITE_PLACE_BYTES:]
        self._wait("write", offset, size)
        return struct.pack("<II", size, 0)

    def _wait(self, kind: str, offset: int, size: int) -> None:
        command_ns = 0 if self._end == (kind, offset) else COMMAND_NS[kind]
        self._end = (kind, offset + size if size >= _PIECE_BYTES else -1)
        until_ns = self._came_ns + command_ns + int(size / BYTES_PER_S[kind] * 1e9)
        time.sleep(max(0, until_ns - time.monotonic_ns() - _SPIN_NS) / 1e9)
        while time.monotonic_ns() < until_ns:
            pass


def main(file: str, size_bytes: int) -> None:
    """Mount the file over itself, print a line, and serve it with the highest priority on this machine."""
    channel = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={channel},rootmode={stat.S_IFREG:o},user_id=0,group_id=0"
    if ctypes.CDLL(None).mount(b"card", file.encode(), b"fuse", 0, options.encode()):
        return
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
    print("mounted", flush=True)
    _File(channel, size_bytes).serve()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
