"""The tree of effects: a value is the sum of the effects of its cell, card, person, batch, strangers and model.

Each effect is normal with mean 0 and its own variance. Going up, the values below a node give its effect a precision L
and a load E (precision x mean); if v is the variance of the node, its parent receives L / (1 + L v) and E / (1 + L v),
and the loads and precisions of all children are added. Going down, given the sum P of the effects above, an effect is

    u = v (E - L P) / (1 + L v)        var(u) = v / (1 + L v) + (v L / (1 + L v))² var(P)

That is exact, and needs time in proportion to the number of nodes (Gaussian belief propagation on a tree; J. Pearl,
Probabilistic Reasoning in Intelligent Systems, 1988, section 7.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from submissions.domain.estimation.evidence import Floats, Index
from submissions.domain.estimation.groups import find_starts


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The levels of a tree, from cards up.

    An array by node holds the nodes of the first level, then those of the second level, and so on.

    parents   for the cells, and for each level but the last: the number of each parent within the next level
    starts    the position of the first node of each level, and at the end the number of all nodes
    """

    parents: tuple[Index, ...]
    starts: tuple[int, ...]

    @property
    def top(self) -> slice:
        """Return the positions of the nodes of the last (top) level of the tree in arrays with a value by node."""
        return slice(self.starts[-2], self.starts[-1])


class Gains(NamedTuple):
    """Factors of each node with a variance v.

    `precision`: L, of all values below the node; `shrink`: 1 / (1 + L v); `rest`: v / (1 + L v).
    """

    precision: Floats
    shrink: Floats
    rest: Floats


def make_tree(nodes: Sequence[Index]) -> Tree:
    """Return the tree of effects.

    `nodes`: for each level an ascending array with the number of the node of each cell.
    """
    firsts = [find_starts(level) for level in nodes]
    inner = [above[first] for above, first in zip(nodes[1:], firsts[:-1], strict=True)]
    return Tree((nodes[0], *inner), tuple(np.cumsum([0, *map(len, firsts)]).tolist()))


def find_gains(
    tree: Tree, weight: Floats, variance: Floats, *, capped_level: int = -1, cap: Floats | float = 0.0
) -> Gains:
    """Return the gains of all nodes, from the precision `weight` of each cell and the variance of each node.

    In the level number `capped_level`, variances are raised in place, so that no node adds more precision than 1 /
    `cap`.
    """
    precision = np.empty(len(variance))
    shrink = np.empty(len(variance))
    heard = weight
    for level, parent in enumerate(tree.parents):
        own = slice(tree.starts[level], tree.starts[level + 1])
        below = np.bincount(parent, heard, own.stop - own.start)
        if level == capped_level:
            variance[own] = np.maximum(variance[own], cap - 1 / np.maximum(below, 1e-300))
        precision[own] = below
        shrink[own] = 1 / (1 + below * variance[own])
        heard = below * shrink[own]
    return Gains(precision, shrink, variance * shrink)


def solve(tree: Tree, gains: Gains, load: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the load and the effect of each node, and for each cell the sum of the effects above it."""
    loads = np.empty(len(gains.precision))
    heard = load
    for level, parent in enumerate(tree.parents):
        own = slice(tree.starts[level], tree.starts[level + 1])
        loads[own] = np.bincount(parent, heard, own.stop - own.start)
        heard = loads[own] * gains.shrink[own]
    effects = gains.rest * loads
    drag = gains.rest * gains.precision
    total = effects[tree.top]
    for level in range(len(tree.parents) - 2, -1, -1):
        own = slice(tree.starts[level], tree.starts[level + 1])
        above = total[tree.parents[level + 1]]
        effects[own] -= drag[own] * above
        total = above + effects[own]
    return loads, effects, total[tree.parents[0]]


def find_variances(tree: Tree, gains: Gains) -> tuple[Floats, Floats]:
    """Return the variance of the effect of each node, and for each cell that of the sum of the effects above it."""
    variance = gains.rest.copy()
    drag = np.square(gains.rest * gains.precision)
    passed = np.square(gains.shrink)
    total = variance[tree.top]
    for level in range(len(tree.parents) - 2, -1, -1):
        own = slice(tree.starts[level], tree.starts[level + 1])
        above = total[tree.parents[level + 1]]
        total = gains.rest[own] + passed[own] * above
        variance[own] += drag[own] * above
    return variance, total[tree.parents[0]]
