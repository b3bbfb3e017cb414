"""Run the engine, or another program that speaks engine/PROTOCOL.md, and send it requests."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cardbench.errors import DeviceError, UsageError
from cardbench.target.building import ENGINE_NAME, unpack_engine

PROTOCOL_VERSION = "1"
# The kernel gives up on an SD card after tens of seconds; an engine that is silent for longer hangs.
REPLY_TIMEOUT_S = 180.0
NOTICE_S = 10.0
# After these errors the user, the engine or the device is gone, so that nothing more can be measured.
FINAL_CODES = ("interrupted", "engine_gone", "ETIMEDOUT", "ENODEV", "ENOMEDIUM", "ENXIO")
NO_POSITION = 2**64 - 1  # the position of data that the engine has not written
_PACKAGE = Path(__file__).resolve().parents[1]
_PLACES = (_PACKAGE / "bin" / ENGINE_NAME, _PACKAGE.parent / "engine" / "build" / ENGINE_NAME)


class EngineError(DeviceError):
    """A failed operation. `durations_ns`: the times of the operations of the same request before the failure."""

    def __init__(self, detail: str, *, code: str, durations_ns: Sequence[int] = ()) -> None:
        super().__init__(detail, code=code)
        self.durations_ns = tuple(durations_ns)


@dataclass(frozen=True)
class Opened:
    """The properties of an open device that the engine reports."""

    size_bytes: int
    logical_block_bytes: int
    kind: str  # block, file
    io: str  # direct or buffered; may differ from the request


def find_engine(command: str | None = None) -> list[str]:
    """Return the command that starts the engine. Raises UsageError if there is no engine.

    The first of these is used: the argument, $CARDBENCH_ENGINE, the program beside the package or in its archive, the
    program on PATH.
    """
    chosen = command or os.environ.get("CARDBENCH_ENGINE")
    if chosen:
        return shlex.split(chosen)
    for place in _PLACES:
        if os.access(place, os.X_OK):
            return [str(place)]
    if _PACKAGE.parent.is_file():
        return [str(unpack_engine(_PACKAGE.parent))]
    program = shutil.which(ENGINE_NAME)
    if program:
        return [program]
    raise UsageError(
        "The engine is not built. If you have a C compiler and make, run “make -C client/engine” in the"
        " sources, or name a different engine with --engine. “cardbench demo” needs no engine."
    )


class Engine:
    """A running engine. As a context manager, it ends the program."""

    def __init__(
        self, command: Sequence[str], *, pass_fds: Sequence[int] = (), timeout_s: float = REPLY_TIMEOUT_S
    ) -> None:
        self._timeout_s = timeout_s
        self._pending = b""
        self._process = _start(command, pass_fds)
        try:
            self._greet(command[0])
        except BaseException:
            self.stop()
            raise

    def _greet(self, program: str) -> None:
        try:
            greeting = self._ask("hello")
        except EngineError as error:
            raise UsageError(f"“{program}” does not use the engine protocol: {error}") from error
        version = greeting[1] if len(greeting) > 1 else "?"
        if version != PROTOCOL_VERSION:
            raise UsageError(f"“{program}” uses version {version} of the protocol, not {PROTOCOL_VERSION}.")
        depth = dict(word.partition("=")[::2] for word in greeting).get("max_queue_depth", "1")
        self.max_queue_depth = int(depth) if depth.isdecimal() else 1

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def open(self, path: str, *, write: bool = False, direct: bool = True) -> Opened:
        """Open a device. Raises EngineError; its code is EBUSY if a device to write to is mounted or in use."""
        words = ["open", "write" if write else "read", "direct" if direct else "buffered"]
        if "\n" in path:
            raise UsageError("The path of a device cannot contain a line break.")
        words = self._ask(" ".join([*words, path]))
        pairs = dict(word.partition("=")[::2] for word in words)
        try:
            return Opened(
                size_bytes=int(pairs["size_bytes"]),
                logical_block_bytes=int(pairs["logical_block_bytes"]),
                kind=pairs["kind"],
                io=pairs["io"],
            )
        except (KeyError, ValueError) as error:
            raise EngineError(
                f"The engine answered “open” with “{' '.join(words)[:60]}”.", code="EPROTO"
            ) from error

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Read once at each offset. Return the times in ns."""
        return self._transfer(f"read {length_bytes}", offsets_bytes)

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """Write incompressible data once at each offset. Return the times in ns. `sync`: "", dsync or osync."""
        return self._transfer(f"write {sync} {length_bytes} {seed}".replace("  ", " "), offsets_bytes)

    def run_queue(
        self, verb: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """Run an operation at each offset, `depth` of them at once.

        Return the total time in ns and a result for each offset.
        """
        words = [str(offset) for offset in offsets_bytes]
        pattern = f"{length_bytes} {seed}" if verb in ("write", "check") else f"{length_bytes}"
        elapsed, *rest = self._ask(" ".join([f"queue {depth} {verb} {pattern}", *words]))
        (elapsed_ns,) = _times_ns([elapsed.removeprefix("elapsed_ns=")], 1)
        return elapsed_ns, _times_ns(rest, len(words))

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """Return the position to which the data at each offset was written with this seed; None if it was not."""
        places = self._transfer(f"check {length_bytes} {seed}", offsets_bytes)
        return [None if place == NO_POSITION else place for place in places]

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Return a checksum of the data at each offset. Raises EngineError (EINVAL) if the engine cannot do this."""
        return self._transfer(f"sum {length_bytes}", offsets_bytes)

    def sync(self) -> int:
        """Wait until everything written is on the device. Return the time that this takes in ns."""
        return _times_ns(self._ask("sync"), 1)[0]

    def rest(self, seconds: float) -> None:
        """Leave the device idle for some seconds, so that it may clean up."""
        time.sleep(seconds)

    def close(self) -> None:
        """Close the device, so that another device can be opened."""
        self._ask("close")

    def stop(self) -> None:
        """End the engine, but wait at most 5 s if it is stuck in the kernel."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(BrokenPipeError):  # a request that was never taken
                    pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)

    def _transfer(self, request: str, offsets_bytes: Iterable[int]) -> list[int]:
        words = [str(offset) for offset in offsets_bytes]
        return _times_ns(self._ask(" ".join([request, *words])), len(words))

    def _ask(self, request: str) -> list[str]:
        """Send a request, and return the words after `ok`. Raises EngineError for `error`, and if no reply comes."""
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(request.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._end_error() from error
        status, *words = self._reply().split(" ")
        if status == "ok":
            return words
        raise _failure(request, words)

    def _reply(self) -> str:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._pending:
            self._await_output(pipe)
            received = os.read(pipe, 1 << 16)
            if not received:
                raise self._end_error()
            self._pending += received
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode("ascii", "replace")

    def _await_output(self, pipe: int) -> None:
        """Wait for the engine, with a notice on a terminal every few seconds. Raises EngineError after `timeout_s`."""
        waited_s = 0.0
        while not select.select([pipe], [], [], min(NOTICE_S, self._timeout_s - waited_s))[0]:
            waited_s += NOTICE_S
            if waited_s >= self._timeout_s:
                raise EngineError(
                    f"The device has not responded for {self._timeout_s:.0f} s.", code="ETIMEDOUT"
                )
            if sys.stderr.isatty():
                print(f"\r\x1b[KStill waiting for the card, {waited_s:g} s.", file=sys.stderr)

    def _end_error(self) -> EngineError:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = None
        return EngineError(f"The engine ended unexpectedly with status {status}.", code="engine_gone")


def _start(command: Sequence[str], pass_fds: Sequence[int]) -> subprocess.Popen[bytes]:
    """Start the engine in its own session, so that Ctrl-C does not end it before this program saves its results."""
    path = os.pathsep.join(filter(None, (str(_PACKAGE.parent), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"LC_ALL": "C", "PYTHONPATH": path}
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=pass_fds,
            start_new_session=True,
            env=environment,
        )
    except OSError as error:
        raise UsageError(f"The engine “{command[0]}” cannot be started: {error.strerror}.") from error


def _failure(request: str, words: Sequence[str]) -> EngineError:
    # The words of a reply such as `EIO offset=4096 done=2 1200 1300`, or `EINVAL explanation`.
    code, *rest = words or ["EPROTO"]
    verb = request.partition(" ")[0]
    if not (rest and rest[0].startswith("offset=")):
        return EngineError(f"{verb}: {' '.join(rest) or 'no reason given'} ({code})", code=code)
    durations_ns = [int(word) for word in rest[2:] if word.isdigit()]
    return EngineError(f"{verb} at byte {rest[0][7:]} failed ({code})", code=code, durations_ns=durations_ns)


def _times_ns(words: Sequence[str], count: int) -> list[int]:
    """Return the times in ns from the words of a reply. Raises EngineError unless there are `count` of them."""
    if len(words) != count or not all(word.isascii() and word.isdigit() for word in words):
        raise EngineError(
            f"The engine answered {count} operations with “{' '.join(words)[:60]}”.", code="EPROTO"
        )
    return [int(word) for word in words]
