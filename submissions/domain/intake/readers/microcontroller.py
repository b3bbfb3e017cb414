"""Benchmarks on microcontrollers, which have no page cache: SdFat's bench, sd_bench of PX4 and NuttX, hydrafw, ESP32.

SdFat divides bytes by milliseconds: its KB are 1000 bytes (examples bench and TeensySdioDemo). sd_bench's are 1024, as
its longest write tells. A sketch that prints bytes and milliseconds is read by these, not by its rounded rate. None of
them says over which wires: SPI is a tenth of a slot with four.
"""

import re
from typing import Any

from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene, skip

SDFAT, SD_BENCH, SKETCH = "sdfat", "sd_bench", "esp32"
_ABOUT = re.compile(
    r"(?:BUF_SIZE = |Buffer size |(?:INFO\s{1,4}\[sd_bench\] )?Using block size = )([0-9]{1,6}) bytes"
)
_HEADING = re.compile(r"(?:(write|read) speed and latency|size,write,read)\s*\Z")
_SDFAT = re.compile(r"([0-9]{1,6}\.[0-9]{2,4}), ?([0-9]{1,8}), ?([0-9]{1,8}), ?([0-9]{1,8})\s*\Z")
_SIZE = re.compile(r"([0-9]{3,6}),([0-9]{1,6}\.[0-9]{2}),([0-9]{1,6}\.[0-9]{2})\s*\Z")
_RUN = re.compile(
    r"(?:INFO\s{1,4}(?:\[sd_bench\])?\s{0,4})?Run\s{1,3}[0-9]{1,5}:\s{1,9}"
    r"([0-9]{1,7}\.[0-9]{1,2}) KB/s, max (write|read/verify)"
    r" time: ([0-9]{1,7}(?:\.[0-9]{1,4})?) ms \(=?\s{0,9}[0-9.]{1,9} KB/s\)(?:, fsync: [0-9.]{1,9} ms)?\s*\Z"
)
_SECTORS = re.compile(r"([0-9.]{1,5})KiB blocks:\s{1,6}([0-9]{1,7}) sectors/s,\s{1,6}[0-9.]{1,8} MB/s\s*\Z")
_ORDER = re.compile(r"(Aligned sequential|Unaligned sequential|Random) (reads|writes):\s*\Z")
_TIMED = re.compile(
    r"(Wrote|Read|WRITE:|READ:)\s{1,4}([0-9]{1,12}) bytes (?:\(block size ([0-9]{1,7})\) )?in ([0-9.]{1,12}) ?(ms|s)"
    r" \([0-9.]{1,9} MB/s\)"
)
_ARDUINO = re.compile(r"[0-9]{1,12} bytes (?:written|read) for [0-9]{1,9} ms\s*\Z")
_MEGABYTES = re.compile(
    r"([0-9]{1,4}) MB (written|read) using ([0-9]{1,7}) byte buffer for ([0-9]{1,9}) ms @ [0-9.]{1,14} KBps\s*\Z"
)
_ESP_IDF = re.compile(
    r"(?:I \([0-9]{1,9}\) \w{1,20}: )?(Write"
    r"|Read) speed: [0-9.]{1,9} MB/s \([0-9.]{1,9} seconds for [0-9]{1,12} bytes\)\s*\Z"
)
_BUFFER = re.compile(r"Write Buffer size: ([0-9]{1,7}) ---\s*\Z|File size: [0-9]{1,12} ---\s*\Z")
# Averages of the runs above.
_KNOWN = re.compile(
    r"Avg\s{1,4}:\s{1,9}[0-9.]{1,9} KB/s.{0,60}\Z|FILE_SIZE_MB = [0-9]{1,6}\s*\Z|File size [0-9]{1,6} ?MB\s*\Z"
)
_DIRECTIONS = {"Wrote": "write", "WRITE:": "write", "written": "write", "Write": "write"}
_ASK = "With which block size did it run? Paste the line that says so."


class Microcontroller(Reader):
    def __init__(self) -> None:
        self.direction, self.block, self.order = "", 0, "sequential"

    def begin(self, scene: Scene) -> None:
        """A new command; "Starting write test" only goes on."""
        if not scene.heading:
            self.direction, self.block, self.order = "", 0, "sequential"

    def about(self, match: re.Match[str], scene: Scene) -> None:
        self.block = int(match[1] or 0) or self.block

    def heading(self, match: re.Match[str], scene: Scene) -> None:
        self.direction = match[1] or "both"

    def sdfat(self, match: re.Match[str], scene: Scene) -> bool | None:
        if self.direction not in ("read", "write"):
            return False
        if not self.block:
            self._asked(SDFAT, match, scene)
            return None
        times = zip(("latency_max", "latency_min", "latency_mean"), match.group(2, 3, 4), strict=True)
        self._measured(SDFAT, ("throughput", "kB/s", decimal(match[1])), match, scene)
        for metric, value in times:
            self._measured(SDFAT, (metric, "us", float(value)), match, scene)
        return None

    def size(self, match: re.Match[str], scene: Scene) -> bool | None:
        if self.direction != "both":
            return False
        self.block = int(match[1])
        for self.direction, rate in (("write", match[2]), ("read", match[3])):
            self._measured(SDFAT, ("throughput", "kB/s", decimal(rate)), match, scene)
        self.direction = "both"
        return None

    def run(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.direction = "write" if match[2] == "write" else "read"
        if not self.block:
            self._asked(SD_BENCH, match, scene)
            return None
        self._measured(SD_BENCH, ("throughput", "KiB/s", decimal(match[1])), match, scene)
        self._measured(SD_BENCH, ("latency_max", "ms", decimal(match[3])), match, scene)
        return None

    def in_order(self, match: re.Match[str], scene: Scene) -> None:
        self.direction = match[2].rstrip("s")
        self.order = {"Random": "random", "Aligned sequential": "sequential"}.get(match[1], "unaligned")

    def sectors(self, match: re.Match[str], scene: Scene) -> bool | None:
        if self.direction not in ("read", "write"):
            return False
        self.block = int(decimal(match[1]) * 1024)
        self._measured(SKETCH, ("throughput", "B/s", int(match[2]) * 512), match, scene)
        return None

    def timed(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.direction, self.block = _DIRECTIONS.get(match[1], "read"), int(match[3] or 0) or self.block
        seconds = decimal(match[4]) / (1000 if match[5] == "ms" else 1)
        if not self.block:
            self._asked(SKETCH, match, scene)
            return None
        self._measured(SKETCH, ("throughput", "B/s", int(match[2]) / (seconds or 1)), match, scene)
        return None if seconds else False

    def megabytes(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.direction, self.block = _DIRECTIONS.get(match[2], "read"), int(match[3])
        rate = int(match[1]) * 1024**2 / (int(match[4]) or 1) * 1000
        self._measured(SKETCH, ("throughput", "B/s", rate), match, scene)
        return None if int(match[4]) else False

    def without_block(self, match: re.Match[str], scene: Scene) -> None:
        self._asked(SKETCH, match, scene)

    def _asked(self, tool: str, match: re.Match[str], scene: Scene) -> None:
        scene.ask(tool, "block_size_bytes", _ASK, span=scene.span(match))

    def _measured(self, tool: str, what: tuple[str, str, float], match: re.Match[str], scene: Scene) -> None:
        metric, unit, value = what
        parameters: dict[str, Any] = {
            "direction": self.direction,
            "order": self.order,
            "io": "direct",
            "queue_depth": 1,
        }
        parameters["block_size_bytes"] = self.block
        scene.printed(tool, ("stream", metric, unit), value, match, **parameters)

    rows = (
        (_ABOUT, about),
        (_HEADING, heading),
        (_SDFAT, sdfat),
        (_SIZE, size),
        (_RUN, run),
        (_ORDER, in_order),
        (_SECTORS, sectors),
        (_TIMED, timed),
        (_MEGABYTES, megabytes),
        (_ESP_IDF, without_block),
        (_ARDUINO, without_block),
        (_BUFFER, about),
        (_KNOWN, skip),
    )
