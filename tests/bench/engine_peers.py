"""Compare the engine with plain C, dd and fio, on the same file or loop device and at the same time.

It measures the time of one 4 KiB read in memory, the rate of 1 MiB requests through a loop device, and whether all
programs agree on a device that is as slow as a card (slow_card.py). All but the first need root.
"""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from cardbench.sizes import KIB, MIB
from cardbench.target.engine import Engine

from tests.bench.engine_cost import ENGINE_SOURCE
from tests.bench.slow_card import slow_card

ROUNDS = 7
_SLOW_READS = 4000
IMAGE_BYTES = 256 * MIB
_STREAM_BYTES = 4 * IMAGE_BYTES  # over and over again: fio counts in milliseconds

BARE_LOOP = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY | O_DIRECT);
	long count = atol(argv[2]), sum = 0;
	void *buffer;
	FILE *order = fopen(argv[3], "r");
	long *offsets = malloc(count * sizeof *offsets);
	if (argc < 4 || fd < 0 || posix_memalign(&buffer, 4096, 4096) || !order)
		return 1;
	for (long i = 0; i < count; i++)
		if (fscanf(order, "%ld", offsets + i) != 1)
			return 1;
	for (long i = 0; i < count; i++) {
		struct timespec a, b;
		clock_gettime(CLOCK_MONOTONIC, &a);
		if (pread(fd, buffer, 4096, offsets[i]) != 4096)
			return 1;
		clock_gettime(CLOCK_MONOTONIC, &b);
		sum += (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec;
	}
	printf("%f\n", (double)sum / count);
	return 0;
}
"""


def main() -> None:
    """Print the tables that compare the engine with other programs."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        place = Path(name)
        subprocess.run(["make", "-s", "-C", ENGINE_SOURCE, f"BUILD={place}", "all"], check=True)
        _compare_in_memory(place)
        if os.geteuid():
            print("without root there are no loop devices, and the rest is left out")
            return
        with loop_device(place) as device:
            _compare_sequential(place, device)
        with slow_card(place, IMAGE_BYTES) as device:
            if device:
                _compare_card_like(place, device)


def _take_turns(programs: dict[str, Callable[[], float]], unit: str, *, against: str) -> None:
    """Run every program once per round; print the median of each in its unit, and its ratio to `against`."""
    taken: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, program in programs.items():
            taken[name].append(program())
    for name, values in taken.items():
        ratio = median(values) / median(taken[against])
        low, high = min(values), max(values)
        print(f"  {name:<28}{median(values):>12,.1f} {unit}  x{ratio:.3f}  ({low:,.1f} to {high:,.1f})")


def _compare_in_memory(place: Path) -> None:
    """Compare 4 KiB random reads of a file in memory, in ns as each program itself reports them."""
    reads, file = 32_768, place / "file"
    file.write_bytes(random.Random(1).randbytes(4 * KIB) * reads)
    offsets = [number * 4 * KIB for number in range(reads)]
    random.Random(2).shuffle(offsets)
    (place / "order").write_text("\n".join(map(str, offsets)))
    (place / "bare.c").write_text(BARE_LOOP)
    subprocess.run(["cc", "-O2", "-o", place / "bare", place / "bare.c"], check=True)

    def engine() -> float:
        with Engine([str(place / "cardbench-engine")]) as running:
            running.open(str(file))
            times = [
                time
                for first in range(0, reads, 4096)
                for time in running.read(4 * KIB, offsets[first : first + 4096])
            ]
        return sum(times) / reads

    programs = {
        "bare C loop": lambda: float(output([place / "bare", file, str(reads), place / "order"])),
        "engine": engine,
        "dd, sequential": lambda: _dd_ns(file, reads),
        "fio psync": lambda: _fio(file, "randread", 4 * KIB, reads * 4 * KIB)["lat_ns"]["mean"],
    }
    print("4 KiB random read from memory, ns for each")
    _take_turns(_keep_installed(programs), "ns", against="bare C loop")
    file.unlink()


def _compare_sequential(place: Path, device: Path) -> None:
    # fio changes one buffer for each write, or with an option fills it again; the engine stamps parts of a pool.

    def fio(direction: str, *more: str) -> float:
        return float(_fio(device, direction, MIB, _STREAM_BYTES, *more)["bw_bytes"]) / 1e6

    def engine(direction: str) -> float:
        return _engine_rate(place, device, direction)

    for direction, buffers in (("read", ()), ("write", ("--refill_buffers",))):
        print(f"1 MiB sequential {direction} on a loop device, by each program's own count")
        programs: dict[str, Callable[[], float]] = {
            "fio psync": partial(fio, direction),
            **{f"fio psync {option}": partial(fio, direction, option) for option in buffers},
            "engine": partial(engine, direction),
        }
        programs = _keep_installed(programs)
        _take_turns(programs, "MB/s", against=next(iter(programs)))


def _engine_rate(place: Path, device: Path, direction: str) -> float:
    offsets = [at % IMAGE_BYTES for at in range(0, _STREAM_BYTES, MIB)]
    with Engine([str(place / "cardbench-engine")]) as running:
        running.open(str(device), write=True)
        times = running.read(MIB, offsets) if direction == "read" else running.write(MIB, offsets, seed=1)
    return _STREAM_BYTES / sum(times) * 1e3


def _compare_card_like(place: Path, device: Path) -> None:
    """Compare 4 KiB random reads of a device that is as slow as a card, in IOPS."""
    chosen = random.Random(3).sample(range(IMAGE_BYTES // (4 * KIB)), _SLOW_READS)
    offsets = [number * 4 * KIB for number in chosen]

    def engine() -> float:
        with Engine([str(place / "cardbench-engine")]) as running:
            running.open(str(device))
            times = [
                t for at in range(0, _SLOW_READS, 500) for t in running.read(4 * KIB, offsets[at : at + 500])
            ]
        return _SLOW_READS / sum(times) * 1e9

    programs = _keep_installed(
        {
            "fio psync": lambda: _fio(device, "randread", 4 * KIB, _SLOW_READS * 4 * KIB)["iops"],
            "engine": engine,
        }
    )
    print("4 KiB random read of a device as slow as a card, IOPS")
    _take_turns(programs, "1/s", against=next(iter(programs)))


@contextmanager
def loop_device(place: Path) -> Iterator[Path]:
    image = place / "image"
    image.write_bytes(random.Random(4).randbytes(MIB) * (IMAGE_BYTES // MIB))
    os.sync()
    device = output(["losetup", "--find", "--show", "--direct-io=on", image]).strip()
    try:
        yield Path(device)
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


def _keep_installed(programs: Mapping[str, Callable[[], Any]]) -> dict[str, Callable[[], float]]:
    # fio may be missing.
    return {name: program for name, program in programs.items() if "fio" not in name or shutil.which("fio")}


def output(command: Sequence[str | Path]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=None).stdout


def _dd_ns(file: Path, reads: int) -> float:
    words = ["dd", f"if={file}", "of=/dev/null", "bs=4096", f"count={reads}", "iflag=direct"]
    done = subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})
    match = re.search(r"([\d.]+(?:e-?\d+)?) s,", done.stderr)
    return float(match[1]) * 1e9 / reads if match else float("nan")


def _fio(file: Path, direction: str, block_bytes: int, total_bytes: int, *more: str) -> dict:
    words = ["fio", "--name=x", f"--filename={file}", f"--rw={direction}", f"--bs={block_bytes}"]
    size_bytes = file.stat().st_size or IMAGE_BYTES  # a device has none
    words += ["--direct=1", f"--size={size_bytes}", f"--io_size={total_bytes}", "--ioengine=psync"]
    printed = output([*words, *more, "--output-format=json", "--allow_file_create=0"])
    job = json.loads(printed[printed.index("{") :])["jobs"][0]
    figures: dict = job["read" if "read" in direction else "write"]
    return figures


if __name__ == "__main__":
    main()
