"""The interface of a device that can be measured, shared by the engine, the simulated card and plain files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Timed(Protocol):
    """A device that can be read and written at offsets. Times are in ns; every method raises EngineError on failure."""

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Read once at each offset. Return the times in ns."""

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """Write incompressible data once at each offset. Return the times in ns. `sync`: "", dsync or osync."""

    def rest(self, seconds: float) -> None:
        """Leave the device idle for some seconds, so that it may clean up."""


class Device(Timed, Protocol):
    """An open device that can also queue operations, verify data and flush its cache."""

    @property
    def max_queue_depth(self) -> int:
        """Return the largest number of operations that can be in progress at once."""

    def run_queue(
        self, verb: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """Run an operation at each offset, `depth` of them at once.

        Return the total time in ns and a result for each offset. With the verb `read` or `write` a result is a time in
        ns, with `check` a position or NO_POSITION, with `sum` a checksum.
        """

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """Return the position to which the data at each offset was written with this seed; None if it was not."""

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Return a checksum of the data at each offset, so that two reads can be compared."""

    def sync(self) -> int:
        """Wait until everything written is on the device. Return the time that this takes in ns."""
