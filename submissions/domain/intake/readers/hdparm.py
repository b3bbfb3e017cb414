"""hdparm -t and -T: reads of 2 MiB in sequence from the start of the device for three seconds (hdparm.c, time_device).

Its MB are 2^20 bytes and its kB 2^10. "cached" times the memory of the host (with --direct, the same 2 MiB of the
device again and again): kept beside the report, for it says nothing of the card as a whole.
"""

import re
from typing import Any

from submissions.domain.intake.commands import disk
from submissions.domain.intake.lines import decimal, whole
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "hdparm"
_TIMING = re.compile(
    r"[\"“]?Timing (buffered disk|O_DIRECT disk|cached|O_DIRECT cached|buffer-cache) reads:\s{1,9}"
    r"([0-9]{1,7}(?:[.,][0-9]{3})?) ([kMG]B) in"
    r"\s{1,9}([0-9.,]{1,9}) seconds =\s{1,9}([0-9.,]{1,9}) ([kMG]B)/s(?:ec)?"
)
_DEVICE = re.compile(r"/dev/([0-9A-Za-z/_-]{2,60}):\s*\Z")
# Settings of the device, and commands that a card does not know.
_SETTING = re.compile(
    r"(?:multcount|readonly|readahead|IO_support|geometry|nowerr|keepsettings|using_dma|unmaskirq)\s{1,9}=.{1,120}\Z"
)
_REFUSED = re.compile(
    r"SG_IO: bad/missing sense data, sb\[\]:[ 0-9a-f]{1,200}\Z|HDIO_\w{1,30}\(\w{1,20}\) failed: .{1,60}\Z"
)
_UNITS = {"kB": "KiB/s", "MB": "MiB/s", "GB": "GiB/s"}
_FACTORS = {"kB": 1, "MB": 1024, "GB": 1024**2}
_READ: dict[str, Any] = {
    "direction": "read",
    "order": "sequential",
    "block_size_bytes": 2 * 1024**2,
    "queue_depth": 1,
}


class Hdparm(Reader):
    def timing(self, match: re.Match[str], scene: Scene) -> bool | None:
        value, seconds = decimal(match[5]), decimal(match[4])
        volume = whole(match[2]) * _FACTORS[match[3]]
        if value <= 0 or seconds <= 0 or not _agree(volume / seconds, value * _FACTORS[match[6]], match):
            return False
        what = ("hdparm" if "cach" in match[1] else "stream", "throughput", _UNITS[match[6]])
        io = {"io": "direct" if match[1].startswith("O_DIRECT") else "buffered"}
        scene.measured(TOOL, what, value, span=scene.span(match), parameters=_READ | io)
        return None

    def device(self, match: re.Match[str], scene: Scene) -> None:
        scene.device = disk(match[1])

    rows = ((_TIMING, timing), (_DEVICE, device), (_SETTING, skip), (_REFUSED, skip))


def _agree(rate: float, printed: float, match: re.Match[str]) -> bool:
    """The printed rate must be volume over time; the volume is whole megabytes, the time hundredths."""
    return abs(rate - printed) <= 0.02 * printed + _FACTORS[match[3]]
