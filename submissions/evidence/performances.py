"""Make rows of Performance: the abilities of each model in each slot (a device, or a class of buses).

A silicon is a group of cards with the same registers. If the silicons of a model differ, the model has in each ability
the value of its worst silicon, among those in a substantial share of its cards: a buyer gets at least that value,
except from a rare silicon.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Model

from submissions.domain.estimation.estimates import Estimates
from submissions.domain.estimation.evidence import Floats, Index, Mask
from submissions.domain.estimation.parameters import HALF_WIDTH
from submissions.domain.estimation.slots import predict_in_slot
from submissions.domain.estimation.variation import SUBSTANTIAL
from submissions.domain.identity.suspicions.quirks import Silicon
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.catalogue import base_value
from submissions.domain.ranking.proof import grade_proofs
from submissions.domain.ranking.slots import Slot, all_slots
from submissions.evidence.abilities import COUNTS, DECIMALS, Judged, Parts, estimate_rows, limit_digits
from submissions.models import AbilityEstimate, Performance

Origin = Performance.Origin
# Standard deviation of log(queued / not queued): small writes of eight models on a Raspberry Pi 5 differ by a factor of
# .96 to 2.8, in the middle by 1.
_STATE_SD = 0.45
_COUNTS = (*COUNTS, "voices")


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """Estimated values of models in one slot, as arrays of abilities x models; fields as in Estimates and InSlot."""

    mean: Floats
    sd: Floats
    card_sd: Floats
    is_here: Mask
    is_measured: Mask
    at_least: Mask
    median: Floats
    cards: Index
    people: Index
    known_people: Index
    runs: Index
    voices: Index
    proof: Index


class _Chosen(NamedTuple):
    """The state, with or without a command queue, from which the values of each ability and model are taken.

    It is the state of cards in the slot, or the other state if only that was measured. `source` is its index in arrays
    of abilities x models, and `extra_sd` the added standard deviation of the log, 0 for the state in the slot.
    """

    source: tuple[Index, Index]
    extra_sd: Floats


def make_rows(judged: Judged, *, simulated: bool = False) -> dict[type[Model], list[Any]]:
    """Make all rows to store for the estimated models, by their class: AbilityEstimate and Performance."""
    return {
        AbilityEstimate: list(estimate_rows(judged)),
        Performance: list(performance_rows(judged, simulated=simulated)),
    }


def performance_rows(judged: Judged, *, simulated: bool = False) -> Iterator[Performance]:
    """Yield a performance for each model and slot, if an ability that cards have in this kind of slot was measured."""
    models, known = judged.gathered.models.tolist(), dict[bytes, _Chosen]()
    for slot in all_slots().values():
        if not (judged.estimates.is_measured & _own_abilities(slot, with_queued=True)).any():
            continue
        queued = find_queued(judged, slot)
        values = _values_in_slot(judged, judged.estimates, slot, queued, known)
        if parts := judged.parts:
            of_parts = _values_in_slot(judged, parts.estimates, slot, queued[parts.model], {})
            values = _take_worst(values, of_parts, parts)
        yield from _rows(values, slot, models, simulated=simulated)


def _values_in_slot(
    judged: Judged, estimates: Estimates, slot: Slot, queued: Mask, known: dict[bytes, _Chosen]
) -> _Values:
    reached = predict_in_slot(
        estimates,
        judged.stored.crowd,
        hosts=judged.gathered.find_hosts(slot),
        log_cap=_log_caps(slot),
    )
    # Most slots queue the same cards, and the states depend on nothing else.
    if (key := queued.tobytes()) not in known:
        known[key] = _choose_states(estimates.is_measured, queued)
    chosen = known[key]
    mean, level_known = reached.mean[chosen.source], estimates.level_known[chosen.source]
    median_here = reached.median[chosen.source]
    is_here = ~np.isnan(median_here) & (chosen.extra_sd == 0)
    counted = {name: getattr(estimates, name)[chosen.source] for name in _COUNTS}
    return _Values(
        mean,
        np.hypot(reached.sd[chosen.source], chosen.extra_sd),
        np.hypot(reached.card_sd[chosen.source], chosen.extra_sd),
        is_here,
        is_measured=estimates.is_measured[chosen.source] & _own_abilities(slot, with_queued=False),
        at_least=~level_known & (mean < _log_caps(slot)[:, None]),
        median=np.where(is_here, median_here, estimates.median[chosen.source]),
        proof=grade_proofs(**{name: counted[name] for name in ("voices", "known_people", "runs")}),
        **counted,
    )


@cache
def _own_abilities(slot: Slot, *, with_queued: bool) -> Mask:
    abilities = {*slot.abilities}
    queued = {ability.name for ability in ABILITIES.values() if ability.queue_of in abilities}
    return np.isin(list(ABILITIES), list(abilities | queued if with_queued else abilities))[:, None]


_queues = lru_cache(maxsize=20_000)(Slot.queues)


@cache
def _log_caps(slot: Slot) -> Floats:
    return np.array(slot.log_caps)


@cache
def _queue_states() -> Index:
    # For each ability the number of its state with a command queue, or its own if it has none.
    states = {ability.queue_of: number for number, ability in enumerate(ABILITIES.values())}
    return np.array([states.get(name, number) for number, name in enumerate(ABILITIES)])


def _choose_states(is_measured: Mask, queued: Mask) -> _Chosen:
    own = np.arange(len(is_measured))[:, None]
    state = _queue_states()[:, None]
    wanted, other = np.where(queued, state, own), np.where(queued, own, state)
    models = np.arange(len(queued))
    is_other = ~is_measured[wanted, models] & is_measured[other, models]
    return _Chosen((np.where(is_other, other, wanted), models), np.where(is_other, _STATE_SD, 0.0))


def _take_worst(values: _Values, of_parts: _Values, parts: Parts) -> _Values:
    columns = {column.name: getattr(values, column.name).copy() for column in fields(_Values)}
    for model in np.unique(parts.model).tolist():
        counting = _find_substantial(parts, model)
        measured = of_parts.is_measured[:, counting]
        means = np.where(measured, of_parts.mean[:, counting], np.inf)
        ability = np.flatnonzero(measured.any(axis=1))
        worst = counting[np.argmin(means[ability], axis=1)]
        for name, column in columns.items():
            column[ability, model] = getattr(of_parts, name)[ability, worst]
    return replace(values, **columns)


def _find_substantial(parts: Parts, model: int) -> Index:
    own = np.flatnonzero(parts.model == model)
    cards = parts.cards[own]
    return own[cards >= SUBSTANTIAL * cards.sum()]


def _rows(values: _Values, slot: Slot, models: Sequence[int], *, simulated: bool) -> Iterator[Performance]:
    columns = [
        np.where(values.is_measured, np.round(column, DECIMALS), np.nan).T.tolist()
        for column in (values.mean, values.sd, values.card_sd)
    ]
    here = np.where(values.is_here, Origin.HERE.value, Origin.ELSEWHERE.value)
    origins = np.where(values.is_measured, here, Origin.NOT_MEASURED.value).T.tolist()
    proofs, at_least = (_keep_measured(column, values) for column in (values.proof, values.at_least))
    for model in np.flatnonzero(values.is_measured.any(axis=0)).tolist():
        means, sds, card_sds = (
            [None if math.isnan(value) else value for value in column[model]] for column in columns
        )
        yield Performance(
            card_model_id=models[model],
            simulated=simulated,
            slot=slot.name,
            means=means,
            sds=sds,
            card_sds=card_sds,
            origins=origins[model],
            proofs=proofs[model],
            at_least=at_least[model],
            abilities=_describe(values, slot, model),
        )


def _keep_measured(column: Index | Mask, values: _Values) -> list[list[Any]]:
    # Rows by model, None for an ability that was not measured.
    return np.where(values.is_measured, column.astype(object), np.array(None)).T.tolist()


def _describe(values: _Values, slot: Slot, model: int) -> dict[str, Any]:
    names, caps = list(ABILITIES), _log_caps(slot)
    measured = np.flatnonzero(values.is_measured[:, model]).tolist()
    return {
        names[ability]: _describe_ability(values, names[ability], caps[ability], (ability, model))
        for ability in measured
    }


def _describe_ability(values: _Values, name: str, cap: float, at: tuple[int, int]) -> dict[str, Any]:
    mean, half = float(values.mean[at]), HALF_WIDTH * float(values.card_sd[at])
    lower, upper = sorted(base_value(name, min(log, cap)) for log in (mean - half, mean + half))
    return {
        "value": limit_digits(base_value(name, mean)),
        "lower": limit_digits(lower),
        "upper": limit_digits(upper),
        "origin": "here" if values.is_here[at] else "elsewhere",
        "at_least": bool(values.at_least[at]),
        "median": limit_digits(base_value(name, float(values.median[at]))),
        **{count: int(getattr(values, count)[at]) for count in (*_COUNTS, "proof")},
    }


def find_queued(judged: Judged, slot: Slot) -> Mask:
    """Return a mask of the models with a command queue in the slot, as in most of their cards with known registers."""
    queued = np.zeros(judged.gathered.evidence.models, dtype=bool)
    for number, pk in enumerate(judged.gathered.models.tolist() if slot.queue_rule else ()):
        cards: Mapping[Silicon, int] = judged.silicons.get(pk, Counter())
        on = sum(count for silicon, count in cards.items() if _queues(slot, silicon))
        queued[number] = 2 * on > sum(cards.values())
    return queued
