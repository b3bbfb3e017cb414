"""List the methods and rules of the page about methods, from the data tables that the code itself uses."""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_noop

from submissions.domain import tables
from submissions.domain.measuring import metrics, plausibility, units
from submissions.domain.measuring.metrics import ABILITIES, FIGURES, Ability

_SYNCS = {
    "none": gettext_noop("not synchronous"),
    "fsync_at_end": gettext_noop("a final fsync"),
    "osync": gettext_noop("O_SYNC"),
    "dsync": gettext_noop("O_DSYNC"),
}
_NAMED = re.compile(r"{(\w+)}")
_VERDICTS = (
    ("impossible", gettext_noop("Kept and shown, not ranked")),
    ("suspicious", gettext_noop("Kept and shown, not ranked")),
    ("at_least", gettext_noop("Ranked as a lower bound: the host was the limit")),
    ("ok", gettext_noop("Ranked, with a remark")),
)


class Method(NamedTuple):
    """A comparable figure with the exact conditions of its measurement."""

    name: str
    title: str
    conditions: tuple[str, ...]


class MeasuredAbility(NamedTuple):
    """An ability with the methods (figures) that measure it."""

    name: str
    title: str
    unit: str
    source: str
    methods: tuple[Method, ...]


def list_abilities() -> list[MeasuredAbility]:
    """Return the abilities that a method measures, in the order of their table."""
    sources = {row["name"]: row["source"] for row in tables.rows("abilities")}
    abilities = (_describe(ability, sources[ability.name]) for ability in ABILITIES.values())
    return [ability for ability in abilities if ability.methods]


def rules() -> list[tuple[str, str, list[plausibility.PlausibilityRule]]]:
    """Return (verdict, consequence, rules) of the plausibility check, in the order in which rules are applied.

    In the reason of a rule, a name such as ‹rate› replaces a number of the measurement.
    """
    readable = [replace(rule, reason=_NAMED.sub(r"‹\1›", rule.reason)) for rule in plausibility.RULES]
    return [
        (verdict, gettext(consequence), [rule for rule in readable if rule.verdict == verdict])
        for verdict, consequence in _VERDICTS
    ]


def formula(module: ModuleType) -> str:
    """Return the formulas of a module: the indented lines of the module's docstring."""
    lines = (module.__doc__ or "").splitlines()
    return "\n".join(line.strip() for line in lines if line.startswith("    ") and line.strip())


def _describe(ability: Ability, source: str) -> MeasuredAbility:
    unit = {units.RATE: "MB/s", units.IOPS: "IOPS", units.TIME: "ms"}[ability.base_unit]
    methods = tuple(
        Method(figure.name, figure.title, conditions(figure.where))
        for figure in FIGURES.values()
        if figure.ability == ability.name
    )
    return MeasuredAbility(ability.name, ability.title, unit, source, methods)


def conditions(where: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters of a figure in words: "read", "4 KiB", "queue depth 1"."""
    worded = (_condition(name, wanted) for name, wanted in where.items())
    return tuple(words for words in worded if words)


def _condition(name: str, wanted: Any) -> str:
    if isinstance(wanted, frozenset):
        stated = gettext(" or ").join(_one(name, value) for value in sorted(wanted - {None}))
        return gettext("%(told)s, or not stated") % {"told": stated} if stated and None in wanted else stated
    if isinstance(wanted, tuple):
        return _range(name, *wanted)
    return _one(name, wanted)


def _range(name: str, lower: int, upper: int) -> str:
    is_depth = name == "queue_depth"
    ends = (str(end) if is_depth else _one(name, end) for end in (lower, upper))
    words = gettext("%(lower)s to %(upper)s") % dict(zip(("lower", "upper"), ends, strict=True))
    return _one(name, words) if is_depth else words


def _one(name: str, value: Any) -> str:
    match name:
        case "sync":
            return gettext(_SYNCS.get(value, str(value)))
        case "queue_depth":
            return gettext("queue depth %(depth)s") % {"depth": value}
        case "open_au":
            return f"{value} open AU"
        case "command_queue":
            return gettext("command queue on") if value else gettext("command queue off")
        case _ if name.endswith("_bytes"):
            return metrics.size_in_words(value)
    return str(value)
