"""Parse fio's text output of versions 2 and 3, and its terse output.

Version 3 prints BW in both bases, KiB/s first; KB and MB of version 2 are powers of 1024 (HOWTO, kb_base). Some
versions, such as 3.16, lose the carry when they round: 20.99 becomes 20.0 in one of the two bases. Latencies are clat:
from submission to completion. Terse fields are those of HOWTO, "Terse output", version 3.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from submissions.domain.intake.choices import ORDERS_AND_SIZES
from submissions.domain.intake.commands import Command, disk
from submissions.domain.intake.lines import decimal, whole
from submissions.domain.intake.readers import fio_job
from submissions.domain.intake.readers.fio_job import ASK, TOOL, Job
from submissions.domain.intake.slots import TYPES, Found, Table, noise, row, spell_unit
from submissions.domain.measuring.units import RATE, factor

_COUNTS = {"": 1, "k": 1000, "K": 1000, "M": 1_000_000}
_TYPES = TYPES | {
    # Numbers are rounded to four digits, so none has three decimals: a mark before three digits separates thousands,
    # and was inserted by a person.
    "marked": (r"[0-9]{1,15}(?:[.,][0-9]{1,9})*", str),
    "grouped": (
        r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,15}(?:\.[0-9]{1,9})?)",
        lambda text: decimal(text.replace(",", "")),
    ),
    "amount": (r"[0-9]{1,15}(?:\.[0-9]{1,9})?", decimal),
    "many": ("[kKM]?", _COUNTS.__getitem__),
    "unit": (r"(?:[KMG]i?)?B/s", lambda text: spell_unit(text, binary=True)),
    "seconds": ("[num]sec", lambda text: f"{text[0]}s"),
}
_GROUPS = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+\Z")
_LEAST_REQUEST = 512  # bytes
_PERCENTILE = re.compile(r"([0-9]{1,3}\.[0-9]{1,6})th=\[\s{0,12}([0-9]{1,15})\]")
METRIC_OF_PERCENTILE = {50.0: "latency_p50", 99.0: "latency_p99", 99.9: "latency_p999"}
_TERSE_DIRECTIONS = (("read", 5), ("write", 46))  # index of the first field of each
_TERSE_NAME, _TERSE_ERROR = 2, 4
_TERSE_NUMBERS = (
    ("throughput", "KiB/s", 1),
    ("iops", "1/s", 2),
    ("latency_max", "us", 9),
    ("latency_mean", "us", 10),
)


class Fio(Table):
    """A parser for the output of fio.

    `looped`: jobs of a command with variables; a heading may state the values of the variables. `name`, `directions`
    and `rated` belong to the current result: its name, its directions so far, and those of them that have a rate.
    """

    types = _TYPES
    tool = TOOL

    def begin(self) -> None:
        ordered = _drop_beginnings(self.scene.commands_of(TOOL))
        jobs = [job for job in map(fio_job.parse_job, ordered) if job]
        if not self.scene.heading:
            self.looped = jobs if any(map(fio_job.has_variables, ordered)) else []
        self.waiting = jobs or [fio_job.fill(job, self.scene.heading) for job in self.looped]
        self.ordered = self.waiting[-1] if self.waiting else Job()
        self.name, self.directions, self.rated = "", set[str](), set[str]()
        self.headers, self.groups, self.job = dict[str, Job](), dict[str, list[Job]](), self.ordered
        self.copied, self.header_line, self.running = False, 0, False
        self.direction = self.error = self.percentile_unit = ""
        self.spoken = False

    @row(
        r"{name:[^:]{1,80}}: \(g={group:[0-9]{1,6}}\): rw={rw:\w{1,12}}, bs={ranges:.{1,140}?}, "
        r"ioengine={engine:\w{1,20}}, iodepth={depth:count}"
    )
    def header(self, found: Found) -> None:
        options = {name: found[name] for name in ("rw", "ranges", "engine", "depth")}
        job = fio_job.with_header(self.ordered, **options)
        if self.running or self.spoken:  # the next run: all headers precede the first result
            self.groups, self.copied, self.running, self.spoken = {}, False, False, False
        self.headers[found["name"]] = job
        self.groups.setdefault(found["group"], []).append(job)
        self.header_line = self.scene.line.number

    @row(r"\.\.\.")
    def copies(self, found: Found) -> bool:
        """Note that the fio job of the header above is run by several processes."""
        self.copied |= self.scene.line.number == self.header_line + 1
        return self.header_line > 0

    @row("Starting {processes:count} (?:process|thread)(?:es|s)?.{0,40}")
    def processes(self, found: Found) -> None:
        self.running, self.copied = True, self.copied and found["processes"] > 1

    @row(
        r"{name:[^:(]{1,80}}: \(groupid={group:[0-9]{1,6}}, jobs={jobs:count}\): err= ?{error:count}.{0,120}"
    )
    def begin_result(self, found: Found) -> None:
        """Begin a result of fio.

        Jobs of a group run at the same time, so a result is of all jobs (--group_reporting) or a share.
        """
        job, self.spoken = self.headers.get(found["name"], self.ordered), True
        group, jobs = self.groups.get(found["group"], []), found["jobs"] or 1
        a_share = jobs == 1 and (len(group) > 1 or self.copied or self.ordered.jobs > 1)
        self.job = replace(job, jobs=jobs, whole=job.whole and not a_share and len(set(group)) < 2)
        self.error = _name_error(found["error"])
        self.direction = ""
        self.scene.part += 1

    @row(
        r"{direction:read|write}\s?: IOPS={iops:marked}{many:[kM]?}, BW={rate:marked}{unit:unit}"
        r"(?: \({decimal:marked}{decimal_unit:[kMG]?B/s}\)(?:\([^)]{1,60}\))?|\s*\Z)"
        "(?:; [0-9]{1,9} zone resets)?…"
    )
    def rate_3(self, found: Found) -> None:
        has_groups = bool(_GROUPS.match(found["iops"])) and not found["many"]
        iops = whole(found["iops"]) if has_groups else decimal(found["iops"]) * _COUNTS[found["many"]]
        unit, rate = found["unit"], decimal(found["rate"])
        if _GROUPS.match(found["rate"]) and (
            has_groups or rate * factor(unit, base=RATE) < _LEAST_REQUEST * iops
        ):
            rate = float(whole(found["rate"]))
        elif found["decimal"]:
            unit, rate = _correct_carry(found["rate"], unit, found["decimal"], found["decimal_unit"])
        self._add_rates(iops, unit, rate, found)

    @row(
        "{direction:read|write} ?: io=[0-9.]{1,25}[KMG]?B, bw={rate:grouped}{unit:unit}, iops={iops:count} ?,"
        " runt= ?[0-9]{1,12}msec"
    )
    def rate_2(self, found: Found) -> None:
        self._add_rates(found["iops"], found["unit"], found["rate"], found)

    def _add_rates(self, iops: float, unit: str, rate: float, found: Found) -> None:
        request = rate * factor(unit, base=RATE) / iops if iops else 0
        self._turn_to(found["direction"], request, found)
        self.rated.add(self.direction)
        self._add_number("iops", "1/s", iops, found)
        self._add_number("throughput", unit, rate, found)

    def _turn_to(self, direction: str, bytes_per_request: float, found: Found) -> None:
        """Select the first command that fits a line; without a fitting command the access pattern is not known.

        Commands may precede all their output, if it is reduced to these lines. If a direction is repeated, or the label
        before the line is another, another result begins.
        """
        self.direction = direction
        if self.spoken:
            return
        name = self.scene.line.text[: found.span()[0]].strip(" >")
        if direction in self.directions or name != self.name:
            self.scene.part += 1
            self.name, self.directions, self.job = name, set(), self.ordered
        self.directions.add(direction)
        if not self.waiting:
            return
        fitting = [job for job in self.waiting if job.fits(direction, bytes_per_request)]
        self.job = fitting[0] if fitting else Job()
        if len(self.waiting) > 1:
            self.waiting = [job for job in self.waiting if job is not self.job]

    @row(
        r"{direction:READ|WRITE}: (?:bw=|io=[0-9.,]{1,15}[KMG]?B, aggrb=){rate:grouped}{unit:unit}"
        r"(?: \(|,).{0,300}"
    )
    def sums(self, found: Found) -> None:
        """Add the sums of all fio jobs if the output of the jobs themselves was not pasted."""
        direction = found["direction"].lower()
        if self.spoken or direction in self.rated:
            self.rated.discard(direction)
        else:
            self._turn_to(direction, 0, found)
            self._add_number("throughput", found["unit"], found["rate"], found)

    @row(
        r"{kind:slat|clat|lat} \({unit:seconds}\): min= ?{:amount}[kKM]? ?,"
        " max= ?{latency_max:amount}{most:many} ?, avg= ?{latency_mean:amount}{many:many} ?, stdev= ?{:amount}[kKM]?"
    )
    def latency(self, found: Found) -> None:
        if found["kind"] == "clat" and self.direction:
            for metric, thousands in (("latency_mean", "many"), ("latency_max", "most")):
                self._add_number(metric, found["unit"], found[metric] * found[thousands], found)

    @row(r"{kind:clat|lat|slat|sync} percentiles \({unit:seconds}\):…")
    def percentiles(self, found: Found) -> None:
        self.percentile_unit = found["unit"] if found["kind"] == "clat" else ""

    @row(r"\|(?: [0-9.]{1,9}th=\[ ?[0-9]{1,15}\],?){1,8}")
    def percentile_row(self, found: Found) -> None:
        for point, value in _PERCENTILE.findall(found.text()):
            metric = METRIC_OF_PERCENTILE.get(float(point))
            if metric and self.percentile_unit and self.direction:
                self._add_number(metric, self.percentile_unit, decimal(value), found)

    @row(r"{name:[\w-]{1,20}}: ios=.{0,400}")
    def disk_used(self, found: Found) -> None:
        self.scene.add_fact(TOOL, "device", disk(found["name"]), span=self.span(found, "name"))

    @row(r"(?:fio-|(?=[12]\.)){tool_version:[0-9]{1,3}\.[0-9.]{1,8}}(?:-[\w-]{1,20})?")
    def version(self, found: Found) -> bool:
        return (found.text().startswith("fio") or bool(self.headers)) and self.tell(found)

    @row(r"[3-5];fio-[0-9.]{3,9};[^;]{0,80};.{60,1800}")
    def terse(self, found: Found) -> bool | None:
        fields = found.text().split(";")
        if len(fields) < 88 or not fields[_TERSE_ERROR].isdecimal():
            return False
        if fields[_TERSE_NAME] in self.headers:
            return None  # the text of the same run follows, or precedes it
        self.job, self.error = self.ordered, _name_error(int(fields[_TERSE_ERROR][:9]))
        for self.direction, first in _TERSE_DIRECTIONS:
            for metric, unit, at in _TERSE_NUMBERS if decimal(fields[first]) else ():
                self._add_number(metric, unit, decimal(fields[first + at]), found)
        return None

    def _add_number(self, metric: str, unit: str, value: float, found: Found) -> None:
        span = self.span(found)
        if self.looped:
            self.job = fio_job.fill(self.job, self.scene.label)
        if not self.job.is_complete:
            answer = self.ask("access_pattern", ASK, found, ORDERS_AND_SIZES)
            if not answer:
                return
            self.job = fio_job.with_answer(self.job, answer, direction=self.direction)
        number = (metric, unit, value)
        fio_job.add_number(self.job, self.direction, number, error=self.error, span=span, scene=self.scene)

    # Distributions, shares and sums of the numbers above.
    lines = noise(
        r"(?:bw \(|iops\s{1,20}:|lat \((?:nsec|usec|msec)\)\s{0,9}:|cpu\s{1,20}:|IO depths|submit\s{1,9}:"
        r"|complete\s{1,9}:|issued|latency\s{1,9}:|Run status|Jobs: [0-9]|Disk stats|bw=).{0,400}",
        r"sync \(\w{4}\): .{0,120}",
        "note: both iodepth >= .{0,120}",
        "[^:]{1,80}: Laying out IO file.{0,100}",
    )


def _name_error(number: int) -> str:
    return f"fio ended with error {number}" if number else ""


def _drop_beginnings(commands: Sequence[Command]) -> list[Command]:
    """Return the commands without those that are only the first line of a wrapped command."""
    pairs = pairwise((*commands, Command()))
    return [command for command, after in pairs if after.words[: len(command.words)] != command.words]


# A rate that has lost a carry is up to one unit lower than the other printed rate.
def _correct_carry(binary: str, binary_unit: str, decimal_: str, decimal_unit: str) -> tuple[str, float]:
    base = factor(binary_unit, base=RATE)
    more = decimal(decimal_) * factor(decimal_unit, base=RATE) - decimal(binary) * base
    if binary.endswith(".0") and more > base / 2:
        return decimal_unit, decimal(decimal_)
    return binary_unit, decimal(binary)
