"""Group the evidence into cells: the median of all runs of one card, host, person and method.

Cells are in the order of the tree of effects: by model, person, card and so on (see tree.py).
"""

from dataclasses import dataclass

import numpy as np

from submissions.domain.estimation import links, people
from submissions.domain.estimation.evidence import Catalogue, Evidence, Floats, Index, Mask
from submissions.domain.estimation.groups import find_middles
from submissions.domain.estimation.parameters import EFFECTS, Parameters
from submissions.domain.estimation.tree import Tree, make_tree


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The cells of the evidence as columns; a cell is the median of all runs of one card, host, person and method.

    Cells are sorted by ability, model, ignorance (how little is known of the person), batch, person, card, host and
    method.

    at_least   whether the value of the cell is only a lower bound, because the bus of its host may have been the limit
    scale      variance of the noise of the cell, as a multiple of the variance of a new value
    row_cell   by row of the evidence: the number of its cell, -1 if the row was left out
    root       number of the cell's pair of ability and model, among the pairs that were measured
    effect, ability_of, factor   by node of the tree: the number of its effect, the number of its ability, and the share
               of the variance of that effect that the node has
    """

    ability: Index
    model: Index
    ignorance: Index
    batch: Index
    person: Index
    card: Index
    host: Index
    method: Index
    log_value: Floats
    at_least: Mask
    scale: Floats
    row_cell: Index
    root: Index
    tree: Tree
    effect: Index
    ability_of: Index
    factor: Floats

    def __len__(self) -> int:
        return len(self.ability)


def make_table(
    evidence: Evidence, catalogue: Catalogue, log_reach: Floats, parameters: Parameters, *, with_top: bool
) -> Table:
    """Return the cells of the evidence (medians of runs) and the tree of their effects.

    `log_reach`: log rate of the bus of each known host, nan if not known. `with_top` adds a node for each ability,
    above all of its models.
    """
    ability = catalogue.find_abilities(evidence.method)
    is_linked, is_read = np.array([(row.is_linked, row.is_read) for row in catalogue.abilities]).T
    reach, shown = links.find_reach(evidence, is_linked[ability], log_reach, parameters)
    rows = np.flatnonzero(~links.find_cached(evidence, is_read[ability], reach, shown, parameters))
    batch = people.number_batches(evidence)
    keys = np.stack(
        [
            *(ability, evidence.model, evidence.ignorance, batch, evidence.person),
            *(evidence.card, evidence.host, evidence.method),
        ]
    )[:, rows]
    order = np.lexsort((evidence.log_value[rows], *keys[::-1]))
    rows, keys = rows[order], keys[:, order]
    begins = np.ones((len(keys), len(rows)), dtype=np.bool_)
    begins[:, 1:] = keys[:, 1:] != keys[:, :-1]
    np.logical_or.accumulate(begins, axis=0, out=begins)
    first = np.flatnonzero(begins[-1])
    number = np.diff(first, append=len(rows))
    middle = find_middles(evidence.log_value[rows], first, number)
    age = evidence.age_years[rows]
    row_cell = np.full(len(evidence), -1)
    row_cell[rows] = np.cumsum(begins[-1]) - 1
    limit = (np.maximum.reduceat(reach[rows], first) if len(rows) else reach) - parameters.link_margin
    keys = keys[:, first]
    tree, effect, factor, firsts = _make_levels(keys, begins[:, first], parameters, with_top=with_top)
    return Table(
        **dict(zip(_COLUMNS, keys, strict=True)),
        log_value=middle,
        at_least=middle >= limit,
        scale=1 + parameters.per_year * (np.add.reduceat(age, first) / number if len(rows) else age),
        row_cell=row_cell,
        root=np.cumsum(begins[1, first]) - 1,
        tree=tree,
        effect=effect,
        ability_of=keys[0][firsts],
        factor=factor,
    )


_COLUMNS = ("ability", "model", "ignorance", "batch", "person", "card", "host", "method")
# Prior variance of the node above all models of an ability, in variances of models.
_TOP_FACTOR = 25.0


def _make_levels(
    keys: Index, begins: Mask, parameters: Parameters, *, with_top: bool
) -> tuple[Tree, Index, Floats, Index]:
    # Without strangers and batches their levels are left out: they would change nothing.
    ignorance, batch = keys[2], keys[3]
    ones = np.ones(keys.shape[1])
    levels = [("card", begins[5], ones), ("person", begins[4], ones)]
    if ignorance.any() or (batch >= 0).any():
        levels.append(("batch", begins[3], batch >= 0.0))
        for step in (3, 2, 1):
            changes = np.diff(np.minimum(ignorance, step), prepend=-1) != 0
            share = parameters.stranger_steps[step - 1] * (ignorance >= step)
            levels.append(("stranger", begins[1] | changes, share))
    levels.append(("model", begins[1], ones))
    if with_top:
        levels.append(("model", begins[0], _TOP_FACTOR * ones))
    firsts = [np.flatnonzero(begin) for _, begin, _ in levels]
    effect = np.repeat([EFFECTS.index(name) for name, _, _ in levels], [len(first) for first in firsts])
    factor = np.concatenate([share[first] for (_, _, share), first in zip(levels, firsts, strict=True)])
    tree = make_tree([np.cumsum(begin) - 1 for _, begin, _ in levels])
    return tree, effect, factor, np.concatenate(firsts)
