"""Compare the published order and intervals with real sources; `tests.bench.truth` prints it, and a test keeps it.

A bench is one person, host and method; two models measured on it are a pair. For each pair the bench shows which model
is faster; the published order (mean - sd / 2 in the slot of the host, command queue as shipped) and the plain median of
all values of a model are right or wrong about it. Then each source is left out and the crowd learned again, so that the
source's pairs, and the 95 % intervals of one card for its values, are predictions.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.parameters import DEFAULTS, Parameters
from submissions.domain.ranking.order import chance_of_better
from submissions.domain.ranking.slots import all_slots
from tests.bench import real_crowd
from tests.bench.real_crowd import NAMES, Bench, Cell, Pair, Published, World

LEAST_CARDS = 6
LEAST_LOG_RATIO = math.log(1.15)
LEADING = NAMES.index("small_writes")
# The main ability predicts pairs of these abilities.
_SMALL = (LEADING, NAMES.index("small_reads"))
_HALF_WIDTH = 1.96
_ROUNDING = 1e-6


class Tally(NamedTuple):
    """The number of pairs, and for how many of them the order of the site, and that of the plain median, is right."""

    pairs: int = 0
    right: int = 0
    median_right: int = 0

    def plus(self, other: "Tally") -> "Tally":
        return Tally(*(one + another for one, another in zip(self, other, strict=True)))

    @property
    def taus(self) -> tuple[float, float]:
        """Return Kendall's tau of the site and of the plain median."""
        return 2 * self.right / self.pairs - 1, 2 * self.median_right / self.pairs - 1

    @property
    def lead(self) -> int:
        """Return the number of pairs by which the site is better than the plain median."""
        return self.right - self.median_right


class Inside(NamedTuple):
    """A value of a card, and the interval for one card that was published for it."""

    cell: Cell
    lower: float
    upper: float
    at_least: bool

    @property
    def is_inside(self) -> bool:
        """Return whether the value is inside the interval.

        If the value or the interval is only a lower bound, the other end does not count.
        """
        fits_above = self.cell.log <= self.upper or self.at_least
        return fits_above and (self.cell.log >= self.lower or self.cell.at_least)

    @property
    def distance(self) -> float:
        """Return the distance of the value from the nearer end of the interval, in logs."""
        return max(self.lower - self.cell.log, self.cell.log - self.upper)


# Ability and host of a source, such as ("pidramble", 4, 0).
Table = tuple[str, int, int]


@dataclass
class Truth:
    """The results of all comparisons with real sources.

    `shown`, `left_out`: tallies of the tables with six or more cards. `pairs`: those on boards with a ratio of at least
    1.15; `contradicted`: those in the other order. `leading`, `chances`: left-out pairs of small transfers ordered by
    small writes, and for each how sure the site was of its order and whether that was right.
    """

    published: Published
    shown: dict[Table, Tally] = field(default_factory=lambda: defaultdict(Tally))
    left_out: dict[Table, Tally] = field(default_factory=lambda: defaultdict(Tally))
    pairs: list[Pair] = field(default_factory=list)
    contradicted: list[Pair] = field(default_factory=list)
    here: list[Inside] = field(default_factory=list)
    elsewhere: list[Inside] = field(default_factory=list)
    leading: Tally = field(default_factory=Tally)
    chances: list[tuple[float, bool]] = field(default_factory=list)

    @cached_property
    def values_above_bus(self) -> list[str]:
        """Return the models and abilities with a published value above the rate of their slot's bus."""
        return list(find_above_bus(self.published))


def check(world: World, parameters: Parameters = DEFAULTS, *, leave_out: bool = True) -> Truth:
    """Compare the order and the intervals of the site with all sources.

    If `leave_out`, also with each source left out.
    """
    published = real_crowd.publish(world, parameters=parameters)
    benches = real_crowd.group_benches(real_crowd.list_cells(published))
    truth = Truth(published)
    for bench, cells in benches.items():
        if all_slots()[bench.slot].hosts:
            _check_board(truth, bench, cells)
        _tally(truth.shown, published, bench, cells)
    for source in world.names_of_sources if leave_out else ():
        own = {bench: cells for bench, cells in benches.items() if bench.source == source}
        if own:
            _check_left_out(truth, real_crowd.publish(world, without=source, parameters=parameters), own)
    return truth


def _check_board(truth: Truth, bench: Bench, cells: Sequence[Cell]) -> None:
    pairs = [pair for pair in real_crowd.list_pairs(bench, cells) if pair.log_ratio >= LEAST_LOG_RATIO]
    truth.pairs += pairs
    truth.contradicted += [pair for pair in pairs if is_right(truth.published, pair) is False]
    truth.here += _intervals(truth.published, cells)


def _check_left_out(truth: Truth, without: Published, benches: Mapping[Bench, Sequence[Cell]]) -> None:
    for bench, cells in benches.items():
        _tally(truth.left_out, without, bench, cells)
        truth.elsewhere += _intervals(without, cells)
        if bench.ability in _SMALL:
            _check_leading(truth, without, real_crowd.list_pairs(bench, cells))


def _tally(tables: dict[Table, Tally], published: Published, bench: Bench, cells: Sequence[Cell]) -> None:
    if len({cell.card for cell in cells}) >= LEAST_CARDS:
        table = (bench.source, bench.ability, bench.host)
        for pair in real_crowd.list_pairs(bench, cells):
            tables[table] = tables[table].plus(judge_pair(published, pair, bench.ability))


def _check_leading(truth: Truth, without: Published, pairs: Iterable[Pair]) -> None:
    for pair in pairs:
        if pair.log_ratio >= LEAST_LOG_RATIO and (tally := judge_pair(without, pair, LEADING)).pairs:
            truth.leading = truth.leading.plus(tally)
            truth.chances.append(_chance(without, pair, LEADING))


def is_right(published: Published, pair: Pair) -> bool | None:
    """Return whether the published order agrees with a pair of models; None if one of them has no rank."""
    fast, slow = (
        published.key(pair.bench.slot, pair.bench.ability, model) for model in (pair.fast, pair.slow)
    )
    return None if fast is None or slow is None else fast > slow


def judge_pair(published: Published, pair: Pair, ability: int) -> Tally:
    """Return whether the site and the plain median are right about a pair of models, by their values of an ability."""
    slot = pair.bench.slot
    keys = [published.key(slot, ability, model) for model in (pair.fast, pair.slow)]
    medians = [published.median(slot, ability, model) for model in (pair.fast, pair.slow)]
    if None in keys or None in medians:
        return Tally()
    return Tally(1, int(keys[0] > keys[1]), int(medians[0] > medians[1]))  # type: ignore[operator]


def _chance(published: Published, pair: Pair, ability: int) -> tuple[float, bool]:
    slot = pair.bench.slot
    fast, slow = (published.estimate(slot, ability, model) for model in (pair.fast, pair.slow))
    assert fast and slow
    chance = chance_of_better(fast.mean, fast.sd, slow.mean, slow.sd)
    return max(chance, 1 - chance), chance > 0.5


def _intervals(published: Published, cells: Sequence[Cell]) -> Iterator[Inside]:
    for cell in cells:
        found = published.estimate(cell.bench.slot, cell.bench.ability, cell.model)
        if found:
            width = _HALF_WIDTH * found.card_sd
            yield Inside(cell, found.mean - width, found.mean + width, found.at_least)


def find_above_bus(published: Published) -> Iterator[str]:
    """Yield the models and abilities with a published value above the rate of their slot's bus."""
    for (slot, model), row in published.rows.items():
        caps = all_slots()[slot].log_caps
        for number, name in enumerate(NAMES):
            printed = row.abilities.get(name)
            if printed and caps[number] < math.log(printed["value"]) - _ROUNDING:
                yield f"{published.world.models[model]}: {name} in {slot}"


def find_reason(published: Published, pair: Pair) -> str:
    """Return the reason why the published order contradicts a pair of models, from all other values of these models."""
    weight = min(_weight(published, pair, model) for model in (pair.fast, pair.slow))
    fast, slow = (published.median_elsewhere(pair.bench, model) for model in (pair.fast, pair.slow))
    chance, _ = _chance(published, pair, pair.bench.ability)
    parts = [f"weight {weight:.1f}"] if weight < 0.3 else []
    if fast is not None and slow is not None and fast < slow:
        parts.append("other benches say the reverse")
    elif (fast, slow) != (None, None):
        parts.append("other benches move one of them")
    return ", ".join([*parts, f"P {chance:.2f}"])


def _weight(published: Published, pair: Pair, model: int) -> float:
    cells = published.judged.estimates.cells
    rows = published.rows_of(pair.bench, model)
    numbers = cells.cell[rows]
    return float(np.min(cells.weight[numbers[numbers >= 0]], initial=1.0))
