"""The one interface that everything that measures uses: the engine, and the simulated card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Device(Protocol):
    """An open device. Times are in ns; every method raises EngineError when an operation fails."""

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """One read at each offset -> their times."""

    @property
    def max_queue_depth(self) -> int:
        """How many operations may be under way at once."""

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        """One write of incompressible data at each offset -> their times. `sync`: "", dsync or osync."""

    def queued(
        self, direction: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        """`depth` operations under way at once -> the time of all together, and of each."""

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        """For which position what is at each offset was written under the seed; None: for none."""

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """A checksum of what is at each offset, to tell whether two reads were alike."""

    def sync(self) -> int:
        """Waits until everything written is on the device -> its time."""

    def rest(self, seconds: float) -> None:
        """Leaves the device alone, so that it may clean up."""
