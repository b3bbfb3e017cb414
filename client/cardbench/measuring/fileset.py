"""Measure work on whole files in a directory: many small files, mixed work and copying, with CPU time and counters.

All files are in a temporary directory, which is removed at the end even after an error.
"""

from __future__ import annotations

import mmap
import os
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cardbench.errors import name_errno
from cardbench.measuring.cells import FileWork
from cardbench.measuring.workloads import list_measurements
from cardbench.shapes import JsonDict
from cardbench.sizes import SECOND_NS
from cardbench.target.engine import EngineError
from cardbench.target.posix import resource
from cardbench.target.surface import WorkDirectory

LARGEST_FILE_BYTES = 2**28 - 1  # random.Random cannot make more bytes at once
_FAN_OUT = 32  # files or directories in a directory
_MIXED_NS = 4 * SECOND_NS
_OF_NAMES = ("stat", "delete")  # actions that transfer no content
_AGAIN = "read again"  # immediately, so from the page cache if the file fits
MIXED_ACTIONS = ("create", "append", "read", "delete")
# Way to sync -> steps after each file, and steps after all files. A mount with the option sync needs none.
WAYS_TO_SYNC: Mapping[str, tuple[str, str]] = {
    "sync_mount": ("", ""),
    "fsync_at_end": ("", "sync"),
    "fsync_each": ("sync", ""),
    "background": ("background", "sync"),
    "remount_each": ("remount", ""),
    "remount_at_end": ("", "remount"),
    "remount_and_sync": ("", "remount sync"),
    "background_and_remount": ("background", "remount"),
}


@dataclass(frozen=True)
class Work:
    """The number of operations and bytes of one action on the files."""

    operations: int
    moved_bytes: int


def run(work: FileWork, place: WorkDirectory, *, seed: int) -> Iterator[JsonDict]:
    """Repeat one piece of work on files, and yield its measurements for the report.

    Raise EngineError after an OSError.
    """
    try:
        with _own_directory(place.directory) as root:
            yield from WORKLOADS[work.workload](work, place, root, random.Random(seed))
    except OSError as error:
        raise EngineError(f"{work.title}: {error.strerror}", code=name_errno(error)) from error
    except RuntimeError as error:  # a host that has no more threads
        raise EngineError(f"{work.title}: {error}", code="EAGAIN") from error


@contextmanager
def _own_directory(parent: Path) -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(dir=parent, prefix=".cardbench-"))
    try:
        yield root
    finally:
        with suppress(OSError):
            shutil.rmtree(root)


def _time_action(place: WorkDirectory, act: Callable[[], Work], *, settles: bool = True) -> dict[str, float]:
    # If `settles`, the time includes a sync at the end.
    place.sync()
    counted, cpu_ns, begin_ns = place.counters(), _read_cpu_ns(), time.monotonic_ns()
    done = act()
    if settles:
        place.sync()
    duration_ns, cpu_ns = time.monotonic_ns() - begin_ns, _read_cpu_ns() - cpu_ns
    seconds = duration_ns / SECOND_NS
    figures: dict[str, float] = {
        "iops": done.operations / seconds,
        **({"throughput": done.moved_bytes / seconds} if done.moved_bytes else {}),
        "duration": duration_ns,
        "cpu_time": max(1, cpu_ns),
    }
    after = place.counters()
    if counted and after:
        moved = {"device_read_size": after[0] - counted[0], "device_write_size": after[1] - counted[1]}
        figures |= {name: value for name, value in moved.items() if value > 0}
    return figures


def _read_cpu_ns() -> int:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round((usage.ru_utime + usage.ru_stime) * SECOND_NS)


def _build_path(root: Path, number: int) -> Path:
    outer, inner = number // _FAN_OUT**2 % _FAN_OUT, number // _FAN_OUT % _FAN_OUT
    return root / f"{outer:02}" / f"{inner:02}" / f"{number:06}"


def _run_files(work: FileWork, place: WorkDirectory, root: Path, chance: random.Random) -> Iterator[JsonDict]:
    content = chance.randbytes(work.file_size_bytes)
    order = list(range(work.file_count))
    read_file = partial(_read_or_rewrite, size_bytes=work.file_size_bytes, direct=work.is_direct)
    actions: dict[str, Callable[[Path], object]] = {
        "create": lambda path: _write(path, content, direct=work.is_direct),
        "stat": Path.stat,
        "read": read_file,
        **({} if work.is_direct else {_AGAIN: read_file}),
        "rewrite": partial(read_file, rewrites=True),
        "delete": Path.unlink,
    }
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in actions}
    for number in order:
        _build_path(root, number).parent.mkdir(parents=True, exist_ok=True)
    for _ in range(work.repeats):
        for name, act in actions.items():
            moved_bytes = 0 if name in _OF_NAMES else work.file_count * work.file_size_bytes

            def do(act: Callable[[Path], object] = act, moved_bytes: int = moved_bytes) -> Work:
                for number in order:
                    act(_build_path(root, number))
                return Work(len(order), moved_bytes)

            if name in ("stat", "read", "rewrite"):
                chance.shuffle(order)
                _forget(root)
            taken[name].append(_time_action(place, do))
    for name, repeats in taken.items():
        more = {"action": "read", "io": "cached"} if name == _AGAIN else {"action": name}
        yield from list_measurements(work.workload, repeats, {"parameters": work.parameters | more})


def _write(path: Path, content: bytes, *, direct: bool) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_DIRECT if direct else 0), 0o600)
    try:
        if direct:
            with _allocate_aligned(content) as buffer:
                os.write(handle, buffer)
        else:
            os.write(handle, content)
    finally:
        os.close(handle)


def _read_or_rewrite(path: Path, size_bytes: int, *, direct: bool, rewrites: bool = False) -> None:
    handle = os.open(path, (os.O_RDWR if rewrites else os.O_RDONLY) | (os.O_DIRECT if direct else 0))
    try:
        with _allocate_aligned(bytes(size_bytes)) as buffer:
            os.readv(handle, [buffer])
            if rewrites:
                os.pwritev(handle, [buffer], 0)
    finally:
        os.close(handle)


@contextmanager
def _allocate_aligned(content: bytes) -> Iterator[mmap.mmap]:
    # Memory that begins at a page, as direct I/O requires.
    with mmap.mmap(-1, len(content)) as buffer:
        buffer[:] = content
        yield buffer


def _forget(root: Path) -> None:
    """Write all files to the card and drop them from the page cache, so that they are read from the card."""
    os.sync()
    for path in root.rglob("*"):
        if path.is_file():
            handle = os.open(path, os.O_RDONLY)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


def _repeat(
    work: FileWork,
    place: WorkDirectory,
    root: Path,
    act: Callable[[Path], Work],
    *,
    settles: bool = True,
    background: Sequence[threading.Thread] = (),
) -> Iterator[JsonDict]:
    # Each repeat has an empty directory of its own. Threads in the background may end after the time is taken.
    repeats = []
    for repeat in range(work.repeats):
        _forget(root)
        target = root / f"{repeat}"
        target.mkdir()
        repeats.append(_time_action(place, partial(act, target), settles=settles))
        for thread in background:
            thread.join()
        shutil.rmtree(target)
    yield from list_measurements(work.workload, repeats, {"parameters": work.parameters})


def _run_copy(work: FileWork, place: WorkDirectory, root: Path, chance: random.Random) -> Iterator[JsonDict]:
    for number in range(work.file_count):
        path = _build_path(root / "from", number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(work.file_size_bytes))

    def copy(target: Path) -> Work:
        shutil.copytree(root / "from", target / "to")
        return Work(work.file_count, work.file_count * work.file_size_bytes)

    return _repeat(work, place, root, copy)


def _run_mixed(work: FileWork, place: WorkDirectory, root: Path, chance: random.Random) -> Iterator[JsonDict]:
    seeds = [chance.random() for _ in range(work.threads)]

    def mix(target: Path) -> Work:
        workers = [
            _Worker(target / f"{number}", work, random.Random(seed)) for number, seed in enumerate(seeds)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        failed = next((worker.error for worker in workers if worker.error), None)
        if failed:
            raise failed
        return Work(
            sum(worker.operations for worker in workers), sum(worker.moved_bytes for worker in workers)
        )

    return _repeat(work, place, root, mix)


class _Worker(threading.Thread):
    """A thread that creates, appends to, reads and deletes files of its own, by weight, until its time is used up."""

    def __init__(self, root: Path, work: FileWork, chance: random.Random) -> None:
        super().__init__()
        self._root, self._chance = root, chance
        pairs = (pair.split(":") for pair in work.weights.split())
        self._weights = {name: int(weight) for name, weight in pairs}
        self._content = chance.randbytes(work.file_size_bytes)
        self._names: list[Path] = []
        self._most_files = max(1, work.file_count // work.threads)
        self.operations = self.moved_bytes = 0
        self.error: OSError | None = None

    def run(self) -> None:
        end_ns = time.monotonic_ns() + _MIXED_NS
        try:
            self._root.mkdir()
            while time.monotonic_ns() < end_ns:
                (action,) = self._chance.choices(list(self._weights), list(self._weights.values()))
                self._act(self._choose_possible(action))
                self.operations += 1
        except OSError as error:
            self.error = error

    def _choose_possible(self, action: str) -> str:
        # Replaces the action if there is no file yet, or so many that the card would fill up.
        if not self._names:
            return "create"
        return "delete" if action == "create" and len(self._names) >= self._most_files else action

    def _act(self, action: str) -> None:
        if action == "create":
            self._names.append(self._root / f"{self.operations:06}")
            self._names[-1].write_bytes(self._content)
        elif action == "delete":
            self._names.pop(self._chance.randrange(len(self._names))).unlink()
            return
        elif action == "append":
            with self._chance.choice(self._names).open("ab") as file:
                file.write(self._content)
        else:
            self._chance.choice(self._names).read_bytes()
        self.moved_bytes += len(self._content)


def is_possible(work: FileWork, place: WorkDirectory, *, is_sync_mount: bool) -> bool:
    """Return whether a piece of work can be done in a directory.

    Work that remounts is possible only on a file system that cardbench itself has mounted.
    """
    if work.sync == "sync_mount":
        return is_sync_mount
    return place.may_remount or "remount" not in work.sync


def _run_sync(work: FileWork, place: WorkDirectory, root: Path, chance: random.Random) -> Iterator[JsonDict]:
    content = chance.randbytes(work.file_size_bytes)
    each, at_end = WAYS_TO_SYNC[work.sync]
    background: list[threading.Thread] = []

    def write(target: Path) -> Work:
        for number in range(work.file_count):
            _write(target / f"{number:06}", content, direct=False)
            _do_sync(each, place, background)
        _do_sync(at_end, place, background)
        return Work(work.file_count, work.file_count * work.file_size_bytes)

    return _repeat(work, place, root, write, settles=False, background=background)


def _do_sync(steps: str, place: WorkDirectory, background: list[threading.Thread]) -> None:
    for step in steps.split():
        if step == "background":
            background.append(threading.Thread(target=place.sync))
            background[-1].start()
        elif step == "remount":
            place.remount()
        else:
            place.sync()


WORKLOADS: dict[str, Callable[[FileWork, WorkDirectory, Path, random.Random], Iterator[JsonDict]]] = {
    "files": _run_files,
    "mixed": _run_mixed,
    "copy": _run_copy,
    "sync": _run_sync,
}
