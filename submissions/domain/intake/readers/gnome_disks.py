"""GNOME Disks' benchmark, as people copy it from its window: samples at places spread over the whole device.

Its MB are 10^6 bytes (GLib's sizes). udisks opens the device with O_DIRECT and O_SYNC (udiskslinuxblock.c).
"""

import re
from typing import Any

from submissions.domain.intake.lines import whole
from submissions.domain.intake.scene import Reader, Scene

TOOL = "gnome-disks"
_SAMPLE = re.compile(r"Sample Size:? [0-9.,]{1,9} [KMG]i?B \(([0-9.,]{1,14}) bytes\)\s*\Z")
_RATE = re.compile(
    r"Average (Read|Write) Rate:? ([0-9]{1,6}[.,][0-9]) ([kMG]B)/s \([0-9]{1,6} samples\)\s*\Z"
)
_ACCESS = re.compile(
    r"Average Access Time:? ([0-9]{1,6}[.,][0-9]{1,3}) ?(?:msec|ms) \([0-9]{1,6} samples\)\s*\Z"
)


class GnomeDisks(Reader):
    def __init__(self) -> None:
        self.block: dict[str, Any] = {}

    def sample(self, match: re.Match[str], scene: Scene) -> None:
        self.block = {"block_size_bytes": whole(match[1])}

    def rate(self, match: re.Match[str], scene: Scene) -> None:
        direction = match[1].lower()
        parameters = (
            self.block
            | {"direction": direction, "io": "direct"}
            | ({"sync": "osync"} if direction == "write" else {})
        )
        what = ("chunk", "throughput", f"{match[3]}/s")
        scene.printed(TOOL, what, match[2], match, **parameters)

    def access(self, match: re.Match[str], scene: Scene) -> None:
        what, known = ("access", "latency_mean", "ms"), {"io": "direct", "queue_depth": 1}
        scene.printed(TOOL, what, match[1], match, direction="read", order="random", **known)

    rows = ((_SAMPLE, sample), (_RATE, rate), (_ACCESS, access))
