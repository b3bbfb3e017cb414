"""The interface of everything that can be measured: the engine, the simulated card, and plain files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Timed(Protocol):
    """Read and write by address. Times are in ns; every method raises EngineError on failure."""

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Read once at each offset. Return the times."""

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """Write incompressible data once at each offset. Return the times. `sync`: "", dsync or osync."""

    def rest(self, seconds: float) -> None:
        """Leave the device idle, so that it may clean up."""


class Device(Timed, Protocol):
    """Drive an open device."""

    @property
    def max_queue_depth(self) -> int:
        """The largest number of operations in progress at once."""

    def run_queue(
        self, verb: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """Keep `depth` operations in progress. Return the time of all together, and a list with the answer to each.

        The verbs `read` and `write` answer times, `check` positions or NO_POSITION, and `sum` checksums.
        """

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """Return the position for which the data at each offset was written with the seed; None if for none."""

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Return a checksum of the data at each offset, to compare two reads."""

    def sync(self) -> int:
        """Wait until everything written is on the device. Return the time this takes."""
