"""Parse workload, metric, unit and parameters of a row of a published table from its own words; nothing is guessed.

data/programs.csv lists the parameters that a program implies: hdparm reads 2 MiB at a time.
"""

import re
from collections import ChainMap
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from submissions.domain import tables
from submissions.domain.intake.published.table import Row
from submissions.domain.intake.structures import parse_parameters
from submissions.domain.measuring import metrics, units

_KIB = 1024
# Spellings of units in tables -> (unit of a report, factor). YABS divides KiB/s by 1000 and calls it MB/s.
_UNITS = {
    "IOPS": ("1/s", 1.0),
    "KiB/s/1000": ("KiB/s", 1000.0),
} | {name: (name, 1.0) for name in units.UNITS if name != "count"}
# Words of a metric -> metric of a report, first match wins; None: by the unit.
_METRICS = (
    (r"latency min", "latency_min"),
    (r"latency (avg|average|mean)|access time", "latency_mean"),
    (r"latency max|max write time", "latency_max"),
    (r"(usable|real) capacity|capacity found", "real_capacity"),
    (r"photos per second", "photo_rate"),
)
_BY_UNIT = {units.RATE: "throughput", units.IOPS: "iops", units.TIME: "duration"}
_WRITES = re.compile(r"write|wrote|\bputc\b", re.IGNORECASE)
_READS = re.compile(r"read|\bgetc\b|access time", re.IGNORECASE)
_RANDOM = re.compile(r"\brand(om|read|write)?\b|rand-|randrw|^4KB |^512KB ", re.IGNORECASE)
_SEQUENTIAL = re.compile(
    r"sequential|\bseq\b|seq-|linear|record \d|^(read|write) \d+[km]$|\bdd\b|\bbs="
    r"|^(read|write) \d+ Mbyte file|bytes copied|^disk (read|write)",
    re.IGNORECASE,
)
# Sizes that are not those of one operation.
_OTHER_SIZES = re.compile(
    r"(?:file|size)(?: of)? [\d.]+ ?\w*|[\d.,]+ ?[kKMG](?:i?B|byte)? file|[\d.]+ ?[MG]Hz|\(AU=\d+\)|[\d.]+ ?GB\b"
)
_BLOCKS = (
    r"\bbs=(\d+(?:\.\d+)?)([kKmMgG]?)",
    r"(?:record|blocks? of|block) (\d+(?:\.\d+)?) ?([kKMG]?)i?B",
    r"(\d+) ?([kK]?)byte (?:accesses|buffer|blocks)",
    r"(\d+)() byte (?:accesses|buffer|blocks)",
    r"(?<![\w.])(?:\d+×)?(\d+(?:\.\d+)?) ?([kKmM])(?:i?B)?(?![\w/=])",
    r"(?<![\w.])(?:\d+[x×])?(512)()B(?!\w)",
)
_POWERS = {"": 1, "k": _KIB, "m": _KIB**2, "g": _KIB**3}
_FILE_KIB = re.compile(r"file (\d+) kB")
_DEPTH = re.compile(r"\bQ(\d+)(?:T(\d+))?\b|iodepth=(\d+)")
_COUNT = re.compile(r"\bcount=(\d+)([kKmM]?)\b")
_DD = re.compile(r"\bdd\b")
_OPEN_AU = re.compile(r"AU=(\d+), (linear|random) access")
_FAT_POSITION = re.compile(r"position (\d+) of \d+")
_ACTIONS = (
    (r"^boot time$", "chore", "boot"),
    (r"^1st install$", "chore", "install"),
    (r"^2nd install$", "chore", "install again"),
    (r"removal$", "chore", "remove"),
    (r"^file scan$", "chore", "scan"),
    (r"^mount$", "filesystem", "mount"),
    (r"file open|time to open files|File Open", "filesystem", "open"),
    (r"file close|File Close", "filesystem", "close"),
    (r"^fsync$", "filesystem", "sync"),
)
_WHOLE = {"real_capacity": "capacity", "photo_rate": "photos"}
_REPEATED = ("rewrite", "reread")


class Access(NamedTuple):
    """The test and the metric by which the value of a row was measured; `factor` converts the value to `unit`."""

    workload: str
    metric: str
    unit: str
    factor: float
    parameters: Mapping[str, Any]


def describe_access(row: Row, *, job: str = "") -> Access | None:
    """Return the access that a row of a published table measured.

    It is None for readings and remarks, which are no measured rates or times.

    `job`: for a program with several jobs, the job as `reports.find_jobs` returns it, by which data/programs.csv
    selects parameters.
    """
    spelled, kind = _UNITS.get(row.unit), _metric(row.metric, row.unit)
    if spelled is None or kind is None or row.metric == "seeks":
        return None
    workload = _workload(row.command_or_workload, row.metric, kind, _parameters(row, job))
    if workload is None:
        return None
    name, own = workload
    # A read syncs nothing and writes no data.
    unsaid = ("sync", "data") if own.get("direction") == "read" else ()
    stated = {key: value for key, value in own.items() if key not in unsaid}
    return Access(name, kind, *spelled, stated | _circumstances(row, name))


def _circumstances(row: Row, workload: str) -> dict[str, Any]:
    if workload in ("chore", "filesystem", *_WHOLE.values()):
        return {}
    cached = {"io": "cached"} if row.medium_state == "page cache" else {}
    return cached | ({"command_queue": row.queue == "on"} if row.queue in ("on", "off") else {})


def _metric(metric: str, unit: str) -> str | None:
    named = next((name for pattern, name in _METRICS if re.search(pattern, metric)), None)
    base = units.UNITS.get(_UNITS.get(unit, ("", 0))[0], ("", 0))[0]
    if named:
        return named if metrics.METRICS[named].base_unit == base else None
    return _BY_UNIT.get(base)


def _workload(
    text: str, metric: str, kind: str, parameters: dict[str, Any]
) -> tuple[str, dict[str, Any]] | None:
    """Return a workload with its parameters; None unless it is known whether it reads or writes."""
    if kind in _WHOLE:
        return _WHOLE[kind], {}
    if action := _find_action(text, metric):
        return action
    if "direction" not in parameters:
        return None
    if au := _OPEN_AU.match(text):
        order = "sequential" if au[2] == "linear" else "random"
        return "open-au", parameters | {"order": order, "open_au": int(au[1])}
    if place := _FAT_POSITION.search(text):
        unordered = {name: value for name, value in parameters.items() if name != "order"}
        return "fat", unordered | {"erase_block_index": int(place[1]) - 1}
    return _transfer(text, metric, parameters), parameters


def _find_action(text: str, metric: str) -> tuple[str, dict[str, Any]] | None:
    for pattern, workload, action in _ACTIONS:
        in_text = workload == "filesystem" and "read" not in metric and re.search(pattern, text)
        if re.search(pattern, metric) or in_text:
            return workload, {"action": action}
    return None


def _transfer(text: str, metric: str, parameters: Mapping[str, Any]) -> str:
    if re.match(r"whole |f3(write|read)", text):
        return "fill"
    if text == "prepare-file" or "block_size_bytes" not in parameters:
        return "transfer"
    usual = "stream" if "order" in parameters else "chunk"
    return next((word for word in _REPEATED if word in metric), usual)


def _parameters(row: Row, job: str) -> dict[str, Any]:
    # The row itself takes precedence over its program, and a stricter row of data/programs.csv over later rows.
    text = row.command_or_workload
    of_dd = {"queue_depth": 1} | _parse_dd(text) if _DD.search(f"{row.tool} {text}") else {}
    run_by = next((part for part in row.note.split("; ") if part.startswith("run by ")), "")
    words = f"{text} {job} {run_by}"
    implied = (program.parameters for program in _programs() if program.fits(row, words))
    return {**ChainMap(_parse_own_words(text, row.metric) | of_dd, *map(dict, implied))}


def _parse_own_words(text: str, metric: str) -> dict[str, Any]:
    words = f"{metric} {text}"
    parameters: dict[str, Any] = {}
    writes, reads = next(filter(any, map(_names_write_and_read, (metric, text))), (False, False))
    if writes != reads:
        parameters["direction"] = "write" if writes else "read"
    if _RANDOM.search(metric) or _RANDOM.search(text):
        parameters["order"] = "random"
    elif _SEQUENTIAL.search(text) or _SEQUENTIAL.search(metric):
        parameters["order"] = "sequential"
    if block := _block(words):
        parameters["block_size_bytes"] = block
    if file := _FILE_KIB.search(text):
        parameters["file_size_bytes"] = int(file[1]) * _KIB
    if depth := _DEPTH.search(words):
        parameters["queue_depth"] = int(depth[1] or depth[3]) * int(depth[2] or 1)
    return parameters


def _names_write_and_read(text: str) -> tuple[bool, bool]:
    return bool(_WRITES.search(text)), bool(_READS.search(text))


def _block(words: str) -> int:
    """Return the bytes of one operation, 0 if the words do not state its size."""
    left = _OTHER_SIZES.sub("", words)
    for pattern in _BLOCKS:
        if found := re.search(pattern, left):
            return round(float(found[1]) * _POWERS[found[2].lower()])
    return 0


# dd syncs once at the end, unless oflag asks for a sync with every write.
def _parse_dd(command: str) -> dict[str, Any]:
    flags = " ".join(re.findall(r"(?:oflag|iflag)=(\S+)", command))
    stated = "bs=" in command
    own: dict[str, Any] = {"io": "direct" if "direct" in flags else "buffered"} if stated else {}
    if "dsync" in flags:
        own["sync"] = "dsync"
    elif re.search(r"conv=\S*(fsync|fdatasync)|with fsync", command):
        own["sync"] = "fsync_at_end"
    elif stated:
        own["sync"] = "none"
    if "if=/dev/zero" in command and "of=/dev/null" not in command:
        own["data"] = "zeros"
    count, block = _COUNT.search(command), _block(command)
    if count and block:
        own["file_size_bytes"] = int(count[1]) * _POWERS[count[2].lower()] * block
    return own


class Program(NamedTuple):
    """A row of data/programs.csv: parameters that a program implies, for rows of a table that fit its patterns."""

    source: re.Pattern[str]
    program: re.Pattern[str]
    text: re.Pattern[str]
    parameters: Mapping[str, Any]

    def fits(self, row: Row, words: str) -> bool:
        named = self.source.fullmatch(row.source_id) or not self.source.pattern
        told = self.text.search(words) or self.text.search(row.metric)
        return bool(named and self.program.search(row.tool) and told)


@cache
def _programs() -> tuple[Program, ...]:
    return tuple(
        Program(
            source=re.compile(row["of_source"]),
            program=re.compile(row["program"]),
            text=re.compile(row["text"]),
            parameters=parse_parameters(row["parameters"]),
        )
        for row in tables.rows("programs")
    )
