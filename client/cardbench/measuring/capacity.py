"""Find the real capacity of a card: marker blocks (stamps) are written before everything else, and read after it.

The measurements in between flush every buffer. A stamp is a block as the engine always writes it, made from seed and
position: a later write of this run to the same place does not change it, and a stamp found elsewhere tells its origin.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cardbench.measuring.scan import narrow_end, raise_unless_bad
from cardbench.shapes import JsonDict
from cardbench.sizes import KIB, MIB, binary
from cardbench.target.device import Device
from cardbench.target.engine import EngineError

STAMP_BYTES = 4 * KIB
_STAMPS, _EVENLY = 64, 16
_FIRST_BYTES = 16 * MIB  # the lowest stamp lies below; a card that wraps around shows it at many places
_MOST_REFUSED = 3  # stamps; after this many the rest would only take time
_END_BYTES = 2 * MIB  # a card that lacks no more than this of its stated size counts as whole
_AT_ONCE = 16  # stamps in each round of the search for the exact end
USUALLY_PLANTED_BYTES = _STAMPS * STAMP_BYTES
PLANTED_BYTES = (_STAMPS + 8) * STAMP_BYTES + 8 * _AT_ONCE * STAMP_BYTES


@dataclass(frozen=True)
class Capacity:
    """The real capacity of a card, and the kind of loss behind its end.

    `kind`: good, limbo (data past the end is lost), wraparound (addresses begin again), chain (both), damaged, or lost
    (in part).
    """

    kind: str
    real_bytes: int


def places(size_bytes: int, chance: random.Random) -> list[int]:
    """Return the offsets in bytes where stamps are written to detect a false capacity, from high to low.

    The last and lowest one is near the beginning: on a card that wraps around, higher addresses may be the same flash.
    """
    first = chance.randrange(1, min(_FIRST_BYTES, size_bytes // 4) // STAMP_BYTES) * STAMP_BYTES
    powers = (first + (1 << k) for k in range(24, size_bytes.bit_length()))
    evenly = (size_bytes * part // _EVENLY - STAMP_BYTES for part in range(1, _EVENLY + 1))
    chosen = {place // STAMP_BYTES * STAMP_BYTES for place in (*powers, *evenly)}
    while len(chosen) < min(_STAMPS, size_bytes // STAMP_BYTES // 4):
        chosen.add(chance.randrange(size_bytes // STAMP_BYTES) * STAMP_BYTES)
    fitting = (place for place in chosen if first < place <= size_bytes - STAMP_BYTES)
    return [*sorted(fitting, reverse=True), first]


@dataclass(frozen=True)
class Planted:
    """The result of writing the stamps: the error codes of the refused ones, and the card's real end if found."""

    errors: tuple[str, ...] = ()
    end: Capacity | None = None


def plant(device: Device, stamps: Sequence[int], *, seed: int) -> None:
    """Write the stamps in the given order. Raise EngineError if the device refuses one."""
    for place in stamps:
        device.write(STAMP_BYTES, [place], seed=seed)
    device.sync()


def try_to_plant(device: Device, stamps: Sequence[int], *, seed: int) -> Planted:
    """Write the stamps in the given order; if the high ones are refused and the low ones not, find the card's real end.

    Raises EngineError if the device is gone.
    """
    refused: dict[int, str] = {}
    for place in stamps:
        if code := _plant_one(device, place, seed):
            refused[place] = code
        if len(refused) == _MOST_REFUSED:
            break
    else:
        device.sync()
    codes, lowest = tuple(refused.values()), stamps[-1]
    if [*refused] != [*stamps[:_MOST_REFUSED]] or _plant_one(device, lowest, seed):
        return Planted(codes)
    end = narrow_end(
        lambda at: not _plant_one(device, at, seed), lowest + STAMP_BYTES, min(refused), STAMP_BYTES
    )
    return Planted(codes, Capacity("limbo", end))


def _plant_one(device: Device, place: int, seed: int) -> str:
    try:
        device.write(STAMP_BYTES, [place], seed=seed)
    except EngineError as error:
        raise_unless_bad(error)
        return error.code
    return ""


def verify(device: Device, stamps: Sequence[int], size_bytes: int, *, seed: int) -> Capacity:
    """Read the stamps again, and return the real capacity of the card. Raise EngineError if the device is gone."""
    stamps_read = {place: _read_stamp(device, place, seed) for place in stamps}
    kind, low, high = judge(stamps_read, size_bytes)
    if kind in ("limbo", "chain"):
        low = _find_real_end(device, low, high, seed)
    is_whole = kind == "limbo" and size_bytes - low <= _END_BYTES  # only a lost stamp, no real end
    return Capacity("damaged" if is_whole else kind, low)


def judge(stamps_read: Mapping[int, int | None], size_bytes: int) -> tuple[str, int, int]:
    """Return the kind of capacity, and the two offsets in bytes between which the card ends.

    `stamps_read`: the place of each stamp and the place for which the stamp found there was written, None if it is
    lost.
    """
    good = [place for place, stamp in stamps_read.items() if stamp == place]
    lost = [place for place, stamp in stamps_read.items() if stamp is None]
    strangers = [(place, stamp) for place, stamp in stamps_read.items() if stamp not in (None, place)]
    if not lost and not strangers:
        return "good", size_bytes, size_bytes
    if not good:
        return "damaged", 0, 0
    if not strangers:
        first_lost, last_good = min(lost), max(good)
        return ("limbo" if last_good < first_lost else "damaged"), last_good + STAMP_BYTES, first_lost
    wrap_bytes = math.gcd(*(place - (stamp or 0) for place, stamp in strangers))
    if not lost:
        return "wraparound", wrap_bytes, wrap_bytes
    end = max(place % wrap_bytes for place in (*good, *(place for place, _ in strangers)))
    behind = (place % wrap_bytes for place in lost if place % wrap_bytes > end)
    return "chain", end + STAMP_BYTES, min(behind, default=wrap_bytes)


def _read_stamp(device: Device, place: int, seed: int) -> int | None:
    try:
        return device.check(STAMP_BYTES, [place], seed=seed)[0]
    except EngineError as error:
        raise_unless_bad(error)
        return None


def _find_real_end(device: Device, low: int, high: int, seed: int) -> int:
    """Return the real end to 1 MiB: write stamps between the last good and the first lost one, and read them back."""
    while high - low > MIB:
        step = max(STAMP_BYTES, (high - low) // (_AT_ONCE + 1) // STAMP_BYTES * STAMP_BYTES)
        stamps = [low + step * number for number in range(1, _AT_ONCE + 1)]
        stamps = [place // STAMP_BYTES * STAMP_BYTES for place in stamps if place + STAMP_BYTES <= high]
        plant(device, stamps[::-1], seed=seed)
        kept = _count_first_kept(_read_stamp(device, place, seed) == place for place in stamps)
        low, high = (
            stamps[kept - 1] + STAMP_BYTES if kept else low,
            stamps[kept] if kept < len(stamps) else high,
        )
        if len(stamps) < 2:
            break
    return low


def _count_first_kept(kept: Iterable[bool]) -> int:
    return (*kept, False).index(False)


def entries(capacity: Capacity, io: str) -> list[JsonDict]:
    """Return the measurement of the capacity for the report.

    A failure if the card keeps nothing or was tried only in part.
    """
    row = _row({"io": io, "capacity_kind": capacity.kind})
    if capacity.real_bytes:
        return [row | {"values": [capacity.real_bytes]}]
    code, how_much = ("data_lost", "Some") if capacity.kind == "lost" else ("damaged", "All")
    return [row | {"failure": {"code": code, "detail": f"{how_much} of the data that was written was lost."}}]


def failure_entries(code: str, detail: str, io: str) -> list[JsonDict]:
    """Return the measurement for the report if an error kept the capacity from being found."""
    return [_row({"io": io}) | {"failure": {"code": code, "detail": detail[:200]}}]


def _row(parameters: JsonDict) -> JsonDict:
    row = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": []}
    return row | {"parameters": parameters}


def words(kind: str, real_bytes: int, size_bytes: int) -> str:
    """Return a sentence for the user about the real capacity of the card."""
    if kind == "good":
        return f"All marker blocks were found again: the card really holds {size_bytes / 1e9:.1f} GB."
    if kind == "damaged":
        return "Some marker blocks were lost: the card does not keep what is written to it."
    how = {
        "limbo": "data written beyond that is lost",
        "wraparound": "data beyond that overwrites the beginning",
    }
    real = f"{real_bytes / 1e9:.2f} GB ({binary(real_bytes)})"
    return (
        f"It holds only {real} of {size_bytes / 1e9:.1f} GB;"
        f" {how.get(kind, 'data beyond that is lost or overwrites the beginning')}."
    )
