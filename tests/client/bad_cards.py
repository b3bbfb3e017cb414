"""Simulated cards with one fault each, to test that the fault is found."""

import random
from collections.abc import Callable, Iterable

from cardbench import ftl
from cardbench.target.engine import EngineError
from cardbench.target.simulated import SimulatedEngine

from tests.client.simulated_cards import Fake, FakeEngine

MIB = 1024**2


class Wearing(SimulatedEngine):
    """The base class of the bad cards; it calls `operation` before each operation."""

    def __init__(self, seed: int, **more: object) -> None:
        super().__init__(seed, **more)  # type: ignore[arg-type]
        self.trouble = random.Random(seed)
        self.operations, self.writes = 0, 0

    def operation(self, kind: str, offset_bytes: int) -> None:
        """Raise EngineError if this operation of the card should fail."""

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        offsets = list(offsets_bytes)
        for offset in offsets:
            self.operations += 1
            self.operation("read", offset)
        return super().read(length_bytes, offsets)

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        offsets = list(offsets_bytes)
        for offset in offsets:
            self.operations, self.writes = self.operations + 1, self.writes + 1
            self.operation("write", offset)
        return super().write(length_bytes, offsets, seed=seed, sync=sync)


class Dying(Wearing):
    """A card where more and more operations fail, until the card is gone."""

    def operation(self, kind: str, offset_bytes: int) -> None:
        if self.operations > 1600:
            raise EngineError("gone", code="ENODEV")
        if self.operations > 600 and self.trouble.random() < (self.operations - 600) / 3000:
            raise EngineError(f"{kind} at byte {offset_bytes} failed (EIO)", code="EIO")


class WithHoles(Wearing):
    """A card where one place in a hundred cannot be read."""

    def operation(self, kind: str, offset_bytes: int) -> None:
        if kind == "read" and random.Random(offset_bytes // MIB).random() < 0.01:
            raise EngineError(f"{kind} at byte {offset_bytes} failed (EIO)", code="EIO")


class Changing(Wearing):
    """A card where sometimes a block in two hundred is read with other bytes."""

    def _find_stamp(self, length_bytes: int, offset_bytes: int, seed: int) -> int | None:
        place = super()._find_stamp(length_bytes, offset_bytes, seed)
        return None if self.trouble.random() < 0.005 else place

    def _sum(self, length_bytes: int, kept_at: int) -> int:
        return super()._sum(length_bytes, kept_at) ^ (self.trouble.random() < 0.005)


class WornOut(Wearing):
    """A card that can be read, but refuses to be written after a while."""

    def operation(self, kind: str, offset_bytes: int) -> None:
        if self.writes > 300 and kind == "write":
            raise EngineError(f"write at byte {offset_bytes} failed (EIO)", code="EIO")


class ReadOnly(Wearing):
    """A card that accepts writes without an error, but keeps nothing."""

    def _keep(self, offset_bytes: int, length_bytes: int, seed: int) -> None:
        pass


class StopsKeeping(Wearing):
    """A card that accepts all writes without an error, but loses all data after the first 200 MB."""

    def _keep(self, offset_bytes: int, length_bytes: int, seed: int) -> None:
        if self.writes <= 264:  # 64 stamps and 200 MiB
            super()._keep(offset_bytes, length_bytes, seed)


class OneBadArea(Wearing):
    """A card with an area of 128 KiB that cannot be read."""

    def operation(self, kind: str, offset_bytes: int) -> None:
        area = random.Random(self.model.size_bytes).randrange(self.model.size_bytes // MIB) * MIB
        if kind == "read" and offset_bytes <= area < offset_bytes + 256 * 1024:
            raise EngineError(f"{kind} at byte {offset_bytes} failed (EIO)", code="EIO")


class SlowArea(Wearing):
    """A card where each read of one certain block takes half a second longer."""

    area_bytes = 999 * 256 * 1024

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        offsets = list(offsets_bytes)
        times = super().read(length_bytes, offsets)
        return [
            time + 500_000_000 * (offset == self.area_bytes)
            for offset, time in zip(offsets, times, strict=True)
        ]


class WrongInQueue(Wearing):
    """A card where one block in two hundred is read with other bytes while 32 reads are in progress."""

    def run_queue(
        self, verb: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        elapsed_ns, answers = super().run_queue(verb, length_bytes, offsets_bytes, depth=depth, seed=seed)
        if depth > 1 and verb in ("sum", "check"):
            answers = [answer ^ (self.trouble.random() < 0.005) for answer in answers]
        return elapsed_ns, answers


class ErrorsPastItsEnd(Wearing):
    """A fake card that gives errors at addresses without flash."""

    def operation(self, kind: str, offset_bytes: int) -> None:
        if offset_bytes >= self.model.size_bytes // 4 // MIB * MIB:
            raise EngineError(f"{kind} at byte {offset_bytes} failed (EIO)", code="EIO")


class Slow(Wearing):
    """A card where each MiB takes three seconds once its cache is full."""

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        times = super().write(length_bytes, offsets_bytes, seed=seed, sync=sync)
        return [time + 3_000_000_000 * (self.writes > 300) for time in times]


def _fake(share: float, *, begins_again: bool) -> Callable[[int], SimulatedEngine]:
    def make(seed: int) -> SimulatedEngine:
        size = ftl.draw(seed).size_bytes
        real = int(size * share) // MIB * MIB
        return FakeEngine(seed, fake=Fake(real, real if begins_again else size))

    return make


# Name of a fault -> function that makes a card with it from a seed, and the verdicts that name it.
KINDS: dict[str, tuple[Callable[[int], SimulatedEngine], tuple[str, ...]]] = {
    "begins again": (_fake(0.25, begins_again=True), ("too_small",)),
    "loses what is past its end": (_fake(0.25, begins_again=False), ("too_small",)),
    "dying": (Dying, ("gone", "errors")),
    "errors": (WithHoles, ("errors",)),
    "changes bytes": (Changing, ("changes",)),
    "worn out": (WornOut, ("worn_out",)),
    "read-only": (ReadOnly, ("read_only",)),
    "slow": (Slow, ("slow",)),
    "stops keeping": (StopsKeeping, ("read_only",)),
    "wrong in a queue": (WrongInQueue, ("queue",)),
    "errors past its end": (ErrorsPastItsEnd, ("too_small",)),
}
