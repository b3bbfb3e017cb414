"""The lines of a report page about the estimated geometry of a card, and the output in flashbench's format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from cardbench.cli.show.figure_lines import measurements, shared_line
from cardbench.cli.show.text import heading, middle
from cardbench.geometry import QUANTITIES
from cardbench.shapes import JsonMapping
from cardbench.sizes import MIB, Quantity

_TITLES = {quantity.metric: quantity.title for quantity in QUANTITIES}
_PLOTTED = re.compile(r"[0-9.]+\t[0-9.]+")  # a row of flashbench's scatter table
_SURE = ((0.99, "certain"), (0.95, "nearly certain"), (0.0, "likely"))
_NO_VALUE = {"none_found": "none", "no_limit_found": "no limit"}


def geometry_lines(report: JsonMapping, *, reasons: bool = True) -> list[str]:
    rows = list(measurements(report, "geometry"))
    if not rows:
        return []
    reasoning = report.get("extra", {}).get("geometry", {})
    lines = heading("What the card is made of", "inferred from timings; the certainty is given for each")
    lines.append(shared_line(rows))
    for row in rows:
        lines += _quantity_lines(row, reasoning.get(row["metric"], {}))[: 2 if reasons else 1]
    return lines


def _quantity_lines(row: JsonMapping, reasoning: JsonMapping) -> list[str]:
    confidence = reasoning.get("confidence", 0)
    sure = next((word for least, word in _SURE if confidence >= least), "")
    how = f"{sure} ({confidence:.0%})" if confidence else ""
    reason = reasoning.get("reason") or row.get("failure", {}).get("detail", "")
    title = _TITLES.get(row["metric"], row["metric"])
    return [
        f"  {title:<22}{_inferred_value(row):<12}{how}".rstrip(),
        f"      {reason}{_cost(reasoning)}".rstrip(),
    ]


def _inferred_value(row: JsonMapping) -> str:
    if row.get("values"):
        return str(middle(row))
    return _NO_VALUE.get(row.get("failure", {}).get("code", ""), "not known")


def _cost(reasoning: JsonMapping) -> str:
    if not reasoning.get("operations"):
        return ""
    written = reasoning.get("written_bytes", 0) / MIB
    more = f", {written:.1f} MiB written" if written else ""
    return f" ({Quantity(reasoning.get('device_duration_ns', 0), 'ns')}{more})"


def flashbench_lines(report: JsonMapping) -> list[str]:
    lines = report.get("extra", {}).get("flashbench", ())
    about = "(cardbench repeats the patterns of flashbench with random data)"
    return [*heading("In flashbench's own words"), about, *_omit_plots(lines)] if lines else []


def _omit_plots(lines: Sequence[str]) -> Iterator[str]:
    for is_plotted, group in groupby(lines, lambda line: bool(_PLOTTED.fullmatch(line))):
        rows = list(group)
        yield from (
            [f"({len(rows)} rows of plot data left out; they are in the report)"] if is_plotted else rows
        )


def hidden_lines(report: JsonMapping) -> list[str]:
    reason = report.get("extra", {}).get("boundaries_hidden")
    if not reason:
        return []
    return [*heading("Not looked for", "what the card is made of"), f"  {reason}."]
