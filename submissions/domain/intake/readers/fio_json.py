"""Parse the output of fio --output-format=json, also between other lines.

Its `bw_bytes` are bytes per second, `bw` KiB per second.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from submissions.domain.intake.commands import disk
from submissions.domain.intake.lines import Line
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.readers import fio_job
from submissions.domain.intake.readers.fio import METRIC_OF_PERCENTILE
from submissions.domain.intake.readers.fio_job import ASK, TOOL, Job
from submissions.domain.intake.scene import Scene

_START = re.compile(r"\s{0,200}\{\s*\"fio version\"\s*:")
_decode = json.JSONDecoder().raw_decode


def find_documents(lines: tuple[Line, ...]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield (first line, last line, document) of every JSON output of fio in the text.

    No part of the text is decoded twice.
    """
    texts = [line.text[line.start :] for line in lines]
    at = 0
    while at < len(texts):
        head = "\n".join(texts[at : at + 3])
        if not texts[at].startswith("{") or not _START.match(head):
            at += 1
            continue
        rest = "\n".join(texts[at:])
        start = rest.index("{")
        try:
            document, end = _decode(rest, start)
        except json.JSONDecodeError as error:
            at += rest.count("\n", 0, error.pos) + 1  # the text up to the error contains no other output
        except RecursionError:
            return
        else:
            last = at + rest.count("\n", 0, end)
            if isinstance(document, dict):
                yield lines[at].number, lines[last].number, document
            at = last + 1


def add_jobs(document: Mapping[str, Any], scene: Scene, *, span: Span) -> None:
    """Add the figures of every job in a JSON document that fio printed; global options apply to each job."""
    version = document.get("fio version")
    if isinstance(version, str):
        scene.add_fact(TOOL, "tool_version", version.removeprefix("fio-")[:40], span=span)
    for row in document.get("disk_util") or ():
        if isinstance(row, dict) and isinstance(row.get("name"), str):
            scene.add_fact(TOOL, "device", disk(row["name"][:40]), span=span)
    shared = _table(document, "global options")
    listed = document.get("jobs")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    groups = Counter(_group(entry) for entry in entries)
    for entry in entries:
        options = {**shared, **_table(entry, "job options")}
        job = fio_job.parse_options(options) if options else Job()
        is_single = _group(entry) < 0 or groups[_group(entry)] == 1  # jobs of one group run at the same time
        _job(entry, replace(job, whole=job.whole and is_single), scene, span)


def _group(entry: Mapping[str, Any]) -> int:
    group = entry.get("groupid")
    return group if isinstance(group, int) else -1


def _job(entry: Mapping[str, Any], job: Job, scene: Scene, span: Span) -> None:
    if not job.is_complete:
        scene.ask(TOOL, "access_pattern", ASK, span=span)
        return
    number = _number(entry, "error")
    error = f"fio ended with error {number:g}" if number else ""
    for direction in ("read", "write"):
        part = _table(entry, direction)
        if not (_number(part, "total_ios") or _number(part, "io_bytes")):
            continue
        for measured in _numbers(part):
            fio_job.add_number(job, direction, measured, error=error, span=span, scene=scene)


def _numbers(part: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Return (metric, unit, value) of one direction of a fio job, without zeros, which were not measured."""
    latency = _table(part, "clat_ns")
    measured = _table(latency, "percentile")
    rate = ("B/s", "bw_bytes") if _number(part, "bw_bytes") else ("KiB/s", "bw")
    rows = [
        (part, "throughput", *rate),
        (part, "iops", "1/s", "iops"),
        (latency, "latency_mean", "ns", "mean"),
        (latency, "latency_max", "ns", "max"),
        *((measured, metric, "ns", f"{point:.6f}") for point, metric in METRIC_OF_PERCENTILE.items()),
    ]
    return ((metric, unit, value) for table, metric, unit, name in rows if (value := _number(table, name)))


def _table(outer: Mapping[str, Any], name: str) -> dict[str, Any]:
    inner = outer.get(name)
    return inner if isinstance(inner, dict) else {}


def _number(table: Mapping[str, Any], name: str) -> float:
    value = table.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    return float(value) if 0 < value < 1e18 else 0.0
