"""Compose a report from the parsed contents of one text, in the format of api/v1/REPORT.md.

The field `extra` keeps the contents for which the format has no field: numbers without a workload in `beside`, facts in
`facts`, omissions with their reason in `left_out`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from submissions.domain.errors import DecodeError, ReportError
from submissions.domain.intake.cases import MOST_CASES
from submissions.domain.intake.commands import disk
from submissions.domain.intake.parsed import MEDIUM, PARTITION_START, Fact, Figure, Parsed, RegistersInText
from submissions.domain.intake.structures import drop_empty, group_by
from submissions.domain.intake.tools import TARGETS
from submissions.domain.measuring import metrics, units
from submissions.domain.registers import decode
from submissions.domain.report import FORMAT, FORMAT_VERSION

_CLIENT = {"name": "paste", "version": "1"}
_LONGEST_TOOL = 64
_MOST_MEASUREMENTS, _MOST_REPEATS = 20_000, 10_000  # of one report, as submissions.domain.report declares
_MOST_TROUBLES = 50
# Facts with a field of their own in a report.
_OF_HOST = ("board", "kernel", "filesystem", "filesystem_block_bytes", "mount_options")
_ELSEWHERE = (
    *("tool_version", "device", "cid", "psn", "trouble", "brand", "place", "suite", "target"),
    *("simulated", "interface", *_OF_HOST),
)
_HOST = "debugfs"  # tells how the host talks to the card, in the report's own words


class ComposeError(ReportError):
    """Raised for a text that makes no report: it holds nothing, or several cards."""

    code = "no_report"


def compose(parsed: Parsed, *, of_card: Parsed | None = None) -> dict[str, Any]:
    """Return the report of a parsed text, as JSON values. Raise ComposeError.

    `of_card`: the contents of all parts of the text that are about the card; None if `parsed` is the whole text.
    """
    groups = _group_repeats(parsed.figures)
    _refuse_several_cards(parsed)
    _refuse_another_medium(parsed)
    device = _device(parsed.figures)
    disk_name = device or _disk_used(parsed)
    identity = _identity(parsed, device) if of_card is None else _identity(of_card, "")
    if not groups and not identity.registers and not _tells_without_registers(parsed):
        asked = parsed.questions[0].detail if parsed.questions else ""
        reasons = identity.problem, asked, " ".join(parsed.left_out), "Paste the whole output of the tool."
        next_step = next(filter(None, reasons))
        detail = f"We understood no measurement and no register. {next_step}"
        raise ComposeError(detail, field="text", code="nothing_understood")
    _refuse_too_much(groups)
    document = drop_empty(
        {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "client": _CLIENT,
            "simulated": True if parsed.facts_named("simulated") else None,
            "card": _card(parsed, identity),
            "host": {
                # The name of a volume is private.
                "device": "dm" if disk_name.startswith("mapper") else disk_name,
                "interface": _stated_once(parsed, "interface") or _interface(parsed, disk_name),
                **{name: _stated_once(parsed, name) for name in _OF_HOST},
                "bus_mode": _bus_mode(parsed),
            },
            "run": _run(parsed),
            "readings": _troubles(parsed),
            "extra": _extra(parsed, groups, identity),
        }
    )
    placed = [_measurement(group) for group in groups if _has_place(group[0])]
    return {"card": {}} | document | {"measurements": placed}


def places(parsed: Parsed) -> tuple[int | None, ...]:
    """Return for every figure of a text the index of its measurement in the report.

    The index is None for a figure that is only kept in `extra`.
    """
    placed = filter(lambda group: _has_place(group[0]), _group_repeats(parsed.figures))
    index = {id(figure): at for at, group in enumerate(placed) for figure in group}
    return tuple(index.get(id(figure)) for figure in parsed.figures)


def _stated_once(parsed: Parsed, name: str, tools: Sequence[str] | None = None) -> Any:
    # A tool that is not in `tools` may state such a fact about something else.
    facts = parsed.facts_named(name)
    values = {fact.value for fact in facts if tools in (None, (fact.tool,))}
    return values.pop() if len(values) == 1 else None


def _destructive(parsed: Parsed) -> bool:
    # Only where the text is certain: flashbench always writes to the device itself.
    return bool(parsed.facts_named("wrote_device")) or any(
        figure.tool == "flashbench" and figure.parameters.get("direction") == "write"
        for figure in parsed.figures
    )


def _refuse_too_much(groups: Sequence[list[Figure]]) -> None:
    most = max(map(len, groups), default=0)
    if len(groups) > _MOST_MEASUREMENTS or most > _MOST_REPEATS:
        detail = (
            f"The text holds {len(groups):,} measurements with up to {most:,} repeats; one report can hold"
            f" {_MOST_MEASUREMENTS:,} with {_MOST_REPEATS:,} each. Paste fewer runs at a time."
        )
        raise ComposeError(detail, field="text", code="too_many")


def _facts(parsed: Parsed) -> list[dict[str, Any]]:
    return [
        {"tool": fact.tool, "name": fact.name, "value": fact.value}
        for fact in parsed.facts
        if fact.name not in _ELSEWHERE and fact.tool != _HOST and _is_of_card(fact, parsed)
    ]


def _is_of_card(fact: Fact, parsed: Parsed) -> bool:
    # It is about the measured disk, or about no disk; a partition may also be on the only disk that has any.
    measured = _device(parsed.figures)
    if fact.name == PARTITION_START and not measured:
        return len({disk(other.subject) for other in parsed.facts_named(PARTITION_START)}) == 1
    return not (fact.subject and measured) or disk(fact.subject) == measured


def _troubles(parsed: Parsed) -> list[dict[str, Any]]:
    words = dict.fromkeys(fact.value for fact in parsed.facts_named("trouble") if _is_of_card(fact, parsed))
    return [{"name": "kernel log", "value": text, "tool": "kernel"} for text in list(words)[:_MOST_TROUBLES]]


def _tells_without_registers(parsed: Parsed) -> bool:
    # The facts of sysfs are about the card of the registers.
    return any(fact["tool"] != "sysfs" for fact in _facts(parsed)) or bool(parsed.facts_named("trouble"))


def _bus_mode(parsed: Parsed) -> dict[str, Any]:
    modes = {(fact.name, fact.value) for fact in parsed.facts if fact.tool == _HOST}
    # Of two slots it is not clear which holds the card.
    return dict(modes) if len(dict(modes)) == len(modes) else {}


def _run(parsed: Parsed) -> dict[str, Any]:
    tools = parsed.tools() or tuple(dict.fromkeys(fact["tool"] for fact in _facts(parsed)))
    targets = {TARGETS.get(tool, "unknown") for tool in tools}
    name = "+".join(tools) or "registers"
    return {
        "suite": _stated_once(parsed, "suite") or (tools[0] if len(tools) == 1 else "pasted"),
        "tool_version": _stated_once(parsed, "tool_version", tools),
        "tool": name if len(name) <= _LONGEST_TOOL else "several",
        "target": _stated_once(parsed, "target") or (targets.pop() if len(targets) == 1 else "unknown"),
        "destructive": _destructive(parsed),
    }


def _card(parsed: Parsed, identity: RegistersInText) -> dict[str, Any]:
    erase_sizes = [fact.value for fact in parsed.facts_named("preferred_erase_size_bytes")]
    return {
        "label": {"brand": _stated_once(parsed, "brand")},
        "bus": identity.bus,
        "registers": dict(identity.registers),
        "size_bytes": identity.size_bytes,
        "preferred_erase_size_bytes": erase_sizes[0] if erase_sizes and identity.registers else None,
    }


def _interface(parsed: Parsed, device: str) -> str | None:
    # An "sd" may be any disk.
    if device.startswith("mmcblk"):
        return "mmc"
    return "usb" if device.startswith("sd") and parsed.is_on_usb else None


def _disk_used(parsed: Parsed) -> str:
    # The lowest of stacked devices. An "sd" may be any disk, unless the text states how it is connected.
    named = [str(fact.value) for fact in parsed.facts_named("device")]
    is_known = named and (not named[-1].startswith("sd") or parsed.facts_named("interface"))
    return named[-1] if is_known else ""


def _device(figures: Iterable[Figure]) -> str:
    # The device on which most of the numbers were measured, "" if the text names no device.
    most = Counter(disk(figure.subject) for figure in figures if figure.subject).most_common(1)
    return most[0][0] if most else ""


def _identity(parsed: Parsed, device: str) -> RegistersInText:
    # Registers count only where nothing says that they belong to another card than the one that was measured.
    stated, size_bytes = parsed.identity, _size(parsed, device)
    no_slot = device.startswith("sd")
    bus = "USB" if no_slot and parsed.is_on_usb else None
    if stated.registers and (problem := _other_card(stated, device, size_bytes)):
        return RegistersInText(bus=bus, size_bytes=size_bytes, problem=problem)
    if stated.registers or not no_slot:
        bus, size_bytes = stated.bus, size_bytes or stated.size_bytes
    return replace(stated, bus=bus, size_bytes=size_bytes)


def _size(parsed: Parsed, device: str) -> int | None:
    sizes = parsed.facts_named("size_bytes") or parsed.facts_named("announced_size_bytes")
    fitting = {fact.value for fact in sizes if not device or disk(fact.subject) in ("", device)}
    size = fitting.pop() if len(fitting) == 1 else None
    return size if isinstance(size, int) else None


def _other_card(stated: RegistersInText, device: str, size_bytes: int | None) -> str:
    capacity = _capacity(stated)
    if size_bytes and capacity and size_bytes != capacity:
        return (
            f"The registers belong to a card with {capacity:,} bytes, but the measured device has"
            f" {size_bytes:,} bytes: they belong to a different card."
        )
    if device.startswith("sd") and not (size_bytes and capacity):
        return (
            "The card was measured in a reader that shows no registers, so these may belong to a different"
            " card."
        )
    if device and stated.subject not in ("", device):
        return f"The registers belong to {stated.subject}, but the measured device is {device}."
    return ""


def _capacity(stated: RegistersInText) -> int | None:
    try:
        return decode(stated.registers, bus=stated.bus).capacity_bytes
    except DecodeError:
        return None


def _group_repeats(figures: Iterable[Figure]) -> list[list[Figure]]:
    return [*group_by(figures, lambda figure: figure.pattern).values()]


def _refuse_several_cards(parsed: Parsed) -> None:
    if len(parsed.cases) > MOST_CASES:
        detail = (
            f"The text contains more than {MOST_CASES} results from different cards or hosts: paste fewer"
            " at a time."
        )
        raise ComposeError(detail, field="text", code="too_many")
    if parsed.cases:
        first, other, *_ = parsed.cases
        raise ComposeError(
            f"The text contains results for “{first.title}” and, from line {other.first_line}, for"
            f" “{other.title}”. Say which card each of them is about, or paste one card at a time.",
            field="text",
            code="several_cards",
        )
    names = max(_names_by_slot(parsed), key=len)
    if parsed.identity.several_cids or len(names) > 1:
        detail = (
            "The text contains the registers of several"
            f" cards{' (' + ', '.join(names) + ')' if names else ''}:"
        )
        raise ComposeError(f"{detail} paste one card at a time.", field="text", code="several_cards")


def _names_by_slot(parsed: Parsed) -> list[list[str]]:
    # A board may have an eMMC and a card. A name without a slot may belong to any slot.
    named = [(fact.subject, str(fact.value)) for fact in parsed.facts_named("pnm")]
    slots = {slot for slot, _ in named if slot} or {""}
    return [list(dict.fromkeys(name for at, name in named if at in (slot, ""))) for slot in slots]


def _refuse_another_medium(parsed: Parsed) -> None:
    # The text names an SSD, say, and the question whether a card was measured has no answer.
    for question in parsed.questions:
        if question.about == MEDIUM and question.answer not in ("card", "usb"):
            raise ComposeError(
                f"Line {question.span.line}: {question.detail} We accept only cards and USB sticks: please"
                " answer whether it was one.",
                field="text",
                code="maybe_no_card",
            )


def _has_place(figure: Figure) -> bool:
    workload = metrics.WORKLOADS.get(figure.workload)
    return (
        workload is not None
        and figure.metric in workload.metrics
        and all(name in figure.parameters for name in workload.required)
    )


def _measurement(figures: Sequence[Figure]) -> dict[str, Any]:
    # Repeats as printed if all have one unit, else in the base unit.
    first = figures[0]
    measured = [(figure.value, figure.unit) for figure in figures if figure.value is not None]
    names = {unit for _, unit in measured} or {first.unit}
    base = names.pop() if len(names) == 1 else units.UNITS[measured[0][1]][0]
    values = [value if unit == base else value * units.factor(unit, base=base) for value, unit in measured]
    return drop_empty(
        {
            "workload": first.workload,
            "metric": first.metric,
            "unit": base,
            "parameters": dict(first.parameters),
            "failure": _failure(figures),
        }
    ) | {"values": values}


def _failure(figures: Sequence[Figure]) -> dict[str, str] | None:
    failed = [figure for figure in figures if figure.failure]
    if not failed:
        return None
    counted = f" ({len(failed)} of {len(figures)} repeats)" if len(figures) > 1 else ""
    return {"code": failed[0].failure, "detail": f"{failed[0].detail}{counted}"}


def _extra(parsed: Parsed, groups: Iterable[list[Figure]], identity: RegistersInText) -> dict[str, Any]:
    left_out = [{"field": "card.registers", "reason": identity.problem}] if identity.problem else []
    left_out += [{"field": "measurements", "reason": reason} for reason in parsed.left_out]
    return {
        "beside": [
            {"tool": group[0].tool} | _measurement(group) for group in groups if not _has_place(group[0])
        ],
        "facts": _facts(parsed),
        "left_out": left_out,
    }
