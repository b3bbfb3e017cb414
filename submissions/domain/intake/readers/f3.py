"""f3write, f3read and f3probe: the real capacity of a card. Sizes and speeds are powers of 1024 (f3 libutils.c).

A speed is the average over all files, in chunks of changing size: no figure of a report, so it is kept beside it. What
f3probe found is a capacity; what f3read found is one where it found losses, more than a few unless the card was full:
else it tells of the files alone.
"""

import re

from submissions.domain.intake.lines import decimal
from submissions.domain.intake.readers.h2testw import FEW, is_promised
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "f3"
_SECTOR = 512
_SPEED = re.compile(
    r"Average (writing|reading) speed: ([0-9]{1,7}[.,][0-9]{2}) (Byte|KB|MB|GB)/s", re.IGNORECASE
)
_SIZE = re.compile(
    r"(\*?Usable\*? size|Announced size|Approximate cache size"
    r"|Data OK|Data LOST|Corrupted|Slightly changed|Overwritten): ([0-9]{1,9}(?:[.,][0-9]{1,3})?) (Byte|KB|MB|GB|TB)"
    r"(?: \(([0-9]{1,15}) (?:blocks|sectors)\))?(?:, need-reset=\w{2,3})?\s*\Z"
)
_VERDICT = re.compile(
    r"(?:Bad|Good) news: The device .{1,60}? is (a counterfeit of type (limbo|wraparound|chain)|damaged|the real thing)"
)
# Progress: the sums below it repeat its numbers.
_VALIDATED = re.compile(
    r"Validating file [0-9]{1,5}\.(?:h2w|fff) \.\.\."
    r"\s{1,9}[0-9]{1,9}/\s{0,9}[0-9]{1,9}/\s{0,9}[0-9]{1,9}/\s{0,9}[0-9]{1,9}.{0,80}\Z"
)
_VERSION = re.compile(r"F3 (?:write|read|probe) ([0-9]{1,3}\.[0-9]{1,3})\s*\Z")
_PROGRESS = re.compile(
    r"(?:Creating|Validating|Removing old) file [0-9]{1,5}\.(?:h2w|fff) ?.{0,100}\Z"
    r"|Module: [0-9.]{1,9} \w{2,4}(?: \(2\^[0-9]{1,3} Bytes\))?\s*\Z|Physical block size: .{1,40}\Z"
    r"|Probe time: .{1,30}\Z"
    r"|(?:Read|Write|Reset): \S{1,12} / [0-9]{1,12} [=-] \S{1,12}\s*\Z|Copyright \(C\) 2010 Digirati.{0,60}\Z"
    r"|WARNING: Probing normally takes from a few seconds to 15 minutes.{0,20}\Z"
)
_FREE = re.compile(r"Free space: ([0-9.]{1,12}) (Byte|KB|MB|GB|TB)\s*\Z")
_FACTORS = {"Byte": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
_UNITS = {"BYTE": "B/s", "KB": "KiB/s", "MB": "MiB/s", "GB": "GiB/s"}
_NAMES = {
    "Usable size": "usable_size_bytes",
    "Announced size": "announced_size_bytes",
    "Approximate cache size": "cache_size_bytes",
    "Data OK": "ok_bytes",
    "Data LOST": "lost_bytes",
    "Corrupted": "corrupted_bytes",
    "Slightly changed": "changed_bytes",
    "Overwritten": "overwritten_bytes",
}


class F3(Reader):
    def __init__(self) -> None:
        self.kind, self.ok_bytes, self.free_bytes = "", 0, 0.0

    def free(self, match: re.Match[str], scene: Scene) -> None:
        self.free_bytes = decimal(match[1]) * _FACTORS[match[2]]

    def speed(self, match: re.Match[str], scene: Scene) -> None:
        direction = {"writing": "write", "reading": "read"}[match[1].lower()]
        what = ("fill", "throughput", _UNITS[match[3].upper()])
        scene.printed(TOOL, what, match[2], match, direction=direction)

    def size(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Bytes: exact where the printed blocks agree with the rounded size, else the rounded size."""
        rounded, unit = decimal(match[2]), _FACTORS[match[3]]
        exact = int(match[4]) * _SECTOR if match[4] else None
        if exact is not None and abs(exact - rounded * unit) > 0.0051 * unit:
            return False
        size_bytes = exact if exact is not None else round(rounded * unit)
        name = _NAMES[match[1].replace("*", "")]
        scene.add_fact(TOOL, name if match[4] else f"about_{name}", size_bytes, span=scene.span(match))
        if exact is not None:
            self._capacity(name, exact, match, scene)
        return None

    def _capacity(self, name: str, size_bytes: int, match: re.Match[str], scene: Scene) -> None:
        if name == "ok_bytes":
            self.ok_bytes = size_bytes
        elif name == "lost_bytes" and size_bytes:
            tested = self.ok_bytes + size_bytes
            if size_bytes > FEW * tested or (is_promised(tested) and self.free_bytes <= tested):
                scene.kept(TOOL, self.ok_bytes, span=scene.span(match))
        elif name == "usable_size_bytes" and self.kind:
            scene.kept(TOOL, size_bytes, kind=self.kind, span=scene.span(match))

    def verdict(self, match: re.Match[str], scene: Scene) -> None:
        self.kind = {"damaged": "damaged", "the real thing": "good"}.get(match[1]) or match[2]
        scene.add_fact(TOOL, "capacity_verdict", self.kind, span=scene.span(match))

    def version(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(TOOL, "tool_version", match[1], span=scene.span(match, 1))

    rows = (
        (_SPEED, speed),
        (_FREE, free),
        (_SIZE, size),
        (_VERDICT, verdict),
        (_VALIDATED, skip),
        (_VERSION, version),
        (_PROGRESS, skip),
    )
