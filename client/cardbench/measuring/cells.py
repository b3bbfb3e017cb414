"""The parts of a measurement plan: an access pattern on a device (cell), or work on whole files in a directory."""

from __future__ import annotations

from dataclasses import dataclass

from cardbench.measuring.descriptions import SAID, describe_briefly
from cardbench.sizes import SECOND_NS
from cardbench.target.surface import SPAN_BYTES


@dataclass(frozen=True)
class Cell:
    """One access pattern of a plan, measured several times.

    A repeat that exceeds its time budget ends early and is marked.
    """

    workload: str  # stream, align, chunk, sync, sustained, open-au
    direction: str  # read, write
    block_size_bytes: int
    count: int  # operations in one repeat
    order: str | None = None  # sequential, random
    align_bytes: int | None = None
    repeats: int = 3
    most_repeats: int = 3  # repeats are added up to this number while they differ too much
    budget_ns: int = 2 * SECOND_NS  # time limit of one repeat
    queue_depth: int = 1
    sync: str = "none"  # fsync_at_end, fsync_each, dsync, osync
    span_bytes: int = SPAN_BYTES
    is_whole_file: bool = False  # all operations of a repeat together write one file
    unit_bytes: int | None = None  # allocation units of this size are filled one after the other

    @property
    def title(self) -> str:
        """Return the title of the pattern in the progress line and in the list of skipped work."""
        known = {name: value for name, value in vars(self).items() if name in SAID and value is not None}
        size = {"file_size_bytes": self.length_bytes} if self.is_whole_file else {}
        return describe_briefly(self.workload, known | size)

    @property
    def length_bytes(self) -> int:
        """Return the most bytes that one repeat reads or writes."""
        return self.block_size_bytes * self.count

    @property
    def weight(self) -> int:
        """Return the weight of the pattern in the progress bar."""
        return self.repeats * (1 if self.align_bytes else 4 * self.budget_ns // SECOND_NS)

    @property
    def written_bytes(self) -> int:
        """Return the most bytes that all repeats together write."""
        return self.length_bytes * self.most_repeats if self.direction == "write" else 0


@dataclass(frozen=True)
class FileWork:
    """Work on whole files in a directory, as a part of a plan, measured several times."""

    workload: str  # files, mixed, copy, sync
    file_count: int
    file_size_bytes: int
    is_direct: bool = False
    threads: int = 1
    weights: str = "create:4 append:3 read:2 delete:1"  # as in profiles of the Flexible File System Benchmark
    sync: str = "fsync_at_end"
    repeats: int = 3

    @property
    def title(self) -> str:
        """Return the title of the work in the progress line and in the list of skipped work."""
        return describe_briefly(self.workload, self.parameters)

    @property
    def weight(self) -> int:
        """Return the weight of the work in the progress bar."""
        return 30

    @property
    def parameters(self) -> dict[str, object]:
        """Return the parameters of the work in the report."""
        own: dict[str, dict[str, object]] = {
            "mixed": {"threads": self.threads, "weights": self.weights},
            "sync": {
                "direction": "write",
                "block_size_bytes": self.file_size_bytes,
                "file_count": self.file_count,
            },
        }
        io = "direct" if self.is_direct else "buffered"
        counted = own.get(self.workload, {"file_count": self.file_count})
        return counted | {"file_size_bytes": self.file_size_bytes, "io": io, "sync": self.sync}

    @property
    def written_bytes(self) -> int:
        """Return the bytes that all repeats together write; an estimate for mixed work."""
        return self.file_count * self.file_size_bytes * (self.repeats + 1)
