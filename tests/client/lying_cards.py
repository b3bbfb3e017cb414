"""Simulated cards that lose their power: five that keep all acknowledged data, and five that do not."""

import random
from collections.abc import Callable, Iterable

from cardbench.target.device import Device
from cardbench.target.engine import EngineError

BLOCK, SECTORS = 4096, 8
Content = tuple[int, ...]  # the seed of each sector; the place is its own


class PoweredCard(Device):
    """A card with a cache that a sync writes to flash. It loses its power after a given number of writes."""

    size_bytes, max_queue_depth = 512 * 1024**2, 1

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.kept: dict[int, Content] = {}  # block -> its content in the flash
        self.cache: list[tuple[int, Content]] = []
        self.writes_left: int | None = None

    def write(
        self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int, sync: str = ""
    ) -> list[int]:
        for offset in offsets_bytes:
            for block in range(offset // BLOCK, (offset + length_bytes) // BLOCK):
                self._one(block, (seed,) * SECTORS)
        return [1]

    def _one(self, block: int, content: Content) -> None:
        if self.writes_left is not None:
            self.writes_left -= 1
            if self.writes_left < 0:
                self.interrupt(block, content)
                raise EngineError("gone", code="ENODEV")
        self.take(block, content)

    def read(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        return [1 for _ in offsets_bytes]

    def run_queue(
        self, direction: str, length_bytes: int, offsets_bytes: Iterable[int], *, depth: int, seed: int
    ) -> tuple[int, list[int]]:
        raise NotImplementedError

    def sums(self, length_bytes: int, offsets_bytes: Iterable[int]) -> list[int]:
        now = self.kept | dict(self.cache)
        return [hash(now.get(offset // BLOCK, (0,) * SECTORS)) for offset in offsets_bytes]

    def rest(self, seconds: float) -> None:
        """Do nothing, because time does not change this card."""

    def sync(self) -> int:
        if self.writes_left is not None and self.writes_left < 0:
            raise EngineError("gone", code="ENODEV")
        self.flush()
        return 1

    def check(self, length_bytes: int, offsets_bytes: Iterable[int], *, seed: int) -> list[int | None]:
        return [offset if self._is(offset, length_bytes, seed) else None for offset in offsets_bytes]

    def _is(self, offset: int, length_bytes: int, seed: int) -> bool:
        first = offset % BLOCK // 512
        sectors = self.kept.get(offset // BLOCK, (0,) * SECTORS)[first : first + length_bytes // 512]
        return all(sector == seed for sector in sectors)

    def restore_power(self) -> None:
        """Restore the power of the card; its cache is empty then."""
        self.cache, self.writes_left = [], None

    # Subclasses override these methods.
    def take(self, block: int, content: Content) -> None:
        self.cache.append((block, content))

    def flush(self) -> None:
        self.kept.update(self.cache)
        self.cache = []

    def interrupt(self, block: int, content: Content) -> None:
        """Lose the power while this block is being written."""


class WritesThrough(PoweredCard):
    def take(self, block: int, content: Content) -> None:
        self.kept[block] = content


class KeepsSome(PoweredCard):
    """A card that has stored some of the writes without a sync, in any order, and perhaps the block in progress."""

    def interrupt(self, block: int, content: Content) -> None:
        self.kept.update(entry for entry in [*self.cache, (block, content)] if self.chance.random() < 0.5)


class KeepsInOrder(PoweredCard):
    def interrupt(self, block: int, content: Content) -> None:
        self.kept.update(self.cache[: self.chance.randrange(len(self.cache) + 1)])


class Evicts(PoweredCard):
    """A card with a small cache; if it is full, the oldest writes go to flash."""

    def take(self, block: int, content: Content) -> None:
        super().take(block, content)
        while len(self.cache) > 3:
            self.kept.update([self.cache.pop(0)])


class IgnoresSync(Evicts):
    """A card that reports a sync as done, but keeps data in its cache."""

    def take(self, block: int, content: Content) -> None:
        self.cache.append((block, content))
        while len(self.cache) > 200:
            self.kept.update([self.cache.pop(0)])

    def flush(self) -> None:
        pass


class LosesTheLast(PoweredCard):
    """A card that loses its last write, even if a sync has followed it."""

    last: tuple[int, Content] | None = None

    def flush(self) -> None:
        if self.cache:
            block, _ = self.cache[-1]
            self.last = (block, self.kept.get(block, (0,) * SECTORS))
        super().flush()

    def interrupt(self, block: int, content: Content) -> None:
        if self.last:
            self.kept.update([self.last])


class DamagesNeighbours(PoweredCard):
    """A card that damages a block near the one in progress, in one of four power cuts."""

    def interrupt(self, block: int, content: Content) -> None:
        if self.chance.random() < 0.25:
            self.kept[block + self.chance.choice((-2, -1, 1, 2))] = (0xBAD,) * SECTORS


class Tears(PoweredCard):
    """A card that stores half of the block in progress."""

    def interrupt(self, block: int, content: Content) -> None:
        cut = self.chance.randrange(1, SECTORS)
        self.kept[block] = content[:cut] + self.kept.get(block, (0,) * SECTORS)[cut:]


class Reorders(PoweredCard):
    """A card where some of the synced writes wait, while later writes are stored."""

    def flush(self) -> None:
        waiting = [entry for entry in self.cache if self.chance.random() < 0.1]
        self.kept.update(entry for entry in self.cache if entry not in waiting)
        self.cache = waiting


HONEST: tuple[Callable[[int], PoweredCard], ...] = (
    PoweredCard,
    WritesThrough,
    KeepsSome,
    KeepsInOrder,
    Evicts,
)
# Name of a fault -> function that makes a card with it, and the first words of the verdict.
LYING: dict[str, tuple[Callable[[int], PoweredCard], str]] = {
    "ignores a sync": (IgnoresSync, "The card loses data that it has acknowledged"),
    "loses the last write": (LosesTheLast, "The card loses data that it has acknowledged"),
    "damages neighbours": (DamagesNeighbours, "The card damages data that was not being written"),
    "tears": (Tears, "The card leaves blocks that are half old and half new"),
    "reorders": (Reorders, "The card loses data that it has acknowledged, but keeps later data"),
}
