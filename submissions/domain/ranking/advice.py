"""Advice on a model for a use on a board: reasons against it, needs, leading ability, proof and rank."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from submissions.domain.measuring.metrics import ABILITIES, NUMBER_OF_ABILITY, Ability
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.gates import DOUBTING, EXCLUDING, Gate, ModelFacts, find_gates
from submissions.domain.ranking.offers import Offer
from submissions.domain.ranking.order import NeedState, judge_need, widen_fallback
from submissions.domain.ranking.proof import LEAST_FOR_PLACE, Proof
from submissions.domain.ranking.slots import Slot
from submissions.domain.ranking.uses import Need, Use

# A value at least this share of the upper end of its interval is limited by the slot.
_LIMITED_FROM = 0.98
Origin = Literal["here", "elsewhere"]


@dataclass(frozen=True, slots=True)
class AbilityValue:
    """An ability of a model in a slot (device or bus), in its base unit; `lower` to `upper` is the 95 % interval.

    `origin`: "here" if measured in this slot, else "elsewhere". `at_least`: the bus was the limit, so the value is only
    a lower bound. `median`: the median of the values measured in this slot, or else anywhere. `known_people`: number of
    people who have a record of confirmed results or are vouched for. `voices`: number of people if people who may be
    the same person count once.
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
    voices: int = 0
    proof: int = Proof.STRANGER

    @property
    def row(self) -> Ability:
        return ABILITIES[self.ability]

    @property
    def published_columns(self) -> dict[str, Any]:
        """Return the columns of the value that programs get, with its unit: all but `proof`, an internal grade."""
        columns = {name: getattr(self, name) for name in self.__slots__ if name != "proof"}
        return columns | {"unit": self.row.base_unit}

    @property
    def is_measured(self) -> bool:
        """Return whether tests in this slot show the value.

        They do not if their median is outside of the interval, unless the bus or the slot was the limit.
        """
        is_near = self.at_least or self.is_at_limit or not self.differs_from_median
        return self.origin == "here" and is_near

    @property
    def is_at_limit(self) -> bool:
        """Return whether the slot limits the value: the tests show a card that is faster than the slot allows."""
        return self.row.is_linked and self.median > self.upper and self.value > _LIMITED_FROM * self.upper

    @property
    def differs_from_median(self) -> bool:
        """Return whether the median of the measured values is outside of the interval, which a page must explain."""
        return not self.lower <= self.median <= self.upper


@dataclass(frozen=True, slots=True)
class NeedResult:
    """A need (requirement of a use), and whether a card of the model passes it; `value` is None if it was not measured.

    If the ability by which the use ranks cards was not measured, the ability that replaces it can show that the need
    fails, never that it passes.
    """

    need: Need
    state: NeedState
    value: AbilityValue | None


@dataclass(frozen=True, slots=True)
class Place:
    """The rank of a model among `listed` models; `shared`: another model has the same rank."""

    number: int
    shared: bool
    listed: int


@dataclass(frozen=True, slots=True)
class Advice:
    """The complete advice on a model for a use on a board.

    `gates`: reasons against the model that count more than any figure. `leading`: the ability by which the use ranks
    cards, or its replacement; None if neither was measured: then the model has no rank (`place`).
    """

    use: Use
    board: Board
    facts: ModelFacts
    gates: tuple[Gate, ...]
    needs: tuple[NeedResult, ...]
    leading: AbilityValue | None
    abilities: Mapping[str, AbilityValue]
    place: Place | None

    @property
    def offer(self) -> Offer | None:
        return self.facts.offer

    @property
    def slot(self) -> Slot:
        return self.board.slot

    @property
    def is_excluded(self) -> bool:
        """Return whether a gate (reason against the model) denies the model a rank."""
        return not EXCLUDING.isdisjoint(self.gates)

    @property
    def is_doubted(self) -> bool:
        """Return whether a gate says that some cards of the model lost data or are suspicious."""
        return not DOUBTING.isdisjoint(self.gates)

    @property
    def may_have_place(self) -> bool:
        """Return whether the leading ability is proven enough for a rank, and no gate excludes the model."""
        return self.leading is not None and self.leading.proof >= LEAST_FOR_PLACE and not self.is_excluded

    @property
    def fails_need(self) -> bool:
        return any(result.state is NeedState.FAIL for result in self.needs)

    @property
    def passes_needs(self) -> bool:
        """Return whether the model passes all needs of the use, at least one, and no gate excludes the model."""
        if self.is_excluded or not self.needs:
            return False
        return all(result.state is NeedState.PASS for result in self.needs)


@dataclass(frozen=True, slots=True)
class SlotValues:
    """The stored values of a model in a slot (device or bus).

    `abilities`: by name, the columns of `AbilityValue`. `means` and `card_sds`: natural logs, in the order of
    metrics.ABILITIES.
    """

    abilities: Mapping[str, Mapping[str, Any]]
    means: Sequence[float | None]
    card_sds: Sequence[float | None]


def make_advice(
    board: Board, use: Use, facts: ModelFacts, values: SlotValues | None, *, place: Place | None
) -> Advice:
    """Return the advice on a model from its stored values in the slot of a board; `values` is None if it has none."""
    values = values or SlotValues({}, (), ())
    abilities = {name: AbilityValue(ability=name, **columns) for name, columns in values.abilities.items()}
    return Advice(
        use=use,
        board=board,
        facts=facts,
        gates=find_gates(facts, board, use),
        needs=tuple(_judge(need, use, values, abilities) for need in use.needs),
        leading=next((abilities[name] for name in use.leads if name in abilities), None),
        abilities=abilities,
        place=place,
    )


def _judge(need: Need, use: Use, values: SlotValues, abilities: Mapping[str, AbilityValue]) -> NeedResult:
    value = abilities.get(need.ability)
    if value is not None:
        return NeedResult(need, _judge_value(need, value, values), value)
    instead = abilities.get(use.fallback) if need.ability == use.leading else None
    if instead and _judge_value(need, instead, values, widen=widen_fallback) is NeedState.FAIL:
        return NeedResult(need, NeedState.FAIL, instead)
    return NeedResult(need, NeedState.NOT_MEASURED, None)


def _judge_value(
    need: Need, value: AbilityValue, values: SlotValues, *, widen: Callable[[Any], Any] = lambda sd: sd
) -> NeedState:
    # One report of an unknown person proves neither a pass nor a failure.
    if value.proof < LEAST_FOR_PLACE:
        return NeedState.UNCLEAR
    number = NUMBER_OF_ABILITY[value.ability]
    card_sd = widen(values.card_sds[number])
    return judge_need(values.means[number], card_sd, need.log_threshold, at_least=value.at_least)
