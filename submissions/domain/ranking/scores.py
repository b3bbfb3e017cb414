"""Scores: for each profile and interface class, how many times as good as the reference card, with an interval.

100 is a card that just does what the profile asks for. The formula stands in `judgement/composite.py`. What a model is
ranked by is the lower end of the interval, and cautious about figures that were not measured.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from submissions.domain.judgement.composite import Composite, Expected, Z, capped, weigh
from submissions.domain.judgement.engine import Judged
from submissions.domain.judgement.inputs import Silicons
from submissions.domain.judgement.robust import Floats, Index, Mask
from submissions.domain.judgement.worst_silicon import substantial, worst_substantial
from submissions.domain.ranking import comparable
from submissions.domain.ranking.interfaces import Interface, all_interfaces
from submissions.domain.ranking.uses import Profile, Term, on


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of all models for one profile and interface class; 100 is the reference card.

    `covered` of `terms` figures were measured. `scored`: one of the profile was, if only as in other slots, by which
    those of this one are expected; a model of which none was has no score.
    """

    profile: Profile
    interface: Interface
    figures: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats
    bound: Floats
    covered: Index
    scored: Mask

    @property
    def terms(self) -> int:
        return len(self.figures)

    @property
    def purpose(self) -> tuple[str, str]:
        """Profile and class of slot, by name."""
        return self.profile.name, self.interface.name


def scores(judged: Judged) -> Iterator[Scores]:
    """For every interface class and the profiles of its kind of slot, where any model has a score."""
    for interface in all_interfaces().values():
        yield from (of_profile for of_profile in _of_slot(interface, judged) if of_profile.scored.any())


def _of_slot(interface: Interface, judged: Judged) -> Iterator[Scores]:
    """All profiles at once: for one model, each call of NumPy takes longer than what it works out."""
    slot = _slot(judged.names, interface)
    scored = any_measured(judged.expected, slot.telling)
    if scored.any():
        reached = capped(judged.expected, slot.log_caps)
        composites = weigh(reached, weights=slot.share, log_reference=slot.log_reference)
        rows = zip(*on_scale(composites), composites.covered, scored, strict=True)
        for profile, figures, row in zip(slot.profiles, slot.figures, rows, strict=True):
            yield Scores(profile, interface, figures, *row)


@dataclass(frozen=True, slots=True, eq=False)
class _Slot:
    """A class of slot, and what its profiles weigh. Arrays are profiles x figures, `log_caps` per figure; `telling`:
    whether a figure tells something of a profile."""

    profiles: tuple[Profile, ...]
    figures: tuple[tuple[str, ...], ...]
    share: Floats
    log_reference: Floats
    telling: Mask
    log_caps: Floats


@lru_cache(maxsize=100)
def _slot(names: tuple[str, ...], interface: Interface) -> _Slot:
    profiles = tuple(on(interface).values())
    terms = [profile.on(interface) for profile in profiles]
    weights = np.array([_weights(names, of_profile) for of_profile in terms]).reshape(-1, 2, len(names))
    return _Slot(
        profiles,
        tuple(tuple(term.figure for term in of_profile) for of_profile in terms),
        share=weights[:, 0],
        log_reference=weights[:, 1],
        telling=np.array([telling(names, profile) for profile in profiles]).reshape(-1, len(names)),
        log_caps=log_caps(names, interface),
    )


def any_measured(expected: Expected, telling: Mask) -> Mask:
    """The models of which a telling figure was measured; per profile, if `telling` is."""
    measured: Mask = telling @ ~expected.missing.T
    return measured


def telling(names: Sequence[str], profile: Profile) -> Mask:
    """Which of these figures tell something of the profile, in any slot; of one that writes, those of writing."""
    return np.isin(names, list(profile.writes or profile.figures))


def log_caps(names: Sequence[str], interface: Interface) -> Floats:
    """What each figure can reach in a slot of this class; inf for figures that move little."""
    return np.array([interface.log_cap if comparable.is_linked(name) else np.inf for name in names])


def weighted(expected: Expected, names: Sequence[str], terms: Sequence[Term]) -> Composite:
    """Composites of figures in the order of `names`, with the shares of `terms`."""
    weights, log_reference = _weights(names, terms)
    return weigh(expected, weights=weights, log_reference=log_reference)


def _weights(names: Sequence[str], terms: Sequence[Term]) -> Floats:
    """(share, log reference) of each figure, 0 where it has none."""
    share = {term.figure: term.share for term in terms}
    reference = {term.figure: comparable.log_value(term.figure, term.reference) for term in terms}
    return np.array([[column_of.get(name, 0.0) for name in names] for column_of in (share, reference)])


def on_scale(composites: Composite) -> tuple[Floats, Floats, Floats, Floats]:
    """(value, lower, upper, bound), 100 = the reference card. The bound is the lower end that is printed, which is
    cautious about what was not measured."""
    half = Z * composites.sd
    logs = (composites.log_ratio, composites.log_ratio + half, composites.lower())
    value, upper, lower = (100 * np.exp(log) for log in logs)
    return value, lower, upper, lower


def figures_of(judged: Judged, model: int, interface: Interface) -> dict[str, dict[str, float | bool]]:
    """Measured figures of one model in base units, on a host of this class: `value` with its 95 % interval, what its
    cards alone say (`measured`), and whether the links of those who measured it hid how fast it is (`at_least`)."""
    return {
        name: _figure(judged, name, model, interface)
        for name in judged.names
        if name in judged.estimates and judged.estimates[name].own_precision[model] > 0
    }


def _figure(judged: Judged, name: str, model: int, interface: Interface) -> dict[str, float | bool]:
    estimates = judged.estimates[name]
    mean, half = float(estimates.mean[model]), Z * float(estimates.sd[model])
    cap = interface.log_cap if comparable.is_linked(name) else np.inf
    ends = sorted(comparable.value(name, min(log, cap)) for log in (mean - half, mean + half))
    value = comparable.value(name, min(mean, cap))
    own = float(estimates.measured[model])
    if estimates.at_least[model]:  # what links hid has no middle: its cards say no less than this
        own = max(own, mean - half)
    return {
        "value": _digits(value),
        "measured": _digits(comparable.value(name, min(own, cap))),
        "lower": _digits(ends[0]),
        "upper": _digits(ends[1]),
        "cards": int(estimates.cards[model]),
        "at_least": bool(estimates.at_least[model]) and mean < cap,
    }


def _digits(value: float) -> float:
    """Six digits are more than anybody measures."""
    return float(f"{value:.6g}")


@dataclass(frozen=True, slots=True)
class Worst:
    """By which silicon a model whose cards differ is ranked, and what its silicons that count are worth."""

    silicon: int
    low: float
    high: float


def worst(silicons: Silicons, in_slot: Scores) -> dict[int, Worst]:
    """Model -> its worst silicon that counts, among those with a score; models without one are left out."""
    members: dict[int, list[int]] = {}
    for silicon in np.flatnonzero(in_slot.scored).tolist():
        members.setdefault(int(silicons.model[silicon]), []).append(silicon)
    return {model: _worst(silicons, in_slot, rows) for model, rows in members.items()}


def _worst(silicons: Silicons, in_slot: Scores, rows: Sequence[int]) -> Worst:
    cards = {row: int(silicons.cards[row]) for row in rows}
    values = {row: float(in_slot.value[row]) for row in rows}
    counting = substantial(cards)
    last = worst_substantial(cards, values)
    return Worst(last, values[last], max(values[row] for row in counting))
