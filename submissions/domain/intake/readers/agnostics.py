"""Parse the output of Raspberry Pi Diagnostics (agnostics), which is fio's terse output cut to five fields.

The fields are name;read KiB/s;read IOPS;write KiB/s;write IOPS. Two sets of jobs have the same names. Since version
0.15 of July 2024, with a row seq-read: libaio, 32 requests in flight, 4 MiB blocks in sequence, 256 MiB, end_fsync.
Before: 4 requests in flight, 512 KiB, 64 MiB. Source: its data/sd_bench.fio and history.
"""

from typing import Any, NamedTuple

from submissions.domain.intake.parsed import Span
from submissions.domain.intake.slots import Found, Table, noise, row

_KIB, _MIB = 1024, 1024**2
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_PATTERNS = {
    "seq-write": ("write", "sequential"),
    "seq-read": ("read", "sequential"),
    "rand-4k-write": ("write", "random"),
    "rand-4k-read": ("read", "random"),
}
_VERDICTS = {
    "Sequential write": ("seq-write", "throughput", "KiB/s"),
    "Random write": ("rand-4k-write", "iops", "1/s"),
    "Random read": ("rand-4k-read", "iops", "1/s"),
}
_JOBS = {
    "new": {"queue_depth": 32, "block_size_bytes": 4 * _MIB, "file_size_bytes": 256 * _MIB},
    "old": {"queue_depth": 4, "block_size_bytes": 512 * _KIB, "file_size_bytes": 64 * _MIB},
}
_NEW_VERSION, _NEW_SINCE = [0, 15], (2024, _MONTHS.index("Jul"))
_ASK = (
    "Was this measured before July 2024 (with 512 KiB blocks) or later (with 4 MiB blocks)? Newer output"
    " has a row named seq-read."
)
_CHOICES = {"old": "before July 2024", "new": "in July 2024 or later"}


class Held(NamedTuple):
    """A number of a run of Raspberry Pi Diagnostics.

    It is held until the last row of the run shows with which set of jobs it was measured.
    """

    name: str
    metric: str
    unit: str
    value: int
    span: Span


class Agnostics(Table):
    tool = "agnostics"

    def set_up(self) -> None:
        self.run, self.before = list[Held](), list[Held]()
        self.verdicts: list[str | None] = []
        self.by_rows = self.by_banner = ""

    def end(self) -> None:
        job = _JOBS.get(self.by_rows or self.by_banner, {})
        for held in self.run:
            self._add(held, job)
        self.before, self.run, self.by_rows = self.run or self.before, [], ""

    @row(
        "{name:seq-write|seq-read|rand-4k-write|rand-4k-read};{read:count};{reads:count}"
        ";{write:count};{writes:count}"
    )
    def result(self, found: Found) -> None:
        name = found["name"]
        direction, _ = _PATTERNS[name]
        rate, count = found[direction], found[f"{direction}s"]
        if name == "seq-read":
            self.by_rows = "new"
        elif name == "seq-write" and _fits_old_blocks(rate * _KIB, count):
            self.by_rows = "old"
        self.run += [
            Held(name, "throughput", "KiB/s", rate, self.span(found)),
            Held(name, "iops", "1/s", count, self.span(found)),
        ]

    @row(
        "(?:[-*] )?{test:Sequential write|Random write|Random read} speed {value:count}"
        r"(?: (?:KB/sec|kb/s|IOPS))? \(target [0-9]{1,7}\)(?: - {verdict:PASS|FAIL})?"
    )
    def verdict(self, found: Found) -> None:
        """Add the number that a verdict of Raspberry Pi Diagnostics states, unless a row of results above states it.

        The rows may be missing, because people paste only a part of the output.
        """
        name, metric, unit = _VERDICTS[found["test"]]
        value = found["value"]
        rows, before = (
            [held.value for held in run if (held.name, held.metric) == (name, metric)]
            for run in (self.run, self.before)
        )
        if value not in (rows or before):
            if rows:
                self.end()
            self.run.append(Held(name, metric, unit, value, self.span(found)))
        self._add_verdict_of_run(name, found)

    def _add_verdict_of_run(self, name: str, found: Found) -> None:
        # A run prints its three targets in this order.
        self.verdicts = [*([] if name == "seq-write" else self.verdicts), found["verdict"]]
        if name == "rand-4k-read" and len(self.verdicts) == len(_VERDICTS) and all(self.verdicts):
            verdict = "failed" if "FAIL" in self.verdicts else "passed"
            self.add("speed_test", verdict, found)

    @row("Run {run:count}")
    def next_run(self, found: Found) -> None:
        self.end()
        self.scene.begin_run(found["run"])

    @row(r"Raspberry Pi Diagnostics - version (?:{tool_version:[0-9]{1,3}\.[0-9]{1,5}}|\(unknown\))")
    def banner(self, found: Found) -> None:
        self.end()
        self.by_banner = ""
        if version := found["tool_version"]:
            self.by_banner = "new" if [*map(int, version.split("."))] >= _NEW_VERSION else "old"
            self.tell(found)

    @row(r"\w{3} {month:\w{3}} [0-9]{1,2} [0-9:]{8} {year:20[0-9]{2}}")
    def date(self, found: Found) -> bool:
        month = _MONTHS.find(found["month"])
        if month >= 0 and (int(found["year"]), month) < _NEW_SINCE:
            self.by_banner = "old"
        return month >= 0

    lines = noise(
        "prepare-file(?:;[0-9]{1,9}){4}",
        "Test : .{1,40} Test",
        "Test (?:PASS|FAIL|ABORTED)",
        "Note that sequential write speed declines over time as a card is used.{0,80}",
    )

    def _add(self, held: Held, job: dict[str, Any]) -> None:
        direction, order = _PATTERNS[held.name]
        known = {"direction": direction, "order": order, "io": "direct"} | job
        known |= {"block_size_bytes": 4 * _KIB} if order == "random" else {}
        known |= {"sync": "fsync_at_end"} if direction == "write" else {}
        if "block_size_bytes" not in known:
            answer = self.ask("block_size_bytes", _ASK, held.span, _CHOICES)
            known |= _JOBS.get(answer, {})
        if "block_size_bytes" in known:
            self.add_number(("stream", held.metric, held.unit), held.value, held.span, **known)


def _fits_old_blocks(rate: int, count: int) -> bool:
    """Return whether bytes divided by operations, both rounded down, fit only the block size before version 0.15."""
    old, new = (_JOBS[job]["block_size_bytes"] for job in ("old", "new"))
    return count * old <= rate < min((count + 1) * old, count * new)
