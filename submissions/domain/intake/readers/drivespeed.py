"""Roy Longbottom's DriveSpeed: files of 8 and 16 MB in 1 MiB blocks with O_DIRECT and O_SYNC; MB/s are 10^6 bytes.

Reads and writes of 1 KiB at random, the cached and the small files are kept beside the report: their span is no plain
number, or they time the file system. LanSpeed prints the same of a network share, and is no card at all.
"""

import re
from typing import Any, Final

from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene

_BANNER: Final = re.compile(r"(DriveSpeed|LanSpeed) (?:\w{1,12} )?([0-9]\.[0-9])\b.{0,60}\Z")
_NUMBERS: Final = r"((?:\s{1,12}[0-9]{1,7}(?:\.[0-9]{1,3})?){6})"
_LARGE: Final = re.compile(rf"([0-9]{{1,4}}){_NUMBERS}\s*\Z")
_CACHED: Final = re.compile(r"Cached\s*\Z")
_SPANS: Final = re.compile(rf"(From MB|File KB){_NUMBERS}(?:\s{{1,9}}secs)?\s*\Z")
_SMALL: Final = re.compile(
    rf"(msecs|MB/sec|ms/file){_NUMBERS}(?:\s{{1,12}}([0-9]{{1,7}}\.[0-9]{{1,3}}))?\s*\Z"
)
_SPACE: Final = re.compile(r"(?:Total MB\s{1,9}[0-9]{1,9}, Free MB|[0-9]{1,5} Files\s).{0,80}\Z")
_KNOWN: Final[dict[str, Any]] = {
    "order": "sequential",
    "block_size_bytes": 1024**2,
    "queue_depth": 1,
    "io": "direct",
}
_DIRECTIONS: Final = ("write",) * 3 + ("read",) * 3


class DriveSpeed(Reader):
    def __init__(self) -> None:
        self.tool = ""
        self.cached = False
        self.spans: list[str] = []

    def begin(self, scene: Scene) -> None:
        """Another command ends it; its own titles do not."""
        if scene.command.program or scene.heading:
            self.tool, self.cached, self.spans = "", False, []

    def banner(self, match: re.Match[str], scene: Scene) -> None:
        self.tool, self.cached = match[1].lower(), False
        scene.add_fact(self.tool, "tool_version", match[2], span=scene.span(match, 2))

    def large(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.tool:
            return False
        card = self.tool == "drivespeed" and not self.cached
        for direction, cell in zip(_DIRECTIONS, match[2].split(), strict=True):
            parameters = {"direction": direction} | (_KNOWN if card else {"order": "sequential"})
            sync = {"sync": "osync"} if card and direction == "write" else {}
            workload = "stream" if card else "cached-file" if self.cached else "network-share"
            size = {} if card else {"file_mb": int(match[1])}
            self._measured((workload, "throughput", "MB/s"), cell, parameters | sync | size, match, scene)
        return None

    def cached_begins(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.cached = bool(self.tool)
        return None if self.tool else False

    def spans_row(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.spans = match[2].split()
        return None if self.tool else False

    def small(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.tool or len(self.spans) != 6:
            return False
        metric, unit = ("throughput", "MB/s") if match[1] == "MB/sec" else ("latency_mean", "ms")
        at_random = match[1] == "msecs"
        directions = ("read",) * 3 + ("write",) * 3 if at_random else _DIRECTIONS
        for direction, cell, span in zip(directions, match[2].split(), self.spans, strict=True):
            parameters = {"direction": direction, "span_mb" if at_random else "file_kb": decimal(span)}
            what = ("random-1k" if at_random else "small-files", metric, unit)
            self._measured(what, cell, parameters, match, scene)
        if match[3]:
            self._measured(("delete-files", "duration", "s"), match[3], {}, match, scene)
        return None

    def _measured(
        self,
        what: tuple[str, str, str],
        cell: str,
        parameters: dict[str, Any],
        match: re.Match[str],
        scene: Scene,
    ) -> None:
        scene.printed(self.tool, what, cell, match, **parameters)

    def skip(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Space on the file system, and the heading of a table."""
        return None if self.tool else False

    rows = (
        (_BANNER, banner),
        (_LARGE, large),
        (_CACHED, cached_begins),
        (_SPANS, spans_row),
        (_SMALL, small),
        (_SPACE, skip),
    )
