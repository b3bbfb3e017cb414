"""Parse the output of sysbench fileio: reads and writes per second of a test through a file system.

MiB, and Mb before version 1.0, are 2^20 bytes. Its latencies include the fsyncs, so they are no latency of a read or a
write. It syncs every 100 requests by default. Without the lines above the results it is not known which test was run.
"""

from typing import Any

from submissions.domain.intake.commands import leading_integer, size
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.slots import TYPES, Found, Quantity, Table, noise, row, state

_TYPES = TYPES | {
    "operations": (r"[0-9]{1,9}\.[0-9]{2}", lambda text: Quantity(decimal(text), "1/s")),
    "block": (".{1,60}?", lambda text: size(text.lower().removesuffix("b").removesuffix("i"))),
    "flags": (".{1,60}?", lambda text: _io(text.strip("()"))),
}
# Names of tests in the output, and of --file-test-mode.
_TESTS = {
    **dict.fromkeys(("sequential read", "seqrd"), ("sequential", "read")),
    **dict.fromkeys(("sequential write (creation)", "sequential rewrite", "seqwr"), ("sequential", "write")),
    **dict.fromkeys(("random read", "rndrd"), ("random", "read")),
    **dict.fromkeys(("random write", "rndwr"), ("random", "write")),
    **dict.fromkeys(("random r/w", "combined seq. read/write", "rndrw"), ("mixed", "")),
}
_ASK = (
    "Which sysbench test was this, and with which block size? Please paste the lines above the results, too."
)


class Sysbench(Table):
    types = _TYPES
    tool = "sysbench"

    def begin(self) -> None:
        self.stated, self.direction, self.counts = dict[str, Any](), "", (0, 0)  # of reads and of writes
        option = self.scene.command.option
        mode = option("--file-test-mode") if self.scene.command.program == self.tool else None
        if mode in _TESTS:
            order, self.direction = _TESTS[mode]
            self.stated = {
                "order": order,
                "block_size_bytes": size((option("--file-block-size") or "16k").lower()),
                "queue_depth": leading_integer(option("--threads", "--num-threads")) or 1,
                "io": _io(option("--file-extra-flags") or ""),
            }

    @row("Doing:? {test:.{1,60}?}(?: test)?")
    def test(self, found: Found) -> None:
        if found["test"] in _TESTS:
            self.stated["order"], self.direction = _TESTS[found["test"]]

    @row("{direction:access}/s: {iops:operations}")
    @row("{direction:access}, MiB/s: {throughput:mebibytes}")
    def result(self, found: Found) -> None:
        self._add(found["direction"], 1, found)

    @row("Operations performed: {reads:count} Read, {writes:count} Write, .{1,60}")
    def operations(self, found: Found) -> None:
        self.counts = found["reads"], found["writes"]

    # Before 1.0: one sum of reads and writes.
    @row(
        "Read [0-9.]{1,9}[KMG]?b Written [0-9.]{1,9}[KMG]?b Total transferred [0-9.]{1,9}[KMG]?b "
        r"\({throughput:binary_rate}\)"
    )
    @row("{iops:operations} Requests/sec executed")
    def sum_up(self, found: Found) -> bool:
        """Add a sum of reads and writes that sysbench printed.

        If the test reads and writes, the sum is divided between both, as later versions print it.
        """
        mixed, total = self.stated.get("order") == "mixed", sum(self.counts) or 1
        shares = zip(("read", "write"), self.counts, strict=True) if mixed else [(self.direction, total)]
        for direction, count in shares:
            self._add(direction, count / total, found)
        return not mixed or any(self.counts)

    def _add(self, direction: str, share: float, found: Found) -> None:
        metric = "iops" if "iops" in found.row.converts else "throughput"
        value, unit = found[metric].value * share, found[metric].unit
        if value and self.direction not in ("", direction):
            self.stated = {}  # the lines above are of another test
        if not {"order", "block_size_bytes"} <= self.stated.keys():
            self.ask("pattern", _ASK, found)
            return
        workload = "mixed" if self.stated["order"] == "mixed" else "stream"
        parameters = {name: value for name, value in self.stated.items() if value} | {"direction": direction}
        self.add_number((workload, metric, unit), value, found, **parameters)

    lines = (
        state("Number of threads:? {queue_depth:count}"),
        state("Block size:? {block_size_bytes:block}"),
        state("Extra file open flags:? {io:flags}"),
        # Settings that change no figure, and latencies that include fsyncs.
        *noise(
            r"(?:fsyncs/s|total time(?: taken by event execution)?|total number of events|min|avg|max|sum"
            r"|(?:approx\. )?[0-9]{2}(?:th)? percentile|events \(avg/stddev\)|execution time \(avg/stddev\)"
            r"|Number of (?:random )?(?:IO )?requests(?: for random IO)?"
            "|Read/Write ratio for combined random IO test)"
            r": [0-9./]{1,30}(?:m?s)?",
            "[0-9]{1,6} files, [0-9.]{1,9}[KMG](?:iB|b) each",
            "[0-9.]{1,9}[KMG](?:iB|b) total file size",
            r"(?:File operations|Throughput|General statistics|Latency \(ms\)|Threads fairness|response time"
            "|Test execution summary|per-request statistics):",
            r"Periodic FSYNC enabled, calling fsync\(\) each [0-9]{1,9} requests\.",
            "sysbench [0-9.]{3,9}:? .{0,60}",
            r"Calling fsync\(\) at the end of test, \w{1,9}\.",
            "Using a?synchronous I/O mode",
            "Threads started!",
            "Initializing (?:worker threads|random number).{0,60}",
        ),
    )


def _io(flags: str) -> str:
    return "direct" if "direct" in flags or flags == "16384" else "buffered"  # the number of O_DIRECT on x86
