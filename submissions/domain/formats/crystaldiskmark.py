"""CrystalDiskMark 3 to 8, as text: a file on Windows, past the page cache. Its MB are 10^6 bytes, as its banner says.

Where a sequential row names no block it is 1 MiB, with several requests in flight (versions 5 and 6) 128 KiB
(crystalmark.info, CrystalDiskMark, "Test items"). Whether writes reach the flash before they count is not published.
"""

import re
from typing import Any, Final

from submissions.domain.formats.lines import decimal
from submissions.domain.formats.scene import Reader, Scene

TOOL: Final = "crystaldiskmark"
_BANNER: Final = re.compile(r"CrystalDiskMark ([0-9]{1,2}(?:\.[0-9]{1,3}){0,3}\w?)\b.{0,80}\Z")
_BASE: Final = re.compile(
    r"\* MB/s = 1,000,000 bytes?/s\b.{0,80}\Z|\* KB = 1000 bytes, KiB = 1024 bytes\s*\Z"
)
_PART: Final = re.compile(r"\[(Read|Write|Mix)\]")
_ROW: Final = re.compile(
    r"(Sequential|SEQ|Random|RND)(?: (Read|Write))?(?:\s{1,6}([0-9]{1,5}) ?([KM])i?B)?\s{0,4}"
    r"(?:\((?:QD?=\s{0,4}([0-9]{1,4}))?,? ?(?:T=\s{0,4}([0-9]{1,4}))?\))?\s{0,3}:\s{0,9}"
    r"([0-9]{1,6}[.,][0-9]{1,3}) MB/s(?:\s{0,4}\[\s{0,9}([0-9]{1,9}[.,][0-9]{1,3}) IOPS\])?"
    r"(?:\s{0,4}<\s{0,9}([0-9]{1,9}[.,][0-9]{1,3}) us>)?\s*\Z"
)
_ABOUT: Final = re.compile(
    r"(?:Test|Date|Time|Mode|Profile|OS|Comment)\s{0,4}: .{1,120}\Z|Crystal Dew World ?: https?://\S{1,60}\s*\Z"
)
_FACTORS: Final = {"K": 1024, "M": 1024**2}
_ORDERS: Final = {"S": "sequential", "R": "random"}
_DEEP, _SINGLE = 128 * 1024, 1024**2


class CrystalDiskMark(Reader):
    def __init__(self) -> None:
        self.here, self.direction = False, ""

    def begin(self, scene: Scene) -> None:
        self.here, self.direction = False, ""

    def banner(self, match: re.Match[str], scene: Scene) -> None:
        self.here, self.direction = True, ""
        scene.told(TOOL, "tool_version", match[1], span=scene.span(match, 1))

    def part(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Reads and writes at once are nobody's figure."""
        self.direction = {"Read": "read", "Write": "write"}.get(match[1], "")
        return None if self.here else False

    def row(self, match: re.Match[str], scene: Scene) -> bool | None:
        direction = (match[2] or self.direction).lower()
        if not self.here or not direction:
            return False
        rate, span = decimal(match[7]), scene.span(match)
        known = _known(match) | {"direction": direction}
        found = (("throughput", "MB/s", rate), ("iops", "1/s", match[8]), ("latency_mean", "us", match[9]))
        for metric, unit, value in found:
            if value and decimal(str(value)):
                what = ("stream", metric, unit)
                scene.measured(TOOL, what, decimal(str(value)), span=span, parameters=known)
        return None

    def known(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Settings, and what its units are."""
        return None if self.here else False

    rows = ((_BANNER, banner), (_PART, part), (_ROW, row), (_BASE, known), (_ABOUT, known))


def _known(match: re.Match[str]) -> dict[str, Any]:
    depth = int(match[5] or 1) * int(match[6] or 1)
    told = int(match[3]) * _FACTORS[match[4]] if match[3] else 0
    return {
        "order": _ORDERS[match[1][0]],
        "block_size_bytes": told or (_DEEP if depth > 1 else _SINGLE),
        "queue_depth": depth,
        "io": "direct",
    }
