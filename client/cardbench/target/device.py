"""The one interface that everything that measures uses: the engine, and the simulated card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Timed(Protocol):
    """Read and write by address. Times are in ns; every method raises EngineError on failure."""

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Read once at each offset -> the times."""

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """Write incompressible data once at each offset -> the times. `sync`: "", dsync or osync."""

    def rest(self, seconds: float) -> None:
        """Leave the device alone, so that it may clean up."""


class Device(Timed, Protocol):
    """Drive an open device."""

    @property
    def max_queue_depth(self) -> int:
        """Return how many operations may be under way at once."""

    def queued(
        self, verb: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """Keep `depth` operations under way at once -> the time of all together, and of each the verb's answer.

        `read` and `write` answer times, `check` positions or NO_POSITION, `sum` checksums.
        """

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """Return for which position each offset was written under the seed; None: for none."""

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """Return a checksum of each offset, to tell whether two reads were alike."""

    def sync(self) -> int:
        """Wait until everything written is on the device -> its time."""
