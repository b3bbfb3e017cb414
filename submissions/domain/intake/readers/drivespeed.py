"""Parse the output of Roy Longbottom's DriveSpeed: files of 8 and 16 MB in 1 MiB blocks with O_DIRECT and O_SYNC.

MB/s are 10^6 bytes. It also times the same through the page cache, 1 KiB at random within a number of MB, and 200 files
of a number of KiB, with milliseconds and megabytes that agree. LanSpeed prints the same for a network share, which is
no card.
"""

from typing import Any

from submissions.domain.intake.slots import TYPES, Found, Table, row

_MIB = 1024**2
_LARGE_FILES = {"order": "sequential", "block_size_bytes": _MIB, "queue_depth": 1}
_RANDOM = {"order": "random", "block_size_bytes": 1024}
_WRITE_FIRST, _READ_FIRST = ("write", "read"), ("read", "write")
_SMALL_FILES = (_WRITE_FIRST, "file_size_bytes", 1024, {"file_count": 200})
# label of a row -> workload, metric, unit, directions of its columns, meaning of the numbers above, other parameters
_ROWS: dict[str, tuple[tuple[str, str, str], tuple[str, str], str, int, dict[str, Any]]] = {
    "msecs": (("random-access", "latency_mean", "ms"), _READ_FIRST, "span_bytes", _MIB, _RANDOM),
    "MB/sec": (("small-files", "throughput", "MB/s"), *_SMALL_FILES),
    "ms/file": (("small-files", "latency_mean", "ms"), *_SMALL_FILES),
}
_TYPES = TYPES | {
    "six": (r"(?:\s{0,12}[0-9]{1,7}(?:\.[0-9]{1,3})?\b){6}", lambda text: [*map(float, text.split())])
}


class DriveSpeed(Table):
    types = _TYPES

    def set_up(self) -> None:
        self.tool, self.cached, self.sizes = "", False, list[float]()

    def begin(self) -> None:
        """Forget the run above at a command or another tool's heading, but not at a title that DriveSpeed prints."""
        if self.scene.command.program or self.scene.heading:
            self.tool, self.cached = "", False

    @row(r"{name:DriveSpeed|LanSpeed} (?:\w{1,12} )?{version:[0-9]\.[0-9]}\b.{0,60}")
    def banner(self, found: Found) -> None:
        self.tool, self.cached = found["name"].lower(), False
        self.add("tool_version", found["version"], found)

    @row("[0-9]{1,4} {rates:six}")
    def large(self, found: Found) -> bool:
        if self.tool == "lanspeed":
            self.scene.left_out.append("LanSpeed measures a network share, not a card.")
        elif self.tool:
            what, direct = ("cached" if self.cached else "stream", "throughput", "MB/s"), not self.cached
            known = _LARGE_FILES | {"io": "direct" if direct else "buffered"}
            for at, rate in enumerate(found["rates"]):
                sync = {"sync": "osync"} if at < 3 and direct else {}
                self.add_number(what, rate, found, direction=_WRITE_FIRST[at // 3], **known, **sync)
        return bool(self.tool)

    @row("Cached")
    def cached_begins(self, found: Found) -> bool:
        self.cached = bool(self.tool)
        return self.cached

    @row("{label:From MB|File KB|msecs|MB/sec|ms/file} {numbers:six}(?: secs| {seconds:number})?")
    def other_sizes(self, found: Found) -> bool:
        if found["label"] not in _ROWS:
            self.sizes = found["numbers"]
        elif self.tool == "drivespeed" and self.sizes:
            what, directions, name, factor, known = _ROWS[found["label"]]
            for at, (value, size) in enumerate(zip(found["numbers"], self.sizes, strict=True)):
                parameters = {"direction": directions[at // 3], name: int(size) * factor} | known
                self.add_number(what, value, found, **parameters)
            deleted = ("small-files", "duration", "s")
            self.add_number(deleted, found["seconds"] or 0, found, action="delete")
        return bool(self.tool)

    @row("(?:Total MB [0-9]{1,9}, Free MB|[0-9]{1,5} Files ).{0,80}")
    def setting(self, found: Found) -> bool:
        return bool(self.tool)
