"""ioping: the sums below "--- NAME ioping statistics ---". Requests one at a time, at random places unless -L is given.

iops and rate are those of the time inside the requests. Blocks are 4 KiB unless -s says otherwise, or rate and iops do.
Whether it reads or writes only the command or a request line says; without -D the page cache is emptied, not bypassed.
"""

import re
from typing import Any, Final

from submissions.domain.intake.choices import DIRECTIONS
from submissions.domain.intake.commands import disk, size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene

TOOL: Final = "ioping"
_NUMBER: Final = r"([0-9]{1,6}(?:[.,][0-9]{1,3})?)"
_SUMS: Final = re.compile(
    rf"[0-9.]{{1,9}} ?[kM]? requests completed in {_NUMBER} (?:ns|us|ms|s|min|hours?)"
    rf"(?:, [0-9.]{{1,9}} [KMGT]?i?B (read|written))?, {_NUMBER} ?([kM]?) iops, {_NUMBER} ([KMG]i)?B/s\s*\Z"
)
_TIMES: Final = re.compile(
    rf"min/avg/max/mdev = {_NUMBER} [nmu]?s / {_NUMBER} ([nmu]?s) / {_NUMBER} ([nmu]?s) / .{{1,20}}\Z"
)
_OF: Final = re.compile(r"--- (\S{1,80}) \((?:ext4|\w{1,12} )?.{0,60}\) ioping statistics ---\s*\Z")
_REQUEST: Final = re.compile(
    r"[0-9.]{1,7} [KMG]?i?B (<<<|>>>|from|to) \S{1,80} .{0,80}request=[0-9]{1,9} time=.{1,40}\Z"
)
_DEVICE: Final = re.compile(r"/dev/(\w{2,20})")
_TIMES_1000: Final = {"": 1, "k": 1000, "M": 1000**2}
_ASK: Final = "Did ioping read or write (-W)? Paste its command line, too."


class Ioping(Reader):
    def __init__(self) -> None:
        self.direction, self.parameters = "", dict[str, Any]()

    def begin(self, scene: Scene) -> None:
        command = scene.command
        self.direction = (
            ""
            if command.program != TOOL
            else ("write" if command.has("-W") or "-WWW" in command.words else "read")
        )
        self.parameters = {}
        if command.program == TOOL:
            linear, direct = command.has("-L", "-RL", "-LR"), command.has("-D")
            self.parameters = {
                "order": "sequential" if linear else "random",
                "block_size_bytes": size((command.option("-s") or "").lower()) or 4096,
                "io": "direct" if direct else "buffered",
            }

    def request(self, match: re.Match[str], scene: Scene) -> None:
        self.direction = "read" if match[1] in ("<<<", "from") else "write"

    def target(self, match: re.Match[str], scene: Scene) -> None:
        if device := _DEVICE.search(match[0]):
            scene.device = disk(device[1])

    def sums(self, match: re.Match[str], scene: Scene) -> bool | None:
        iops = decimal(match[3]) * _TIMES_1000[match[4]]
        self.direction = {"read": "read", "written": "write"}.get(match[2] or "", self.direction)
        asked = (
            ""
            if self.direction
            else scene.ask(TOOL, "direction", _ASK, span=scene.span(match), choices=DIRECTIONS)
        )
        self.direction = self.direction or asked
        if not self.direction or not iops:
            return None
        what = ("stream", "throughput", f"{match[6] or ''}B/s")
        scene.measured(TOOL, ("stream", "iops", "1/s"), iops, span=scene.span(match), parameters=self._all())
        scene.measured(TOOL, what, decimal(match[5]), span=scene.span(match), parameters=self._all())
        return None

    def times(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.direction:
            return False
        for metric, value, unit in (
            ("latency_mean", match[2], match[3]),
            ("latency_max", match[4], match[5]),
        ):
            scene.measured(
                TOOL, ("stream", metric, unit), decimal(value), span=scene.span(match), parameters=self._all()
            )
        return None

    def _all(self) -> dict[str, Any]:
        usual = {"order": "random", "block_size_bytes": 4096, "io": "buffered", "queue_depth": 1}
        return usual | self.parameters | {"direction": self.direction}

    rows = ((_SUMS, sums), (_TIMES, times), (_OF, target), (_REQUEST, request))
