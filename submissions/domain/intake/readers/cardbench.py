"""Parse the page that `cardbench show` and `cardbench run` print.

Values have their own units; repeats have the unit of the middle value. A line “each: …” lists the parameters that the
rows below it share; a row lists its other parameters. Tables in the format of flashbench follow a command line and are
left for the reader of flashbench.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

from submissions.domain.fields import Interface
from submissions.domain.intake.lines import NotANumber, decimal, whole
from submissions.domain.intake.parameter_words import SIZE_UNITS, read_size, read_words
from submissions.domain.intake.parsed import Figure, Span
from submissions.domain.intake.slots import Found, Table, noise, row
from submissions.domain.measuring import metrics, units

METRICS = {
    "shortest": "latency_min",
    "most frequent": "latency_mode",
    "on average": "latency_mean",
    "median": "latency_p50",
    "99 % within": "latency_p99",
    "99.9 % within": "latency_p999",
    "longest": "latency_max",
    "slowest second": "slowest_second",
    "in all": "duration",
    "of the processor": "cpu_time",
    "the device read": "device_read_size",
    "the device wrote": "device_write_size",
    "photos": "photo_rate",
}
# With the words on pages that older versions of the client have printed, as in the tables below.
_METRICS_READ = METRICS | {"most often": "latency_mode", "half within": "latency_p50"}
_UNITS = {"µs": "us", "per second": "1/s", "": "count"}
_OF_UNIT = {units.RATE: "throughput", units.IOPS: "iops", units.SIZE: "real_capacity"}
QUANTITIES = {
    "erase block": "erase_block_size",
    "page": "page_size",
    "open units, linear": "open_au_linear",
    "open units, random": "open_au_random",
    "FAT area": "fat_area_size",
    "write cache": "write_cache_size",
}
_NOTHING = {"none": "none_found", "no limit": "no_limit_found", "not known": "abstained"}
# Parameters of each figure of the part “In short”, in addition to the parameters that all of them share.
IN_SHORT = {
    "Sequential reads": "sequential read, 1 MiB",
    "Sequential writes": "sequential write, 1 MiB",
    "Random reads": "random read, 4 KiB",
    "Random writes": "random write, 4 KiB",
}
_IN_SHORT_READ = IN_SHORT | {
    "Reading in order": "sequential read, 1 MiB",
    "Writing in order": "sequential write, 1 MiB",
    "Reading here and there": "random read, 4 KiB",
    "Writing here and there": "random write, 4 KiB",
}
_ALL_IN_SHORT = "queue depth 1, no sync, direct"
_ALIGN = ("align_pre", "align_on", "align_post", "align_diff")
# Title of a part of the page -> kind of its lines: facts of the card, figures, or prose.
_PARTS = {
    "A simulated card, for trying things out": "simulated",
    "A simulated card: invented, to try things out": "simulated",
    **dict.fromkeys(("The card", "The run"), "card"),
    "How fast": "figures",
    **dict.fromkeys(("How much the card holds", "How much it holds"), "figures"),
    **dict.fromkeys(("What the card is made of", "What it is made of"), "geometry"),
    **dict.fromkeys(
        ("How many units can be open at once", "How many places can be written in turn"), "units"
    ),
    **dict.fromkeys(("The cost of crossing a boundary", "What a boundary costs"), "boundaries"),
    "In short": "short",
    **dict.fromkeys(
        ("What a server found", "Less certain, because", "Less sure, because", "Checked"), "prose"
    ),
    **dict.fromkeys(
        ("Not looked for", "Incomplete or missing, and why", "Cut short or missing, and why"), "prose"
    ),
}
_FACTS = {
    "Host": "board",
    "Kernel": "kernel",
    "Disk": "device",
    "File system": "filesystem",
    "mounted with": "mount_options",
}
_INTERFACES = {*get_args(get_args(Interface)[0])} - {"simulated", "unknown"}
_TARGETS = {
    "the bare device": "device",
    **dict.fromkeys(("a file, used as if it were a device", "a file, as if it were a device"), "file"),
    "a file in a directory": "directory",
    "a simulated card": "simulated",
}
_ORDERS = {"sequential": "sequential", "random": "random", "in order": "sequential", "at random": "random"}
_NUMBER = r"-?[0-9][0-9,]{0,20}(?:\.[0-9]{1,10})?(?:e[+-][0-9]{1,3})?"
_VALUE = rf"{_NUMBER}(?: [^\s();–█][^();–█]{{0,15}}?)?"
_REPEATS = r"\({repeats:[^();]{1,1800}}; spread [^()]{1,20}\)"
_SIZE = rf"{_NUMBER} [KMG]?i?B"
_BAR = r"(?:\s{1,9}█{1,24})?"
_AMOUNT = re.compile(rf"({_NUMBER}) ?(.*)\Z")
_WORKLOAD = re.compile(r"([a-z-]{2,20}):(?: (.*)|)\Z")
_INDENTED = r"(?<=\s\s)"


class Cardbench(Table):
    tool = "cardbench"

    def set_up(self) -> None:
        self.title, self.title_line, self.line, self.has_figures = "", 0, 0, False
        self.in_short: list[Figure] = []

    def take(self) -> bool:
        """Return whether the line was understood as a part of the page of cardbench.

        A part of the page ends at a blank line or a line that was not understood.
        """
        if self.scene.line.number != self.line + 1:
            self.part = ""
        is_taken = super().take()
        self.line = self.scene.line.number if is_taken else self.line
        return is_taken

    def end(self) -> None:
        """Add the figures of the part “In short” if the page of cardbench has no other figures."""
        for figure in self.in_short:
            self.scene.figures.append(figure)
            self.scene.speaking.add(figure.tool)
        self.in_short = []

    def begin(self) -> None:
        """Forget the state of the page of cardbench, because a command follows it."""
        self.part, self.shared, self.work = "", dict[str, Any](), ("", dict[str, Any]())
        self.last, self.name = list[Figure](), self.tool

    @row(rf"{{title:{'|'.join(map(re.escape, _PARTS))}}}(?: – .{{1,120}})?")
    def heading(self, found: Found) -> None:
        self.title, self.title_line = found["title"], self.scene.line.number

    @row("─{4,80}")
    def rule(self, found: Found) -> bool:
        """Begin a part of the page of cardbench at the line of dashes below its title.

        A title without this line may be any other text.
        """
        if self.title_line != self.scene.line.number - 1:
            return False
        self.part, self.shared, self.last = _PARTS[self.title], {}, []
        if self.title == "How fast":
            self.has_figures, self.in_short = True, []
        if self.part == "simulated":
            self.add("simulated", 1, found, self.name)
        return True

    @row("each:(?: {words:.{1,300}})?")
    def share(self, found: Found) -> bool:
        shared = read_words("", found["words"] or "")
        self.shared = shared or {}
        return bool(self.part) and shared is not None

    @row(rf"{{title:{'|'.join(_IN_SHORT_READ)}}} {{value:{_VALUE}}}(?:, a typical card .{{1,60}})?")
    def short_figure(self, found: Found) -> bool:
        if self.part == "short" and not self.has_figures:
            self._begin_work(f"{_IN_SHORT_READ[found['title']]}, {_ALL_IN_SHORT}")
            self._add("", found["value"], found["value"], found)
            self.in_short.append(self.scene.figures.pop())
        return self.part == "short"

    @row(rf"{{what:\S.{{0,300}}?}}\s{{2,60}}{{value:{_VALUE}}}(?:\s{{2}}{_REPEATS})?")
    def figure(self, found: Found) -> bool:
        if self.part != "figures":
            return self.part == "geometry" and self._quantity(found["what"], found["value"], found)
        metric = _METRICS_READ.get(found["what"], "")
        if not metric and not self._begin_work(found["what"]):
            return False
        self._add(metric, found["value"], found["repeats"] or found["value"], found)
        return True

    @row(f"and {{repeats:{_NUMBER}(?:, .{{0,1800}})?}}")
    def more_repeats(self, found: Found) -> bool:
        if not self.last:
            return False
        first = self.last[0]
        for number, text in enumerate(found["repeats"].split(", "), start=len(self.last) + 1):
            self._keep(first, _amount(text, first.unit)[0], number, self.span(found))
        return True

    @row(rf"{{align:{_SIZE}}}{{cells:(?:\s{{2,14}}(?:{_VALUE}|–)){{4}}}}{_BAR}")
    def boundary(self, found: Found) -> bool:
        if self.part != "boundaries":
            return False
        cells = re.split(r"\s{2,14}", found["cells"].strip())
        self.work = ("align", {"align_bytes": read_size(found["align"])})
        for metric, cell in zip(_ALIGN, cells, strict=True):
            if cell != "–":
                self._add(metric, cell, cell, found)
        return True

    @row(rf"{{count:count}} {{order:{'|'.join(_ORDERS)}}} {{size:{_SIZE}}} {{value:{_VALUE}}}{_BAR}")
    def open_units(self, found: Found) -> bool:
        known = {
            "open_au": found["count"],
            "order": _ORDERS[found["order"]],
            "block_size_bytes": read_size(found["size"]),
        }
        self.work = ("open-au", known)
        if self.part == "units":
            self._add("throughput", found["value"], found["value"], found)
        return self.part == "units"

    @row(rf"{{title:{'|'.join(QUANTITIES)}}} {{value:{'|'.join(_NOTHING)}|{_VALUE}}}(?:\s{{2,20}}.{{1,40}})?")
    def quantity(self, found: Found) -> bool:
        return self.part == "geometry" and self._quantity(found["title"], found["value"], found)

    @row(
        rf"{_INDENTED}{{label:Size|With|On|in blocks of|Connected by|{'|'.join(_FACTS)}}} {{text:.{{1,250}}}}"
    )
    def fact(self, found: Found) -> bool:
        if self.part not in ("card", "simulated"):
            return self.part == "prose"
        for name, value in self._facts(found["label"], found["text"]):
            self.add(name, value, found, self.name)
        return True

    lines = noise(
        r"\([0-9]{1,6} rows(?: of plot data left out;|, to be plotted:) they are in the report\)",
        "(?:Incomplete or missing measurements|Measurements not run): [0-9]{1,6}",
        "Measurements that were (?:cut short or are missing|not run): [0-9]{1,6}",
        "This card (?:failed (?:once|[0-9]{1,6} times)\\.|fails with errors|disappeared or stopped responding).{1,400}",
        "This card (?:gives errors|went away or stopped answering while it was measured).{1,400}",
    )

    @row(rf"{_INDENTED}{{line:\S.{{0,400}}}}")
    def other(self, found: Found) -> bool:
        """Accept other lines of the page of cardbench: prose, facts without a field in a report, and titles of rows."""
        if self.part == "figures" and not self._begin_work(found["line"]):
            return found["line"].endswith(".")
        return bool(self.part)

    def _begin_work(self, text: str) -> bool:
        workload, words = match.groups() if (match := _WORKLOAD.match(text)) else ("", text)
        known = read_words(workload, words or "")
        if known is not None:
            self.work = (workload or "stream", known)
        return known is not None

    def _facts(self, label: str, text: str) -> Iterator[tuple[str, float | str]]:
        if label == "Size" and (exact := re.search(r"\(([0-9,]+) bytes\)", text)):
            yield "size_bytes", whole(exact[1])
        elif label == "Connected by" and (interface := text.partition(",")[0]) in _INTERFACES:
            yield "interface", interface
        elif label == "in blocks of":
            yield "filesystem_block_bytes", read_size(text)
        elif label == "On" and text in _TARGETS:
            yield "target", _TARGETS[text]
        elif label == "With" and (tool := re.match(r"(\S{1,64}) (.{0,100}?), suite “(\S{0,64})”", text)):
            self.name = tool[1]
            yield from (("suite", tool[3]), *([("tool_version", tool[2])] if tool[2] else []))
        elif label in _FACTS:
            yield _FACTS[label], text

    def _quantity(self, title: str, value: str, found: Found) -> bool:
        if title not in QUANTITIES:
            return False
        self.work = ("geometry", {})
        if value in _NOTHING:
            what = ("geometry", QUANTITIES[title], metrics.METRICS[QUANTITIES[title]].base_unit)
            self.scene.add_failure(
                self.name, what, (_NOTHING[value], value), span=self.span(found), parameters=self.shared
            )
        else:
            self._add(QUANTITIES[title], value, value, found)
        return True

    def _add(self, metric: str, middle: str, repeats: str, found: Found) -> None:
        workload, known = self.work
        unit = _amount(middle, "")[1]
        metric = metric or _OF_UNIT.get(units.UNITS.get(unit, ("", 1))[0], "throughput")
        like = Figure(self.span(found), self.name, workload, metric, unit, None, self.shared | known)
        self.last = []
        for number, text in enumerate(repeats.split(", "), start=1):
            self._keep(like, _amount(text, unit)[0], number, like.span)

    def _keep(self, like: Figure, value: float, run: int, span: Span) -> None:
        # Each repeat has its number, so that two different values are not taken for two cards.
        kept = Figure(span, like.tool, like.workload, like.metric, like.unit, value, like.parameters, run=run)
        self.last.append(kept)
        self.scene.figures.append(kept)
        self.scene.speaking.add(like.tool)


def _amount(text: str, unit: str) -> tuple[float, str]:
    """Return a printed number and its unit, spelled as in a report. Raise NotANumber.

    `unit`: the unit of a number that is printed without one.
    """
    match = _AMOUNT.match(text.strip())
    if not match:
        raise NotANumber(text)
    spelled = match[2] or unit
    if match[2] in SIZE_UNITS:
        return float(read_size(text)), "B"
    return decimal(match[1].replace(",", "")), _UNITS.get(spelled, spelled)
