"""The simulated card as a program that speaks engine/PROTOCOL.md: `python -m cardbench.simulated --seed N`.

Its clock is virtual: what takes a real card half a minute takes none, and one seed always measures the same.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

from cardbench import ftl, registers

MAX_OFFSETS = 4096
MAX_TRANSFER_BYTES = 16 * ftl.MIB
BLOCK_BYTES = 512
NOBODYS_MID = 0xEE  # in no list of manufacturers


class Refusal(Exception):
    """An `error` reply."""


class Program:
    """One simulated card behind the protocol."""

    def __init__(self, seed: int, *, bad_offset_bytes: int | None = None) -> None:
        self.model = ftl.draw(seed)
        self._card = ftl.Card(self.model, seed)
        self._bad_offset_bytes = bad_offset_bytes
        self._mode = ""  # "", read, write
        self._verbs: dict[str, Callable[[str], str]] = {
            "hello": self._hello,
            "open": self._open,
            "read": self._read,
            "write": self._write,
            "sync": self._sync,
            "close": self._close,
            "quit": lambda _: "",
        }

    def answer(self, line: str) -> str:
        """One request line -> one reply line, both without newline."""
        verb, _, rest = line.partition(" ")
        try:
            if verb not in self._verbs:
                raise Refusal(f"EINVAL use one of: {' '.join(self._verbs)}")
            return f"ok {self._verbs[verb](rest)}".rstrip()
        except Refusal as refusal:
            return f"error {refusal}"

    def _hello(self, _: str) -> str:
        limits = f"max_transfer_bytes={MAX_TRANSFER_BYTES} max_offsets={MAX_OFFSETS}"
        return f"cardbench-simulated 1 clock=virtual {limits}"

    def _open(self, rest: str) -> str:
        if self._mode:
            raise Refusal("EBUSY close the open device first")
        direction, _, rest = rest.partition(" ")
        io, _, _ = rest.partition(" ")
        if direction not in ("read", "write") or io not in ("direct", "buffered"):
            raise Refusal("EINVAL use: open read|write direct|buffered [excl] PATH")
        self._mode = direction
        return f"size_bytes={self.model.size_bytes} logical_block_bytes={BLOCK_BYTES} kind=block io={io}"

    def _read(self, rest: str) -> str:
        length_bytes, *offsets_bytes = self._numbers(rest, at_least=2)
        return self._transfer(self._card.read, length_bytes, offsets_bytes)

    def _write(self, rest: str) -> str:
        length_bytes, _, *offsets_bytes = self._numbers(rest, at_least=3)
        if self._mode != "write":
            raise Refusal("EBADF the device was opened for reading")
        return self._transfer(self._card.write, length_bytes, offsets_bytes)

    def _sync(self, _: str) -> str:
        self._numbers("", at_least=0)
        return str(self._card.sync())

    def _close(self, _: str) -> str:
        self._numbers("", at_least=0)
        self._mode = ""
        return ""

    def _numbers(self, rest: str, *, at_least: int) -> list[int]:
        if not self._mode:
            raise Refusal("EBADF no device is open")
        words = rest.split()
        if len(words) < at_least or not all(word.isascii() and word.isdigit() for word in words):
            raise Refusal("EINVAL use: read LENGTH OFFSET... or write LENGTH SEED OFFSET...")
        return [int(word) for word in words]

    def _transfer(
        self, cost_of: Callable[[int, int], int], length_bytes: int, offsets_bytes: list[int]
    ) -> str:
        self._check(length_bytes, offsets_bytes)
        durations_ns: list[str] = []
        for offset_bytes in offsets_bytes:
            if self._is_bad(offset_bytes, length_bytes):
                raise Refusal(
                    " ".join([f"EIO offset={offset_bytes} done={len(durations_ns)}", *durations_ns])
                )
            durations_ns.append(str(cost_of(offset_bytes, length_bytes)))
        return " ".join(durations_ns)

    def _check(self, length_bytes: int, offsets_bytes: list[int]) -> None:
        if length_bytes > MAX_TRANSFER_BYTES or len(offsets_bytes) > MAX_OFFSETS:
            raise Refusal("E2BIG hello tells the limits")
        if not length_bytes or any(number % BLOCK_BYTES for number in (length_bytes, *offsets_bytes)):
            raise Refusal("EINVAL length and offsets must be multiples of logical_block_bytes")
        if any(offset_bytes + length_bytes > self.model.size_bytes for offset_bytes in offsets_bytes):
            raise Refusal("ERANGE past the end of the device")

    def _is_bad(self, offset_bytes: int, length_bytes: int) -> bool:
        bad = self._bad_offset_bytes
        return bad is not None and offset_bytes <= bad < offset_bytes + length_bytes


def identity(seed: int) -> dict[str, Any]:
    """The `card` part of a report: valid registers of a card nobody made."""
    model = ftl.draw(seed)
    size_gb = round(model.size_bytes / 1e9 / 16) * 16
    return {
        "bus": "SD",
        "registers": {
            "cid": registers.compose_cid(
                mid=NOBODYS_MID, oid="ZZ", pnm=f"SIM{size_gb:02}", serial=seed % 2**32, mdt=(2026, 1)
            ),
            "csd": registers.compose_csd_v2(model.size_bytes),
            "scr": "0235800201000000",
            "ssr": registers.compose_ssr(model.erase_block_bytes // ftl.MIB),
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
