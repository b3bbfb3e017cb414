"""The simulated card in place of the engine: within this process, or as a program that speaks engine/PROTOCOL.md.

`python -m cardbench.target.simulated --seed N`. Its clock is virtual: what takes a real card half a minute
takes none, and one seed always measures the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from cardbench import ftl
from cardbench.target import registers
from cardbench.target.engine import EngineError, Opened

MAX_OFFSETS = 4096
MAX_TRANSFER_BYTES = 16 * ftl.MIB
BLOCK_BYTES = 512
NOBODYS_MID = 0xEE  # in no list of manufacturers
_USE = {
    "open": "open read|write direct|buffered [excl] PATH",
    "read": "read LENGTH OFFSET...",
    "write": "write [dsync|osync] LENGTH SEED OFFSET...",
    "queue": "queue DEPTH read LENGTH OFFSET... or queue DEPTH write LENGTH SEED OFFSET...",
    "check": "check LENGTH SEED OFFSET...",
    "sum": "sum LENGTH OFFSET...",
}
STAMP_BYTES = 4096
_KEPT_BYTES = (STAMP_BYTES, ftl.MIB)  # what is written in other pieces, the simulated card forgets


@dataclass(frozen=True)
class Fake:
    """A card that is not as large as it says: addresses begin again after `wrap_bytes`, `real_bytes` are kept."""

    real_bytes: int
    wrap_bytes: int


class SimulatedEngine:
    """A card that is asked, and answers, like `engine.Engine`."""

    def __init__(
        self,
        seed: int,
        *,
        model: ftl.FlashModel | None = None,
        bad_offset_bytes: int | None = None,
        fake: Fake | None = None,
    ) -> None:
        self.model = model or ftl.draw(seed)
        self._fake = fake or Fake(self.model.size_bytes, self.model.size_bytes)
        # Length and where it is kept -> seed, and where it was written.
        self._stamps: dict[tuple[int, int], tuple[int, int]] = {}
        self._card = ftl.Card(self.model, seed)
        self._bad_offset_bytes = bad_offset_bytes
        self._mode = ""  # "", read, write

    def open(self, path: str, *, write: bool = False, direct: bool = True, exclusive: bool = False) -> Opened:
        """Opens the card, whatever its path. Raises EngineError when it is open already."""
        if self._mode:
            raise EngineError(f"close the open device before {path}", code="EBUSY")
        self._mode = "write" if write else "read"
        return Opened(self.model.size_bytes, BLOCK_BYTES, "block", "direct" if direct else "buffered")

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """One read at each offset -> their times in ns. Raises EngineError."""
        self._check_open()
        return self._transfer(self._card.read, length_bytes, list(offsets_bytes))

    @property
    def max_queue_depth(self) -> int:
        """The card takes one command after the other; only the host has a queue."""
        return 32

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """One write at each offset -> their times in ns. Raises EngineError."""
        self._check_open()
        if self._mode != "write":
            raise EngineError(f"no writing, seed {seed}: the device was opened for reading", code="EBADF")

        def cost_ns(offset_bytes: int, length: int) -> int:
            self._keep(offset_bytes, length, seed)
            return self._card.write(offset_bytes, length) + (self._card.sync() if sync else 0)

        return self._transfer(cost_ns, length_bytes, list(offsets_bytes))

    def queued(
        self, direction: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """Operations wait for those before them -> the time of all together, and of each, in ns."""
        offsets = list(offsets_bytes)
        times = (
            self.write(length_bytes, offsets, seed=seed)
            if direction == "write"
            else self.read(length_bytes, offsets)
        )
        return sum(times), [sum(times[max(0, at - depth + 1) : at + 1]) for at in range(len(times))]

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """For which position what is at each offset was written under the seed. Raises EngineError."""
        offsets = list(offsets_bytes)
        self.read(length_bytes, offsets)
        stamps = (self._stamps.get((length_bytes, self._kept_at(offset)), (None, None)) for offset in offsets)
        return [place if stamped == seed else None for stamped, place in stamps]

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """A number for what is at each offset: of what was written there, or of what was there before."""
        offsets = list(offsets_bytes)
        self.read(length_bytes, offsets)
        return [self._sum(length_bytes, self._kept_at(offset)) for offset in offsets]

    def _sum(self, length_bytes: int, kept_at: int) -> int:
        seed, place = self._stamps.get((length_bytes, kept_at), (0, kept_at))
        return ((place + 1) * 0x9E3779B97F4A7C15 ^ seed) % 2**64

    def _keep(self, offset_bytes: int, length_bytes: int, seed: int) -> None:
        kept_at = self._kept_at(offset_bytes)
        if length_bytes in _KEPT_BYTES and kept_at >= 0:
            self._stamps[length_bytes, kept_at] = (seed, offset_bytes)

    def _kept_at(self, offset_bytes: int) -> int:
        """Where in the real flash a byte lies; -1: nowhere."""
        inside = offset_bytes % self._fake.wrap_bytes
        return inside if inside < self._fake.real_bytes else -1

    def sync(self) -> int:
        """Waits until everything written is on the card -> ns."""
        self._check_open()
        return self._card.sync()

    def rest(self, seconds: float) -> None:
        """Lets virtual time pass."""
        self._card.rest(seconds * 1e9)

    def close(self) -> None:
        """Closes the card; it can be opened again."""
        self._check_open()
        self._mode = ""

    def _check_open(self) -> None:
        if not self._mode:
            raise EngineError("no device is open", code="EBADF")

    def _transfer(
        self, cost_of: Callable[[int, int], int], length_bytes: int, offsets_bytes: list[int]
    ) -> list[int]:
        self._check(length_bytes, offsets_bytes)
        durations_ns: list[int] = []
        for offset_bytes in offsets_bytes:
            if self._is_bad(offset_bytes, length_bytes):
                detail = f"byte {offset_bytes} cannot be read or written"
                raise EngineError(detail, code="EIO", durations_ns=durations_ns)
            durations_ns.append(cost_of(offset_bytes, length_bytes))
        return durations_ns

    def _check(self, length_bytes: int, offsets_bytes: list[int]) -> None:
        if length_bytes > MAX_TRANSFER_BYTES or len(offsets_bytes) > MAX_OFFSETS:
            raise EngineError("hello tells the limits", code="E2BIG")
        if not length_bytes or any(number % BLOCK_BYTES for number in (length_bytes, *offsets_bytes)):
            raise EngineError("length and offsets must be multiples of logical_block_bytes", code="EINVAL")
        if any(offset < 0 or offset + length_bytes > self.model.size_bytes for offset in offsets_bytes):
            raise EngineError("past the end of the device", code="ERANGE")

    def _is_bad(self, offset_bytes: int, length_bytes: int) -> bool:
        bad = self._bad_offset_bytes
        if bad is not None and offset_bytes <= bad < offset_bytes + length_bytes:
            return True
        return self._card.is_faulty(offset_bytes, length_bytes)


class Program:
    """One simulated card behind the protocol."""

    def __init__(self, seed: int, *, bad_offset_bytes: int | None = None, fake: Fake | None = None) -> None:
        self._engine = SimulatedEngine(seed, bad_offset_bytes=bad_offset_bytes, fake=fake)
        self._verbs: dict[str, Callable[[str], str]] = {
            "hello": self._hello,
            "open": self._open,
            "read": self._read,
            "write": self._write,
            "queue": self._queue,
            "check": self._check,
            "sum": self._sum,
            "sync": lambda _: str(self._engine.sync()),
            "close": self._close,
            "quit": lambda _: "",
        }

    def answer(self, line: str) -> str:
        """One request line -> one reply line, both without newline."""
        verb, _, rest = line.partition(" ")
        try:
            if verb not in self._verbs:
                raise EngineError(f"use one of: {' '.join(self._verbs)}", code="EINVAL")
            return f"ok {self._verbs[verb](rest)}".rstrip()
        except EngineError as error:
            return f"error {error.code} {_explained(error, rest, verb)}"

    def _hello(self, _: str) -> str:
        limits = f"max_transfer_bytes={MAX_TRANSFER_BYTES} max_offsets={MAX_OFFSETS}"
        return f"cardbench-simulated 1 clock=virtual {limits} max_queue_depth={self._engine.max_queue_depth}"

    def _open(self, rest: str) -> str:
        direction, io, *_ = [*rest.split(" ", 2), "", ""]
        if direction not in ("read", "write") or io not in ("direct", "buffered"):
            raise EngineError(f"use: {_USE['open']}", code="EINVAL")
        opened = self._engine.open(rest, write=direction == "write", direct=io == "direct")
        return (
            f"size_bytes={opened.size_bytes} logical_block_bytes={opened.logical_block_bytes} "
            f"kind={opened.kind} io={opened.io}"
        )

    def _close(self, _: str) -> str:
        self._engine.close()
        return ""

    def _read(self, rest: str) -> str:
        length_bytes, *offsets_bytes = _numbers("read", rest, at_least=2)
        return " ".join(map(str, self._engine.read(length_bytes, offsets_bytes)))

    def _write(self, rest: str) -> str:
        sync = next((word for word in ("dsync", "osync") if rest.startswith(f"{word} ")), "")
        numbers = _numbers("write", rest.removeprefix(sync).lstrip(), at_least=3)
        length_bytes, seed, *offsets_bytes = numbers
        return " ".join(map(str, self._engine.write(length_bytes, offsets_bytes, seed=seed, sync=sync)))

    def _queue(self, rest: str) -> str:
        depth, direction, numbers = [*rest.split(" ", 2), "", "", ""][:3]
        if direction not in ("read", "write") or not depth.isdecimal() or int(depth) < 1:
            raise EngineError(f"use: {_USE['queue']}", code="EINVAL")
        length_bytes, *more = _numbers("queue", numbers, at_least=2 + (direction == "write"))
        seed = more.pop(0) if direction == "write" else 0
        elapsed_ns, times_ns = self._engine.queued(direction, length_bytes, more, depth=int(depth), seed=seed)
        return " ".join(map(str, (f"elapsed_ns={elapsed_ns}", *times_ns)))

    def _sum(self, rest: str) -> str:
        length_bytes, *offsets_bytes = _numbers("sum", rest, at_least=2)
        return " ".join(map(str, self._engine.sums(length_bytes, offsets_bytes)))

    def _check(self, rest: str) -> str:
        length_bytes, seed, *offsets_bytes = _numbers("check", rest, at_least=3)
        places = self._engine.check(length_bytes, offsets_bytes, seed=seed)
        return " ".join(str(2**64 - 1 if place is None else place) for place in places)


def _numbers(verb: str, rest: str, *, at_least: int) -> list[int]:
    words = rest.split()
    if len(words) < at_least or not all(word.isascii() and word.isdigit() for word in words):
        raise EngineError(f"use: {_USE[verb]}", code="EINVAL")
    return [int(word) for word in words]


def _explained(error: EngineError, rest: str, verb: str) -> str:
    """What follows the code: of a failed operation, where it failed and the times of those before it."""
    if error.code != "EIO" or verb == "queue":
        return str(error)
    numbers = [word for word in rest.split() if word.isdecimal()]
    offsets, done = numbers[1 if verb == "read" else 2 :], error.durations_ns
    return " ".join([f"offset={offsets[len(done)]}", f"done={len(done)}", *map(str, done)])


def identity(seed: int) -> dict[str, Any]:
    """The `card` part of a report: valid registers of a card nobody made."""
    model = ftl.draw(seed)
    size_gb = round(model.size_bytes / 1e9 / 8) * 8
    return {
        "bus": "SD",
        "registers": {
            "cid": registers.compose_cid(
                mid=NOBODYS_MID, oid="ZZ", pnm=f"SIM{size_gb:02}", serial=seed % 2**32, mdt=(2026, 1)
            ),
            "csd": registers.compose_csd_v2(model.size_bytes),
            "scr": "0235800201000000",
            "ssr": registers.compose_ssr(_declared_au_mib(model.erase_block_bytes)),
        },
        "size_bytes": model.size_bytes,
        "preferred_erase_size_bytes": 4 * ftl.MIB,
        "label": {
            "brand": "Simulated",
            "line": "Card",
            "model_number": f"SIM{size_gb:02}",
            "capacity_gb": size_gb,
        },
        "condition": "fresh",
    }


def _declared_au_mib(erase_block_bytes: int) -> int:
    """A card declares what the specification has a code for; here the next one that holds an erase block."""
    return next(mib for mib in (1, 2, 4, 8, 12, 16, 24, 32) if mib * ftl.MIB >= erase_block_bytes)


HOST = {
    "board": "Simulated host",
    "interface": "simulated",
    "bus_mode": {"name": "DDR50", "clock_hz": 50_000_000, "width_bits": 4, "signal_voltage_mv": 1800},
}


def serve(program: Program, requests: Iterable[str]) -> None:
    """Answers until `quit` or the end of the input; a line without its newline may be half of one."""
    for request in requests:
        if not request.endswith("\n"):
            return
        print(program.answer(request.rstrip("\n")), flush=True)
        if request.strip() == "quit":
            return


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m cardbench.target.simulated", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which card (default 1)")
    parser.add_argument(
        "--bad-offset", type=int, metavar="BYTE", help="every operation that touches this byte fails"
    )
    parser.add_argument("--real", type=int, metavar="BYTES", help="how much of the card keeps anything")
    parser.add_argument("--wrap", type=int, metavar="BYTES", help="where its addresses begin again")
    arguments = parser.parse_args()
    size_bytes = ftl.draw(arguments.seed).size_bytes
    real = size_bytes if arguments.real is None else arguments.real
    fake = Fake(real, arguments.wrap or size_bytes)
    serve(Program(arguments.seed, bad_offset_bytes=arguments.bad_offset, fake=fake), sys.stdin)


if __name__ == "__main__":
    main()
