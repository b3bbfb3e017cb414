"""ioping: the sums below "--- NAME ioping statistics ---". Requests one at a time, at random places unless -L is given.

iops and rate are those of the time inside the requests; the mb of version 0.6 are 2^20 bytes. Blocks are 4 KiB unless
-s says otherwise, or rate and iops do.
Whether it reads or writes only the command or a request line says; without -D the page cache is emptied, not bypassed.
"""

import re
from math import log2
from typing import Any

from submissions.domain.intake.choices import DIRECTIONS
from submissions.domain.intake.commands import disk, size
from submissions.domain.intake.directions import find_direction
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene, skip
from submissions.domain.measuring.units import RATE, factor

TOOL = "ioping"
_NUMBER = r"([0-9]{1,6}(?:[.,][0-9]{1,3})?)"
_SUMS = re.compile(
    rf"[0-9.]{{1,9}} ?[kM]? requests completed in {_NUMBER} (?:ns|us|ms|s|min|hours?)"
    rf"(?:, [0-9.]{{1,9}} [KMGT]?i?B (read|written))?, {_NUMBER} ?([kM]?) iops, {_NUMBER} ([KMG]i|m)?[Bb]/s\s*\Z"
)
_UNIT = r" ?([nmu]?s)?"
_TIMES = re.compile(
    rf"min/avg/max/mdev = {_NUMBER}{_UNIT} ?/ ?{_NUMBER}{_UNIT} ?/ ?{_NUMBER}{_UNIT} ?/ ?{_NUMBER} ?([nmu]?s)\s*\Z"
)
_OF = re.compile(r"--- (\S{1,80}) \((?:ext4|\w{1,12} )?.{0,60}\) ioping statistics ---\s*\Z")
_REQUEST = re.compile(
    r"[0-9.]{1,7} (?:[KMG]?i?B|bytes) (<<<|>>>|from|to) \S{1,80} .{0,80}request=[0-9]{1,9} time=.{1,40}\Z"
)
# What it asked for, in the time with the pauses.
_GENERATED = re.compile(r"generated [0-9.]{1,9} ?[kM]? requests in .{1,120}\Z")
_DEVICE = re.compile(r"/dev/(\w{2,20})")
_DIGITS_ENOUGH, _NEAR = 3, 0.03  # of the rate, to tell the size of a request
_TIMES_1000 = {"": 1, "k": 1000, "M": 1000**2}
_ASK = "Did ioping read or write (-W)? Paste its command line, too."


class Ioping(Reader):
    def __init__(self) -> None:
        self.direction, self.parameters = "", dict[str, Any]()

    def begin(self, scene: Scene) -> None:
        command, self.direction, self.parameters = scene.command, "", {}
        if command.program == TOOL:
            self.direction = "write" if command.has("-W") or "-WWW" in command.words else "read"
            self.parameters = {
                "order": "sequential" if command.has("-L", "-RL", "-LR") else "random",
                "block_size_bytes": size((command.option("-s") or "").lower()) or 4096,
                "io": "direct" if command.has("-D") else "buffered",
            }

    def request(self, match: re.Match[str], scene: Scene) -> None:
        self.direction = "read" if match[1] in ("<<<", "from") else "write"

    def target(self, match: re.Match[str], scene: Scene) -> None:
        if device := _DEVICE.search(match[0]):
            scene.device = disk(device[1])

    def sums(self, match: re.Match[str], scene: Scene) -> None:
        iops = decimal(match[3]) * _TIMES_1000[match[4]]
        self.direction = {"read": "read", "written": "write"}.get(match[2] or "", self.direction)
        if not match[2] and find_direction(scene.label) not in ("", self.direction):
            self.direction = ""
        self.direction = self.direction or scene.ask(
            TOOL, "direction", _ASK, span=scene.span(match), choices=DIRECTIONS
        )
        if self.direction:
            unit = f"{(match[6] or '').replace('m', 'Mi')}B/s"
            self.parameters = _block(match[5], unit, iops) | self.parameters
            self._measured(("iops", "1/s", iops), match, scene)
            self._measured(("throughput", unit, decimal(match[5])), match, scene)

    def times(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.direction:
            return False
        self._measured(("latency_mean", match[4] or match[8], decimal(match[3])), match, scene)
        self._measured(("latency_max", match[6] or match[8], decimal(match[5])), match, scene)
        return None

    def _measured(self, what: tuple[str, str, float], match: re.Match[str], scene: Scene) -> None:
        metric, unit, value = what
        usual = {"order": "random", "block_size_bytes": 4096, "io": "buffered", "queue_depth": 1}
        parameters = usual | self.parameters | {"direction": self.direction}
        scene.printed(TOOL, ("stream", metric, unit), value, match, **parameters)

    rows = ((_SUMS, sums), (_TIMES, times), (_OF, target), (_REQUEST, request), (_GENERATED, skip))


def _block(rate: str, unit: str, iops: float) -> dict[str, Any]:
    """The size of a request where rate and iops tell it: the power of two that is near; {} elsewhere."""
    each = decimal(rate) * factor(unit, base=RATE) / iops if iops else 0.0
    digits = re.sub(r"[.,]", "", rate).lstrip("0")
    if not each or len(digits) < _DIGITS_ENOUGH:
        return {}
    nearest = 2 ** round(log2(each))
    return {"block_size_bytes": nearest} if abs(each / nearest - 1) < _NEAR else {}
