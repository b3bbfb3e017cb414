"""sysbench fileio: reads and writes per second of a test through a file system. MiB, and Mb before 1.0, are 2^20 bytes.

Its latencies count the fsyncs in, so they are no latency of a read or a write. It syncs every 100 requests by default.
Without the lines above the results nothing says which test it was.
"""

import re
from typing import Any

from submissions.domain.intake.commands import leading_integer, size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "sysbench"
_ROW = re.compile(r"(reads/s|writes/s|read, MiB/s|written, MiB/s):\s{1,40}([0-9]{1,9}\.[0-9]{2})\s*\Z")
# Before 1.0: one sum of what was read and written.
_SUM = re.compile(
    r"Read [0-9.]{1,9}[KMG]?b\s{1,4}Written [0-9.]{1,9}[KMG]?b\s{1,4}Total transferred [0-9.]{1,9}[KMG]?b\s{1,4}"
    r"\(([0-9.]{1,12})([KMG])b/sec\)\s*\Z"
)
_REQUESTS = re.compile(r"([0-9]{1,9}\.[0-9]{2}) Requests/sec executed\s*\Z")
_OPERATIONS = re.compile(r"Operations performed:\s{1,4}([0-9]{1,12}) Read, ([0-9]{1,12}) Write, .{1,60}\Z")
_SETTING = re.compile(
    r"(Number of threads|Block size|Extra file open flags|Doing):? (.{1,60}?)(?: test)?\s*\Z"
)
# Settings that change no figure, and latencies that count fsyncs in.
_KNOWN = re.compile(
    r"(?:fsyncs/s|total time(?: taken by event execution)?|total number of events|min|avg|max|sum"
    r"|(?:approx\.\s{1,3})?[0-9]{2}(?:th)? percentile|events \(avg/stddev\)|execution time \(avg/stddev\)"
    r"|Number of (?:random )?(?:IO )?requests(?: for random IO)?|Read/Write ratio for combined random IO test)"
    r":\s{1,40}[0-9./]{1,30}(?:m?s)?\s*\Z"
    r"|[0-9]{1,6} files, [0-9.]{1,9}[KMG](?:iB|b) each\s*\Z|[0-9.]{1,9}[KMG](?:iB|b) total file size\s*\Z"
    r"|(?:File operations|Throughput|General statistics|Latency \(ms\)|Threads fairness|response time):\s*\Z"
    r"|Periodic FSYNC enabled, calling fsync\(\) each [0-9]{1,9} requests\.\s*\Z|sysbench [0-9.]{3,9}:? .{0,60}\Z"
    r"|Calling fsync\(\) at the end of test, \w{1,9}\.\s*\Z"
    r"|Using a?synchronous I/O mode\s*\Z|Threads started!\s*\Z|Initializing (?:worker threads|random number).{0,60}\Z"
    r"|(?:Test execution summary|per-request statistics):\s*\Z"
)
_TESTS = {
    "sequential read": ("sequential", "read"),
    "sequential write (creation)": ("sequential", "write"),
    "sequential rewrite": ("sequential", "write"),
    "random read": ("random", "read"),
    "random write": ("random", "write"),
    "random r/w": ("mixed", ""),
    "combined seq. read/write": ("mixed", ""),
}
_MODES = {
    "seqrd": ("sequential", "read"),
    "seqwr": ("sequential", "write"),
    "rndrd": ("random", "read"),
    "rndwr": ("random", "write"),
    "rndrw": ("mixed", ""),
}
_ASK = "Which test of sysbench was this, with which block size? Paste the lines above the results, too."


class Sysbench(Reader):
    def __init__(self) -> None:
        self.parameters: dict[str, Any] = {}
        self.direction = ""
        self.counts = 0, 0  # of reads and of writes

    def begin(self, scene: Scene) -> None:
        self.parameters, self.direction = {}, ""
        mode = scene.command.option("--file-test-mode") if scene.command.program == TOOL else None
        if mode in _MODES:
            block = size((scene.command.option("--file-block-size") or "16k").lower())
            threads = leading_integer(scene.command.option("--threads", "--num-threads")) or 1
            order, self.direction = _MODES[mode]
            self.parameters = {
                "order": order,
                "block_size_bytes": block,
                "queue_depth": threads,
                "io": _io(scene.command.option("--file-extra-flags") or ""),
            }

    def setting(self, match: re.Match[str], scene: Scene) -> bool | None:
        name, value = match[1], match[2]
        if name == "Number of threads":
            self.parameters["queue_depth"] = leading_integer(value)
        elif name == "Block size":
            self.parameters["block_size_bytes"] = size(value.lower().removesuffix("b").removesuffix("i"))
        elif name == "Extra file open flags":
            self.parameters["io"] = _io(value.strip("()"))
        elif value in _TESTS:
            self.parameters["order"], self.direction = _TESTS[value]
        return None

    def row(self, match: re.Match[str], scene: Scene) -> None:
        metric = ("throughput", "MiB/s") if "MiB" in match[1] else ("iops", "1/s")
        direction = "read" if match[1].startswith("read") else "write"
        self._measured((direction, *metric), decimal(match[2]), match, scene)

    def operations(self, match: re.Match[str], scene: Scene) -> None:
        self.counts = int(match[1]), int(match[2])

    def sum_up(self, match: re.Match[str], scene: Scene) -> bool | None:
        """A sum of reads and writes; where the test does both, it is shared out as later versions print it."""
        is_rate = match.re is _SUM
        metric = ("throughput", f"{match[2]}iB/s") if is_rate else ("iops", "1/s")
        if self.parameters.get("order") != "mixed":
            self._measured((self.direction, *metric), decimal(match[1]), match, scene)
            return None
        for direction, count in zip(("read", "write"), self.counts, strict=True):
            self._measured(
                (direction, *metric), decimal(match[1]) * count / (sum(self.counts) or 1), match, scene
            )
        return any(self.counts)

    def _measured(self, what: tuple[str, str, str], value: float, match: re.Match[str], scene: Scene) -> None:
        if value and self.direction and what[0] != self.direction:
            self.parameters = {}  # the lines above are of another test
        if not {"order", "block_size_bytes"} <= self.parameters.keys():
            scene.ask(TOOL, "pattern", _ASK, span=scene.span(match))
        elif value:
            direction, metric, unit = what
            workload = "mixed" if self.parameters["order"] == "mixed" else "stream"
            parameters = {name: value for name, value in self.parameters.items() if value}
            parameters["direction"] = direction
            scene.measured(
                TOOL, (workload, metric, unit), value, span=scene.span(match), parameters=parameters
            )

    rows = (
        (_ROW, row),
        (_OPERATIONS, operations),
        (_SUM, sum_up),
        (_REQUESTS, sum_up),
        (_SETTING, setting),
        (_KNOWN, skip),
    )


def _io(flags: str) -> str:
    return "direct" if "direct" in flags or flags == "16384" else "buffered"  # the number of O_DIRECT on x86
