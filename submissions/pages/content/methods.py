"""How numbers come about, read from the tables that the code itself works with: a changed row changes the page."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_noop

from submissions.domain import tables
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.measuring import metrics, plausibility, units
from submissions.domain.measuring.metrics import FIGURES, METRICS, Figure
from submissions.domain.ranking.uses import Profile, all_profiles

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


class ComparedFigure(NamedTuple):
    """A figure with the exact conditions under which it is one."""

    name: str
    title: str
    unit: str
    better: str
    conditions: tuple[str, ...]


class Weight(NamedTuple):
    """One line of a profile. `spread_ratio`: how many times better the upper sixth of the market is."""

    title: str
    percent: float
    reference: str
    spread_ratio: float


def figures() -> list[ComparedFigure]:
    """In the order of the registry."""
    return [_figure(figure) for figure in FIGURES.values()]


def parameters() -> list[dict[str, str]]:
    """Return the rows of data/judgement.csv, with each value as the code uses it."""
    return [{**row, "value": f"{getattr(DEFAULTS, row['name']):g}"} for row in tables.rows("judgement")]


def weights() -> list[tuple[Profile, list[Weight]]]:
    """Profiles with their lines, the heaviest first."""
    return [(profile, _weights(profile)) for profile in all_profiles().values()]


def rules() -> list[tuple[str, str, list[plausibility.PlausibilityRule]]]:
    """(verdict, what follows from it, its rules), in the order in which they are asked.

    Where a reason names a number of the measurement, ‹rate› stands for it.
    """
    readable = [replace(rule, reason=_NAMED.sub(r"‹\1›", rule.reason)) for rule in plausibility.RULES]
    return [
        (verdict, gettext(consequence), [rule for rule in readable if rule.verdict == verdict])
        for verdict, consequence in _VERDICTS
    ]


def formula(module: ModuleType) -> str:
    """The indented lines of a module's docstring, where formulas stand."""
    lines = (module.__doc__ or "").splitlines()
    return "\n".join(line.strip() for line in lines if line.startswith("    ") and line.strip())


def _figure(figure: Figure) -> ComparedFigure:
    metric = METRICS[figure.metric]
    unit = {units.RATE: "MB/s", units.IOPS: "IOPS", units.TIME: "µs"}.get(metric.base_unit, metric.base_unit)
    return ComparedFigure(figure.name, figure.title, unit, metric.better, conditions(figure.where))


def conditions(where: Mapping[str, Any]) -> tuple[str, ...]:
    """Parameters of a figure in words: "read", "4 KiB", "queue depth 1"."""
    worded = (_condition(name, wanted) for name, wanted in where.items())
    return tuple(words for words in worded if words)


def _condition(name: str, wanted: Any) -> str:
    if isinstance(wanted, frozenset):
        stated = gettext(" or ").join(_one(name, value) for value in sorted(wanted - {None}))
        return gettext("%(told)s, or not stated") % {"told": stated} if stated and None in wanted else stated
    if isinstance(wanted, tuple):
        return " to ".join(_one(name, end) for end in wanted)
    return _one(name, wanted)


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


def _weights(profile: Profile) -> list[Weight]:
    heaviest = sorted(profile.terms, key=lambda term: -term.share)
    return [
        Weight(
            title=FIGURES[term.figure].title,
            percent=100 * term.share,
            reference=metrics.in_words(term.reference, FIGURES[term.figure].base_unit),
            spread_ratio=math.exp(term.spread),
        )
        for term in heaviest
    ]
