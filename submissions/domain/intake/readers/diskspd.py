"""Parse the output of diskspd on Windows: the "total:" rows of "Read IO" and "Write IO".

MiB are 2^20 bytes, AvgLat is in milliseconds. "Total IO" only adds the others up. Requests in flight are the
outstanding operations of a thread times the threads. Without the settings above the results it is not known which test
was run.
"""

from submissions.domain.intake.commands import size
from submissions.domain.intake.slots import TYPES, Found, Table, noise, row, state

_ASK = (
    "Which diskspd test was this, and with which block size? Please paste the settings above the results,"
    " too."
)
_TYPES = TYPES | {
    "block": (r"[0-9]{1,9}(?:[KMG]iB)?", size),
    "order": (r"sequential|random|interlocked sequential", lambda text: text.removeprefix("interlocked ")),
    "cache": (
        "software cache disabled|using software cache",
        lambda text: "buffered" if text[0] == "u" else "direct",
    ),
}


class Diskspd(Table):
    types = _TYPES
    tool = "diskspd"
    section, depth, threads, workload = "", 0, 0, "stream"

    @row(r"number of outstanding I/O operations(?: per thread)?: {depth:count}")
    @row("thread count: {threads:count}")
    @row(r"performing {test:read|write|mix} test\b.{0,60}")
    def setting(self, found: Found) -> None:
        name = next(iter(found.row.converts))
        if name == "test":
            self.workload = "mixed" if found["test"] == "mix" else "stream"
        else:
            setattr(self, name, found[name])

    @row("{section:Total|Read|Write} IO")
    def begins(self, found: Found) -> None:
        self.section = found["section"]

    @row(
        r"total: {:count} \| {_ios:count} \| {throughput:mebibytes} \| {iops:number}"
        r"(?: \| {latency_mean:milliseconds}(?= \|))?"
        r"(?: \| {:number}){0,2}"
    )
    def total(self, found: Found) -> None:
        if not {"block_size_bytes", "order"} <= self.stated.keys():
            self.ask("pattern", _ASK, found)
        elif self.section in ("Read", "Write") and found["_ios"]:
            depth = self.depth * self.threads
            known = {"direction": self.section.lower()} | ({"queue_depth": depth} if depth else {})
            known |= {"order": "mixed"} if self.workload == "mixed" else {}
            self.measure(self.workload, found, **known)

    lines = (
        state("block size: {block_size_bytes:block}"),
        state(r"using {order:order} I/O\b.{0,60}"),
        state("{io:cache}.{0,60}"),
        # Rows of threads, which the total adds up, and shares of the processor.
        *noise(
            r"[0-9]{1,5} \|(?: [0-9.]{1,18} \|){4,7} .{1,200}",
            "actual test time: .{1,20}",
            r"thread \|.{40,120}",
            r"(?:[0-9]{1,4}\||avg\.\|)(?: [0-9.]{1,7}%\|?){4}",
            "(?:proc count|threads per file|thread stride size):.{1,30}",
        ),
    )
