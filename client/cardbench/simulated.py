"""The simulated card in place of the engine: within this process, or as a program that speaks engine/PROTOCOL.md.

`python -m cardbench.simulated --seed N`. Its clock is virtual: what takes a real card half a minute takes none, and one
seed always measures the same.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

from cardbench import ftl, registers
from cardbench.engine import EngineError, Opened

MAX_OFFSETS = 4096
MAX_TRANSFER_BYTES = 16 * ftl.MIB
BLOCK_BYTES = 512
NOBODYS_MID = 0xEE  # in no list of manufacturers
_USE = {
    "open": "open read|write direct|buffered [excl] PATH",
    "read": "read LENGTH OFFSET...",
    "write": "write LENGTH SEED OFFSET...",
}


class SimulatedEngine:
    """A card that is asked, and answers, like `engine.Engine`."""

    def __init__(
        self, seed: int, *, model: ftl.CardModel | None = None, bad_offset_bytes: int | None = None
    ) -> None:
        self.model = model or ftl.draw(seed)
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

    def write(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int]:
        """One write at each offset -> their times in ns. Raises EngineError."""
        self._check_open()
        if self._mode != "write":
            raise EngineError(f"no writing, seed {seed}: the device was opened for reading", code="EBADF")
        return self._transfer(self._card.write, length_bytes, list(offsets_bytes))

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
        return bad is not None and offset_bytes <= bad < offset_bytes + length_bytes


class Program:
    """One simulated card behind the protocol."""

    def __init__(self, seed: int, *, bad_offset_bytes: int | None = None) -> None:
        self._engine = SimulatedEngine(seed, bad_offset_bytes=bad_offset_bytes)
        self._verbs: dict[str, Callable[[str], str]] = {
            "hello": self._hello,
            "open": self._open,
            "read": self._read,
            "write": self._write,
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
            return f"error {error.code} {_explained(error, rest, skip=2 if verb == 'write' else 1)}"

    def _hello(self, _: str) -> str:
        limits = f"max_transfer_bytes={MAX_TRANSFER_BYTES} max_offsets={MAX_OFFSETS}"
        return f"cardbench-simulated 1 clock=virtual {limits}"

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
        length_bytes, seed, *offsets_bytes = _numbers("write", rest, at_least=3)
        return " ".join(map(str, self._engine.write(length_bytes, offsets_bytes, seed=seed)))


def _numbers(verb: str, rest: str, *, at_least: int) -> list[int]:
    words = rest.split()
    if len(words) < at_least or not all(word.isascii() and word.isdigit() for word in words):
        raise EngineError(f"use: {_USE[verb]}", code="EINVAL")
    return [int(word) for word in words]


def _explained(error: EngineError, rest: str, *, skip: int) -> str:
    """What follows the code: of a failed operation, where it failed and the times of those before it."""
    if error.code != "EIO":
        return str(error)
    done = error.durations_ns
    return " ".join([f"offset={rest.split()[skip + len(done)]}", f"done={len(done)}", *map(str, done)])


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
    """Answers until `quit` or the end of the input."""
    for request in requests:
        print(program.answer(request.rstrip("\n")), flush=True)
        if request.strip() == "quit":
            return


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m cardbench.simulated", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which card (default 1)")
    parser.add_argument(
        "--bad-offset", type=int, metavar="BYTE", help="every operation that touches this byte fails"
    )
    arguments = parser.parse_args()
    serve(Program(arguments.seed, bad_offset_bytes=arguments.bad_offset), sys.stdin)


if __name__ == "__main__":
    main()
