"""Compare the published order and intervals with the sources themselves, on the starter data: `make bench-truth`.

`tests.bench.truth_checks` describes the checks. For comparison, commit 5112685b: 11 of 23 pairs of small writes were
contradicted on the Pi 5 and 17 of 104 on the Pi 4, over all abilities 47 of 117 and 59 of 232; 16 of 40 left-out pairs
were right (plain median 25); 28 of 391 measured values were outside their intervals; reads of 483 MB/s were printed on
a bus of 104.
"""

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
if TYPE_CHECKING:
    from tests.bench.real_crowd import World
    from tests.bench.truth_checks import Inside, Table, Tally, Truth

_MOST_PAIRS, _MOST_VALUES = 8, 3
_SURE = 0.8


def main() -> None:
    """Load the starter data into an empty database, and print how far the sources agree with the site."""
    django.setup()
    from tests.bench import real_crowd, truth_checks

    world = real_crowd.load_world()
    for line in describe(world, truth_checks.check(world)):
        print(line)


def summarize(truth: "Truth") -> dict[str, float]:
    """Return the figures of a check by name, for a benchmark that compares them."""
    from tests.bench.truth_checks import LEADING

    own = [pair for pair in truth.pairs if pair.bench.ability == LEADING]
    wrong = [pair for pair in truth.contradicted if pair.bench.ability == LEADING]
    return {
        "tau": _tau(truth.shown),
        "left-out tau": _tau(truth.left_out),
        "contradicted": len(truth.contradicted) / len(truth.pairs),
        "leading contradicted": len(wrong) / len(own),
        "left-out right": truth.leading.right,
        "inside": share_inside(truth.here),
        "left-out inside": share_inside(truth.elsewhere),
        "above the bus": len(truth.values_above_bus),
    }


def _tau(tables: "Mapping[Table, Tally]") -> float:
    pairs = sum(tally.pairs for tally in tables.values())
    return 2 * sum(tally.right for tally in tables.values()) / pairs - 1 if pairs else math.nan


def share_inside(values: "list[Inside]") -> float:
    """Return the share of values that are inside their intervals; nan if there are no values."""
    return sum(value.is_inside for value in values) / len(values) if values else math.nan


def describe(world: "World", truth: "Truth") -> Iterator[str]:
    """Yield the lines of the report of a check."""
    yield from _describe_tables(world, truth)
    yield from _describe_pairs(world, truth)
    yield f"printed above the bus: {len(truth.values_above_bus)} (goal 0) {'; '.join(truth.values_above_bus[:3])}"
    yield from _describe_values(world, truth)


def _describe_tables(world: "World", truth: "Truth") -> Iterator[str]:
    yield f"{'tables: Kendall tau of site and plain median':58}{'shown':>22}{'left out':>23}"
    for table in sorted(truth.shown, key=lambda table: (table[0], table[2], table[1])):
        shown, left_out = truth.shown[table], truth.left_out[table]
        if shown.pairs:
            yield f"{_name_table(world, table):58}{_describe_tally(shown):>22}{_describe_tally(left_out):>23}"
    worse = {kind: min(tally.lead for tally in tables.values()) for kind, tables in _both(truth)}
    yield f"worst beside the median: {worse['shown']} pairs shown, {worse['left out']} left out (goal -1 or better)"
    tally = truth.leading
    sure = [right for chance, right in truth.chances if chance >= _SURE]
    yield (
        f"left-out pairs of small transfers, ordered by small writes: {tally.right} of {tally.pairs} right "
        f"(goal 28 of 40), plain median {tally.median_right}; where P >= {_SURE}: {sum(sure)} of {len(sure)}"
    )


def _both(truth: "Truth") -> "Iterator[tuple[str, Mapping[Table, Tally]]]":
    yield "shown", truth.shown
    yield "left out", truth.left_out


def _name_table(world: "World", table: "Table") -> str:
    from tests.bench.real_crowd import NAMES

    source, ability, host = table
    return f"{source}, {world.name_host(host)}: {NAMES[ability]}"


def _describe_tally(tally: "Tally") -> str:
    return "{} pairs {:.2f} {:.2f}".format(tally.pairs, *tally.taus) if tally.pairs else "–"


def _describe_pairs(world: "World", truth: "Truth") -> Iterator[str]:
    from tests.bench.real_crowd import NAMES
    from tests.bench.truth_checks import find_reason

    yield "same-bench pairs that the order of a board contradicts (goal 0 of small writes, 5 % of each ability)"
    every = Counter((pair.bench.slot, pair.bench.ability) for pair in truth.pairs)
    wrong = Counter((pair.bench.slot, pair.bench.ability) for pair in truth.contradicted)
    for slot in sorted({slot for slot, _ in every}):
        counts = (
            f"{NAMES[at]} {wrong[slot, at]}/{count}"
            for (own, at), count in sorted(every.items())
            if own == slot
        )
        yield f"  {slot}: {', '.join(counts)}"
    for pair in sorted(truth.contradicted, key=lambda pair: (pair.bench.ability, -pair.log_ratio))[
        :_MOST_PAIRS
    ]:
        names = f"{world.models[pair.fast]} > {world.models[pair.slow]} x{math.exp(pair.log_ratio):.2f}"
        reason = find_reason(truth.published, pair)
        yield f"    {pair.bench.slot} {NAMES[pair.bench.ability]}: {names} ({pair.bench.source}): {reason}"


def _describe_values(world: "World", truth: "Truth") -> Iterator[str]:
    from tests.bench.real_crowd import NAMES

    for title, goal, values in (
        ("values measured on a board inside of its interval of one card", " (goal .93)", truth.here),
        ("values of left-out sources inside of it", "", truth.elsewhere),
    ):
        yield f"{title}: {share_inside(values):.3f} of {len(values)}{goal}"
        outside = [value for value in values if not value.is_inside]
        for value in sorted(outside, key=lambda value: -value.distance)[:_MOST_VALUES]:
            cell = value.cell
            yield (
                f"    {cell.bench.slot} {NAMES[cell.bench.ability]} {world.models[cell.model]} ({cell.bench.source}): "
                f"{math.exp(cell.log):.4g}, printed {math.exp(value.lower):.4g} to {math.exp(value.upper):.4g}"
            )
