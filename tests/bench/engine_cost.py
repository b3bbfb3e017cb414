"""Measure the time of one 4 KiB read of the engine from a file in memory, beside dd and fio.

All programs read the same file in turn, several rounds; the table shows the median of each, and its ratio to the engine
reading in the same order. dd has no random mode, so the engine reads in sequence, too; fio uses psync at queue depth 1.
"""

import json
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ENGINE_SOURCE = Path(__file__).parents[2] / "client" / "engine"
ROUNDS = 7
READS = 65_536
BLOCK_BYTES = 4096
OFFSETS_PER_LINE = 4096


@dataclass(frozen=True, slots=True)
class Cost:
    """The time of one read in ns: of the whole process, and as the program itself reports it."""

    process_ns: float
    own_ns: float


Program = Callable[[], Cost]


def main() -> None:
    """Print the table of programs and their times per read."""
    with _make_folder() as place:
        programs = _list_programs(place)
        costs: dict[str, list[Cost]] = {name: [] for name in programs}
        for _ in range(ROUNDS):
            for name, program in programs.items():
                costs[name].append(program())
    _print(costs)


@contextmanager
def _make_folder() -> Iterator[Path]:
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        place = Path(name)
        (place / "file").write_bytes(random.Random(1).randbytes(BLOCK_BYTES) * READS)
        for order in ("random", "sequential"):
            (place / order).write_text("\n".join(_requests(place / "file", order)) + "\n")
        subprocess.run(["make", "-s", "-C", ENGINE_SOURCE, f"BUILD={place}", "all"], check=True)
        yield place


def _requests(file: Path, order: str) -> Iterator[str]:
    offsets = [number * BLOCK_BYTES for number in range(READS)]
    if order == "random":
        random.Random(2).shuffle(offsets)
    yield f"open read direct {file}"
    for first in range(0, READS, OFFSETS_PER_LINE):
        yield " ".join(map(str, [f"read {BLOCK_BYTES}", *offsets[first : first + OFFSETS_PER_LINE]]))


def _list_programs(place: Path) -> dict[str, Program]:
    # A name ends with the order in which the program reads.
    programs: dict[str, Program] = {
        "engine, random": lambda: _engine(place, "random"),
        "engine, sequential": lambda: _engine(place, "sequential"),
        "dd, sequential": lambda: _dd(place),
    }
    if shutil.which("fio"):
        programs["fio psync, random"] = lambda: _fio(place)
    else:
        print("fio is not installed here, so it is not compared.")
    return programs


def _time_command(command: Sequence[str | Path], **more: object) -> tuple[str, str, float]:
    """Run a command; return stdout, stderr and the nanoseconds of the whole process per read."""
    begin_ns = time.monotonic_ns()
    done = subprocess.run(command, check=True, capture_output=True, text=True, **more)  # type: ignore[call-overload]
    return done.stdout, done.stderr, (time.monotonic_ns() - begin_ns) / READS


def _engine(place: Path, order: str) -> Cost:
    with (place / order).open() as requests:
        replies, _, process_ns = _time_command([place / "cardbench-engine"], stdin=requests)
    opened, *reads = replies.splitlines()
    if "io=direct" not in opened:
        print(f"engine: {opened}")
    return Cost(process_ns, sum(int(word) for line in reads for word in line.split()[1:]) / READS)


def _dd(place: Path) -> Cost:
    words = [f"if={place / 'file'}", "of=/dev/null", f"bs={BLOCK_BYTES}", f"count={READS}", "iflag=direct"]
    _, report, process_ns = _time_command(["dd", *words])
    seconds = re.search(r"([\d.]+(?:e-?\d+)?) s,", report)
    return Cost(process_ns, float(seconds[1]) * 1e9 / READS if seconds else float("nan"))


def _fio(place: Path) -> Cost:
    words = [
        "--name=read",
        f"--filename={place / 'file'}",
        "--rw=randread",
        f"--bs={BLOCK_BYTES}",
        "--direct=1",
    ]
    words += [
        f"--size={READS * BLOCK_BYTES}",
        "--ioengine=psync",
        "--output-format=json",
        "--allow_file_create=0",
    ]
    report, _, process_ns = _time_command(["fio", *words])
    return Cost(process_ns, json.loads(report[report.index("{") :])["jobs"][0]["read"]["lat_ns"]["mean"])


def _print(costs: dict[str, list[Cost]]) -> None:
    print(
        f"one 4 KiB read from memory: median of {ROUNDS} rounds of {READS:,} reads, in ns (and x the engine's)"
    )
    print(f"{'':<20}{'whole process':>20}{'by its own count':>20}")
    process = {name: median(cost.process_ns for cost in taken) for name, taken in costs.items()}
    own = {name: median(cost.own_ns for cost in taken) for name, taken in costs.items()}
    for name in costs:
        base = f"engine, {name.rpartition(' ')[2]}"
        cells = (f"{value[name]:,.0f} ({value[name] / value[base]:.2f})" for value in (process, own))
        print(f"{name:<20}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()
