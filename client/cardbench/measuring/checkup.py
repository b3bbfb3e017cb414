"""Is the card well? Everything is looked at in about five minutes, and the answer is one sentence.

Reads places all over the card, some of them twice; where writing is allowed it also plants stamps, writes on until a
cache is full, reads all of that back, and then looks for the stamps, which no buffer can hold any more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import median

from cardbench.measuring import capacity
from cardbench.sizes import KIB, MIB, SECOND_NS
from cardbench.target.device import Device
from cardbench.target.engine import FINAL_CODES, EngineError
from cardbench.target.surface import Surface

BUDGET_S = 300
_SCAN_BYTES, _SCANNED = 256 * KIB, 1024
_TWICE_BYTES, _TWICE = 4 * KIB, 128
_MOST_WRITTEN_BYTES = 768 * MIB
_SCAN_SHARE, _WRITE_SHARE = 0.35, 0.4  # of the time
_MANY_ERRORS = 8  # after so many the rest would only take time
_SLOWEST_BYTES_PER_S = 1e6  # half of what the slowest speed class promises
_LONG_S = 20  # of writing, to judge its speed


@dataclass(frozen=True)
class Verdict:
    """`kind` for machines, and a sentence for people that says what it is and what to do."""

    kind: str  # well, readable, gone, errors, worn_out, read_only, too_small, changes, slow
    sentence: str
    details: tuple[str, ...] = ()

    @property
    def is_bad(self) -> bool:
        """Whether the card should not be trusted."""
        return self.kind not in ("well", "readable")


READ_ONLY = Verdict("read_only", "It is read-only: unlock it; if it has no lock, it is worn out. Replace it.")


@dataclass
class Seen:
    """What was noticed, place by place."""

    size_bytes: int
    is_own_file: bool = False
    reads: int = 0
    written_bytes: int = 0
    read_errors: list[int] = field(default_factory=list)
    write_errors: list[str] = field(default_factory=list)
    differing: list[int] = field(default_factory=list)  # read twice, and not the same
    twice: int = 0
    lost: list[int] = field(default_factory=list)  # not what was written there
    read_back: int = 0
    write_ns: list[int] = field(default_factory=list)
    held: capacity.Capacity | None = None
    stamps: int = 0
    gone: str = ""
    unseen: list[str] = field(default_factory=list)


def check(device: Device, surface: Surface, *, seed: int, budget_s: float = BUDGET_S) -> Verdict:
    """Looks at the card, and judges. Without `surface.may_write` nothing is written."""
    seen = Seen(surface.size_bytes, is_own_file=surface.is_own_file)
    chance = random.Random(seed)
    try:
        if not surface.is_own_file:  # where nothing was written yet
            _scan(device, surface, seen, chance, budget_s * _SCAN_SHARE)
            _read_twice(device, seen, _spread(surface, _TWICE_BYTES, _TWICE, chance))
        if surface.may_write and len(seen.read_errors) < _MANY_ERRORS:
            _write(device, surface, seen, chance, seed, budget_s * _WRITE_SHARE)
    except EngineError as error:
        if error.code not in FINAL_CODES:
            raise
        seen.gone = error.code
    return judge(seen, may_write=surface.may_write)


def _each(places: Iterable[int], act: Callable[[int], object], failed: list[int]) -> None:
    """Does it at each place; where it cannot be done is noted, and after many it is left.

    Raises EngineError when nobody answers any more.
    """
    for place in places:
        try:
            act(place)
        except EngineError as error:
            if error.code in FINAL_CODES:
                raise
            failed.append(place)
            if len(failed) >= _MANY_ERRORS:
                return


def _spread(surface: Surface, length_bytes: int, count: int, chance: random.Random) -> list[int]:
    """Offsets all over the surface, one by chance in each of so many parts, and the very last."""
    blocks = surface.size_bytes // length_bytes
    count = min(count, blocks)
    bounds = [blocks * part // count for part in range(count + 1)]
    chosen = [chance.randrange(low, high) for low, high in zip(bounds, bounds[1:])]
    return sorted({block * length_bytes for block in (*chosen, blocks - 1)})


def _scan(device: Device, surface: Surface, seen: Seen, chance: random.Random, budget_s: float) -> None:
    """Reads all over the card, in an order that covers it early."""
    places = _spread(surface, _SCAN_BYTES, _SCANNED, chance)
    chance.shuffle(places)
    spent_ns = 0

    def read(place: int) -> None:
        nonlocal spent_ns
        if spent_ns < budget_s * SECOND_NS:
            spent_ns += sum(device.read(_SCAN_BYTES, [place]))
            seen.reads += 1

    _each(places, read, seen.read_errors)


def _read_twice(device: Device, seen: Seen, places: list[int]) -> None:
    """The same places twice, with others in between so that nothing answers from memory."""
    first: dict[int, int] = {}
    failed: list[int] = []

    def compare(place: int) -> None:
        seen.twice += 1
        if first.get(place) not in (None, device.sums(_TWICE_BYTES, [place])[0]):
            seen.differing.append(place)

    def keep(place: int) -> None:
        first[place] = device.sums(_TWICE_BYTES, [place])[0]

    try:
        device.sums(_TWICE_BYTES, places[:1])
    except EngineError as error:
        if error.code == "EINVAL":
            seen.unseen.append("whether the same place reads the same twice: this engine cannot say")
            return
    _each(places, keep, failed)
    _each(places, compare, failed)
    seen.read_errors += failed


def _write(
    device: Device, surface: Surface, seen: Seen, chance: random.Random, seed: int, budget_s: float
) -> None:
    """Stamps, then a long stretch of blocks; all of it read back, the stamps last."""
    stamps = capacity.places(surface.size_bytes, chance)
    blocks: list[int] = []
    try:
        capacity.plant(device, stamps, seed=seed)
        for place in _write_on(device, surface, seen, seed, budget_s):
            blocks.append(place)
        device.sync()
    except EngineError as error:
        if error.code in FINAL_CODES:
            raise
        seen.write_errors.append(error.code)
    seen.written_bytes = len(blocks) * MIB
    _read_back(device, seen, blocks, seed)
    if seen.write_errors:
        return
    if surface.is_own_file:
        _read_twice(device, seen, [*stamps, *blocks[:: max(1, len(blocks) // _TWICE)]])
    seen.stamps = len(stamps)
    seen.held = capacity.verify(device, stamps, surface.size_bytes, seed=seed)


def _write_on(device: Device, surface: Surface, seen: Seen, seed: int, budget_s: float) -> Iterator[int]:
    """Writes in order until the time is up -> each block that was written. Raises EngineError."""
    start, span_bytes = surface.window(_MOST_WRITTEN_BYTES)
    for place in range(start, start + span_bytes, MIB):
        seen.write_ns += device.write(MIB, [place], seed=seed)
        yield place
        if sum(seen.write_ns) > budget_s * SECOND_NS:
            return


def _read_back(device: Device, seen: Seen, blocks: list[int], seed: int) -> None:
    def compare(place: int) -> None:
        seen.read_back += 1
        if device.check(MIB, [place], seed=seed) != [place]:
            seen.lost.append(place)

    _each(blocks, compare, seen.read_errors)


def judge(seen: Seen, *, may_write: bool) -> Verdict:
    """Return the gravest verdict that holds."""
    rules = (_gone, _errors, _unwritable, _small, _changes, _slow, _well if may_write else _readable)
    return next(verdict for verdict in (rule(seen) for rule in rules) if verdict)


def _gone(seen: Seen) -> Verdict | None:
    if not seen.gone:
        return None
    words = "stopped answering" if seen.gone == "ETIMEDOUT" else "went away"
    return Verdict("gone", f"It {words} while it was read ({seen.gone}): save what is on it, and replace it.")


def _errors(seen: Seen) -> Verdict | None:
    if not seen.read_errors:
        return None
    first = ", ".join(f"{place / 1e9:.3f} GB" for place in sorted(seen.read_errors)[:3])
    words = f"It gives errors: {len(seen.read_errors)} places could not be read, such as at {first}."
    return Verdict("errors", f"{words} Save what is on it, and replace it.")


def _unwritable(seen: Seen) -> Verdict | None:
    if "EROFS" in seen.write_errors or "EACCES" in seen.write_errors:
        return READ_ONLY
    if seen.write_errors:
        words = f"It can be read, and no longer be written ({seen.write_errors[0]}): it is worn out."
        return Verdict("worn_out", f"{words} Save what is on it, and replace it.")
    nothing = seen.held and not seen.held.real_bytes and len(seen.lost) == seen.read_back > 0
    if nothing:
        words = "It takes writes without an error and keeps none of them: it has made itself read-only."
        return Verdict("read_only", f"{words} Save what is on it, and replace it.")
    return None


def _small(seen: Seen) -> Verdict | None:
    real = seen.held
    if real is None or real.kind not in ("limbo", "wraparound", "chain"):
        return None
    says, holds = seen.size_bytes / 1e9, real.real_bytes / 1e9
    of = f"{says:.1f} GB of its free space" if seen.is_own_file else f"{says:.1f} GB"
    return Verdict(
        "too_small",
        f"Smaller than it says: it holds {holds:.1f} of {of}. It is a fake: ask for your money back.",
        (capacity.words(real.kind, real.real_bytes, seen.size_bytes),),
    )


def _changes(seen: Seen) -> Verdict | None:
    damaged = seen.held is not None and seen.held.kind == "damaged"
    if not (seen.lost or seen.differing or damaged):
        return None
    details = (
        f"{len(seen.lost)} of {seen.read_back} blocks were not what was written" if seen.lost else "",
        f"{len(seen.differing)} of {seen.twice} places were read twice with different bytes"
        if seen.differing
        else "",
        "of the stamps all over it some were lost" if damaged else "",
    )
    sentence = (
        "It returns different bytes than were written, without an error: do not trust it, and replace it."
    )
    return Verdict("changes", sentence, tuple(filter(None, details)))


def _slow(seen: Seen) -> Verdict | None:
    """Whether the second half of the time was spent on hardly any data."""
    if sum(seen.write_ns) < _LONG_S * SECOND_NS:
        return None
    later = _second_half(seen.write_ns)
    after = len(later) * MIB * SECOND_NS / sum(later)
    if after >= _SLOWEST_BYTES_PER_S:
        return None
    before = MIB * SECOND_NS / median(seen.write_ns[:16])
    words = f"It keeps what is written, and is slow: {before / 1e6:.1f} MB/s at first, then {after / 1e6:.2f} MB/s."
    return Verdict("slow", f"{words} No speed class allows that: it is worn out, or very cheap.")


def _second_half(times_ns: list[int]) -> list[int]:
    """The times of those writes that ended in the second half of all the time."""
    ends = [*accumulate(times_ns)]
    return [time_ns for time_ns, end in zip(times_ns, ends) if 2 * end > ends[-1]]


def _well(seen: Seen) -> Verdict:
    size = f"{seen.size_bytes / 1e9:.1f} GB"
    words = f"Genuine and well: all of the {size} are there, and it gave back what was written."
    if seen.is_own_file:
        words = f"Well: {size} of its free space gave back what was written there."
    return Verdict("well", words, _what_was_done(seen))


def _readable(seen: Seen) -> Verdict:
    sentence = (
        f"As far as reading shows it is well. Whether it holds the {seen.size_bytes / 1e9:.1f} GB it says cannot be "
        "told without writing: check a directory on it, or an empty card with --destructive."
    )
    return Verdict("readable", sentence, _what_was_done(seen))


def _what_was_done(seen: Seen) -> tuple[str, ...]:
    done = (
        f"{seen.reads} places all over it were read without an error" if seen.reads else "",
        f"{seen.twice} places were read twice, with the same bytes" if seen.twice else "",
        f"{seen.written_bytes / 1e6:.0f} MB were written and read back" if seen.written_bytes else "",
        f"{seen.stamps} stamps all over it were found again" if seen.stamps else "",
        *(f"not known: {what}" for what in seen.unseen),
    )
    return tuple(filter(None, done))
