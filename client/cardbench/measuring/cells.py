"""One piece of a plan: an access pattern on a device, or work on whole files."""

from __future__ import annotations

from dataclasses import dataclass

from cardbench.sizes import SECOND_NS, binary
from cardbench.target.surface import SPAN_BYTES

_SYNC_WORDS = {
    "fsync_at_end": "with a sync at the end",
    "fsync_each": "with a sync after each",
    "dsync": "with O_DSYNC",
    "osync": "with O_SYNC",
}


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
        """For the progress line and for what was not run."""
        if self.align_bytes:
            return f"reads across multiples of {binary(self.align_bytes)}"
        size = f"{binary(self.length_bytes)} in " if self.is_whole_file else ""
        name = "" if self.workload == "stream" else f"{self.workload.replace('-au', ' unit')}: "
        depth = f", queue depth {self.queue_depth}" if self.queue_depth > 1 else ""
        sync = f", {_SYNC_WORDS[self.sync]}" if self.sync != "none" else ""
        return f"{name}{self.order} {self.direction}, {size}{binary(self.block_size_bytes)}{depth}{sync}"

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
        """For the progress line and for what was not run."""
        how = f"{self.threads} threads" if self.threads > 1 else f"{self.file_count:,} files"
        io = "direct" if self.is_direct else "buffered"
        return f"{self.workload}: {how} of {binary(self.file_size_bytes)}, {io}"

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
