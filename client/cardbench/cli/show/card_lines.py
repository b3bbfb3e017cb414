"""The lines of a report page about the card and the host: label, size, registers, run and connection."""

from __future__ import annotations

from collections.abc import Sequence

from cardbench.cli.show.text import factorize, heading, rows, size
from cardbench.cli.terminal import plain
from cardbench.shapes import JsonMapping
from cardbench.sizes import Quantity, binary
from cardbench.target.registers import name_of

_TARGETS = {
    "device": "the bare device",
    "file": "a file, used as if it were a device",
    "directory": "a file in a directory",
    "simulated": "a simulated card",
}


def identity(card: JsonMapping, host: JsonMapping) -> str:
    """Return the output of the command `identify`: the lines about a card and its host."""
    return plain("\n".join(_identity_lines(card) + _register_lines(card) + _host_lines(host)) + "\n")


def disks(summaries: Sequence[JsonMapping]) -> str:
    """Return the output of the command `list`: one line for each disk."""
    return "\n".join(_disk_line(disk) for disk in summaries) or "No disk was found."


def _disk_line(disk: JsonMapping) -> str:
    used = f"mounted at {', '.join(disk['mounted_at'])}" if disk["mounted_at"] else ""
    kind = disk["bus"] or ("removable" if disk["movable"] else "fixed")
    kind = "loop" if disk["name"].startswith("loop") else kind  # a file used as a disk
    return (
        f"{disk['name']:<12}{disk['size_bytes'] / 1e9:>9.1f} GB  {kind:<10}{disk['title']:<24}{used}".rstrip()
    )


def card_lines(report: JsonMapping) -> list[str]:
    title = "A simulated card, for trying things out" if report.get("simulated") else "The card"
    return heading(title) + _identity_lines(report.get("card", {}))


def _identity_lines(card: JsonMapping) -> list[str]:
    label = card.get("label", {})
    printed = " ".join(str(label[name]) for name in ("brand", "line", "model_number") if label.get(name))
    name = name_of(card.get("bus"), card.get("registers", {}).get("cid", ""))
    return rows(
        ("On the box", printed),
        ("Size", size(card.get("size_bytes"))),
        ("", factorize(card.get("size_bytes"))),
        ("Name it reports", f"{name.pnm}, revision {name.prv}" if name else ""),
        ("Made", name.mdt if name else ""),
        (
            "Maker",
            f"manufacturer 0x{name.mid:02x}, OEM “{name.oid}” (the server knows the names of many)"
            if name
            else "",
        ),
        ("Identity", "" if name else _no_identity(card)),
        ("Before the run", card.get("condition", "")),
    )


def _no_identity(card: JsonMapping) -> str:
    if card.get("bus") == "USB":
        return "hidden by the card reader; put the card into an SD slot to see it"
    return (
        "the CID register is readable"
        if card.get("registers", {}).get("cid")
        else "none: the host shows no CID register"
    )


def _register_lines(card: JsonMapping) -> list[str]:
    # A register of zeros only was not read, and an EXT_CSD of 512 bytes is too long for people.
    shown = ((name, value) for name, value in card.get("registers", {}).items() if value.strip("0"))
    return rows(
        *((name.upper(), value if len(value) <= 256 else f"{len(value) // 2} bytes") for name, value in shown)
    )


def run_lines(report: JsonMapping) -> list[str]:
    run = report.get("run", {})
    took = Quantity(run["duration_ns"], "ns") if run.get("duration_ns") is not None else ""
    suite = f"suite “{run['suite']}”" if run.get("suite") else ""
    tool = f"{run.get('tool', '')} {run.get('tool_version', '')}"
    lines = rows(
        ("Measured", " ".join(filter(None, (str(run.get("started_at", "")), f"in {took}" if took else "")))),
        ("On", _TARGETS.get(run.get("target", ""), "")),
        ("With", ", ".join(filter(None, (tool.strip(), suite)))),
    )
    return heading("The run") + lines + _host_lines(report.get("host", {}))


def _host_lines(host: JsonMapping) -> list[str]:
    return rows(
        ("Host", host.get("board", "")),
        ("Machine", host.get("machine", "")),
        ("Kernel", host.get("kernel", "")),
        ("Disk", host.get("device", "")),
        (
            "Connected by",
            ", ".join(str(host[name]) for name in ("interface", "driver", "reader") if host.get(name)),
        ),
        ("Bus mode", _bus_mode(host.get("bus_mode", {}))),
        ("File system", host.get("filesystem", "")),
        (
            "in blocks of",
            binary(host.get("filesystem_block_bytes", 0)) if host.get("filesystem_block_bytes") else "",
        ),
        ("mounted with", host.get("mount_options", "")),
    )


def _bus_mode(mode: JsonMapping) -> str:
    parts = [mode.get("name", "")]
    if mode.get("clock_hz"):
        parts.append(f"{mode['clock_hz'] / 1e6:g} MHz")
    if mode.get("width_bits"):
        parts.append(f"{mode['width_bits']} bit")
    if mode.get("signal_voltage_mv"):
        parts.append(f"{mode['signal_voltage_mv'] / 1000:g} V")
    return ", ".join(filter(None, parts))
