"""Simulated cards that only tests need: one that lies about its size, and one as a program behind the protocol.

`python simulated_cards.py --seed N` answers requests of engine/PROTOCOL.md from standard input on standard output.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardbench import ftl
from cardbench.target.engine import EngineError
from cardbench.target.simulated import MAX_OFFSETS, MAX_TRANSFER_BYTES, SimulatedEngine

# A line for programs that import this module.
FIND = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})"
# A command for --engine; it is started with PYTHONPATH set to the client.
SIMULATED = f"{shlex.quote(sys.executable)} {shlex.quote(__file__)}"
_USE = {
    "open": "open read|write direct|buffered [excl] PATH",
    "read": "read LENGTH OFFSET...",
    "write": "write [dsync|osync] LENGTH SEED OFFSET...",
    "queue": "queue DEPTH read LENGTH OFFSET... or queue DEPTH write LENGTH SEED OFFSET...",
    "check": "check LENGTH SEED OFFSET...",
    "sum": "sum LENGTH OFFSET...",
}


@dataclass(frozen=True)
class Fake:
    """The false capacity of a card: addresses begin again after `wrap_bytes`, and only `real_bytes` are kept."""

    real_bytes: int
    wrap_bytes: int


class FakeEngine(SimulatedEngine):
    """A simulated card that has a false capacity or one bad byte."""

    def __init__(
        self, seed: int, *, fake: Fake | None = None, bad_offset_bytes: int | None = None, **more: Any
    ) -> None:
        super().__init__(seed, **more)
        self._fake, self._bad_offset_bytes = fake, bad_offset_bytes

    def _flash_offset(self, offset_bytes: int) -> int:
        if not self._fake:
            return offset_bytes
        inside = offset_bytes % self._fake.wrap_bytes
        return inside if inside < self._fake.real_bytes else -1

    def _is_bad(self, offset_bytes: int, length_bytes: int) -> bool:
        bad = self._bad_offset_bytes
        return bad is not None and offset_bytes <= bad < offset_bytes + length_bytes

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


class Program:
    """A simulated card that speaks the engine's protocol."""

    def __init__(self, seed: int, *, bad_offset_bytes: int | None = None, fake: Fake | None = None) -> None:
        self._engine = FakeEngine(seed, bad_offset_bytes=bad_offset_bytes, fake=fake)
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
        """Return the reply line to a request line, both without newline."""
        verb, _, rest = line.partition(" ")
        try:
            if verb not in self._verbs:
                raise EngineError(f"use one of: {' '.join(self._verbs)}", code="EINVAL")
            return f"ok {self._verbs[verb](rest)}".rstrip()
        except EngineError as error:
            return f"error {error.code} {_explain(error, rest, verb)}"

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
        depth, verb, numbers = [*rest.split(" ", 2), "", "", ""][:3]
        if verb not in ("read", "write", "check", "sum") or not depth.isdecimal() or int(depth) < 1:
            raise EngineError(f"use: {_USE['queue']}", code="EINVAL")
        seeded = verb in ("write", "check")
        length_bytes, *more = _numbers("queue", numbers, at_least=2 + seeded)
        seed = more.pop(0) if seeded else 0
        elapsed_ns, answers = self._engine.run_queue(verb, length_bytes, more, depth=int(depth), seed=seed)
        return " ".join(map(str, (f"elapsed_ns={elapsed_ns}", *answers)))

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


def _explain(error: EngineError, rest: str, verb: str) -> str:
    # For a failed operation: its offset and the times of the operations before it.
    if error.code != "EIO" or verb == "queue":
        return str(error)
    numbers = [word for word in rest.split() if word.isdecimal()]
    offsets, done = numbers[1 if verb == "read" else 2 :], error.durations_ns
    return " ".join([f"offset={offsets[len(done)]}", f"done={len(done)}", *map(str, done)])


def serve(program: Program, requests: Iterable[str]) -> None:
    """Reply to requests until `quit` or the end of the input.

    A last line without a newline is ignored as incomplete.
    """
    for request in requests:
        if not request.endswith("\n"):
            return
        print(program.answer(request.rstrip("\n")), flush=True)
        if request.strip() == "quit":
            return


def main() -> None:
    """Reply to requests on standard input as the card that the options describe."""
    parser = argparse.ArgumentParser(prog="python simulated_cards.py", description=__doc__)
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
