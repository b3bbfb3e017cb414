"""Rounds of fitting the tree: each value and each effect counts by how usual it is, and links hide fast cards.

Every effect is t distributed with n degrees of freedom around 0 with variance s: given its mean u and variance var, it
counts as a normal of variance (n s + u² + var) / (n + 1) (expectation maximization; K. Lange, R. Little, J. Taylor,
JASA 84, 1989). A value that only says "at least b" acts, for a prediction m and a noise of standard deviation d, as

    m + d / (h - z)   with the weight   h (h - z) / d²   where   z = (b - m) / d   and   h = phi(z) / (1 - Phi(z))

a step of Newton on its likelihood (J. Tobin, Econometrica 26, 1958).
"""

from typing import Protocol

import numpy as np

from submissions.domain.estimation import tree as trees
from submissions.domain.estimation.cells import Table
from submissions.domain.estimation.evidence import Floats, Index
from submissions.domain.estimation.groups import find_medians
from submissions.domain.estimation.parameters import EFFECTS, Parameters
from submissions.domain.estimation.tree import Gains

_CELL, _CARD = EFFECTS.index("cell"), EFFECTS.index("card")
_PERSON_LEVEL, _STRANGER = 1, 3
# Of a value that says nothing since its link is far below its card, so that nothing is divided by 0.
_LEAST_WEIGHT = 1e-9
_HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)


class Crossing(Protocol):
    """Effects that lie across the tree, as of hosts."""

    def solve(self, fit: "Fit", residual: Floats) -> Floats:
        """Find the effects, and return their sum for each cell."""


class Fit:
    """Fit the tree to a table, better with each sweep.

    response, weight    of each cell, in place of its value and its precision
    cell_variance       variance of its noise, with its tail
    node_variance       variance of each effect, with its tail
    effects, effect_variance, loads, gains   of each node, see tree.py
    is_free             the variance of the node was not raised by a cap
    predicted, predicted_variance            of each cell: all but its noise
    residual            of each cell: its response without prior level, methods, hosts and benches
    """

    def __init__(self, table: Table, variance: Floats, offset: Floats, parameters: Parameters) -> None:
        """Begin with the middle of each model. `offset`: of each cell, all that is known beside its tree."""
        self.table, self.parameters = table, parameters
        self.offset, self.crossed = offset, np.zeros(len(table))
        self.freedoms = np.array(parameters.freedoms)
        self.slow_freedoms = np.array(parameters.slow_freedoms)
        self.node_freedoms = self.freedoms[table.effect]
        self.node_slow_freedoms = self.slow_freedoms[table.effect]
        self.hidden, self.sweeps = np.flatnonzero(table.at_least), 0
        self.spread(variance)
        self.node_variance = self.node_prior.copy()
        away = table.log_value - offset
        self.total = find_centers(table, away)[table.root]
        usual = variance[[_CELL, _CARD, 2, 6]][:, table.ability].sum(axis=0)
        tail = (self.freedoms[_CELL] + (away - self.total) ** 2 / usual) / (self.freedoms[_CELL] + 1)
        self.cell_variance = self.cell_prior * np.maximum(tail, 1)
        self.outvoted = find_outvoted(table)

    def spread(self, variance: Floats) -> None:
        """Take other variances of the effects: effects x abilities."""
        table = self.table
        self.node_prior = table.factor * variance[table.effect, table.ability_of]
        self.cell_prior = table.scale * variance[_CELL, table.ability]
        of_card = (variance[_CELL] + variance[_CARD]) / self.parameters.person_cards
        people = slice(*table.tree.starts[_PERSON_LEVEL : _PERSON_LEVEL + 2])
        self.cap = of_card[table.ability_of[people]]
        if self.sweeps:
            self._weigh_tails()

    def sweep(self, crossing: Crossing | None = None) -> None:
        """Fit once more."""
        self._respond()
        table, variance = self.table, self._start_strangers()
        self.gains: Gains = trees.weigh(
            table.tree, self.weight, variance, capped_level=_PERSON_LEVEL, cap=self.cap
        )
        self.is_free = variance == self.node_variance
        self.residual = self.response - self.offset
        if crossing is not None:
            self.crossed = crossing.solve(self, self.residual)
            self.residual = self.residual - self.crossed
        self.loads, self.effects, self.total = trees.solve(
            table.tree, self.gains, self.weight * self.residual
        )
        self.effect_variance, self.predicted_variance = trees.uncertainty(table.tree, self.gains)
        self.squares = (self.residual - self.total) ** 2 + self.predicted_variance
        if len(self.hidden):
            self.squares[self.hidden] = self.hidden_squares
        self._weigh_tails()
        self.sweeps += 1

    def _respond(self) -> None:
        table, hidden = self.table, self.hidden
        self.response, self.weight = table.log_value.copy(), 1 / self.cell_variance
        if len(hidden):
            predicted = (self.total + self.offset + self.crossed)[hidden]
            sd = np.sqrt(self.cell_variance[hidden])
            z = (table.bound[hidden] - predicted) / sd
            hazard = find_hazard(z)
            self.response[hidden] = predicted + sd / (hazard - z)
            self.weight[hidden] *= np.maximum(hazard * (hazard - z), _LEAST_WEIGHT)
            self.hidden_squares = self.cell_prior[hidden] * (1 + z * hazard)

    def _start_strangers(self) -> Floats:
        variance, nodes = self.node_variance.copy(), self.outvoted
        if len(nodes):
            wide = (self.parameters.stranger_start * 0.5**self.sweeps) ** 2
            variance[nodes] = np.maximum(variance[nodes], wide)
        return variance

    def _weigh_tails(self) -> None:
        freedoms = np.where(self.effects < 0, self.node_slow_freedoms, self.node_freedoms)
        squares = self.effects**2 + self.effect_variance
        self.node_variance = (freedoms * self.node_prior + squares) / (freedoms + 1)
        freedoms = np.where(self.residual < self.total, self.slow_freedoms[_CELL], self.freedoms[_CELL])
        self.cell_variance = (freedoms * self.cell_prior + self.squares) / (freedoms + 1)


def find_hazard(distance: Floats) -> Floats:
    """Return phi(z) / (1 - Phi(z)) of the standard normal, far into both tails."""
    from scipy.special import log_ndtr  # noqa: PLC0415  (takes a fifth of a second to load)

    hazard: Floats = np.exp(-0.5 * distance**2 - _HALF_LOG_TAU - log_ndtr(-distance))
    return hazard


def find_centers(table: Table, log_value: Floats) -> Floats:
    """Return the middle of the cells of each root, of those of people with a record where there are two."""
    root, count = table.root, int(table.root[-1]) + 1 if len(table) else 0
    if table.ignorance.any():
        known = table.ignorance < _STRANGER
        keep = known | (count_known(table, _STRANGER) < 2)[root]
        root, log_value = root[keep], log_value[keep]
    return find_medians(root, log_value, count)


def count_known(table: Table, ignorance: int) -> Index:
    """Return how many people of less ignorance measured each root."""
    person = table.tree.parents[1][table.tree.parents[0]]
    first = np.flatnonzero(np.diff(person, prepend=-1))
    known = first[table.ignorance[first] < ignorance]
    return np.bincount(table.root[known], minlength=int(table.root[-1]) + 1)


def find_outvoted(table: Table) -> Index:
    """Return the nodes of strangers in models that two people of less ignorance measured, too."""
    tree = table.tree
    if len(tree.parents) < 7:
        return np.zeros(0, dtype=np.int64)
    found = []
    for level, step in ((3, 3), (4, 2), (5, 1)):
        nodes = np.arange(tree.starts[level], tree.starts[level + 1])
        root = nodes - nodes[0] if len(nodes) else nodes
        for above in range(level + 1, 7):
            root = tree.parents[above][root]
        enough = count_known(table, step)[root] >= 2
        found.append(nodes[enough & (table.factor[nodes] > 0)])
    return np.concatenate(found)
