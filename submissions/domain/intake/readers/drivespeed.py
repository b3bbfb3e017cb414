"""Roy Longbottom's DriveSpeed: files of 8 and 16 MB in 1 MiB blocks with O_DIRECT and O_SYNC; MB/s are 10^6 bytes.

Beside them it times the same through the page cache, 1 KiB at random within so many MB, and 200 files of so many KiB,
whose milliseconds and megabytes agree. LanSpeed prints the same of a network share, and is no card at all.
"""

import re
from typing import Any

from submissions.domain.intake.scene import Reader, Scene

_BANNER = re.compile(r"(DriveSpeed|LanSpeed) (?:\w{1,12} )?([0-9]\.[0-9])\b.{0,60}\Z")
_NUMBERS = r"((?:\s{1,12}[0-9]{1,7}(?:\.[0-9]{1,3})?){6})"
_LARGE = re.compile(rf"[0-9]{{1,4}}{_NUMBERS}\s*\Z")
_CACHED = re.compile(r"Cached\s*\Z")
_BESIDE = re.compile(
    rf"(From MB|File KB|msecs|MB/sec|ms/file){_NUMBERS}(?:\s{{1,12}}(?:secs|([0-9]{{1,7}}\.[0-9]{{1,3}})))?\s*\Z"
)
_ABOUT = re.compile(r"(?:Total MB\s{1,9}[0-9]{1,9}, Free MB|[0-9]{1,5} Files\s).{0,80}\Z")
_MIB = 1024**2
_LARGE_FILES: dict[str, Any] = {"order": "sequential", "block_size_bytes": _MIB, "queue_depth": 1}
_WRITE_FIRST, _READ_FIRST = ("write",) * 3 + ("read",) * 3, ("read",) * 3 + ("write",) * 3
_RANDOM: dict[str, Any] = {"order": "random", "block_size_bytes": 1024}
_FILES: dict[str, Any] = {"file_count": 200}
# label of a row -> workload, metric, unit, what its columns are, what the numbers
# above them mean, and what is known besides
_ROWS = {
    "msecs": (("random-access", "latency_mean", "ms"), _READ_FIRST, "span_bytes", _MIB, _RANDOM),
    "MB/sec": (("small-files", "throughput", "MB/s"), _WRITE_FIRST, "file_size_bytes", 1024, _FILES),
    "ms/file": (("small-files", "latency_mean", "ms"), _WRITE_FIRST, "file_size_bytes", 1024, _FILES),
}


class DriveSpeed(Reader):
    def __init__(self) -> None:
        self.tool, self.cached, self.sizes = "", False, list[str]()

    def begin(self, scene: Scene) -> None:
        """Another command ends it; its own titles do not."""
        if scene.command.program or scene.heading:
            self.tool, self.cached = "", False

    def banner(self, match: re.Match[str], scene: Scene) -> None:
        self.tool, self.cached = match[1].lower(), False
        scene.add_fact(self.tool, "tool_version", match[2], span=scene.span(match, 2))

    def large(self, match: re.Match[str], scene: Scene) -> bool | None:
        if self.tool == "lanspeed":
            scene.left_out.append("LanSpeed measures a network share, and no card.")
        elif self.tool:
            workload, io = ("cached", "buffered") if self.cached else ("stream", "direct")
            for direction, cell in zip(_WRITE_FIRST, match[1].split(), strict=True):
                sync = {"sync": "osync"} if direction == "write" and not self.cached else {}
                parameters = _LARGE_FILES | {"direction": direction, "io": io} | sync
                scene.printed(self.tool, (workload, "throughput", "MB/s"), cell, match, **parameters)
        return None if self.tool else False

    def cached_begins(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.cached = bool(self.tool)
        return None if self.tool else False

    def beside(self, match: re.Match[str], scene: Scene) -> bool | None:
        if match[1] not in _ROWS:
            self.sizes = match[2].split()
        elif self.tool == "drivespeed" and self.sizes:
            what, directions, name, factor, known = _ROWS[match[1]]
            for direction, cell, size in zip(directions, match[2].split(), self.sizes, strict=True):
                parameters = {"direction": direction, name: int(float(size)) * factor} | known
                scene.printed(self.tool, what, cell, match, **parameters)
            scene.printed(self.tool, ("small-files", "duration", "s"), match[3] or 0, match, action="delete")
        return None if self.tool else False

    def about(self, match: re.Match[str], scene: Scene) -> bool | None:
        return None if self.tool else False

    rows = ((_BANNER, banner), (_LARGE, large), (_CACHED, cached_begins), (_BESIDE, beside), (_ABOUT, about))
