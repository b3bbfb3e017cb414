"""fio's text output of versions 2 and 3, and its terse output.

Version 3 prints BW in both bases, KiB/s first; KB and MB of version 2 are powers of 1024 (HOWTO, kb_base). Some
versions, 3.16 for one, lose the carry when they round: 20.99 becomes 20.0, in the one base or the other. Latencies are
clat: from submission to completion. Terse fields after HOWTO, "Terse output", version 3.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from submissions.domain.intake.choices import ORDERS_AND_SIZES
from submissions.domain.intake.commands import Command, disk
from submissions.domain.intake.lines import NotANumber, decimal, whole
from submissions.domain.intake.readers import fio_job
from submissions.domain.intake.readers.fio_job import ASK, TOOL, Job
from submissions.domain.intake.scene import Reader, Scene, skip
from submissions.domain.measuring.units import RATE, factor

_NUMBER = r"([0-9]{1,15}(?:\.[0-9]{1,9})?)"
_WHOLE = r"([0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,9})"
_GROUPED = r"([0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,15}(?:\.[0-9]{1,9})?)"
_HEADER = re.compile(
    r"([^:]{1,80}): \(g=([0-9]{1,6})\): rw=(\w{1,12}), bs=(.{1,140}?), ioengine=(\w{1,20}), iodepth=([0-9]{1,6})\s*\Z"
)
_JOB = re.compile(
    r"([^:(]{1,80}): \(groupid=([0-9]{1,6}), jobs=([0-9]{1,6})\): err=\s{0,3}([0-9]{1,5}).{0,120}\Z"
)
# Rounded to four digits, no number here has three decimals: a mark before three digits parts thousands, put in later.
_MARKED = r"([0-9]{1,15}(?:[.,][0-9]{1,9})*)"
_GROUPS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+\Z")
_LEAST_REQUEST = 512  # bytes
_RATE_3 = re.compile(
    rf"(read|write)\s?: IOPS={_MARKED}([kM]?), BW={_MARKED}([KMG]i)?B/s"
    rf"(?: \({_MARKED}([kMG]?B)/s\)(?:\([^)]{{1,60}}\))?|\s*\Z)"
    r"(?:; [0-9]{1,9} zone resets)?"
)
_RATE_2 = re.compile(
    rf"(read|write)\s{{0,2}}: io={_NUMBER}[KMG]?B, bw={_GROUPED}([KMG]?)B/s, iops={_WHOLE} ?,"
    r" runt=\s{0,9}[0-9]{1,12}msec\s*\Z"
)
_LATENCY = re.compile(
    rf"(slat|clat|lat) \((nsec|usec|msec)\): min=\s{{0,9}}{_NUMBER}([kKM]?)\s?, max=\s{{0,9}}{_NUMBER}([kKM]?)\s?,"
    rf" avg=\s{{0,9}}{_NUMBER}([kKM]?)\s?, stdev=\s{{0,9}}{_NUMBER}([kKM]?)\s*\Z"
)
_PERCENTILES = re.compile(r"(clat|lat|slat|sync) percentiles \((nsec|usec|msec)\):")
_PERCENTILE_ROW = re.compile(r"\|(?:\s{1,9}[0-9.]{1,9}th=\[\s{0,12}[0-9]{1,15}\],?){1,8}\s*\Z")
_PERCENTILE = re.compile(r"([0-9]{1,3}\.[0-9]{1,6})th=\[\s{0,12}([0-9]{1,15})\]")
_SUMS = re.compile(
    rf"(READ|WRITE): (?:bw={_GROUPED}([KMG]i)?B/s \(|io=[0-9.,]{{1,15}}[KMG]?B, aggrb={_GROUPED}"
    rf"([KMG]?)B/s,).{{0,300}}\Z"
)
_COPIES = re.compile(r"\.\.\.\s*\Z")
_STARTING = re.compile(r"Starting ([0-9]{1,5}) (?:process|thread)(?:es|s)?.{0,40}\Z")
# Distributions, shares and sums of what was printed above.
_KNOWN = re.compile(
    r"(?:bw \(|iops\s{1,20}:|lat \((?:nsec|usec|msec)\)\s{0,9}:|cpu\s{1,20}:|IO depths|submit\s{1,9}:|complete\s{1,9}:"
    r"|issued|latency\s{1,9}:|READ:|WRITE:|Run status|Jobs: [0-9]|Disk stats|bw=)"
    r".{0,400}\Z|sync \(\w{4}\): .{0,120}\Z|note: both iodepth >= .{0,120}\Z|[^:]{1,80}: Laying out IO file.{0,100}\Z"
)
_DISK_USED = re.compile(r"([\w-]{1,20}): ios=.{0,400}\Z")
_VERSION = re.compile(r"(?:fio-|(?=[12]\.))([0-9]{1,3}\.[0-9.]{1,8})(?:-[\w-]{1,20})?\s*\Z")
_TERSE = re.compile(r"[3-5];fio-[0-9.]{3,9};[^;]{0,80};.{60,1800}\Z")
_TIMES = {"nsec": "ns", "usec": "us", "msec": "ms"}
_COUNTS = {"": 1, "k": 1000, "K": 1000, "M": 1_000_000}
_RATES = {
    "": "B/s",
    "K": "KiB/s",
    "Ki": "KiB/s",
    "M": "MiB/s",
    "Mi": "MiB/s",
    "G": "GiB/s",
    "Gi": "GiB/s",
}
METRIC_OF_PERCENTILE = {50.0: "latency_p50", 99.0: "latency_p99", 99.9: "latency_p999"}
_TERSE_DIRECTIONS = (("read", 5), ("write", 46))  # index of the first field of each
_TERSE_NAME, _TERSE_ERROR = 2, 4


class Fio(Reader):
    def __init__(self) -> None:
        self.ordered, self.waiting = Job(), list[Job]()
        self.looped = list[Job]()  # of a command with variables, whose values a heading may tell
        self.name, self.directions, self.rated = "", set[str](), set[str]()  # of the result so far
        self.headers: dict[str, Job] = {}
        self.groups: dict[str, list[Job]] = {}
        self.copied, self.header_line, self.running = False, 0, False
        self.job = Job()
        self.direction, self.error, self.percentile_unit, self.spoken = "", "", "", False

    def begin(self, scene: Scene) -> None:
        ordered = _without_beginnings(scene.commands_of(TOOL))
        jobs = [job for job in map(fio_job.of_command, ordered) if job]
        if not scene.heading:
            self.looped = jobs if any(map(fio_job.has_variables, ordered)) else []
        self.waiting = jobs or [fio_job.fill(job, scene.heading) for job in self.looped]
        self.ordered = self.waiting[-1] if self.waiting else Job()
        self.name, self.directions, self.rated = "", set(), set()
        self.headers, self.groups, self.job = {}, {}, self.ordered
        self.copied, self.header_line, self.running = False, 0, False
        self.direction = self.error = self.percentile_unit = ""
        self.spoken = False

    def header(self, match: re.Match[str], scene: Scene) -> None:
        job = fio_job.described(
            self.ordered, rw=match[3], ranges=match[4], engine=match[5], depth=int(match[6])
        )
        if self.running or self.spoken:  # the next run: all heads stand above the first result
            self.groups, self.copied, self.running, self.spoken = {}, False, False, False
        self.headers[match[1].strip()] = job
        self.groups.setdefault(match[2], []).append(job)
        self.header_line = scene.line.number

    def copies(self, match: re.Match[str], scene: Scene) -> bool | None:
        """Below a head: it stands for several processes."""
        self.copied |= scene.line.number == self.header_line + 1
        return None if self.header_line else False

    def processes(self, match: re.Match[str], scene: Scene) -> None:
        self.running, self.copied = True, self.copied and int(match[1]) > 1

    def started(self, match: re.Match[str], scene: Scene) -> None:
        """Jobs of one group run at the same time: a result is of all of them (--group_reporting) or one's share."""
        job, self.spoken = self.headers.get(match[1].strip(), self.ordered), True
        group, jobs = self.groups.get(match[2], []), int(match[3]) or 1
        a_share = jobs == 1 and (len(group) > 1 or self.copied or self.ordered.jobs > 1)
        self.job = replace(job, jobs=jobs, whole=job.whole and not a_share and len(set(group)) < 2)
        self.error = f"fio ended with error {match[4]}" if int(match[4]) else ""
        self.direction = ""
        scene.part += 1

    def rate_3(self, match: re.Match[str], scene: Scene) -> None:
        has_groups = bool(_GROUPS.match(match[2])) and not match[3]
        iops = whole(match[2]) if has_groups else decimal(match[2]) * _COUNTS[match[3]]
        unit, rate = _RATES[match[5] or ""], decimal(match[4])
        if _GROUPS.match(match[4]) and (has_groups or rate * factor(unit, base=RATE) < _LEAST_REQUEST * iops):
            rate = float(whole(match[4]))
        elif match[6]:
            unit, rate = _carried(match[4], unit, match[6], f"{match[7]}/s")
        self._turn_to(match[1], rate * factor(unit, base=RATE) / iops if iops else 0, match, scene)
        self.rated.add(match[1])
        self._measured("iops", "1/s", iops, match, scene)
        self._measured("throughput", unit, rate, match, scene)

    def rate_2(self, match: re.Match[str], scene: Scene) -> None:
        rate, iops = decimal(match[3].replace(",", "")), whole(match[5])
        self._turn_to(
            match[1], rate * factor(_RATES[match[4]], base=RATE) / iops if iops else 0, match, scene
        )
        self.rated.add(match[1])
        self._measured("iops", "1/s", iops, match, scene)
        self._measured("throughput", _RATES[match[4]], rate, match, scene)

    def _turn_to(self, direction: str, bytes_per_request: float, match: re.Match[str], scene: Scene) -> None:
        """Take the first command that fits a line; without one that fits, nothing is known of its access pattern.

        Commands may stand above the output of them all, of which only these lines are left. A direction that comes
        again, or another label before the line, is another result.
        """
        self.direction = direction
        if self.spoken:
            return
        name = scene.line.text[: match.start()].strip(" >")
        if direction in self.directions or name != self.name:
            scene.part += 1
            self.name, self.directions, self.job = name, set(), self.ordered
        self.directions.add(direction)
        if not self.waiting:
            return
        fitting = [job for job in self.waiting if job.fits(direction, bytes_per_request)]
        self.job = fitting[0] if fitting else Job()
        if len(self.waiting) > 1:
            self.waiting = [job for job in self.waiting if job is not self.job]

    def sums(self, match: re.Match[str], scene: Scene) -> bool | None:
        """The sums of all jobs, where the jobs themselves were not pasted."""
        direction = match[1].lower()
        if self.spoken or direction in self.rated:
            self.rated.discard(direction)
            return None
        self._turn_to(direction, 0, match, scene)
        unit = _RATES[match[3] or match[5] or ""]
        self._measured("throughput", unit, decimal((match[2] or match[4]).replace(",", "")), match, scene)
        return None

    def latency(self, match: re.Match[str], scene: Scene) -> None:
        if match[1] == "clat" and self.direction:
            unit = _TIMES[match[2]]
            self._measured("latency_mean", unit, decimal(match[7]) * _COUNTS[match[8]], match, scene)
            self._measured("latency_max", unit, decimal(match[5]) * _COUNTS[match[6]], match, scene)

    def percentiles(self, match: re.Match[str], scene: Scene) -> None:
        self.percentile_unit = _TIMES[match[2]] if match[1] == "clat" else ""

    def percentile_row(self, match: re.Match[str], scene: Scene) -> None:
        for point, value in _PERCENTILE.findall(match[0]):
            metric = METRIC_OF_PERCENTILE.get(float(point))
            if metric and self.percentile_unit and self.direction:
                self._measured(metric, self.percentile_unit, decimal(value), match, scene)

    def disk_used(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(TOOL, "device", disk(match[1]), span=scene.span(match, 1))

    def version(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not (match[0].startswith("fio") or self.headers):
            return False
        scene.add_fact(TOOL, "tool_version", match[1], span=scene.span(match))
        return None

    def terse(self, match: re.Match[str], scene: Scene) -> bool | None:
        fields = match[0].split(";")
        if len(fields) < 88 or not fields[_TERSE_ERROR].isdecimal():
            return False
        if fields[_TERSE_NAME] in self.headers:
            return None  # the text of the same run follows, or stood above
        self.job, self.error = self.ordered, ""
        if int(fields[_TERSE_ERROR]):
            self.error = f"fio ended with error {fields[_TERSE_ERROR][:9]}"
        for direction, first in _TERSE_DIRECTIONS:
            values = [_plain(field) for field in fields[first : first + 12]]
            if values[0]:
                self.direction = direction
                self._measured("throughput", "KiB/s", values[1], match, scene)
                self._measured("iops", "1/s", values[2], match, scene)
                self._measured("latency_max", "us", values[9], match, scene)
                self._measured("latency_mean", "us", values[10], match, scene)
        return None

    def _measured(
        self, metric: str, unit: str, value: float | None, match: re.Match[str], scene: Scene
    ) -> None:
        span = scene.span(match)
        if self.looped:
            self.job = fio_job.fill(self.job, scene.label)
        if not self.job.is_complete:
            answer = scene.ask(TOOL, "access_pattern", ASK, span=span, choices=ORDERS_AND_SIZES)
            if not answer:
                return
            self.job = fio_job.answered(self.job, answer, direction=self.direction)
        parameters, what = self.job.parameters(self.direction), (self.job.workload, metric, unit)
        if self.error:
            scene.failed(TOOL, what, ("tool_error", self.error), span=span, parameters=parameters)
        elif value:
            scene.measured(TOOL, what, value, span=span, parameters=parameters)

    rows = (
        (_HEADER, header),
        (_COPIES, copies),
        (_STARTING, processes),
        (_JOB, started),
        (_RATE_3, rate_3),
        (_RATE_2, rate_2),
        (_LATENCY, latency),
        (_PERCENTILES, percentiles),
        (_PERCENTILE_ROW, percentile_row),
        (_SUMS, sums),
        (_DISK_USED, disk_used),
        (_KNOWN, skip),
        (_VERSION, version),
        (_TERSE, terse),
    )


def _without_beginnings(commands: Sequence[Command]) -> list[Command]:
    """The commands, without the first lines of those that were wrapped."""
    pairs = pairwise((*commands, Command()))
    return [command for command, after in pairs if after.words[: len(command.words)] != command.words]


def _carried(binary: str, binary_unit: str, decimal_: str, decimal_unit: str) -> tuple[str, float]:
    """(unit, rate): of the two printed rates the one that has lost no carry, which may be up to one unit higher."""
    base = factor(binary_unit, base=RATE)
    more = decimal(decimal_) * factor(decimal_unit, base=RATE) - decimal(binary) * base
    if binary.endswith(".0") and more > base / 2:
        return decimal_unit, decimal(decimal_)
    return binary_unit, decimal(binary)


def _plain(field: str) -> float | None:
    """A number of a terse field; None for anything else."""
    try:
        return decimal(field)
    except NotANumber:
        return None
