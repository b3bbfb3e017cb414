"""flashbench itself and `--suite flashbench` on the same loop device, row by row: FLASHBENCH=PATH, or on PATH.

The loop device lies in memory and is held by a cgroup to as many bytes and operations per second as a card may do, so
that little of any other load shows; the two take turns, with the real-time priority that flashbench asks for itself. A
cgroup counts in steps of 100 ms and gives one of them in advance to whoever has rested: so rows take seconds, and the
first of each table is not judged. Needs root; takes 10 minutes.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import harmonic_mean

from cardbench.engine import Engine
from cardbench.flashbench import Options, run
from cardbench.sizes import KIB, MIB
from cardbench.surface import Surface

from tests.bench.engine_cost import ENGINE_SOURCE
from tests.bench.engine_peers import IMAGE_BYTES, limited, loop_device, output

ROUNDS = 5
_OPTIONS = Options(512 * KIB, 16 * MIB, (2,))
_LIMITS = {"write_bps": 20_000_000, "write_iops": 60}
_BEFORE = 8  # MiB
_FIRST_ROW = "16MiB"
_TABLES = {"-O": "open AUs, linear", "-O --random": "open AUs, random", "-f": "first erase blocks"}
Rates = defaultdict[tuple[str, str], list[float]]  # table and row -> bytes/s of its cells, in every round


def main() -> None:
    """Prints the tables."""
    tool = os.environ.get("FLASHBENCH") or shutil.which("flashbench")
    if not tool or os.geteuid():
        print("flashbench is not compared: it needs root, and FLASHBENCH=PATH of a built flashbench")
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name, loop_device(Path(name)) as device:
        subprocess.run(["make", "-s", "-C", ENGINE_SOURCE, f"BUILD={name}", "all"], check=True)
        with limited(device, **_LIMITS) as is_limited:
            if is_limited:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
                _compare(tool, Path(name) / "cardbench-engine", device)


def _compare(tool: str, engine: Path, device: Path) -> None:
    ours, theirs = Rates(list), Rates(list)
    for _ in range(ROUNDS):
        _add_theirs(theirs, tool, device)
        _add_ours(ours, engine, device)
    print(f"{ROUNDS} rounds in turn, held to {_LIMITS}; MB/s: theirs, ours, ratio")
    judged = []
    for (table, row), rates in ours.items():
        own, other = harmonic_mean(rates) / 1e6, harmonic_mean(theirs[table, row]) / 1e6
        judged += [abs(own / other - 1)] if row != _FIRST_ROW else []
        print(f"  {_TABLES[table]:<20}{row:>7}{other:>10,.2f}{own:>10,.2f}  x{own / other:.3f}")
    print(f"  furthest apart: {max(judged):.1%}, of {len(judged)} rows")


def _add_theirs(rates: Rates, tool: str, device: Path) -> None:
    output(["dd", "if=/dev/zero", f"of={device}", "bs=1M", f"count={_BEFORE}", "oflag=direct"])
    sizes = [f"--erasesize={_OPTIONS.erase_block_bytes}", f"--blocksize={_OPTIONS.block_bytes}"]
    for table in _TABLES:
        more = ["--open-au-nr=2"] if table.startswith("-O") else []
        for line in output([tool, *table.split(), *sizes, *more, str(device)]).splitlines():
            row, *cells = line.split()
            rates[table, row] += map(_bytes_per_second, cells)


def _add_ours(rates: Rates, engine: Path, device: Path) -> None:
    surface, table = Surface(IMAGE_BYTES, 512, may_write=True, shows_boundaries=True), ""
    with Engine([str(engine)]) as running:
        running.open(str(device), write=True)
        running.write(MIB, [number * MIB for number in range(_BEFORE)], seed=1)
        for line in run(running, surface, _OPTIONS, seed=1, io="direct"):
            if line.text.startswith("$"):
                table = " ".join(word for word in line.text.split() if word in ("-O", "-f", "--random"))
            elif table:
                row = line.text.split()[0]
                rates[table, row] += [entry["values"][0] for entry in line.entries]


def _bytes_per_second(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.e+]+)([GMKB])\S*", text).groups()  # type: ignore[union-attr]
    return float(number) * {"G": 1e9, "M": 1e6, "K": 1e3, "B": 1}[unit]


if __name__ == "__main__":
    main()
