"""One piece of a plan: an access pattern on a device, or work on whole files."""

from __future__ import annotations

from dataclasses import dataclass

from cardbench.shapes import JsonMapping
from cardbench.sizes import SECOND_NS, binary
from cardbench.target.surface import SPAN_BYTES


def describe_access(workload: str, parameters: JsonMapping) -> str:
    """Return the access pattern of a measurement, as people say it."""
    if parameters.get("align_bytes"):
        return f"reads across multiples of {binary(parameters['align_bytes'])}"
    name = "" if workload == "stream" else f"{workload.replace('-au', ' unit')}: "
    depth = f", queue depth {parameters['queue_depth']}" if parameters.get("queue_depth", 1) > 1 else ""
    sync = f", {parameters['sync'].replace('_', ' ')}" if parameters.get("sync", "none") != "none" else ""
    pattern = " ".join(filter(None, (parameters.get("order"), parameters.get("direction"))))
    blocks = binary(parameters.get("block_size_bytes", 0))
    return f"{name}{pattern}, {_whole_file(parameters)}{blocks}{depth}{sync}"


def _whole_file(parameters: JsonMapping) -> str:
    """Return words for a file that is written from its beginning to a sync at its end; "" for part of a longer one."""
    size, span = parameters.get("file_size_bytes", 0), parameters.get("span_bytes", 0)
    is_whole = size and parameters.get("sync") == "fsync_at_end" and size < span
    return f"a file of {binary(size)} in " if is_whole else ""


def describe_files(workload: str, parameters: JsonMapping) -> str:
    """Return the work on whole files of a measurement, as people say it."""
    counted = (
        f"{parameters['threads']} threads"
        if "threads" in parameters
        else f"{parameters.get('file_count', 0):,} files"
    )
    size = binary(parameters.get("file_size_bytes", 0))
    action = parameters.get("action", f"{workload}:")
    return f"{action} {counted} of {size}, {parameters.get('io', '')}"


@dataclass(frozen=True)
class Cell:
    """One access pattern, repeated. A repeat that reaches its budget ends early and is marked."""

    workload: str  # stream, align, chunk, sync, sustained, open-au
    direction: str  # read, write
    block_size_bytes: int
    count: int  # operations in one repeat
    order: str | None = None  # sequential, random
    align_bytes: int | None = None
    repeats: int = 3
    most_repeats: int = 3  # while they differ too much
    budget_ns: int = 2 * SECOND_NS  # of one repeat
    queue_depth: int = 1
    sync: str = "none"  # fsync_at_end, fsync_each, dsync, osync
    span_bytes: int = SPAN_BYTES
    is_whole_file: bool = False  # all operations together stand for a file that is written
    unit_bytes: int | None = None  # written whole, one after the other: never is more than one unit open

    @property
    def title(self) -> str:
        """Return the words for the progress line and for what was not run."""
        size = {"file_size_bytes": self.length_bytes} if self.is_whole_file else {}
        return describe_access(self.workload, vars(self) | size)

    @property
    def length_bytes(self) -> int:
        """What one repeat reads or writes at most."""
        return self.block_size_bytes * self.count

    @property
    def weight(self) -> int:
        """Its share of the progress bar."""
        return self.repeats * (1 if self.align_bytes else 4 * self.budget_ns // SECOND_NS)

    @property
    def written_bytes(self) -> int:
        """What all repeats together write at most."""
        return self.length_bytes * self.most_repeats if self.direction == "write" else 0


@dataclass(frozen=True)
class FileWork:
    """Work on whole files in a directory, repeated."""

    workload: str  # files, mixed, copy
    file_count: int
    file_size_bytes: int
    is_direct: bool = False
    threads: int = 1
    repeats: int = 3

    @property
    def title(self) -> str:
        """Return the words for the progress line and for what was not run."""
        return describe_files(self.workload, self.parameters)

    @property
    def weight(self) -> int:
        """Its share of the progress bar."""
        return 30

    @property
    def parameters(self) -> dict[str, object]:
        """As the report names it; everything is synced at the end."""
        counted = {"threads": self.threads} if self.workload == "mixed" else {"file_count": self.file_count}
        io = "direct" if self.is_direct else "buffered"
        return counted | {"file_size_bytes": self.file_size_bytes, "io": io, "sync": "fsync_at_end"}

    @property
    def written_bytes(self) -> int:
        """What all repeats together write; of mixed work a guess."""
        return self.file_count * self.file_size_bytes * (self.repeats + 1)
