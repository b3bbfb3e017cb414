"""Compare flashbench itself with `--suite flashbench` on the same slow device, row by row: FLASHBENCH=PATH.

The two run in turn, with the real-time priority that flashbench itself requests. The device is that of slow_card.py,
which never answers early. Other work on the machine only makes it slower, so the fastest of all rounds counts. Needs
root; takes 4 minutes. Version 62-1 of Debian cannot be compared: it prints no table for -s.
"""

import os
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from cardbench.measuring.flashbench import Options, run
from cardbench.sizes import KIB, MIB
from cardbench.target.engine import Engine
from cardbench.target.surface import Surface

from tests.bench.engine_cost import ENGINE_SOURCE
from tests.bench.slow_card import slow_card

ROUNDS = 4
_OPTIONS = Options(64 * KIB, 4 * MIB, (2,))
_SIZE_BYTES = 255 * MIB  # no power of two: of a read across the end of such a device, flashbench makes two
_TABLES = {
    "-a": "align",
    "-s": "scatter",
    "-O": "open AUs, linear",
    "-O --random": "open AUs, random",
    "-f": "first erase blocks",
}
_READS = ("-a", "-s")
_COLUMNS = ("pre", "on", "post")  # the fourth is their difference: of a device without boundaries, nothing
_UNITS = {
    "ns": 1e-6,
    "µs": 1e-3,
    "ms": 1.0,
    "B/s": 1e-6,
    "K/s": 1e-3,
    "M/s": 1.0,
    "G/s": 1e3,
}  # in ms and MB/s
Figures = defaultdict[tuple[str, str], list[float]]  # table and row -> ms or MB/s, of all rounds


def main() -> None:
    """Print the tables that compare flashbench with cardbench."""
    tool = os.environ.get("FLASHBENCH")
    if not tool or os.geteuid():
        print("flashbench is not compared: it needs root, and FLASHBENCH=PATH of a built flashbench")
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name, slow_card(Path(name), _SIZE_BYTES) as device:
        subprocess.run(["make", "-s", "-C", ENGINE_SOURCE, f"BUILD={name}", "all"], check=True)
        if device:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
            _compare(tool, Path(name) / "cardbench-engine", device)


def _compare(tool: str, engine: Path, device: Path) -> None:
    ours, theirs = Figures(list), Figures(list)
    for _ in range(ROUNDS):
        _add_theirs(theirs, tool, device)
        _add_ours(ours, engine, device)
    if differing := sorted(ours.keys() ^ theirs.keys()):
        raise SystemExit(f"{len(differing)} rows are in one of the outputs only, such as {differing[0]}")
    print(f"{ROUNDS} rounds in turn; reads in ms, writes in MB/s: theirs, ours, ratio")
    apart: dict[str, list[float]] = defaultdict(list)
    for (table, row), figures in ours.items():
        fastest = min if table in _READS else max
        own, other = fastest(figures), fastest(theirs[table, row])
        apart[table].append(abs(own / other - 1))
        if table != "-s":
            print(f"  {_TABLES[table]:<20}{row:>14}{other:>10,.3f}{own:>10,.3f}  x{own / other:.3f}")
    for table, ratios in apart.items():
        print(f"  {_TABLES[table]:<20}furthest apart {max(ratios):6.2%}, of {len(ratios)} cells")


def _add_theirs(figures: Figures, tool: str, device: Path) -> None:
    sizes = [f"--erasesize={_OPTIONS.erase_block_bytes}", f"--blocksize={_OPTIONS.block_bytes}"]
    for table in _TABLES:
        more = {"-a": ["--blocksize=1024"], "-O": [*sizes, "--open-au-nr=2"]}.get(table[:2], sizes)
        done = subprocess.run(
            [tool, *table.split(), *more, str(device)], check=True, capture_output=True, text=True, stdin=None
        )
        _add_rows(figures, table, done.stdout.splitlines())


def _add_ours(figures: Figures, engine: Path, device: Path) -> None:
    surface = Surface(_SIZE_BYTES, 512, may_write=True, shows_boundaries=True)
    table, tables = "", defaultdict[str, list[str]](list)
    with Engine([str(engine)]) as running:
        running.open(str(device), write=True)
        for line in run(running, surface, _OPTIONS, seed=1, io="direct"):
            if line.text.startswith("$"):
                table = " ".join(
                    word for word in line.text.split() if word in ("-a", "-s", "-O", "-f", "--random")
                )
            else:
                tables[table].append(line.text)
    for table, lines in tables.items():
        _add_rows(figures, table, [line for line in lines if not line.startswith("#")])


def _add_rows(figures: Figures, table: str, lines: Sequence[str]) -> None:
    for line in lines:
        for row, cell in _cells(table, line):
            figures[table, row].append(cell)


def _cells(table: str, line: str) -> Iterator[tuple[str, float]]:
    if table == "-a":
        columns = dict(re.findall(r"(\w+) (\S+)", line))
        yield from ((f"{columns['align']} {column}", _number(columns[column])) for column in _COLUMNS)
    elif table == "-s":
        position, milliseconds = line.split()
        yield position, float(milliseconds)
    else:
        row, *speeds = line.split()
        yield from ((f"{row} {number}", _number(speed)) for number, speed in enumerate(speeds))


def _number(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.e+]+)(\D+)", text).groups()  # type: ignore[union-attr]
    return float(number) * _UNITS[unit]


if __name__ == "__main__":
    main()
