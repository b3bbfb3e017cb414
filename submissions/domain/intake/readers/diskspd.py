"""diskspd on Windows: the "total:" rows of "Read IO" and "Write IO". MiB are 2^20 bytes, AvgLat milliseconds.

"Total IO" only adds them up. Requests in flight: the outstanding operations of a thread times the threads. Without the
settings above the results nothing says which test it was.
"""

import re
from typing import Any

from submissions.domain.intake.commands import size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "diskspd"
_SETTING = re.compile(
    r"(?:block size: ([0-9]{1,9}(?:[KMG]iB)?)|using (sequential|random|interlocked sequential) I/O\b.{0,60}"
    r"|number of outstanding I/O operations(?: per thread)?: ([0-9]{1,5})|thread count:\s{1,20}([0-9]{1,5})"
    r"|performing (read|write|mix) test\b.{0,60}|(software cache disabled|using software cache).{0,60})\s*\Z"
)
_SECTION = re.compile(r"(Total|Read|Write) IO\s*\Z")
_TOTAL = re.compile(
    r"total:\s{1,20}([0-9]{1,18}) \|\s{1,14}([0-9]{1,15}) \|\s{1,12}([0-9]{1,9}\.[0-9]{2}) \|\s{1,9}"
    r"([0-9]{1,9}\.[0-9]{2})"
    r"(?: \|\s{1,9}([0-9]{1,9}\.[0-9]{3})(?= \|))?(?: \|\s{1,12}[0-9.]{1,12}){0,2}\s*\Z"
)
# Threads, which the total adds up, and shares of the processor.
_KNOWN = re.compile(
    r"[0-9]{1,5} \|(?:\s{1,20}[0-9.]{1,18} \|){4,7} .{1,200}\Z|actual test time:\s{1,9}.{1,20}\Z|thread \|\s.{40,120}\Z"
    r"|(?:\s{0,4}[0-9]{1,4}\||avg\.\|)(?:\s{1,9}[0-9.]{1,7}%\|?){4}\s*\Z|(?:proc count"
    r"|threads per file|thread stride size):.{1,30}\Z"
)
_ASK = "Which test of diskspd was this, with which block size? Paste the settings above the results, too."


class Diskspd(Reader):
    def __init__(self) -> None:
        self.parameters, self.section = dict[str, Any](), ""
        self.depth = self.threads = 0

    def setting(self, match: re.Match[str], scene: Scene) -> None:
        block, order, depth, threads, test, cache = match.groups()
        self.depth, self.threads = int(depth or self.depth), int(threads or self.threads)
        if block:
            self.parameters["block_size_bytes"] = size(block)
        elif order:
            self.parameters["order"] = "random" if order == "random" else "sequential"
        elif cache:
            self.parameters["io"] = "direct" if cache.startswith("software") else "buffered"
        elif test:
            self.parameters["mixed"] = test == "mix"

    def begins(self, match: re.Match[str], scene: Scene) -> None:
        self.section = match[1]

    def total(self, match: re.Match[str], scene: Scene) -> bool | None:
        known = {"block_size_bytes", "order"} <= self.parameters.keys()
        if not known:
            scene.ask(TOOL, "pattern", _ASK, span=scene.span(match))
        elif self.section in ("Read", "Write") and int(match[2]):
            workload = "mixed" if self.parameters.get("mixed") else "stream"
            for metric, unit, cell in (
                ("throughput", "MiB/s", 3),
                ("iops", "1/s", 4),
                ("latency_mean", "ms", 5),
            ):
                if match[cell] and decimal(match[cell]):
                    what, value = (workload, metric, unit), decimal(match[cell])
                    scene.measured(TOOL, what, value, span=scene.span(match), parameters=self._all())
        return None

    def _all(self) -> dict[str, Any]:
        in_flight = {"queue_depth": self.depth * self.threads} if self.depth and self.threads else {}
        own = {name: value for name, value in self.parameters.items() if name != "mixed"}
        order = {"order": "mixed"} if self.parameters.get("mixed") else {}
        return own | in_flight | order | {"direction": self.section.lower()}

    rows = ((_SETTING, setting), (_SECTION, begins), (_TOTAL, total), (_KNOWN, skip))
