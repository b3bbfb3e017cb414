"""Simulate a card in place of the engine. Its clock is virtual, and the same seed always gives the same figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cardbench import ftl
from cardbench.target import registers
from cardbench.target.engine import NO_POSITION, EngineError, Opened

MAX_OFFSETS = 4096
MAX_TRANSFER_BYTES = 16 * ftl.MIB
BLOCK_BYTES = 512
STAMP_BYTES = 4096
_KEPT_BYTES = (STAMP_BYTES, ftl.MIB)  # data written in blocks of other sizes is not stored


class SimulatedEngine:
    """A simulated card with the interface of `engine.Engine`."""

    def __init__(self, seed: int, *, model: ftl.FlashModel | None = None) -> None:
        self.model = model or ftl.draw(seed)
        # Length and offset in the flash -> seed of the data, and the offset to which the host wrote it.
        self._stamps: dict[tuple[int, int], tuple[int, int]] = {}
        self._card = ftl.Card(self.model, seed)
        self._mode = ""  # "", read, write

    def open(self, path: str, *, write: bool = False, direct: bool = True) -> Opened:
        """Open the card; the path does not matter. Raises EngineError if it is already open."""
        if self._mode:
            raise EngineError(f"close the open device before {path}", code="EBUSY")
        self._mode = "write" if write else "read"
        return Opened(self.model.size_bytes, BLOCK_BYTES, "block", "direct" if direct else "buffered")

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Read once at each offset. Return the times in ns. Raises EngineError."""
        self._check_open()
        return self._transfer(self._card.read, length_bytes, list(offsets_bytes))

    @property
    def max_queue_depth(self) -> int:
        """Return the depth of the queue of the host; the card itself executes one command at a time."""
        return 32

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """Write once at each offset. Return the times in ns. Raises EngineError."""
        self._check_open()
        if self._mode != "write":
            raise EngineError(
                f"cannot write with seed {seed}: the device is open for reading only", code="EBADF"
            )

        def cost_ns(offset_bytes: int, length: int) -> int:
            self._keep(offset_bytes, length, seed)
            return self._card.write(offset_bytes, length) + (self._card.sync() if sync else 0)

        return self._transfer(cost_ns, length_bytes, list(offsets_bytes))

    def run_queue(
        self, verb: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """Run an operation at each offset, `depth` of them at once.

        Return the total time in ns and a result for each offset.
        """
        offsets = list(offsets_bytes)
        times = (
            self.write(length_bytes, offsets, seed=seed)
            if verb == "write"
            else self.read(length_bytes, offsets)
        )
        if verb == "sum":
            return sum(times), [self._sum(length_bytes, self._flash_offset(offset)) for offset in offsets]
        if verb == "check":
            found = [self._find_stamp(length_bytes, offset, seed) for offset in offsets]
            return sum(times), [NO_POSITION if place is None else place for place in found]
        return sum(times), [sum(times[max(0, at - depth + 1) : at + 1]) for at in range(len(times))]

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """Return the position to which the data at each offset was written with this seed; None if it was not."""
        offsets = list(offsets_bytes)
        self.read(length_bytes, offsets)
        return [self._find_stamp(length_bytes, offset, seed) for offset in offsets]

    def _find_stamp(self, length_bytes: int, offset_bytes: int, seed: int) -> int | None:
        stamped, place = self._stamps.get((length_bytes, self._flash_offset(offset_bytes)), (None, None))
        return place if stamped == seed else None

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Return a checksum of the data at each offset, from the seed and offset with which it was written.

        Where nothing was written, it is computed from the offset.
        """
        return self.run_queue("sum", length_bytes, offsets_bytes, depth=1, seed=0)[1]

    def _sum(self, length_bytes: int, kept_at: int) -> int:
        seed, place = self._stamps.get((length_bytes, kept_at), (0, kept_at))
        return ((place + 1) * 0x9E3779B97F4A7C15 ^ seed) % 2**64

    def _keep(self, offset_bytes: int, length_bytes: int, seed: int) -> None:
        kept_at = self._flash_offset(offset_bytes)
        if length_bytes in _KEPT_BYTES and kept_at >= 0:
            self._stamps[length_bytes, kept_at] = (seed, offset_bytes)

    def _flash_offset(self, offset_bytes: int) -> int:
        return offset_bytes

    def sync(self) -> int:
        """Wait until everything written is on the card. Return the time that this takes in ns."""
        self._check_open()
        return self._card.sync()

    def rest(self, seconds: float) -> None:
        """Let virtual time pass, in seconds."""
        self._card.rest(seconds * 1e9)

    def close(self) -> None:
        """Close the card, so that it can be opened again."""
        self._check_open()
        self._mode = ""

    def _check_open(self) -> None:
        if not self._mode:
            raise EngineError("no device is open", code="EBADF")

    def _transfer(
        self, cost_of: Callable[[int, int], int], length_bytes: int, offsets_bytes: list[int]
    ) -> list[int]:
        self._check(length_bytes, offsets_bytes)
        return [cost_of(offset_bytes, length_bytes) for offset_bytes in offsets_bytes]

    def _check(self, length_bytes: int, offsets_bytes: list[int]) -> None:
        if length_bytes > MAX_TRANSFER_BYTES or len(offsets_bytes) > MAX_OFFSETS:
            raise EngineError("hello tells the limits", code="E2BIG")
        if not length_bytes or any(number % BLOCK_BYTES for number in (length_bytes, *offsets_bytes)):
            raise EngineError("length and offsets must be multiples of logical_block_bytes", code="EINVAL")
        if any(offset < 0 or offset + length_bytes > self.model.size_bytes for offset in offsets_bytes):
            raise EngineError("beyond the end of the device", code="ERANGE")


def identity(seed: int) -> dict[str, Any]:
    """Return the `card` part of a report for the simulated card of a seed, with valid registers."""
    model = ftl.draw(seed)
    size_gb = round(model.size_bytes / 1e9 / 8) * 8
    return {
        "bus": "SD",
        "registers": {
            "cid": registers.compose_cid(f"SIM{size_gb:02}", seed % 2**32),
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
    # The smallest AU size with a code in the specification that an erase block fits into.
    return next(mib for mib in registers.AU_SIZES_MIB if mib * ftl.MIB >= erase_block_bytes)


HOST = {
    "board": "Simulated host",
    "interface": "simulated",
    "bus_mode": {"name": "DDR50", "clock_hz": 50_000_000, "width_bits": 4, "signal_voltage_mv": 1800},
}
