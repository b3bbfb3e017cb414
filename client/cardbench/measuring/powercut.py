"""Find the data that a loss of power destroys: write blocks and sync until the power fails, and check them afterwards.

Every block contains its place and the number of its write (engine/pattern.c), so older blocks, and blocks that are half
of one write and half of another, are recognized. Blocks that the card acknowledged by a sync must be there; blocks in
progress may be there or not, but whole; all other blocks must be unchanged.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cardbench.errors import SafetyError
from cardbench.measuring import capacity
from cardbench.sizes import KIB, MIB
from cardbench.target.device import Device
from cardbench.target.engine import EngineError
from cardbench.target.surface import Surface

BLOCK_BYTES, REGION_BYTES = 4 * KIB, 16 * MIB
_SLOTS = REGION_BYTES // BLOCK_BYTES
_ACTIVE = _SLOTS // 4  # blocks that are written; the blocks between them must stay as they are
_GROUPS, _SYNCS = (1, 1, 2, 4, 16), 4  # writes before a sync; syncs of the initial content
_SECTOR_BYTES = 512
_NORMAL_95 = 1.959964


@dataclass
class Journal:
    """The record of the writes of one round. A seed identifies each write, and later writes have greater seeds."""

    start_bytes: int
    first_seed: int
    before: Sequence[int] = ()  # checksums of the blocks before the round; empty if one could not be read
    # Place -> seeds of its writes; the last one counts
    acknowledged: dict[int, list[int]] = field(default_factory=dict)
    under_way: dict[int, list[int]] = field(default_factory=dict)
    writes: int = 0

    def places(self) -> range:
        return range(self.start_bytes, self.start_bytes + REGION_BYTES, BLOCK_BYTES)

    def last(self, place: int) -> int:
        """Return the seed of the last acknowledged write to a place, which must be found there."""
        return self.acknowledged.get(place, [self.first_seed])[-1]

    def acknowledge(self) -> None:
        for place, seeds in self.under_way.items():
            self.acknowledged.setdefault(place, []).extend(seeds)
        self.under_way.clear()


@dataclass(frozen=True)
class Cut:
    """The result of one loss of power: the places of bad blocks, by kind of damage."""

    acknowledged: int  # number of acknowledged writes
    lost: tuple[int, ...] = ()  # acknowledged, but an older block is found, possibly from before the round
    torn: tuple[int, ...] = ()  # blocks that are half of one write and half of another
    damaged: tuple[int, ...] = ()  # blocks with bytes that were never written there
    is_out_of_order: bool = False  # a block is lost, and another that was acknowledged later is found
    is_broken: bool | None = None  # whether a check of the file system finds errors

    @property
    def is_bad(self) -> bool:
        return bool(self.lost or self.torn or self.damaged)


def prepare(device: Device, surface: Surface, chance: random.Random, seed: int) -> Journal:
    """Fill a random region of the device, and return its journal. Raise EngineError if the device fails.

    The same data is written twice and synced several times: then one copy is in the flash even if the card ignores a
    sync or delays some writes, and the loss of the second copy does not look like damage.
    """
    start_bytes = chance.randrange((surface.size_bytes - REGION_BYTES) // MIB + 1) * MIB
    journal = Journal(start_bytes, seed)
    journal.before = _read_sums(device, journal.places())
    for place in 2 * [*range(start_bytes, start_bytes + REGION_BYTES, MIB)]:
        device.write(MIB, [place], seed=seed)
    for _ in range(_SYNCS):
        device.sync()
    return journal


def write_on(device: Device, journal: Journal, chance: random.Random, goes_on: Callable[[], bool]) -> str:
    """Write blocks and sync them until the device fails or `goes_on` is false.

    Return the error code, or "" without one.
    """
    active = chance.sample(journal.places(), k=_ACTIVE)
    try:
        while goes_on():
            for _ in range(chance.choice(_GROUPS)):
                place, journal.writes = chance.choice(active), journal.writes + 1
                seed = journal.first_seed + journal.writes
                journal.under_way.setdefault(place, []).append(seed)
                device.write(BLOCK_BYTES, [place], seed=seed)
            device.sync()
            journal.acknowledge()
    except EngineError as error:
        return error.code
    return ""


def examine(device: Device, journal: Journal) -> Cut:
    """Check every block of the region after a loss of power. Raise EngineError if the device does not come back."""
    lost, torn, damaged = [], [], []
    for place in _find_unexpected(device, journal):
        arrived = journal.under_way.get(place, [])
        if any(_holds(device, place, BLOCK_BYTES, seed) for seed in reversed(arrived)):
            continue
        older = [journal.first_seed, *journal.acknowledged.get(place, [])[:-1]]
        if any(_holds(device, place, BLOCK_BYTES, seed) for seed in reversed(older)) or _is_before(
            device, place, journal
        ):
            lost.append(place)
        elif _is_mixed(device, place, [*arrived, journal.last(place), *older]):
            torn.append(place)
        else:
            damaged.append(place)
    kept = [journal.last(place) for place in journal.acknowledged if place not in {*lost, *torn, *damaged}]
    first_lost = min((journal.last(place) for place in lost), default=0)
    late = bool(lost) and max(kept, default=0) > first_lost
    return Cut(journal.writes, tuple(lost), tuple(torn), tuple(damaged), late)


def _find_unexpected(device: Device, journal: Journal) -> Iterator[int]:
    untouched = [place for place in journal.places() if place not in journal.acknowledged]
    for at in range(0, len(untouched), _ACTIVE):
        some = untouched[at : at + _ACTIVE]
        stamps = _read_stamps(device, BLOCK_BYTES, some, journal.first_seed)
        yield from (place for place, stamp in zip(some, stamps) if stamp != place)
    for place in journal.acknowledged:
        if not _holds(device, place, BLOCK_BYTES, journal.last(place)):
            yield place


def _read_stamps(device: Device, length: int, places: Sequence[int], seed: int) -> list[int | None]:
    """Return the stamps as from `Device.check`, None for blocks that cannot be read.

    Raise EngineError if the device is gone.
    """
    try:
        return device.check(length, places, seed=seed)
    except EngineError as error:
        if error.code != "EIO":
            raise
    if len(places) == 1:
        return [None]
    return [stamp for place in places for stamp in _read_stamps(device, length, [place], seed)]


def _read_sums(device: Device, places: Sequence[int]) -> Sequence[int]:
    """Return a checksum per block, or an empty sequence if a block cannot be read.

    Raise EngineError if the device is gone.
    """
    try:
        return device.sums(BLOCK_BYTES, places)
    except EngineError as error:
        if error.code != "EIO":
            raise
        return ()


def _is_before(device: Device, place: int, journal: Journal) -> bool:
    # True if the block is as before the round: not even the write of `prepare` has reached the flash.
    now = _read_sums(device, [place])
    return bool(now and journal.before) and now[0] == journal.before[journal.places().index(place)]


def _holds(device: Device, place: int, length: int, seed: int) -> bool:
    return _read_stamps(device, length, [place], seed) == [place]


def _is_mixed(device: Device, place: int, seeds: Sequence[int]) -> bool:
    # True if each sector is from one of these writes. Never true on a device with larger sectors.
    sectors = range(place, place + BLOCK_BYTES, _SECTOR_BYTES)
    try:
        return all(any(_holds(device, sector, _SECTOR_BYTES, seed) for seed in seeds) for sector in sectors)
    except EngineError as error:
        if error.code != "EINVAL":
            raise
        return False


def plant(device: Device, surface: Surface, chance: random.Random, seed: int) -> list[int]:
    """Write marker blocks (stamps) everywhere, to recognize the card and find distant damage.

    Return their offsets in bytes. Raises EngineError.
    """
    stamps = capacity.places(surface.size_bytes, chance)
    capacity.plant(device, stamps, seed=seed)
    return stamps


def check_same(device: Device, stamps: Iterable[int], seed: int) -> tuple[int, ...]:
    """Return the places of lost stamps. Raise SafetyError if most are lost, because it may be another card."""
    wanted = list(stamps)
    gone = tuple(place for place in wanted if not _holds(device, place, capacity.STAMP_BYTES, seed))
    if 2 * len(gone) > len(wanted):
        raise SafetyError(
            f"{len(gone)} of {len(wanted)} of our marks are missing from the card that came back: it is a"
            " different card, or it has lost everything. Nothing more was written."
        )
    return gone


def wilson(bad: int, cuts: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of the share bad / cuts.

    E. B. Wilson, J. Am. Stat. Assoc. 22 (1927), 209-212.
    """
    if not cuts:
        return 0.0, 1.0
    share, square = bad / cuts, _NORMAL_95**2
    middle = (share + square / (2 * cuts)) / (1 + square / cuts)
    half = _NORMAL_95 / (1 + square / cuts) * math.sqrt(share * (1 - share) / cuts + square / (4 * cuts**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def sentence(cuts: Sequence[Cut]) -> str:
    """Return a sentence for the user about the most serious result of all power cuts."""
    for damage, words in _GRAVEST.items():
        if count := _count(cuts, damage):
            low, high = wilson(count, len(cuts))
            percent = f"{100 * low:.0f} to {100 * high:.0f} % of all"
            return f"{words}. This happened in {count} of {len(cuts)} cuts ({percent})."
    _, high = wilson(0, len(cuts))
    return (
        f"In {len(cuts)} cuts, the card kept everything that it had acknowledged: fewer than {100 * high:.0f} %"
        " of cuts lose data."
    )


# Damage, as a field of `Cut`, and the words for it; the most serious first.
_GRAVEST = {
    "damaged": "The card damages data that was not being written",
    "is_out_of_order": (
        "The card loses data that it has acknowledged, but keeps later data: it does not preserve the order"
        " across a sync"
    ),
    "lost": "The card loses data that it has acknowledged: a sync does not wait for the data",
    "torn": "The card leaves blocks that are half old and half new",
}


def _count(cuts: Sequence[Cut], damage: str) -> int:
    return sum(bool(getattr(cut, damage)) for cut in cuts)


def readings(cuts: Sequence[Cut]) -> Mapping[str, int]:
    """Return the numbers of power cuts by result, under their names in the report."""
    checked = [cut for cut in cuts if cut.is_broken is not None]
    broken = {"power_cuts_filesystem_broken": _count(checked, "is_broken")} if checked else {}
    return {
        "power_cuts": len(cuts),
        "power_cuts_bad": _count(cuts, "is_bad"),
        "power_cuts_losing": _count(cuts, "lost"),
        "power_cuts_out_of_order": _count(cuts, "is_out_of_order"),
        "power_cuts_tearing": _count(cuts, "torn"),
        "power_cuts_damaging": _count(cuts, "damaged"),
        "power_cut_writes": sum(cut.acknowledged for cut in cuts),
    } | broken
