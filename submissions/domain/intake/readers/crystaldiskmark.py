"""CrystalDiskMark 3 to 8 on Windows and KDiskMark on Linux, as text: a file, past the page cache.

Their banner says that MB are 10^6 bytes; KDiskMark divides KiB by 1000 all the same, which the operations per second
give away. Where a sequential row names no block it is 1 MiB, with several requests in flight (versions 5 and 6)
128 KiB (crystalmark.info, "Test items"). Whether a write waits for the card is not published.
"""

import re
from typing import Any, ClassVar

from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.scene import Reader, Rows, Scene

_VERSION = r"([0-9]{1,2}(?:\.[0-9]{1,3}){0,3}\w?)"
_CRYSTAL = re.compile(rf"(?:CrystalDiskMark|disk-mark-me|LinuxDiskMark) v?{_VERSION}\b.{{0,80}}\Z")
_KDE = re.compile(rf"KDiskMark \({_VERSION}\): https?://\S{{1,60}}\s*\Z")
_BASE = re.compile(r"\* MB/s = 1,000,000 bytes?/s\b.{0,80}\Z|\* KB = 1000 bytes, KiB = 1024 bytes\s*\Z")
_PART = re.compile(r"\[(Read|Write|Mix)\]")
# Decimals it prints always, thousands are separated in some languages: 1,093.127 and 1.093,127.
_NUMBER = r"([0-9]{1,9}(?:[.,][0-9]{3}){0,2}[.,]"
_ROW = re.compile(
    r"(Sequential|SEQ|Random|RND)(?: (Read|Write))?(?:\s{1,9}([0-9]{1,5}) ?([KM])i?B)?\s{0,4}"
    r"(?:\((?:QD?= ?\s{0,4}([0-9]{1,4}))?,? ?(?:T=\s{0,4}([0-9]{1,4}))?\))?\s{0,12}:\s{0,9}"
    rf"{_NUMBER}[0-9]{{3}}) MB/s(?:\s{{0,4}}\[\s{{0,9}}{_NUMBER}[0-9]{{1,2}}) IOPS\])?"
    rf"(?:\s{{0,4}}<\s{{0,9}}{_NUMBER}[0-9]{{1,2}}) us>)?\s*\Z"
)
_ABOUT = re.compile(
    r"(?:Test|Date|Time|Mode|Profile|OS|Comment)\s{0,4}: .{1,120}\Z|Crystal Dew World ?: https?://\S{1,60}\s*\Z"
    r"|Flexible I/O Tester .{1,80}\Z"
)
_FACTORS = {"K": 1024, "M": 1024**2}
_ORDERS = {"S": "sequential", "R": "random"}
_DEEP, _SINGLE = 128 * 1024, 1024**2
_MB, _MB_OF_KIB = 1_000_000, 1_024_000


class CrystalDiskMark(Reader):
    tool: ClassVar[str] = "crystaldiskmark"

    def __init__(self) -> None:
        self.here, self.direction = False, ""
        self.held: list[tuple[re.Match[str], Span]] = []

    def begin(self, scene: Scene) -> None:
        self.here, self.direction, self.held = False, "", []

    def banner(self, match: re.Match[str], scene: Scene) -> None:
        self.here, self.direction = True, ""
        scene.add_fact(self.tool, "tool_version", match[1], span=scene.span(match, 1))

    def part(self, match: re.Match[str], scene: Scene) -> bool | None:
        """The heading of a block; rows of mixed reads and writes are skipped, as no figure compares them."""
        self.direction = {"Read": "read", "Write": "write"}.get(match[1], "")
        return None if self.here else False

    def row(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Rows without the banner wait for one that nobody else prints, with its operations per second."""
        self.here = self.here or bool(match[2] and match[8])
        if not self.here:
            self.held += [(match, scene.span(match))] if match[2] else []
            return None if match[2] else False
        waiting, self.held = self.held, []
        for earlier, span in waiting:
            self._measured(earlier, span, scene)
        return self._measured(match, scene.span(match), scene)

    def _measured(self, match: re.Match[str], span: Span, scene: Scene) -> bool | None:
        direction = (match[2] or self.direction).lower()
        if not direction:
            return False
        parameters = _parameters(match) | {"direction": direction}
        rate, iops, latency = (decimal(cell) if cell else 0.0 for cell in match.group(7, 8, 9))
        unit = _megabyte(rate, iops, parameters["block_size_bytes"])
        if not unit:
            return False
        for metric, name, value in (
            ("throughput", "B/s", rate * unit),
            ("iops", "1/s", iops),
            ("latency_mean", "us", latency),
        ):
            if value:
                what = ("stream", metric, name)
                scene.measured(self.tool, what, value, span=span, parameters=parameters)
        return None

    def base(self, match: re.Match[str], scene: Scene) -> None:
        """Says that the rows below are of this form, whoever prints them."""
        self.here = True

    def skip(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Settings and the units, which are fixed."""
        return None if self.here else False

    _others: ClassVar[Rows] = ((_PART, part), (_ROW, row), (_BASE, base), (_ABOUT, skip))
    rows = ((_CRYSTAL, banner), *_others)


class KDiskMark(CrystalDiskMark):
    tool = "kdiskmark"
    rows = ((_KDE, CrystalDiskMark.banner), *CrystalDiskMark._others)


def _megabyte(rate: float, iops: float, block_size: int) -> int:
    """Bytes in its MB: 10^6 as the banner says, 1,024,000 where only that fits the IOPS; 0 where neither fits."""
    expected = iops * block_size
    doubt = 0.05 * block_size + 0.004 * expected  # they have one digit behind the point, the rate has three
    fitting = (unit for unit in (_MB, _MB_OF_KIB) if abs(rate * unit - expected) <= doubt + 0.0005 * unit)
    return next(fitting, 0) if expected else _MB


def _parameters(match: re.Match[str]) -> dict[str, Any]:
    depth = int(match[5] or 1) * int(match[6] or 1)
    block_size = int(match[3]) * _FACTORS[match[4]] if match[3] else 0
    return {
        "order": _ORDERS[match[1][0]],
        "block_size_bytes": block_size or (_DEEP if depth > 1 else _SINGLE),
        "queue_depth": depth,
        "io": "direct",
    }
