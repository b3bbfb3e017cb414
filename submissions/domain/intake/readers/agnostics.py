"""Raspberry Pi Diagnostics (agnostics): fio's terse output cut to name;read KiB/s;read IOPS;write KiB/s;write IOPS.

Two jobs bear the same names. Since version 0.15 of July 2024, with a seq-read row: libaio, 32 requests in flight, 4 MiB
blocks in sequence, 256 MiB, end_fsync. Before: 4 in flight, 512 KiB, 64 MiB. Source: its data/sd_bench.fio and history.
"""

import re
from math import inf
from typing import Any, NamedTuple

from submissions.domain.intake.parsed import Span
from submissions.domain.intake.scene import Reader, Scene

TOOL = "agnostics"
_KIB, _MIB = 1024, 1024**2
_ROW = re.compile(
    r"(prepare-file|seq-write|seq-read|rand-4k-write|rand-4k-read)"
    r";([0-9]{1,9});([0-9]{1,9});([0-9]{1,9});([0-9]{1,9})\s*\Z"
)
_VERDICT = re.compile(
    r"(?:[-*] )?(Sequential write|Random write|Random read) speed ([0-9]{1,9}) (?:KB/sec|IOPS)"
    r" \(target [0-9]{1,7}\)(?: - (?:PASS|FAIL))?\s*\Z"
)
_RUN = re.compile(r"Run ([0-9]{1,3})\s*\Z")
_BANNER = re.compile(r"Raspberry Pi Diagnostics - version (?:([0-9]{1,3}\.[0-9]{1,5})|\(unknown\))\s*\Z")
_DATE = re.compile(r"\w{3} (\w{3}) {1,2}[0-9]{1,2} [0-9:]{8} (20[0-9]{2})\s*\Z")
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
    "Was this measured before July 2024, with 512 KiB blocks, or since, with 4 MiB? The seq-read row tells."
)
_CHOICES = {"old": "before July 2024", "new": "in July 2024 or later"}


class Held(NamedTuple):
    """One number of a run, held until the run's last row shows which of the two jobs it was."""

    name: str
    metric: str
    unit: str
    value: int
    span: Span


class Agnostics(Reader):
    def __init__(self) -> None:
        self.run: list[Held] = []
        self.by_rows = self.by_banner = ""

    def end(self, scene: Scene) -> None:
        job = self.by_rows or self.by_banner
        for held in self.run:
            _measured(held, _JOBS.get(job, {}), scene)
        self.run, self.by_rows = [], ""

    def row(self, match: re.Match[str], scene: Scene) -> None:
        if match[1] not in _PATTERNS:
            return  # the file is only laid out
        at = 2 if match[1].endswith("read") else 4
        if match[1] == "seq-read":
            self.by_rows = "new"
        elif match[1] == "seq-write" and _in_old_blocks(int(match[at]) * _KIB, int(match[at + 1])):
            self.by_rows = "old"
        self._hold(match[1], "throughput", "KiB/s", match, at, scene)
        self._hold(match[1], "iops", "1/s", match, at + 1, scene)

    def verdict(self, match: re.Match[str], scene: Scene) -> None:
        name, metric, unit = _VERDICTS[match[1]]
        rows = [held for held in self.run if (held.name, held.metric) == (name, metric)]
        if len(rows) == 1 and rows[0].value == int(match[2]):
            return  # the same number as in the row above
        if rows:
            self.end(scene)
        self._hold(name, metric, unit, match, 2, scene)

    def _hold(
        self, name: str, metric: str, unit: str, match: re.Match[str], group: int, scene: Scene
    ) -> None:
        self.run.append(Held(name, metric, unit, int(match[group]), scene.span(match, group)))

    def next_run(self, match: re.Match[str], scene: Scene) -> None:
        self.end(scene)
        scene.begin_run(int(match[1]))

    def banner(self, match: re.Match[str], scene: Scene) -> None:
        self.end(scene)
        self.by_banner = ""
        if match[1]:
            self.by_banner = "new" if [*map(int, match[1].split("."))] >= _NEW_VERSION else "old"
            scene.add_fact(TOOL, "tool_version", match[1], span=scene.span(match, 1))

    def date(self, match: re.Match[str], scene: Scene) -> bool | None:
        if match[1] not in _MONTHS:
            return False
        if (int(match[2]), _MONTHS.index(match[1])) < _NEW_SINCE:
            self.by_banner = "old"
        return None

    rows = ((_ROW, row), (_VERDICT, verdict), (_RUN, next_run), (_BANNER, banner), (_DATE, date))


def _in_old_blocks(rate: int, count: int) -> bool:
    """Whether bytes over operations, both cut to whole numbers, fit the blocks of the old job alone."""
    least, most = rate / (count + 1), rate / count if count else inf
    return least < _JOBS["old"]["block_size_bytes"] <= most < _JOBS["new"]["block_size_bytes"]


def _measured(held: Held, job: dict[str, Any], scene: Scene) -> None:
    direction, order = _PATTERNS[held.name]
    parameters = {"direction": direction, "order": order, "io": "direct"} | job
    if order == "random":
        parameters["block_size_bytes"] = 4 * _KIB
    if direction == "write":
        parameters["sync"] = "fsync_at_end"
    if "block_size_bytes" not in parameters:
        answer = scene.ask(TOOL, "block_size_bytes", _ASK, span=held.span, choices=_CHOICES)
        parameters |= _JOBS.get(answer, {})
    if "block_size_bytes" in parameters and held.value:
        what = ("stream", held.metric, held.unit)
        scene.measured(TOOL, what, held.value, span=held.span, parameters=parameters)
