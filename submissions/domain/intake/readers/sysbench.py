"""sysbench fileio: reads and writes per second of a test through a file system. MiB are 2^20 bytes.

Its latencies count the fsyncs in, so they are no latency of a read or a write. It syncs every 100 requests by default.
Without the lines above the results nothing says which test it was.
"""

import re
from typing import Any, Final

from submissions.domain.intake.commands import leading_integer, size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL: Final = "sysbench"
_ROW: Final = re.compile(r"(reads/s|writes/s|read, MiB/s|written, MiB/s):\s{1,40}([0-9]{1,9}\.[0-9]{2})\s*\Z")
_SETTING: Final = re.compile(
    r"(Number of threads|Block size|Extra file open flags|Doing):? (.{1,60}?)(?: test)?\s*\Z"
)
# Settings that change no figure, and latencies that count fsyncs in.
_KNOWN: Final = re.compile(
    r"(?:fsyncs/s|total time(?: taken by event execution)?|total number of events|min|avg|max|sum"
    r"|(?:approx\.\s{1,3})?[0-9]{2}(?:th)? percentile|events \(avg/stddev\)|execution time \(avg/stddev\)"
    r"|Number of IO requests|Read/Write ratio for combined random IO test):\s{1,40}[0-9./]{1,30}(?:m?s)?\s*\Z"
    r"|[0-9]{1,6} files, [0-9.]{1,9}[KMG]iB each\s*\Z|[0-9.]{1,9}[KMG]iB total file size\s*\Z"
    r"|(?:File operations|Throughput|General statistics|Latency \(ms\)|Threads fairness|response time):\s*\Z"
    r"|Periodic FSYNC enabled, calling fsync\(\) each [0-9]{1,9} requests\.\s*\Z|sysbench [0-9.]{3,9} .{0,60}\Z"
)
_TESTS: Final = {
    "sequential read": "sequential",
    "sequential write (creation)": "sequential",
    "sequential rewrite": "sequential",
    "random read": "random",
    "random write": "random",
    "random r/w": "mixed",
    "combined seq. read/write": "mixed",
}
_MODES: Final = {
    "seqrd": "sequential",
    "seqwr": "sequential",
    "rndrd": "random",
    "rndwr": "random",
    "rndrw": "mixed",
}
_ASK: Final = (
    "Which test of sysbench was this, with which block size? Paste the lines above the results, too."
)


class Sysbench(Reader):
    def __init__(self) -> None:
        self.parameters: dict[str, Any] = {}

    def begin(self, scene: Scene) -> None:
        self.parameters = {}
        mode = scene.command.option("--file-test-mode") if scene.command.program == TOOL else None
        if mode in _MODES:
            block = size((scene.command.option("--file-block-size") or "16k").lower())
            threads = leading_integer(scene.command.option("--threads", "--num-threads")) or 1
            self.parameters = {
                "order": _MODES[mode],
                "block_size_bytes": block,
                "queue_depth": threads,
                "io": "buffered",
            }

    def setting(self, match: re.Match[str], scene: Scene) -> bool | None:
        name, value = match[1], match[2]
        if name == "Number of threads":
            self.parameters["queue_depth"] = leading_integer(value)
        elif name == "Block size":
            self.parameters["block_size_bytes"] = size(value.lower())
        elif name == "Extra file open flags":
            flags = value.strip("()")
            self.parameters["io"] = "direct" if "direct" in flags or flags == "16384" else "buffered"
        elif value in _TESTS:
            self.parameters["order"] = _TESTS[value]
        return None

    def row(self, match: re.Match[str], scene: Scene) -> None:
        value = decimal(match[2])
        if not {"order", "block_size_bytes"} <= self.parameters.keys():
            scene.ask(TOOL, "pattern", _ASK, span=scene.span(match))
        elif value:
            direction = {"direction": "read" if match[1].startswith("read") else "write"}
            metric = ("throughput", "MiB/s") if "MiB" in match[1] else ("iops", "1/s")
            workload = "mixed" if self.parameters["order"] == "mixed" else "stream"
            parameters = {name: value for name, value in self.parameters.items() if value} | direction
            scene.measured(TOOL, (workload, *metric), value, span=scene.span(match), parameters=parameters)

    rows = ((_ROW, row), (_SETTING, setting), (_KNOWN, skip))
