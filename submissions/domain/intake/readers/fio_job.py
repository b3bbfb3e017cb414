"""The options of a job of fio, which mean the same in text, JSON, terse output and on a command line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from submissions.domain.intake.commands import Command, size
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.scene import Scene
from submissions.domain.intake.slots import count_bytes

TOOL = "fio"
# HOWTO "rw" and "ioengine": engines that wait for each request have one request in flight, even if iodepth is higher.
ORDERS = {
    "read": "sequential",
    "write": "sequential",
    "randread": "random",
    "randwrite": "random",
    "rw": "mixed",
    "readwrite": "mixed",
    "randrw": "mixed",
}
_WAITING = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})
_SYNCS = {"1": "osync", "sync": "osync", "dsync": "dsync"}
_LIMITS = ("rate", "rate_iops", "thinktime")
_SYNC_OPTIONS = ("sync", "fsync", "end_fsync", "fdatasync")
# Option -> the field of a job that is unknown if a script inserts the value.
_FIELDS = {
    **dict.fromkeys(("rw", "readwrite"), "rw"),
    **dict.fromkeys(("bs", "blocksize"), "block_size"),
    **dict.fromkeys(("ioengine", "iodepth", "numjobs"), "depth"),
    **dict.fromkeys(_SYNC_OPTIONS, "sync"),
    "direct": "io",
}
_RANGE = re.compile(
    r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([KMG]?)(?:iB|B)?-([0-9]{1,9}(?:\.[0-9]{1,3})?)([KMG]?)(?:iB|B)?"
)
ASK = (
    "Which access pattern (rw=) and block size (bs=) did this job use? Please paste fio's command line, too."
)


@dataclass(frozen=True, slots=True)
class Job:
    """The options of a job of fio; None for an option that is not stated.

    `varied`: the blocks have several sizes; `whole`: neither an option nor another job at the same time slows the job
    down.
    """

    rw: str | None = None
    block_size: int | None = None
    engine: str | None = None
    depth: int | None = None
    jobs: int = 1
    io: str | None = None
    sync: str | None = None
    varied: bool = False
    whole: bool = True

    def parameters(self, direction: str) -> dict[str, Any]:
        """Return the parameters of the job in a report, for one direction; required parameters may be missing."""
        parameters = {
            "direction": direction,
            "order": ORDERS.get(self.rw or ""),
            "block_size_bytes": self.block_size,
            "queue_depth": self._queue_depth(),
            "io": self.io,
            "sync": self.sync if direction == "write" else None,
        }
        return {name: value for name, value in parameters.items() if value is not None}

    @property
    def workload(self) -> str:
        """Return the workload: "mixed" for reads and writes at the same time, "part" of a load, else "stream".

        Only "stream" is a workload of a report; figures of the other workloads are only kept in its `extra`.
        """
        if not self.whole:
            return "part"
        return "mixed" if ORDERS.get(self.rw or "") == "mixed" else "stream"

    def fits(self, direction: str, bytes_per_request: float) -> bool:
        """Return whether a line of output may be of this job, by its direction and by its rate over its IOPS."""
        other = {"read": "write", "write": "read"}[direction]
        unknown = not (self.block_size and bytes_per_request)
        near = unknown or 0.8 <= bytes_per_request / (self.block_size or 1) <= 1.25
        return near and other not in (self.rw or "").removeprefix("readwrite")

    @property
    def is_complete(self) -> bool:
        return not self.whole or (self.rw in ORDERS and (self.block_size is not None or self.varied))

    def _queue_depth(self) -> int | None:
        depth = 1 if self.engine in _WAITING else self.depth
        return depth * self.jobs if depth else None


def parse_options(options: Mapping[str, Any]) -> Job:
    """Return the fio job with these options; other options have the defaults of fio."""
    engine = str(options.get("ioengine") or "psync")
    return Job(
        rw=str(options.get("rw") or options.get("readwrite") or "read"),
        block_size=_size(str(options.get("bs") or options.get("blocksize") or "4k")),
        engine=engine,
        depth=_positive(options.get("iodepth")) or 1,
        jobs=_positive(options.get("numjobs")) or 1,
        io="direct" if str(options.get("direct", "0")) == "1" else "buffered",
        sync=_sync(options),
        whole=not any(options.get(name) for name in _LIMITS),
    )


def _size(text: str) -> int | None:
    """Return bytes. fio swaps units to suit old scripts: 4kb is 4k, 4096 bytes, and 4kib is 4000 (HOWTO, "kb_base")."""
    lower = text.lower().removesuffix("b")
    return size(f"{lower.removesuffix('i')}b" if lower.endswith("i") else lower)


def parse_job(command: Command) -> Job | None:
    """Return the fio job of a command line; None for another program, and for a command that names a job file."""
    if command.program != TOOL:
        return None
    values = {name: command.option(f"--{name}", f"-{name}") for name in (*_LIMITS, *_FIELDS)}
    options = {name: value for name, value in values.items() if value is not None}
    open_fields = {_FIELDS[name]: None for name, value in options.items() if "$" in value and name in _FIELDS}
    known: dict[str, Any] = open_fields | ({"engine": None} if "depth" in open_fields else {})
    return replace(parse_options(options), **known) if options else None


def has_variables(command: Command) -> bool:
    """Return whether a command has shell variables, so that a script inserts the values of some options."""
    return any("$" in word for word in command.words)


def fill(job: Job, text: str) -> Job:
    """Return the fio job with its unknown pattern and block size filled in from words such as "randread bs=4k"."""
    words = [word.rpartition("=")[2] for word in text.split()]
    orders = [word for word in words if word in ORDERS]
    sizes = list(filter(None, (_size(word) for word in words if word[-1:].isalpha())))
    return replace(
        job,
        rw=job.rw or (orders[0] if len(orders) == 1 else None),
        block_size=job.block_size or (sizes[0] if len(sizes) == 1 else None),
    )


def with_header(job: Job, *, rw: str, ranges: str, engine: str, depth: int) -> Job:
    """Return the fio job with the options in the header that fio printed, which take precedence."""
    sizes = [_single_size(match) for match in _RANGE.finditer(ranges)]  # of reads, writes and trims
    own = sizes[1:2] if "write" in rw else sizes[:1]
    block_size = (own or sizes or [None])[0]
    return replace(
        job,
        rw=rw,
        block_size=block_size or job.block_size,
        engine=engine,
        depth=depth,
        varied=bool(sizes) and block_size is None,
    )


def with_answer(job: Job, answer: str, *, direction: str) -> Job:
    """Return the fio job with the order and block size of a sender's answer, a key of choices.ORDERS_AND_SIZES."""
    order, block_size = answer.split()
    return replace(job, rw=f"rand{direction}" if order == "random" else direction, block_size=int(block_size))


def add_number(
    job: Job, direction: str, number: tuple[str, str, float], *, error: str, span: Span, scene: Scene
) -> None:
    """Add a metric, its unit and its value as a figure of a fio job, or as a failure if fio ended with an error."""
    metric, unit, value = number
    what, parameters = (job.workload, metric, unit), job.parameters(direction)
    if error:
        scene.add_failure(TOOL, what, ("tool_error", error), span=span, parameters=parameters)
    elif value:
        scene.add_figure(TOOL, what, value, span=span, parameters=parameters)


def _single_size(match: re.Match[str]) -> int | None:
    if match[1] + match[2] != match[3] + match[4]:
        return None
    return count_bytes(float(match[1]), match[2]) or None


def _sync(options: Mapping[str, Any]) -> str:
    sync, each, at_end, each_content = (str(options.get(name)) for name in _SYNC_OPTIONS)
    if sync in _SYNCS:
        return _SYNCS[sync]
    if "1" in (each, each_content):
        return "fsync_each"
    return "fsync_at_end" if at_end == "1" else "none"


def _positive(number: Any) -> int | None:
    text = str(number or "")
    return int(text) or None if text.isascii() and text.isdecimal() and len(text) < 9 else None
