"""Advice on a model for a use in a slot, for pages and API: its abilities, the needs that it passes, its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from submissions.domain.measuring.metrics import ABILITIES, NUMBER_OF_ABILITY, Ability
from submissions.domain.ranking.order import NeedState, judge_need
from submissions.domain.ranking.slots import Slot
from submissions.domain.ranking.uses import Need, Use

Origin = Literal["here", "elsewhere"]


@dataclass(frozen=True, slots=True)
class AbilityValue:
    """An ability of a model in a slot, in its base unit; `lower` to `upper` is the 95 % interval.

    `origin`: measured in such a slot, or expected from others. `at_least`: links hid how much better it is. `median` is
    the middle of the measured values. `known_people` have a record, or are vouched for.
    """

    ability: str
    value: float
    lower: float
    upper: float
    origin: Origin
    at_least: bool
    median: float
    cards: int
    people: int
    known_people: int
    runs: int

    @property
    def row(self) -> Ability:
        return ABILITIES[self.ability]

    @property
    def differs_from_median(self) -> bool:
        """Return whether the middle of the measured values lies outside of the interval, which a page must explain."""
        return not self.lower <= self.median <= self.upper


@dataclass(frozen=True, slots=True)
class NeedResult:
    """A need of a use, and whether a card of the model passes it; `value` is None if it was not measured."""

    need: Need
    state: NeedState
    value: AbilityValue | None


@dataclass(frozen=True, slots=True)
class Place:
    """A place among `listed` models; `shared` if another model has it, too."""

    number: int
    shared: bool
    listed: int


@dataclass(frozen=True, slots=True)
class Advice:
    """Everything that is said of a model for a use in a slot.

    `leading` is None if neither the leading ability nor its fallback was measured: then it has no place.
    `lost_data`: a test of the full size found that a card lost data.
    """

    use: Use
    slot: Slot
    needs: tuple[NeedResult, ...]
    leading: AbilityValue | None
    abilities: Mapping[str, AbilityValue]
    place: Place | None
    lost_data: bool

    @property
    def fails_need(self) -> bool:
        return any(result.state is NeedState.FAIL for result in self.needs)

    @property
    def passes_needs(self) -> bool:
        """Return whether it passes all needs of the use, and lost no data."""
        return not self.lost_data and all(result.state is NeedState.PASS for result in self.needs)


@dataclass(frozen=True, slots=True)
class SlotValues:
    """The stored values of a model in a slot.

    `abilities`: the document for rendering, by name. `means` and `card_sds`: logs, in the order of metrics.ABILITIES.
    """

    abilities: Mapping[str, Mapping[str, Any]]
    means: Sequence[float | None]
    card_sds: Sequence[float | None]


def make_advice(
    use: Use, slot: Slot, values: SlotValues | None, *, place: Place | None, lost_data: bool
) -> Advice:
    """Make the advice on a model from its stored values in a slot, None if it has none."""
    values = values or SlotValues({}, (), ())
    abilities = {name: AbilityValue(ability=name, **columns) for name, columns in values.abilities.items()}
    return Advice(
        use=use,
        slot=slot,
        needs=tuple(_judge(need, values, abilities.get(need.ability)) for need in use.needs),
        leading=next((abilities[name] for name in use.leads if name in abilities), None),
        abilities=abilities,
        place=place,
        lost_data=lost_data,
    )


def _judge(need: Need, values: SlotValues, value: AbilityValue | None) -> NeedResult:
    if value is None:
        return NeedResult(need, NeedState.NOT_MEASURED, None)
    number = NUMBER_OF_ABILITY[need.ability]
    state = judge_need(
        values.means[number], values.card_sds[number], need.log_threshold, at_least=value.at_least
    )
    return NeedResult(need, state, value)
