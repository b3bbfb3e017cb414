"""Print a report as a page of text for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cardbench.cli import doubts, verdict
from cardbench.cli.show.card_lines import card_lines, disks, identity, run_lines
from cardbench.cli.show.figure_lines import (
    boundary_lines,
    describe_work,
    group_lines,
    measurements,
    open_au_lines,
    stream_lines,
)
from cardbench.cli.show.geometry import flashbench_lines, geometry_lines, hidden_lines
from cardbench.cli.show.text import bar, heading, indent, middle, section
from cardbench.cli.terminal import plain
from cardbench.measuring import capacity
from cardbench.measuring.workloads import METRIC_UNITS
from cardbench.shapes import JsonMapping
from cardbench.sizes import Quantity


def page(
    report: JsonMapping,
    typical: Mapping[str, float] | None = None,
    *,
    warnings: Sequence[str] = (),
    findings: Iterable[Mapping[str, str]] = (),
) -> str:
    """Return the whole page of a report as text.

    `typical`: the median of other cards, by figure. `warnings` of a server come first, then its `findings`.
    """
    found = section("What a server found", indent(finding_lines(findings)))
    return _join([[*warnings], found, *_summarize(report, typical or {}), *_list_details(report)])


def result(report: JsonMapping, *, everything: bool) -> str:
    """Return the text at the end of a run: the summary, after all details if `everything`."""
    if everything:
        return _join([*_list_details(report), *_summarize(report, {})])
    return _join([*_summarize(report, {}), geometry_lines(report, reasons=False), _count_failures(report)])


def _join(parts: Iterable[Sequence[str]]) -> str:
    return plain("\n\n".join("\n".join(lines) for lines in parts if lines) + "\n")


def _summarize(report: JsonMapping, typical: Mapping[str, float]) -> list[list[str]]:
    trouble = verdict.trouble(report)
    return [
        [trouble] if trouble else [],
        section("Checked", indent(report.get("extra", {}).get("check", ()))),
        card_lines(report),
        run_lines(report),
        section("Less certain, because", indent(report.get("run", {}).get("doubts", ()))),
        _assess(report, typical),
        _capacity(report),
    ]


def _list_details(report: JsonMapping) -> list[list[str]]:
    return [
        stream_lines(report),
        geometry_lines(report),
        open_au_lines(report),
        boundary_lines(report),
        flashbench_lines(report),
        hidden_lines(report),
        _failures(report),
    ]


def finding_lines(findings: Iterable[Mapping[str, str]]) -> list[str]:
    """Return a line for each finding of a server, in the same order: its severity, its sentence and the next step."""
    return [f"{one['severity']}: {one['sentence']} {one['next_step']}".rstrip() for one in findings]


_UNRANKED = "So these figures say nothing about the card on the label, and a server does not rank them."


def _assess(report: JsonMapping, typical: Mapping[str, float]) -> list[str]:
    if about := doubts.find_doubts(report):
        lines = indent((*about, _UNRANKED))
    else:
        lines = [
            f"  {'good for' if kind == 'good' else 'weak at':<9}{why}"
            for kind, why in verdict.list_strengths_and_weaknesses(report)
        ]
    for stick in verdict.YARDSTICKS:
        value, usual = stick.value(report), typical.get(stick.figure)
        if value is not None:
            unit = METRIC_UNITS[stick.metric]
            beside = f", a typical card {Quantity(usual, unit)} (×{value / usual:.2f})" if usual else ""
            lines.append(f"  {stick.title:<24}{Quantity(value, unit)!s:>16}{beside}")
    return section("In short", lines)


def _capacity(report: JsonMapping) -> list[str]:
    size_bytes = report.get("card", {}).get("size_bytes") or 0
    rows = [row for row in measurements(report, "capacity") if row.get("values")]
    lines = [
        f"  {capacity.words(row['parameters']['capacity_kind'], round(middle(row).base), size_bytes)}"
        for row in rows
        if "capacity_kind" in row.get("parameters", {})
    ]
    return [*heading("How much the card holds"), *lines, *group_lines(rows)] if rows else []


def _count_failures(report: JsonMapping) -> list[str]:
    failed, not_run = _list_failed(report), _count_not_run(report)
    lines = [f"Incomplete or missing measurements: {len(failed)}"] if failed else []
    return lines + ([f"Measurements not run: {not_run}"] if not_run else [])


def _list_failed(report: JsonMapping) -> list[JsonMapping]:
    return [row for row in measurements(report) if row.get("failure")]


def _count_not_run(report: JsonMapping) -> int:
    return len(report.get("extra", {}).get("not_run", ()))


def _failures(report: JsonMapping) -> list[str]:
    lines = dict.fromkeys(
        f"  {describe_work(row)}: {row['failure'].get('detail') or row['failure']['code']}"
        for row in _list_failed(report)
    )
    more = [f"  {not_run} more were not run"] if (not_run := _count_not_run(report)) else []
    return section("Incomplete or missing, and why", (*lines, *more))
