"""The one interface that everything that measures uses: the engine, and the simulated card."""

from collections.abc import Iterable
from typing import Protocol


class Device(Protocol):
    """An open device. Times are in ns; every method raises EngineError when an operation fails."""

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        """One read at each offset -> their times."""

    def write(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int]:
        """One write of incompressible data at each offset -> their times."""

    def sync(self) -> int:
        """Waits until everything written is on the device -> its time."""

    def rest(self, seconds: float) -> None:
        """Leaves the device alone, so that it may clean up."""
