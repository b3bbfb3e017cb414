"""Roy Longbottom's DriveSpeed: files of 8 and 16 MB in 1 MiB blocks with O_DIRECT and O_SYNC; MB/s are 10^6 bytes.

Reads and writes of 1 KiB at random, the cached and the small files are left: their span is no plain number, or they
time the file system. LanSpeed prints the same of a network share, and is no card at all.
"""

import re
from typing import Any

from submissions.domain.intake.scene import Reader, Scene

_BANNER = re.compile(r"(DriveSpeed|LanSpeed) (?:\w{1,12} )?([0-9]\.[0-9])\b.{0,60}\Z")
_NUMBERS = r"((?:\s{1,12}[0-9]{1,7}(?:\.[0-9]{1,3})?){6})"
_LARGE = re.compile(rf"[0-9]{{1,4}}{_NUMBERS}\s*\Z")
_CACHED = re.compile(r"Cached\s*\Z")
_BESIDE = re.compile(
    rf"(?:From MB|File KB|msecs|MB/sec|ms/file){_NUMBERS}(?:\s{{1,12}}(?:secs|[0-9]{{1,7}}\.[0-9]{{1,3}}))?\s*\Z"
    r"|(?:Total MB\s{1,9}[0-9]{1,9}, Free MB|[0-9]{1,5} Files\s).{0,80}\Z"
)
_KNOWN: dict[str, Any] = {
    "order": "sequential",
    "block_size_bytes": 1024**2,
    "queue_depth": 1,
    "io": "direct",
}
_DIRECTIONS = ("write",) * 3 + ("read",) * 3


class DriveSpeed(Reader):
    def __init__(self) -> None:
        self.tool, self.cached = "", False

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
        elif self.tool and not self.cached:
            for direction, cell in zip(_DIRECTIONS, match[1].split(), strict=True):
                sync = {"sync": "osync"} if direction == "write" else {}
                parameters = {"direction": direction} | _KNOWN | sync
                scene.printed(self.tool, ("stream", "throughput", "MB/s"), cell, match, **parameters)
        return None if self.tool else False

    def cached_begins(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.cached = bool(self.tool)
        return None if self.tool else False

    def beside(self, match: re.Match[str], scene: Scene) -> bool | None:
        return None if self.tool else False

    rows = ((_BANNER, banner), (_LARGE, large), (_CACHED, cached_begins), (_BESIDE, beside))
