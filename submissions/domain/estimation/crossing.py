"""Effects outside of the tree of effects: of methods and hosts, which many models share, and of hosts that are new.

With X telling which cells an effect touches, and V the covariance of values by the tree, effects h of prior variance D
have the precision S = D⁻¹ + X'V⁻¹X, and h = S⁻¹ X'V⁻¹y. In the tree, V⁻¹ = W - sum over nodes of g c c' with the
weights W of the cells, g = v / (1 + L v) of the node and c the weight that reaches it of each effect (J. Sherman, W.
Morrison, Annals of Mathematical Statistics 21, 1950): so S needs one sparse product over all nodes.
"""

import numpy as np

from submissions.domain.estimation import lazy
from submissions.domain.estimation import tree as trees
from submissions.domain.estimation.cells import Table
from submissions.domain.estimation.evidence import Floats, Index
from submissions.domain.estimation.fit import Fit
from submissions.domain.estimation.groups import number_rows


class CrowdEffects:
    """Effects that all models share, a column for each, sorted by ability.

    ability, kind, number   of each column; kind 0 is a method, 1 a host, 2 a host as strangers report it, if
                            their values do not decide about it (see host_proof.py)
    prior, variance         its variance, without and with its tail
    mean, uncertainty       the effect, and its variance given all values
    share                   part of its values that links do not limit, 1 for a method. It reduces the prior of a host,
                            because the few cards that are slower than its link would make the host look slow.
    """

    def __init__(self, table: Table, numbers: Index, prior: Floats, freedom: Floats) -> None:
        """Assign a column to each effect (of a method or a host) that the cells have.

        `numbers`: for each kind and cell the method or host, -1 for none. `prior`: variances, kinds x abilities.
        """
        cells = np.flatnonzero(numbers.ravel() >= 0)
        kind, cell = np.divmod(cells, len(table))
        width = int(numbers.max(initial=0)) + 1
        key = (table.ability[cell] * len(numbers) + kind) * width + numbers.ravel()[cells]
        keys, column = np.unique(key, return_inverse=True)
        rest, self.number = np.divmod(keys, width)
        self.ability, self.kind = np.divmod(rest, len(numbers))
        count = len(keys)
        self.columns = lazy.sparse.csr_array((np.ones(len(cell)), (cell, column)), shape=(len(table), count))
        self.columns.sort_indices()
        self.blocks = np.flatnonzero(np.diff(self.ability, prepend=-1, append=-1))
        self.freedom = freedom[self.kind]
        hidden = np.bincount(column, table.at_least[cell]) / (np.bincount(column) + 1)
        self.share = np.where(self.kind > 0, 1 - hidden, 1)
        self.prior = self.variance = self.squares = prior[self.kind, self.ability] * self.share
        self._prepare_levels(table.tree)

    def replace_variances(self, prior: Floats) -> None:
        """Replace the prior variances of the effects by `prior`, an array of kinds of effects x abilities."""
        self.prior = prior[self.kind, self.ability] * self.share
        self.variance = self.prior + (self.squares - self.prior) / (self.freedom + 1)

    def _prepare_levels(self, tree: trees.Tree) -> None:
        row = np.repeat(np.arange(self.columns.shape[0]), np.diff(self.columns.indptr))
        column, count = self.columns.indices.astype(np.int64), self.columns.shape[1]
        self.from_cells, self.slots, self.rows = row, [], []
        columns = []
        for parent in tree.parents:
            keys, slot = np.unique(parent[row] * count + column, return_inverse=True)
            row, column = np.divmod(keys, count)
            self.slots.append(slot)
            self.rows.append(row)
            columns.append(column)
        nodes = np.concatenate([rows + start for rows, start in zip(self.rows, tree.starts, strict=False)])
        indptr = np.searchsorted(nodes, np.arange(tree.starts[-1] + 1))
        self.heard = lazy.sparse.csr_array(
            (np.zeros(len(nodes)), np.concatenate(columns), indptr), shape=(tree.starts[-1], count)
        )

    def solve(self, fit: Fit, residual: Floats) -> Floats:
        """Find all effects at once, exactly for the present weights, and return their sum for each cell."""
        tree, gains = fit.table.tree, fit.gains
        self.heard.data = self._add_weights_below(tree, gains, fit.weight)
        _, _, total = trees.solve(tree, gains, fit.weight * residual)
        load = self.columns.T @ (fit.weight * (residual - total))
        scaled = self.heard.T.tocsr() @ (lazy.sparse.diags_array(gains.rest) @ self.heard)
        among = self.columns.T.tocsr() @ (lazy.sparse.diags_array(fit.weight) @ self.columns) - scaled
        self.mean, self.uncertainty = np.zeros(len(load)), np.zeros(len(load))
        self.covariance = []
        for begin, end in zip(self.blocks[:-1], self.blocks[1:], strict=True):
            own = slice(begin, end)
            precision = among[own, own].toarray() + np.diag(1 / self.variance[own])
            covariance = np.linalg.inv(precision)
            self.covariance.append(covariance)
            self.mean[own] = covariance @ load[own]
            self.uncertainty[own] = np.diag(covariance)
        self.squares = self.mean**2 + self.uncertainty
        self.variance = self.prior + (self.squares - self.prior) / (self.freedom + 1)
        return self.columns @ self.mean

    def _add_weights_below(self, tree: trees.Tree, gains: trees.Gains, weight: Floats) -> Floats:
        heard, found = weight[self.from_cells], []
        for level, slot in enumerate(self.slots):
            heard = np.bincount(slot, heard, len(self.rows[level]))
            found.append(heard)
            heard = heard * gains.shrink[self.rows[level] + tree.starts[level]]
        return np.concatenate(found)


class NewHosts:
    """Hosts that the last full fit does not know; each has a separate effect for each model."""

    def __init__(self, table: Table, is_new: Floats, variance: Floats, freedom: float) -> None:
        """Select the cells of hosts that the last full fit does not know.

        `variance`: of the effects of hosts, by ability.
        """
        self.cells = np.flatnonzero(is_new)
        of_cell = table.root[self.cells]
        first, slot = number_rows(of_cell, table.host[self.cells])
        root = of_cell[first]
        place = np.arange(len(root)) - np.searchsorted(root, root)
        self.width = int(place.max()) + 1
        self.slot = place[slot]
        self.own = of_cell * self.width + self.slot
        ability = table.ability_of[table.tree.top]
        self.prior = variance[ability][:, None] + np.zeros(self.width)
        self.freedom, self.variance = freedom, self.prior.copy()

    def solve(self, fit: Fit, residual: Floats) -> Floats:
        """Find the effects of the new hosts of each model, and return their effect on each cell."""
        tree, weight, count = fit.table.tree, fit.weight, self.prior.size
        shape = (len(self.prior), self.width)
        precision = np.zeros((*shape, self.width))
        self.drift = np.empty(shape)
        for column in range(self.width):
            touched = np.zeros(len(weight))
            touched[self.cells] = self.slot == column
            _, effects, total = trees.solve(tree, fit.gains, weight * touched)
            self.drift[:, column] = effects[tree.top]
            pull = (weight * (touched - total))[self.cells]
            precision[:, :, column] = np.bincount(self.own, pull, count).reshape(shape)
        _, _, total = trees.solve(tree, fit.gains, weight * residual)
        load = np.bincount(self.own, (weight * (residual - total))[self.cells], count).reshape(shape)
        diagonal = np.arange(self.width)
        precision[:, diagonal, diagonal] += 1 / self.variance
        self.covariance = np.linalg.inv(precision)
        mean = np.einsum("rij,rj->ri", self.covariance, load)
        squares = mean**2 + self.covariance[:, diagonal, diagonal]
        self.variance = (self.freedom * self.prior + squares) / (self.freedom + 1)
        offset = np.zeros(len(weight))
        offset[self.cells] = mean.ravel()[self.own]
        return offset

    @property
    def root_variance(self) -> Floats:
        """Return how much the new hosts add to the variance of each model."""
        added: Floats = np.einsum("ri,rij,rj->r", self.drift, self.covariance, self.drift)
        return added
