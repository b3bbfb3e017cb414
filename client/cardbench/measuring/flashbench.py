"""Measure with the access patterns of flashbench and print its output, so that old figures stay comparable.

Patterns and grammar are those of flashbench's branch dev (d783b1b, 2019). Its positioning defects are corrected:
positions never wrap, neither at the end of the device nor at 4 GiB; places that do not fit are left out, and the text
says so. An error is never printed as a number, negative differences keep their unit, and data cannot be compressed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from cardbench.geometry.estimate import describe_writes
from cardbench.shapes import JsonDict
from cardbench.sizes import KIB, MIB, SECOND_NS
from cardbench.target.device import Timed
from cardbench.target.surface import Surface

_PLACES, _TRIES = 7, 8
_SCATTER_BITS = 9  # bits of a block number
_FIRST_BYTES = 16 * MIB  # offset of the first unit, behind the FAT
_SPACING = 12  # erase blocks from one unit to the next
_FAT_UNITS = 6
_COLLAPSED = 0.4  # as a share of the rate of the largest blocks
_ROW_BUDGET_NS = 60 * SECOND_NS
_MOST_WRITE_BYTES = 16 * MIB
# Bits -> taps of a shift register that takes every value except 0: the primitive polynomials of flashbench.
_TAPS = {
    8: 0b11101,
    9: 0b10001,
    10: 0b1001,
    11: 0b101,
    12: 0b100000111,
    13: 0b100111,
    14: 0b1000000000111,
    15: 0b11,
    16: 0b101101,
}
_FIRST_STATE = 0xACE1


@dataclass(frozen=True)
class Options:
    """The options of flashbench, with its defaults."""

    block_bytes: int = 16 * KIB
    erase_block_bytes: int = 4 * MIB
    open_aus: tuple[int, ...] = tuple(range(1, 13))  # numbers of units in turn, until the rate collapses

    def __post_init__(self) -> None:
        if self.erase_block_bytes % self.block_bytes or self.block_bytes < 512:
            raise ValueError("the erase block must be a multiple of the block size")

    @property
    def written_bytes(self) -> int:
        """Return the most bytes that are written; a run ends earlier if the rate of the card collapses."""
        rows = (self.erase_block_bytes // self.block_bytes).bit_length()
        return rows * self.erase_block_bytes * (2 * sum(self.open_aus) + _FAT_UNITS)


@dataclass(frozen=True)
class Line:
    """One line of flashbench's output, and its figures as measurements of a report."""

    text: str
    entries: tuple[JsonDict, ...] = ()


def run(device: Timed, surface: Surface, options: Options, *, seed: int, io: str) -> Iterator[Line]:
    """Run align and scatter, then, if writing is allowed, open AUs linear and random, and the FAT area.

    Yield output lines. Raises EngineError after the lines measured before the error.
    """
    align_block = max(KIB, 2 * surface.logical_block_bytes)
    yield Line(f"$ flashbench -a --blocksize={align_block}")
    yield from align(device, surface, align_block, io=io)
    yield Line(f"$ flashbench -s --blocksize={options.block_bytes}")
    yield from scatter(device, surface, options.block_bytes, io=io)
    if not surface.may_write:
        return
    writer = _Writer(device, surface, options, seed, io)
    words = f"--blocksize={options.block_bytes} --erasesize={options.erase_block_bytes}"
    for flag, order in (("", "sequential"), (" --random", "random")):
        for count in options.open_aus:
            yield Line(f"$ flashbench -O --open-au-nr={count} {words}{flag}")
            lines = list(writer.open_au(count, order))
            yield from lines
            if _has_collapsed(lines):
                break
    yield Line(f"$ flashbench -f {words}")
    yield from writer.find_fat()


def lfsr_order(count: int) -> list[int]:
    """Return the numbers 0 to count - 1 in the order of flashbench's shift register of 8 to 16 bits, with 0 last."""
    return [*(number for number in _generate_numbers(max(8, count.bit_length())) if number < count), 0]


def _generate_numbers(bits: int) -> Iterator[int]:
    """Yield every number of `bits` bits except 0, each once, in the order of the shift register."""
    state = first = _FIRST_STATE & ((1 << bits) - 1)
    while True:
        bit = f"{state & _TAPS[bits]:b}".count("1") & 1
        state = state >> 1 | bit << (bits - 1)
        yield state
        if state == first:
            return


def align(device: Timed, surface: Surface, block_bytes: int, *, io: str) -> Iterator[Line]:
    """Yield output lines with the times of reads before, across and after boundaries of each size.

    A time is the mean over several places of the fastest of eight tries.
    """
    largest = 2 * block_bytes
    while largest < surface.size_bytes // _PLACES:
        largest *= 2
    size = largest
    while size >= 2 * block_bytes:
        boundaries = [size + number * largest for number in range(_PLACES)]
        fitting = [place for place in boundaries if place + block_bytes <= surface.size_bytes]
        if len(fitting) < _PLACES and size == largest:
            yield Line("# places beyond the end of the device are left out; flashbench would wrap around")
        if fitting:
            yield _align_line(device, size, fitting, block_bytes, io)
        size //= 2


def _align_line(device: Timed, size: int, places: Sequence[int], block_bytes: int, io: str) -> Line:
    shifts = {"pre": block_bytes, "on": block_bytes // 2, "post": 0}
    fastest: dict[str, list[int]] = {}
    for _ in range(_TRIES):
        for name, shift in shifts.items():
            times_ns = device.read(block_bytes, [place - shift for place in places])
            fastest[name] = [*map(min, fastest.get(name, times_ns), times_ns)]
    means_ns = {name: sum(times) // len(times) for name, times in fastest.items()}
    means_ns["diff"] = means_ns["on"] - (means_ns["pre"] + means_ns["post"]) // 2
    text = "\t".join([f"align {size}", *(f"{name} {spoken_ns(value)}" for name, value in means_ns.items())])
    shared = _read_pattern(block_bytes, io) | {"align_bytes": size}
    return Line(
        text,
        tuple(
            _entry("align", f"align_{name}", "ns", value, shared, _TRIES * len(places))
            for name, value in means_ns.items()
        ),
    )


def _read_pattern(block_bytes: int, io: str) -> JsonDict:
    return {"direction": "read", "block_size_bytes": block_bytes, "queue_depth": 1, "io": io}


def scatter(device: Timed, surface: Surface, block_bytes: int, *, io: str) -> Iterator[Line]:
    """Yield output lines with the times of reads of the first 512 blocks out of order, each the fastest of eight tries.

    A line contains the offset in MiB and the time in ms.
    """
    order = [0, *_generate_numbers(_SCATTER_BITS)]
    if len(order) * block_bytes > surface.size_bytes:
        yield Line("# these blocks do not fit on the device; flashbench would wrap around")
        return
    offsets = [number * block_bytes for number in order]
    tries = [device.read(block_bytes, offsets) for _ in range(_TRIES)]
    for offset, *times_ns in sorted(zip(offsets, *tries)):
        shared = _read_pattern(block_bytes, io) | {"offset_bytes": offset}
        entry = _entry("scatter", "latency_min", "ns", min(times_ns), shared, _TRIES)
        yield Line(f"{offset / MIB:f}\t{min(times_ns) / 1e6:f}", (entry,))


@dataclass(frozen=True)
class _Writer:
    """The access patterns of flashbench that write, with O_SYNC."""

    device: Timed
    surface: Surface
    options: Options
    seed: int
    io: str

    def open_au(self, count: int, order: str) -> Iterator[Line]:
        """Write `count` units, one block of each in turn, until they are full.

        Yield an output line for each block size.
        """
        unit = self.options.erase_block_bytes
        first = -(-_FIRST_BYTES // unit) * unit
        units = [first + number * _SPACING * unit for number in lfsr_order(count)]
        if max(units) + unit > self.surface.size_bytes:
            yield Line("# these units do not fit on the device; flashbench would wrap around")
            return
        for length in self._list_lengths():
            rate, operations = self._measure_row(units, length, order)
            shared = self._build_parameters(length, order) | {"open_au": count}
            entry = _entry("open-au", "throughput", "B/s", rate, shared, operations)
            yield Line(f"{spoken_bytes(length):<7} {spoken_rate(rate):<7} ", (entry,))

    def find_fat(self) -> Iterator[Line]:
        """Write each of the first units until it is full, from byte 0 on. Yield an output line for each block size."""
        unit = self.options.erase_block_bytes
        count = min(_FAT_UNITS, self.surface.size_bytes // unit)
        for length in self._list_lengths():
            rows = [self._measure_row([number * unit], length, "sequential") for number in range(count)]
            cells = "".join(f"{spoken_rate(rate):<7}  " for rate, _ in rows)
            entries = tuple(
                _entry(
                    "fat",
                    "throughput",
                    "B/s",
                    rate,
                    self._build_parameters(length, "sequential") | {"erase_block_index": number},
                    operations,
                )
                for number, (rate, operations) in enumerate(rows)
            )
            yield Line(f"{spoken_bytes(length):<7} {cells}", entries)

    def _list_lengths(self) -> Iterator[int]:
        # From the whole unit down to the block size, halved each time. A unit of 3 * 2^k needs a block of 3 * 2^j.
        length = self.options.erase_block_bytes
        while length >= self.options.block_bytes and length % self.surface.logical_block_bytes == 0:
            yield length
            length //= 2

    def _measure_row(self, units: Sequence[int], length: int, order: str) -> tuple[float, int]:
        # Returns bytes/s and the number of operations. A row that takes too long is cut short.
        slots = self.options.erase_block_bytes // length
        means: list[int] = []
        spent_ns = 0
        for slot in lfsr_order(slots) if order == "random" else range(slots):
            times_ns = self._write([unit + slot * length for unit in units], length)
            means.append(sum(times_ns) // len(units))
            spent_ns += sum(times_ns)
            if spent_ns >= _ROW_BUDGET_NS:
                break
        mean_ns = max(1, sum(means) // len(means))
        return length * SECOND_NS / mean_ns, len(means) * len(units)

    def _write(self, places: Sequence[int], length: int) -> list[int]:
        # Returns ns per place. The engine limits the size of a write, so long ones are split.
        size = min(length, _MOST_WRITE_BYTES)
        pieces = [place + step for place in places for step in range(0, length, size)]
        times_ns = self.device.write(size, pieces, seed=self.seed, sync="osync")
        each = length // size
        return [sum(times_ns[at : at + each]) for at in range(0, len(times_ns), each)]

    def _build_parameters(self, length: int, order: str) -> JsonDict:
        more = {"erase_size_bytes": self.options.erase_block_bytes, "io": self.io, "sync": "osync"}
        return describe_writes(order, length) | more


def _has_collapsed(lines: Sequence[Line]) -> bool:
    rates = [entry["values"][0] for line in lines for entry in line.entries]
    return not rates or rates[-1] < _COLLAPSED * max(rates[:1])


def _entry(
    workload: str, metric: str, unit: str, value: float, parameters: JsonDict, operations: int
) -> JsonDict:
    return {
        "workload": workload,
        "metric": metric,
        "unit": unit,
        "values": [round(value)],
        "operations": operations,
        "parameters": parameters,
    }


def _format_scaled(steps: Sequence[tuple[float, str, str]], value: float) -> str:
    # Three digits, four of the largest unit, as in flashbench.
    limit, unit, digits = next(step for step in steps if abs(value) >= step[0])
    return f"{value / limit:{digits}}{unit}" if limit else f"{value:.0f}{unit}"


spoken_ns = partial(
    _format_scaled, [(1e9, "s", ".4g"), (1e6, "ms", ".3g"), (1e3, "µs", ".3g"), (0, "ns", "")]
)
spoken_rate = partial(
    _format_scaled, [(1e9, "G/s", ".4g"), (1e6, "M/s", ".3g"), (1e3, "K/s", ".3g"), (0, "B/s", "")]
)
spoken_bytes = partial(
    _format_scaled, [(1024**3, "GiB", ".4g"), (1024**2, "MiB", ".3g"), (1024, "KiB", ".3g"), (0, "B", "")]
)
