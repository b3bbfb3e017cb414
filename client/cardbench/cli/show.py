"""A report as a page for people."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Any

from cardbench.cli import verdict
from cardbench.geometry import QUANTITIES
from cardbench.measuring import capacity
from cardbench.sizes import MIB, binary
from cardbench.target.registers import sd_card_name

_TARGETS = {
    "device": "the bare device",
    "file": "a file, as if it were a device",
    "directory": "a file in a directory",
    "simulated": "a simulated card",
}
_FILE_WORK = ("files", "mixed", "copy")
_RATES = ("stream", "chunk", "sync", "sustained", *_FILE_WORK)
_SHOWN = (*_RATES, "align")
_TITLES = {quantity.metric: quantity.title for quantity in QUANTITIES}
_PLOTTED = re.compile(r"[0-9.]+\t[0-9.]+")  # a row of flashbench's scatter table
_BAR = 24
_SURE = ((0.99, "sure"), (0.95, "nearly sure"), (0.0, "likely"))
_NO_VALUE = {"none_found": "none", "no_limit_found": "no limit"}
_DETAILS = {
    "latency_min": "shortest",
    "latency_mode": "most often",
    "latency_p50": "half within",
    "latency_p99": "99 % within",
    "latency_p999": "99.9 % within",
    "latency_max": "longest",
    "slowest_second": "slowest second",
    "duration": "in all",
    "cpu_time": "of the processor",
    "device_read_size": "the device read",
    "device_write_size": "the device wrote",
}


def page(report: Mapping[str, Any], typical: Mapping[str, float] | None = None) -> str:
    """The whole page, ended by a newline. `typical`: figure -> the middle of other cards."""
    parts = [
        _card(report),
        _run(report),
        _doubts(report),
        _in_short(report, typical or {}),
        _streams(report),
        _capacity(report),
        _geometry(report),
        _open_aus(report),
        _align(report),
        _flashbench(report),
        _hidden(report),
        _failures(report),
    ]
    return plain("\n\n".join("\n".join(lines) for lines in parts if lines) + "\n")


def plain(text: str) -> str:
    """Without control characters: what others wrote shall not steer the terminal."""
    return "".join(character if character.isprintable() or character == "\n" else "·" for character in text)


def identity(card: Mapping[str, Any], host: Mapping[str, Any]) -> str:
    """The lines about the card and the host, for `identify`."""
    return plain("\n".join(_identity_lines(card) + _register_lines(card) + _host_lines(host)) + "\n")


def disks(summaries: Sequence[Mapping[str, Any]]) -> str:
    """One line for each disk."""
    return "\n".join(_disk_line(disk) for disk in summaries) or "No disk was found."


def _disk_line(disk: Mapping[str, Any]) -> str:
    used = f"mounted at {', '.join(disk['mounted_at'])}" if disk["mounted_at"] else ""
    kind = disk["bus"] or ("removable" if disk["movable"] else "fixed")
    return (
        f"{disk['name']:<12}{disk['size_bytes'] / 1e9:>9.1f} GB  {kind:<10}{disk['title']:<24}{used}".rstrip()
    )


def duration(value_ns: float) -> str:
    """Nanoseconds as people say them: 412 µs, 1.71 ms, 2.3 s."""
    for unit_ns, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if abs(value_ns) >= unit_ns:
            return f"{value_ns / unit_ns:.3g} {name}"
    return f"{value_ns:.0f} ns"


def amount(metric: str, value: float) -> str:
    """A value in the client's unit of its metric, as people say it."""
    if metric in ("throughput", "slowest_second"):
        return f"{value / 1e6:.1f} MB/s" if value >= 1e5 else f"{value / 1e3:.1f} kB/s"
    if metric.endswith("_size"):
        return f"{value / 1e6:.1f} MB"
    if metric == "iops":
        return f"{value:,.0f} per second"
    return duration(value)


def _card(report: Mapping[str, Any]) -> list[str]:
    title = "A simulated card: invented, to try things out" if report.get("simulated") else "The card"
    return _heading(title) + _identity_lines(report.get("card", {}))


def _identity_lines(card: Mapping[str, Any]) -> list[str]:
    label = card.get("label", {})
    printed = " ".join(str(label[name]) for name in ("brand", "line", "model_number") if label.get(name))
    name = sd_card_name(card.get("registers", {}).get("cid", "")) if card.get("bus") == "SD" else None
    return _rows(
        ("On the box", printed),
        ("Size", size(card.get("size_bytes"))),
        ("Calls itself", f"{name.pnm}, revision {name.prv}" if name else ""),
        ("Made", name.mdt if name else ""),
        (
            "Maker",
            f"manufacturer 0x{name.mid:02x}, OEM “{name.oid}” (the server knows many of them by name)"
            if name
            else "",
        ),
        ("Identity", "" if name else _no_identity(card)),
        ("Before the run", card.get("condition", "")),
    )


def _no_identity(card: Mapping[str, Any]) -> str:
    if card.get("bus") == "USB":
        return "hidden by the card reader; put the card into an SD slot to see it"
    return (
        "the CID register is there"
        if card.get("registers", {}).get("cid")
        else "none: the host shows no CID register"
    )


def _register_lines(card: Mapping[str, Any]) -> list[str]:
    return _rows(*((name.upper(), value) for name, value in card.get("registers", {}).items()))


def _host_lines(host: Mapping[str, Any]) -> list[str]:
    return _rows(
        ("Host", ", ".join(str(host[name]) for name in ("board", "machine", "kernel") if host.get(name))),
        (
            "Connected by",
            ", ".join(str(host[name]) for name in ("interface", "driver", "reader") if host.get(name)),
        ),
        ("Bus mode", _bus_mode(host.get("bus_mode", {}))),
        ("File system", host.get("filesystem", "")),
    )


def _bus_mode(mode: Mapping[str, Any]) -> str:
    parts = [mode.get("name", "")]
    if mode.get("clock_hz"):
        parts.append(f"{mode['clock_hz'] / 1e6:g} MHz")
    if mode.get("width_bits"):
        parts.append(f"{mode['width_bits']} bit")
    if mode.get("signal_voltage_mv"):
        parts.append(f"{mode['signal_voltage_mv'] / 1000:g} V")
    return ", ".join(filter(None, parts))


def _run(report: Mapping[str, Any]) -> list[str]:
    run = report.get("run", {})
    took = duration(run["duration_ns"]) if run.get("duration_ns") is not None else ""
    lines = _rows(
        ("Measured", " ".join(filter(None, (str(run.get("started_at", "")), f"in {took}" if took else "")))),
        ("On", _TARGETS.get(run.get("target", ""), "")),
        ("With", f"{run.get('tool', '')} {run.get('tool_version', '')}, suite “{run.get('suite', '')}”"),
    )
    return lines + _host_lines(report.get("host", {}))


def _streams(report: Mapping[str, Any]) -> list[str]:
    rows = [row for name in _RATES for row in _of(report, name) if row.get("values")]
    if not rows:
        return []
    lines = _heading("How fast", "middle value (lowest to highest) of the repeats")
    for row in rows:
        lines.append(_stream_line(row))
    return lines + _buffered_note(rows)


def _stream_line(row: Mapping[str, Any]) -> str:
    values, metric = row["values"], row["metric"]
    middle = amount(metric, median(values))
    if metric in _DETAILS:
        return f"  {'':<30}{_DETAILS[metric]:>18} {middle}"
    low, high = amount(metric, min(values)), amount(metric, max(values))
    times = f"{len(values)} repeat{'s' if len(values) > 1 else ''}"
    return f"  {where(row):<30}{middle:>18}  ({low} to {high}; {times}, spread {spread(values):.1%})"


def spread(values: Sequence[float]) -> float:
    """From the lowest to the highest, as a share of the middle value."""
    return (max(values) - min(values)) / (median(values) or 1)


def _buffered_note(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    if all(row["parameters"].get("io") == "direct" for row in rows if row["workload"] not in _FILE_WORK):
        return []
    return ["  This file system does not allow direct I/O: these may be times of memory, not of the card."]


def _align(report: Mapping[str, Any]) -> list[str]:
    by_align: dict[int, dict[str, Mapping[str, Any]]] = {}
    for row in _of(report, "align"):
        if row.get("values"):
            by_align.setdefault(row["parameters"]["align_bytes"], {})[row["metric"]] = row
    if not by_align:
        return []
    lines = _heading(
        "What a boundary costs",
        "a read before, across and after; where the difference drops, erase block or page end",
    )
    lines.append(f"  {'multiples of':>12}{'before':>12}{'across':>12}{'after':>12}{'difference':>12}")
    most = max(_middle(metrics["align_diff"]) for metrics in by_align.values())
    for align_bytes, metrics in sorted(by_align.items(), reverse=True):
        times = [_middle(metrics[f"align_{name}"]) for name in ("pre", "on", "post", "diff")]
        cells = "".join(f"{duration(time):>12}" for time in times)
        lines.append(f"  {binary(align_bytes):>12}{cells}  {bar(times[-1], most)}".rstrip())
    return lines


def _open_aus(report: Mapping[str, Any]) -> list[str]:
    """Throughput by the number of units written in turn: where it collapses, the card's table is full."""
    rows = [row for row in report.get("measurements", ()) if row.get("workload") == "open-au"]
    measured = [row for row in rows if row.get("values") and row["metric"] == "throughput"]
    if not measured or report.get("extra", {}).get("flashbench"):
        return []
    lines = _heading("How many places can be written in turn", "MB/s over so many units")
    most = max(_middle(row) for row in measured)
    for row in measured:
        parameters = row["parameters"]
        order = "in order" if parameters["order"] == "sequential" else "at random"
        rate = _middle(row)
        lines.append(
            f"  {parameters['open_au']:>4} {order:<10}{rate / 1e6:>9.2f}  {bar(rate, most)}".rstrip()
        )
    return lines


def _middle(row: Mapping[str, Any]) -> float:
    return float(median(row["values"]))


def bar(value: float, most: float) -> str:
    """A value as a bar of at most 24 places."""
    return "█" * round(_BAR * max(0.0, value) / most) if most > 0 else ""


def _in_short(report: Mapping[str, Any], typical: Mapping[str, float]) -> list[str]:
    """What it is good for, where it is weak, and a typical card beside it."""
    words = [*verdict.words(report)]
    lines = [f"  {'good for' if kind == 'good' else 'weak at':<9}{why}" for kind, why in words]
    for stick in verdict.YARDSTICKS:
        value, usual = stick.value(report), typical.get(stick.figure)
        if value is not None and usual:
            lines.append(
                f"  {stick.title:<24}{amount(stick.metric, value):>16}, a typical card "
                f"{amount(stick.metric, usual)} (×{value / usual:.2f})"
            )
    return [*_heading("In short"), *lines] if lines else []


def _capacity(report: Mapping[str, Any]) -> list[str]:
    size_bytes = report.get("card", {}).get("size_bytes") or 0
    rows = [row for row in _of(report, "capacity") if "capacity_kind" in row["parameters"]]
    lines = [
        capacity.words(row["parameters"]["capacity_kind"], round((row["values"] or [0])[0]), size_bytes)
        for row in rows
    ]
    return [*_heading("How much it holds"), *(f"  {line}" for line in lines)] if lines else []


def _doubts(report: Mapping[str, Any]) -> list[str]:
    doubts = report.get("run", {}).get("doubts", ())
    return ["Less sure, because", *(f"  {doubt}" for doubt in doubts)] if doubts else []


def _geometry(report: Mapping[str, Any]) -> list[str]:
    rows = list(_of(report, "geometry"))
    if not rows:
        return []
    reasoning = report.get("extra", {}).get("geometry", {})
    lines = _heading("What it is made of", "inferred from times, and how sure that is")
    for row in rows:
        lines += _geometry_lines(row, reasoning.get(row["metric"], {}))
    return lines


def _geometry_lines(row: Mapping[str, Any], reasoning: Mapping[str, Any]) -> list[str]:
    """Two lines: what was found and how sure, then why and at what cost."""
    confidence = reasoning.get("confidence", 0)
    sure = next((word for least, word in _SURE if confidence >= least), "")
    how = f"{sure} ({confidence:.0%})" if confidence else ""
    reason = reasoning.get("reason") or row.get("failure", {}).get("detail", "")
    title = _TITLES.get(row["metric"], row["metric"])
    return [f"  {title:<22}{_inferred(row):<12}{how}".rstrip(), f"      {reason}{_cost(reasoning)}".rstrip()]


def _inferred(row: Mapping[str, Any]) -> str:
    if row.get("values"):
        value = round(median(row["values"]))
        return binary(value) if row.get("unit") == "B" else f"{value}"
    return _NO_VALUE.get(row.get("failure", {}).get("code", ""), "not known")


def _cost(reasoning: Mapping[str, Any]) -> str:
    if not reasoning.get("operations"):
        return ""
    written = reasoning.get("written_bytes", 0) / MIB
    more = f", {written:.1f} MiB written" if written else ""
    return f" ({duration(reasoning.get('device_duration_ns', 0))}{more})"


def _flashbench(report: Mapping[str, Any]) -> list[str]:
    lines = report.get("extra", {}).get("flashbench", ())
    return [*_heading("In flashbench's own words"), *_without_plots(lines)] if lines else []


def _without_plots(lines: Sequence[str]) -> Iterator[str]:
    for is_plotted, group in groupby(lines, lambda line: bool(_PLOTTED.fullmatch(line))):
        rows = list(group)
        yield from [f"# {len(rows)} rows, to be plotted: they are in the report"] if is_plotted else rows


def _hidden(report: Mapping[str, Any]) -> list[str]:
    reason = report.get("extra", {}).get("boundaries_hidden")
    if not reason:
        return []
    return ["What the card is made of could not be looked for here:", f"  {reason}."]


def _failures(report: Mapping[str, Any]) -> list[str]:
    failed = [(row, row["failure"]) for row in _of(report) if row.get("failure")]
    lines = dict.fromkeys(
        f"  {where(row)}: {failure.get('detail') or failure['code']}" for row, failure in failed
    )
    not_run = len(report.get("extra", {}).get("not_run", ()))
    more = [f"  {not_run} more were not run"] if not_run else []
    return [*_heading("Cut short or missing, and why"), *lines, *more] if lines or more else []


def where(row: Mapping[str, Any]) -> str:
    """The access pattern of a measurement, as people say it."""
    parameters = row.get("parameters", {})
    if parameters.get("align_bytes"):
        return f"reads across multiples of {binary(parameters['align_bytes'])}"
    if row["workload"] in _FILE_WORK:
        return _file_work(row["workload"], parameters)
    name = "" if row["workload"] == "stream" else f"{row['workload']}: "
    depth = f", queue depth {parameters['queue_depth']}" if parameters.get("queue_depth", 1) > 1 else ""
    sync = f", {parameters['sync'].replace('_', ' ')}" if parameters.get("sync", "none") != "none" else ""
    pattern = " ".join(filter(None, (parameters.get("order", ""), parameters.get("direction", ""))))
    return f"{name}{pattern}, {binary(parameters.get('block_size_bytes', 0))}{depth}{sync}"


def _file_work(workload: str, parameters: Mapping[str, Any]) -> str:
    counted = (
        f"{parameters['threads']} threads"
        if "threads" in parameters
        else f"{parameters.get('file_count', 0):,} files"
    )
    size = binary(parameters.get("file_size_bytes", 0))
    return f"{parameters.get('action', workload)} {counted} of {size}, {parameters.get('io', '')}"


def _of(report: Mapping[str, Any], workload: str = "") -> Iterator[Mapping[str, Any]]:
    """The measurements of a workload that have what a line needs; others are left to the server."""
    for row in report.get("measurements", ()):
        if row.get("workload") in ((workload,) if workload else _SHOWN):
            yield row


def size(size_bytes: int | None) -> str:
    """Bytes as on the box, and exactly."""
    return f"{size_bytes / 1e9:.1f} GB ({size_bytes:,} bytes)" if size_bytes else ""


def _heading(title: str, explanation: str = "") -> list[str]:
    return [title + (f" – {explanation}" if explanation else ""), "─" * len(title)]


def _rows(*pairs: tuple[str, Any]) -> list[str]:
    return [f"  {name:<15} {value}" for name, value in pairs if value]
