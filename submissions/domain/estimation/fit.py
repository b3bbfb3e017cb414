"""Fit the tree of effects in rounds.

In each round, unusual values and effects count less, and values at the limit of the bus of a host are lower bounds.

Every effect is t distributed with n degrees of freedom around 0 with variance s: given its mean u and variance var, it
counts as a normal of variance (n s + u² + var) / (n + 1) (expectation maximization; K. Lange, R. Little, J. Taylor,
JASA 84, 1989). A value that only says "at least b" acts, for a prediction m and a noise of standard deviation d, as

    m + d / (h - z)   with the weight   h (h - z) / d²   where   z = (b - m) / d   and   h = phi(z) / (1 - Phi(z))

That is a step of Newton's method on the likelihood (J. Tobin, Econometrica 26, 1958).
"""

from typing import Protocol

import numpy as np

from submissions.domain.estimation import lazy
from submissions.domain.estimation import tree as trees
from submissions.domain.estimation.cells import Table
from submissions.domain.estimation.evidence import Floats, Index
from submissions.domain.estimation.groups import find_medians, find_starts
from submissions.domain.estimation.parameters import EFFECTS, Parameters
from submissions.domain.estimation.people import STRANGER
from submissions.domain.estimation.tree import Gains

_CELL, _CARD = EFFECTS.index("cell"), EFFECTS.index("card")
_PERSON_LEVEL, _BATCH_LEVEL = 1, 2
# Weight of a value far below its card because the bus is slow: the value says nothing, but nothing is divided by 0.
_LEAST_WEIGHT = 1e-9
_HALF_LOG_TAU = 0.5 * np.log(2 * np.pi)


class Crossing(Protocol):
    """Solver for the effects outside of the tree of effects, such as the effects of hosts."""

    def solve(self, fit: "Fit", residual: Floats) -> Floats:
        """Return for each cell the sum of its effects outside of the tree of effects; `residual` is by cell."""


class Fit:
    """A fit of the tree of effects to a table of cells; each call of `sweep` improves it.

    response, weight    by cell: the value and the precision that are used in place of the measured ones
    cell_variance       by cell: variance of its noise, with the tail of the t distribution
    node_variance       by node: variance of its effect, with the tail of the t distribution
    effects, effect_variance, loads, gains   by node, as tree.py defines them
    is_free             by node: the variance was not raised by a cap or for the first sweeps
    predicted_variance  by cell: variance of the sum of its effects
    residual            by cell: its response without prior level, methods and hosts
    """

    def __init__(self, table: Table, variance: Floats, offset: Floats, parameters: Parameters) -> None:
        """Start the fit from the median of each model.

        `offset`: the known part of the log value of each cell, such as the prior level of its ability.
        """
        self.table, self.parameters = table, parameters
        self.offset, self.crossed = offset, np.zeros(len(table))
        self.freedoms = np.array(parameters.freedoms)
        self.slow_freedoms = np.array(parameters.slow_freedoms)
        self.node_freedoms = self.freedoms[table.effect]
        self.node_slow_freedoms = self.slow_freedoms[table.effect]
        self.hidden, self.sweeps = np.flatnonzero(table.at_least), 0
        self.replace_variances(variance)
        self._start_from_medians(table.log_value - offset)
        self.outvoted = find_strangers(table, met_by=2)

    def _start_from_medians(self, away: Floats) -> None:
        # The fit finds the nearest mode. Wide variances of voices far from most others, from the first sweep on,
        # make it the one where those voices are outliers.
        table, tree = self.table, self.table.tree
        self.node_variance = self.node_prior.copy()
        center = find_root_medians(table, away)
        person = tree.parents[1][tree.parents[0]]
        middle = find_medians(person, away, int(person[-1]) + 1) if len(table) else away
        first = find_starts(person)
        apart = middle - center[table.root[first]]
        if len(tree.parents) > _BATCH_LEVEL + 1:
            batch = tree.parents[_BATCH_LEVEL]
            together = np.where(
                table.batch[first] >= 0, find_medians(batch, apart, int(batch[-1]) + 1)[batch], 0
            )
            begins = find_starts(batch)
            self._widen_for_outliers(_BATCH_LEVEL, together[begins])
            apart -= together
        self._widen_for_outliers(_PERSON_LEVEL, apart)
        self.total = center[table.root]
        tail = (self.freedoms[_CELL] + (away - middle[person]) ** 2 / self.cell_prior) / (
            self.freedoms[_CELL] + 1
        )
        self.cell_variance = self.cell_prior * np.maximum(tail, 1)

    def _widen_for_outliers(self, level: int, effect: Floats) -> None:
        nodes = slice(*self.table.tree.starts[level : level + 2])
        freedom, prior = self.node_freedoms[nodes], self.node_prior[nodes]
        self.node_variance[nodes] = np.where(
            prior > 0, np.maximum(prior, (freedom * prior + effect**2) / (freedom + 1)), 0
        )

    def replace_variances(self, variance: Floats) -> None:
        """Replace the prior variances of the effects by `variance`, an array of effects x abilities."""
        table = self.table
        self.node_prior = table.factor * variance[table.effect, table.ability_of]
        self.cell_prior = table.scale * variance[_CELL, table.ability]
        of_card = (variance[_CELL] + variance[_CARD]) / self.parameters.person_cards
        people = slice(*table.tree.starts[_PERSON_LEVEL : _PERSON_LEVEL + 2])
        self.cap = of_card[table.ability_of[people]]
        if self.sweeps:
            self._weigh_tails()

    def sweep(self, crossing: Crossing | None = None) -> None:
        """Fit all effects once, with the weights that follow from the sweep before."""
        self._replace_hidden_values()
        table, variance = self.table, self._widen_outvoted_strangers()
        self.gains: Gains = trees.find_gains(
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
        self.effect_variance, self.predicted_variance = trees.find_variances(table.tree, self.gains)
        self.squares = (self.residual - self.total) ** 2 + self.predicted_variance
        if len(self.hidden):
            self.squares[self.hidden] = self.hidden_squares
        self._weigh_tails()
        self.sweeps += 1

    def _replace_hidden_values(self) -> None:
        table, hidden = self.table, self.hidden
        self.response, self.weight = table.log_value.copy(), 1 / self.cell_variance
        if len(hidden):
            predicted = (self.total + self.offset + self.crossed)[hidden]
            sd = np.sqrt(self.cell_variance[hidden])
            z = (table.log_value[hidden] - predicted) / sd
            hazard = find_hazard(z)
            self.response[hidden] = predicted + sd / (hazard - z)
            self.weight[hidden] *= np.maximum(hazard * (hazard - z), _LEAST_WEIGHT)
            self.hidden_squares = self.cell_prior[hidden] * (1 + z * hazard)

    def _widen_outvoted_strangers(self) -> Floats:
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
    """Return the hazard phi(z) / (1 - Phi(z)) of the standard normal distribution, accurate far into both tails."""
    hazard: Floats = np.exp(-0.5 * distance**2 - _HALF_LOG_TAU - lazy.special.log_ndtr(-distance))
    return hazard


def find_root_medians(table: Table, log_value: Floats) -> Floats:
    """Return the median value of the voices of each root (pair of ability and model).

    A voice is a person, or a batch of people who may be one. Strangers (people without a record of confirmed results)
    are left out if two or more other voices measured the root.
    """
    voice, first = _find_voices(table)
    root, value = table.root[first], find_medians(voice, log_value, len(first))
    if table.ignorance.any():
        keep = (table.ignorance[first] < STRANGER) | (count_known(table, STRANGER) < 2)[root]
        root, value = root[keep], value[keep]
    return find_medians(root, value, int(table.root[-1]) + 1 if len(table) else 0)


def count_known(table: Table, ignorance: int) -> Index:
    """Return for each root (pair of ability and model) how many voices with less than this ignorance measured it.

    A voice is a person, or a batch of people who may be one; ignorance is 0 for a person who is vouched for, 3 for a
    stranger.
    """
    _, first = _find_voices(table)
    known = first[table.ignorance[first] < ignorance]
    return np.bincount(table.root[known], minlength=int(table.root[-1]) + 1 if len(table) else 0)


def count_voices(table: Table) -> Index:
    """Return for each root (pair of ability and model) how many voices measured it.

    A voice is a person, or a batch of people who may be one.
    """
    return count_known(table, STRANGER + 1)


def _find_voices(table: Table) -> tuple[Index, Index]:
    # The number of the voice of each cell (a batch, or a person in none), and the first cell of each voice.
    changes = [
        np.diff(column, prepend=-2) != 0
        for column in (table.root, table.ignorance, table.batch, table.person)
    ]
    begins = changes[0] | changes[1] | changes[2] | (changes[3] & (table.batch < 0))
    return np.cumsum(begins) - 1, np.flatnonzero(begins)


def find_strangers(table: Table, *, met_by: int) -> Index:
    """Return the nodes of the effects of strangers, in models that at least `met_by` better known voices measured.

    A stranger is a person without a record of confirmed results; a voice is a person, or a batch of people who may be
    one.
    """
    tree = table.tree
    if len(tree.parents) < 7:
        return np.zeros(0, dtype=np.int64)
    found = []
    for level, step in ((3, 3), (4, 2), (5, 1)):
        nodes = np.arange(tree.starts[level], tree.starts[level + 1])
        root = nodes - nodes[0] if len(nodes) else nodes
        for above in range(level + 1, 7):
            root = tree.parents[above][root]
        enough = count_known(table, step)[root] >= met_by
        found.append(nodes[enough & (table.factor[nodes] > 0)])
    return np.concatenate(found)
