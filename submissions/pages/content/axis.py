"""Make the axis of a list of cards: logarithmic, in the unit of an ability, with a line at the need of the use.

Ends are round numbers beyond the intervals of all rows, so that every bar of a list fits on one axis. The better end is
on the right: the axis of a latency runs from long to short.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.advice import AbilityValue
from submissions.domain.ranking.catalogue import base_value, log_value
from submissions.domain.ranking.uses import Need
from submissions.pages import wording

_ROUND = (1.0, 2.0, 5.0)
# Percent of the axis: the room that a label needs, and the least width of a bar that can be seen.
_LABEL, _THINNEST = 42.0, 0.5


class Bar(NamedTuple):
    """A bar on an axis: interval, value and `needed` in percent, as texts for SVG; `needed` is "" without a need."""

    low: str
    width: str
    value: str
    needed: str


class Axis(NamedTuple):
    """The axis of an ability. `low`, `high`: logs of its ends; `needed`: log of the need, None without one."""

    ability: str
    low: float
    high: float
    needed: float | None

    def draw_bar(self, value: AbilityValue) -> Bar:
        """Return the bar of a value; the bar of a value that is only a lower bound reaches to the end of the axis."""
        ends = sorted(log_value(self.ability, end) for end in (value.lower, value.upper))
        middle = log_value(self.ability, value.value)
        low, high = (middle, self.high) if value.at_least else ends
        left = min(round(self._place(low)), 100 - _THINNEST)
        width = max(round(self._place(high)) - left, _THINNEST)
        needed = "" if self.needed is None else f"{self._place(self.needed):.1f}"
        return Bar(f"{left:g}", f"{width:g}", f"{self._place(middle):.0f}", needed)

    @property
    def title(self) -> str:
        return ABILITIES[self.ability].title

    @property
    def ticks(self) -> list[tuple[str, str, bool]]:
        """Return the labels of the axis: (text, place in percent, whether it is the need of the use)."""
        ends = [(self._label(log), self._place(log), False) for log in (self.low, self.high)]
        if self.needed is not None:
            label = _("%(amount)s needed") % {"amount": self._label(self.needed)}
            place = self._place(self.needed)
            ends = [end for end in ends if abs(end[1] - place) >= _LABEL]
            ends.append((label, place, True))
        return [
            (label, f"{place:.1f}", is_need) for label, place, is_need in sorted(ends, key=lambda end: end[1])
        ]

    def _place(self, log: float) -> float:
        """Return the place of the log of a value in percent of the width, never beyond an end."""
        share = (log - self.low) / (self.high - self.low)
        return 100 * min(max(share, 0.0), 1.0)

    def _label(self, log: float) -> str:
        return wording.amount(base_value(self.ability, log), ABILITIES[self.ability].base_unit)


def make_axis(values: Iterable[AbilityValue], ability: str, needs: Iterable[Need]) -> Axis:
    """Return the axis of an ability that has room for the bars of all `values`, and for the need of the ability."""
    needed = next((need.log_threshold for need in needs if need.ability == ability), None)
    logs = [] if needed is None else [needed]
    for value in values:
        ends = (value.value,) if value.at_least else (value.lower, value.value, value.upper)
        logs.extend(log_value(ability, end) for end in ends)
    logs = logs or [log_value(ability, ABILITIES[ability].typical)]
    low, high = _round_log(min(logs), up=False), _round_log(max(logs), up=True)
    return Axis(ability, low, high, needed)


def _round_log(log: float, *, up: bool) -> float:
    """Return the log of the next round number (1, 2 or 5 times a power of ten), but not of the same number."""
    power = math.floor(log / math.log(10))
    steps = [math.log(step) + at * math.log(10) for at in (power - 1, power, power + 1) for step in _ROUND]
    return (
        min(step for step in steps if step > log + 1e-9)
        if up
        else max(step for step in steps if step < log - 1e-9)
    )
