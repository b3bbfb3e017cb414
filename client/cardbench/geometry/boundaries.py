"""The lattice of boundaries: classes of positions, and the search for the smallest class that shows a step."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cardbench.geometry.decide import Levels, LevelTest, error_of_step, is_mixed, levels
from cardbench.geometry.probe import GivenUp, Probe
from cardbench.target.surface import Surface, nth

_SMALLEST_STEP = 0.015  # as a share of the access time: less is called none
_CLEAR_STEP = 11.0  # standard errors of the samples
_CLEAR_OF_PLACES = 3.7  # standard errors of as many samples as there are places
_FEWEST_PAIRS, _MOST_PAIRS, _PAIRS_AT_ONCE = 24, 1800, 8
_MOST_FAINT_PAIRS, _ENOUGH_TO_DENY = 1500, 120
_FAINT_STEP, _SURELY_BELOW = 4.5, 3.5  # standard errors
_FAINTEST_STEP, _DENIED_STEP = 0.006, 0.010  # shares of the access time
_MOST_SAMPLES = 2400
_ATTEMPTS = 200  # two in three numbers are no multiple of 3
_GAP = 0.45  # of the step: cards with an extra step at half an erase block reach one half


@dataclass(frozen=True)
class Multiples:
    """Positions that are odd multiples of 2^exponent: of them, those that 3 divides, those it does not, or all.

    An erase block of 2^a * 3^b ends at such a position exactly if a <= exponent, and 3 divides it when b is 1.
    """

    exponent: int
    three: bool | None = None

    def draw(self, chance: random.Random, surface: Surface, margin_bytes: int) -> int:
        """Return a random position of the class in reach, with a margin on both sides. Raises GivenUp without one."""
        unit = 2**self.exponent * (3 if self.three else 1)
        odd = [range(numbers.start | 1, numbers.stop, 2) for numbers in surface.multiples(unit, margin_bytes)]
        count = sum(map(len, odd))
        for _ in range(_ATTEMPTS if count else 0):
            number = nth(odd, chance.randint(0, count - 1))
            if self.three is not False or number % 3:
                return number * unit
        raise GivenUp(
            "The part of the card that can be read or written is too small to contain such boundaries."
        )


def sample(probe: Probe, multiples: Multiples) -> tuple[int, float]:
    """Return a position of the class, and the step of a read across it. Raises GivenUp if all positions are empty."""
    for _ in range(_ATTEMPTS):
        place = multiples.draw(probe.chance, probe.surface, 4 * probe.sample_bytes)
        step = probe.measure_boundary(place)
        if step is not None:
            return place, step
    raise GivenUp("Almost nothing was ever written there, and reads of empty blocks show nothing.")


def step_between(probe: Probe, high: Multiples, low: Multiples, pairs: int) -> tuple[float, float]:
    """Return the step from one class to a higher one, and its standard error for the number of sampled places."""
    highs, lows = ([sample(probe, of) for _ in range(pairs)] for of in (high, low))
    difference = levels([step for _, step in highs], [step for _, step in lows])
    places = min(len({place for place, _ in seen}) for seen in (highs, lows))
    return difference.step, error_of_step(difference, places)


def _sample_pairs(
    probe: Probe, high: list[Multiples], low: list[Multiples], most_pairs: int
) -> Iterator[tuple[list[float], list[float], set[int]]]:
    # The lists are the same each time, and grow.
    highs, lows, places = list[float](), list[float](), set[int]()
    while len(highs) < most_pairs:
        for _ in range(_PAIRS_AT_ONCE):
            place, step = sample(probe, probe.chance.choice(high))
            places.add(place)
            highs.append(step)
            lows.append(sample(probe, probe.chance.choice(low))[1])
        if len(highs) >= _FEWEST_PAIRS:
            yield highs, lows, places


def contrast(
    probe: Probe, high: list[Multiples], low: list[Multiples], *, most_pairs: int = _MOST_PAIRS
) -> Levels | None:
    """Return the levels of two groups of classes, sampled in pairs; None if they do not differ clearly.

    Places have peculiarities of their own, so sampling the few places of a large multiple again tells nothing new.
    Where some of the places show nothing, as those that hold nothing do, medians depend on how many these are.
    """
    for highs, lows, places in _sample_pairs(probe, high, low, most_pairs):
        difference = levels(highs, lows)
        error, error_of_places = (error_of_step(difference, count) for count in (len(highs), len(places)))
        if difference.step > max(_CLEAR_STEP * error, _CLEAR_OF_PLACES * error_of_places):
            return None if is_mixed(highs, lows) else difference
        if difference.step + 3 * error < _SMALLEST_STEP:
            return None
    return None


def is_above(probe: Probe, high: list[Multiples], low: list[Multiples]) -> tuple[bool | None, float]:
    """Return whether a group of classes is even slightly above another, or None if unclear; and the step."""
    for highs, lows, places in _sample_pairs(probe, high, low, _MOST_FAINT_PAIRS):
        difference = levels(highs, lows)
        error = error_of_step(difference, len(places))
        if difference.step > max(_FAINT_STEP * error, _FAINTEST_STEP):
            return True, difference.step
        if len(highs) >= _ENOUGH_TO_DENY and difference.step + _SURELY_BELOW * error < _DENIED_STEP:
            return False, difference.step
    return None, 0.0


@dataclass
class Ladder:
    """Decide for classes of positions whether they are at the level of the highest boundaries."""

    probe: Probe
    reference: Levels
    bound: float

    def is_at_top(self, multiples: Multiples, *, gap: float = _GAP) -> tuple[bool | None, float]:
        """Return whether the class is at the high level, or None if unclear; and the log odds of the answer."""
        test = LevelTest(self.reference, bound=self.bound, gap=gap)
        for _ in range(_MOST_SAMPLES):
            test.add(sample(self.probe, multiples)[1])
            if test.verdict is not None:
                break
        return test.verdict, abs(test.log_odds)


def find_lowest_at_top(
    ladder: Ladder, rungs: range, multiples_of: Callable[[int], Multiples]
) -> tuple[int, float] | None:
    """Return the smallest exponent of a class at the top, by bisection, and its log odds; None if it is unclear.

    The exponent and the one below are tested again; the result is unclear if an answer contradicts an earlier one. The
    last rung counts as at the top.
    """
    low, high = rungs.start, rungs.stop - 1
    while low < high:
        middle = (low + high) // 2
        verdict, _ = ladder.is_at_top(multiples_of(middle))
        if verdict is None:
            return None
        low, high = (low, middle) if verdict else (middle + 1, high)
    here, sure_here = ladder.is_at_top(multiples_of(low))
    below, sure_below = ladder.is_at_top(multiples_of(low - 1)) if low > rungs.start else (False, sure_here)
    return (low, min(sure_here, sure_below)) if here and below is False else None
