"""Find the FAT area: allocation units at the beginning that stay fast for random writes while other units are open."""

from __future__ import annotations

from cardbench.geometry.estimate import (
    Finding,
    SideMeasurement,
    abstain,
    conclude,
    conclude_none,
    describe_writes,
)
from cardbench.geometry.probe import Probe
from cardbench.geometry.units import BLOCK_BYTES, Unit, Writer, block_order
from cardbench.sizes import SECOND_NS, binary

LOOKED_AT = 6  # units, as in flashbench
_MOST_REPEATS = 5


def find_fat(
    probe: Probe, *, erase_block_bytes: int | None, random_aus: int | None, page_bytes: int | None
) -> Finding:
    """Find the size of the FAT area in bytes, a multiple of the erase block.

    `random_aus`: the number of units that stay fast in random order; 0 if none does, None if it is not known.
    """
    if erase_block_bytes is None or random_aus is None:
        return abstain(
            "Finding the FAT area requires the size of the erase block and the limit of open units, and at least one of"
            " them is not known."
        )
    writer = Writer(probe, erase_block_bytes, "random", max(BLOCK_BYTES, 2 * (page_bytes or 0)))
    writer.calibrate()
    places = [_unit(writer, number) for number in range(LOOKED_AT)]
    lengths: list[int] = []
    times: list[list[int]] = []
    while len(lengths) < min(_MOST_REPEATS, writer.rounds):
        for _ in range(random_aus + 1 if times else 0):
            writer.open()  # closes the units of the attempt before
        times.append([writer.write(unit) for unit in places])
        slow = [writer.is_slow(duration_ns) for duration_ns in times[-1]]
        lengths.append((*slow, True).index(True))
        if lengths.count(lengths[-1]) == 2:
            return _finding(lengths[-1], erase_block_bytes, _evidence(times, writer.block_bytes))
    return abstain(f"Five attempts disagree: they found {', '.join(map(str, lengths))} fast units.")


def _unit(writer: Writer, number: int) -> Unit:
    assert writer.erase_block_bytes
    start = number * writer.erase_block_bytes
    blocks = block_order(writer.rounds + 1, "random", writer.probe.chance)
    return Unit([start + block * writer.block_bytes for block in reversed(blocks)])


def _finding(fast: int, erase_block_bytes: int, evidence: tuple[SideMeasurement, ...]) -> Finding:
    if fast == LOOKED_AT:
        return abstain(f"All of the first {LOOKED_AT} units stayed fast; it is not known how many more do.")
    if fast == 0:
        return conclude_none(4.0, "Random writes in the first unit are as slow as everywhere else.", evidence)
    words = (
        f"Random writes stay fast in the first {fast} units ({binary(erase_block_bytes)} each), but not"
        " beyond them."
    )
    return conclude(fast * erase_block_bytes, 4.0, words, evidence)


def _evidence(times: list[list[int]], block_bytes: int) -> tuple[SideMeasurement, ...]:
    shared = describe_writes("random", block_bytes)
    return tuple(
        SideMeasurement(
            "fat",
            shared | {"erase_block_index": number},
            tuple(block_bytes * SECOND_NS / max(1, taken[number]) for taken in times),
            1,
        )
        for number in range(LOOKED_AT)
    )
