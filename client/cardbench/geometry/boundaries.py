"""Classes of positions where flash boundaries may lie, and the search for the smallest class that slows reads."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cardbench.geometry.decide import Levels, LevelTest, error_of_step, is_mixed, levels
from cardbench.geometry.probe import GivenUp, Probe
from cardbench.target.surface import Surface, nth

_SMALLEST_STEP = 0.015  # as a share of the access time; a smaller step counts as none
_CLEAR_STEP = 11.0  # standard errors of the samples
_CLEAR_OF_PLACES = 3.7  # standard errors, if there were only as many samples as places
_FEWEST_PAIRS, _MOST_PAIRS, _PAIRS_AT_ONCE = 24, 1800, 8
_MOST_FAINT_PAIRS, _ENOUGH_TO_DENY = 1500, 120
_FAINT_STEP, _SURELY_BELOW = 4.5, 3.5  # standard errors for the answers yes and no
_FAINTEST_STEP, _DENIED_STEP = 0.006, 0.010  # shares of the access time
_MOST_SAMPLES = 2400
_ATTEMPTS = 200  # to find a number of the class: two in three are no multiple of 3
_GAP = 0.45  # as a share of the step; the extra step of some cards at half an erase block reaches one half


@dataclass(frozen=True)
class Multiples:
    """A class of positions: odd multiples of 2^exponent.

    `three` selects multiples of 3 (True), the rest (False) or all (None). An erase block of 2^a * 3^b bytes ends at
    such a position exactly if a <= exponent, and 3 divides it when b is 1.
    """

    exponent: int
    three: bool | None = None

    def draw(self, chance: random.Random, surface: Surface, margin_bytes: int) -> int:
        """Return a random position of this class of positions within reach, with a margin on both sides.

        Raises GivenUp if there is none.
        """
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
    """Return a random position of a class of positions, and how much longer a read across it takes.

    The latter is a difference of logarithms. Raises GivenUp if nothing was ever written to any position tried.
    """
    for _ in range(_ATTEMPTS):
        place = multiples.draw(probe.chance, probe.surface, 4 * probe.sample_bytes)
        step = probe.measure_boundary(place)
        if step is not None:
            return place, step
    raise GivenUp(
        "Almost nothing has ever been written to this part of the card, and reads of empty blocks reveal nothing."
    )


def step_between(probe: Probe, high: Multiples, low: Multiples, pairs: int) -> tuple[float, float]:
    """Return how much longer reads across the class `high` take than across `low`, and the standard error of this.

    The standard error follows from the number of different places sampled, which may be fewer than the pairs.
    """
    highs, lows = ([sample(probe, of) for _ in range(pairs)] for of in (high, low))
    difference = levels([step for _, step in highs], [step for _, step in lows])
    places = min(len({place for place, _ in seen}) for seen in (highs, lows))
    return difference.step, error_of_step(difference, places)


def _sample_pairs(
    probe: Probe, high: list[Multiples], low: list[Multiples], most_pairs: int
) -> Iterator[tuple[list[float], list[float], set[int]]]:
    # Yields the same lists each time, with more values in them.
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
    """Return the durations of reads across two groups of classes as levels; None if they do not differ clearly.

    The groups are sampled in pairs. Each place has peculiarities of its own, so sampling the few places of a large
    multiple again adds no evidence. A sample in which part of the places show no step has no level, because its median
    depends on the number of such places; then, too, the result is None.
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
    """Return whether reads across one group of classes take even slightly longer than across another, and the step.

    The first value is None, and the step 0, if this is still unclear after the most pairs.
    """
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
    """A test of classes of positions: it compares reads across them with reads across the highest boundaries.

    `reference`: the levels of the highest and the lowest boundaries. `bound`: the log odds at which a test ends.
    """

    probe: Probe
    reference: Levels
    bound: float

    def is_at_top(self, multiples: Multiples, *, gap: float = _GAP) -> tuple[bool | None, float]:
        """Return whether reads across a class take as long as across the highest boundaries, and the log odds of this.

        The first value is None if it is still unclear after the most samples.
        """
        test = LevelTest(self.reference, bound=self.bound, gap=gap)
        for _ in range(_MOST_SAMPLES):
            test.add(sample(self.probe, multiples)[1])
            if test.verdict is not None:
                break
        return test.verdict, abs(test.log_odds)


def find_lowest_at_top(
    ladder: Ladder, rungs: range, multiples_of: Callable[[int], Multiples]
) -> tuple[int, float] | None:
    """Return the smallest exponent of 2 with boundaries as slow as the highest boundaries, and its log odds.

    It is found by bisection. This exponent and the next smaller one are tested again. The result is None if a test has
    no answer or contradicts an earlier test. The last exponent of `rungs` is taken to be slow without a test.
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
