"""Summarize a fit of some models: their abilities, their cards and how much each value counts."""

from dataclasses import dataclass

import numpy as np

from submissions.domain.estimation import hints
from submissions.domain.estimation.cells import Table
from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.estimates import CardValues, Cells, Estimates
from submissions.domain.estimation.evidence import Evidence, Floats, Index, Mask
from submissions.domain.estimation.fit import Fit, count_voices
from submissions.domain.estimation.groups import count_different, find_medians, find_starts, number_rows
from submissions.domain.estimation.parameters import EFFECTS, FAR_WEIGHT, Parameters
from submissions.domain.estimation.people import STRANGER, count_known_people, find_tolerance

_CARD, _MODEL = EFFECTS.index("card"), EFFECTS.index("model")


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Everything that is known after some models were fitted, from which their estimates are made.

    offset     by cell: log of the speed of its host and method, relative to the reference host and method
    variance   by cell: variance of the effect of its host if that host was learned, else 0
    added      by root (pair of ability and model): variance that errors of hosts and methods add
    voice      by cell: precision that it adds to the mean of its root
    """

    evidence: Evidence
    crowd: Crowd
    parameters: Parameters
    fit: Fit
    offset: Floats
    variance: Floats
    added: Floats
    voice: Floats

    def make_estimates(self) -> Estimates:
        """Return the estimates of the models; each ability is corrected by the other abilities of its model."""
        table, roots = self.fit.table, len(self.added)
        shape = (self.evidence.models, len(self.crowd.level))
        place = (table.model[find_starts(table.root)], table.ability_of[table.tree.top])
        mean, variance = self._combine_abilities(shape, place)

        def fill_table(values: Floats | Index, empty: float) -> Floats:
            table_of = np.full(shape, empty)
            table_of[place] = values
            return table_of.T

        free_cells = np.bincount(table.root, ~table.at_least, roots)
        weight = self._weigh_cells()
        reached = _find_reached(table, weight >= FAR_WEIGHT, roots)
        card_sd = np.sqrt(variance + self._estimate_card_variance(shape, place))
        people, known_people = self._count_people(roots, mean[place])
        kept = np.flatnonzero(table.row_cell >= 0)
        of_kept = table.root[table.row_cell[kept]]
        cards = count_different(table.root, table.card, roots)
        reports = count_different(of_kept, self.evidence.report[kept], roots)
        counts = (cards, people, reports, known_people, count_voices(table))
        counted = [fill_table(count, 0).astype(np.int64) for count in counts]
        return Estimates(
            mean=mean.T,
            sd=np.sqrt(variance).T,
            card_sd=card_sd.T,
            is_measured=fill_table(np.ones(roots), 0) > 0,
            level_known=fill_table(free_cells, 0) > 0,
            reached=fill_table(reached, np.nan),
            median=fill_table(find_medians(table.root, table.log_value, roots), np.nan),
            **dict(zip(("cards", "people", "runs", "known_people", "voices"), counted, strict=True)),
            cells=Cells(
                *(table.ability, table.model, table.card, table.host, table.person, table.method),
                *(table.log_value, self.offset, weight, self.voice, table.at_least, table.row_cell),
            ),
            card_values=self._describe_cards(),
        )

    def _combine_abilities(self, shape: tuple[int, int], place: tuple[Index, Index]) -> tuple[Floats, Floats]:
        fit, crowd, top = self.fit, self.crowd, self.fit.table.tree.top
        heard = np.maximum(fit.gains.precision[top], 1e-300)
        answer = np.maximum(fit.gains.rest[top] * fit.gains.precision[top], 1e-300)
        own_mean, own_precision = np.zeros(shape), np.zeros(shape)
        own_mean[place] = fit.loads[top] / heard
        own_precision[place] = 1 / (1 / heard + self.added / answer**2)
        spread = np.sqrt(crowd.variance[_MODEL]) + np.zeros((shape[0], 1))
        spread[place] = np.sqrt(fit.node_variance[top])
        mean, variance = hints.combine(own_mean, own_precision, spread, crowd.correlation)
        variance[place] += (variance * own_precision)[place] ** 2 * self.parameters.unsure_tails / heard
        return mean + crowd.level, variance

    def _weigh_cells(self) -> Floats:
        fit, tree = self.fit, self.fit.table.tree
        usual = np.minimum(1, fit.node_prior / np.maximum(fit.node_variance, 1e-300))
        cards, people = (slice(*tree.starts[level : level + 2]) for level in (0, 1))
        of_card = (usual[cards] * usual[people][tree.parents[1]])[tree.parents[0]]
        weight: Floats = np.minimum(1, fit.cell_prior / fit.cell_variance) * of_card
        return weight

    def _estimate_card_variance(self, shape: tuple[int, ...], place: tuple[Index, Index]) -> Floats:
        fit, parameters = self.fit, self.parameters
        usual = self.crowd.variance[_CARD]
        worth = parameters.usual_weight[_CARD]
        cards, tree = slice(*fit.table.tree.starts[:2]), fit.table.tree
        root = fit.table.root[find_starts(tree.parents[0])]
        squares = np.bincount(root, fit.effects[cards] ** 2 / fit.node_variance[cards])
        number = np.bincount(root, np.maximum(1 - fit.effect_variance[cards] / fit.node_variance[cards], 0))
        varied = usual + np.zeros(shape)
        varied[place] = usual[place[1]] * (worth + squares) / (worth + number)
        return varied * parameters.card_tail

    def _count_people(self, roots: int, mean: Floats) -> tuple[Index, Index]:
        table = self.fit.table
        apart = np.abs(table.log_value - self.offset - mean[table.root])
        agrees = table.at_least | (apart <= find_tolerance(self.crowd)[table.ability])
        first = find_starts(table.tree.parents[1][table.tree.parents[0]])
        known = count_known_people(
            table.root, table.person, table.batch, table.ignorance, agrees, roots=roots
        )
        return np.bincount(table.root[first], minlength=roots), known

    def _describe_cards(self) -> CardValues:
        fit, table = self.fit, self.fit.table
        first, number = number_rows(table.ability, table.card)
        heard = np.bincount(number, fit.weight)
        residual = fit.response - self.offset
        unsure = np.bincount(number, fit.weight * self.variance)
        return CardValues(
            ability=table.ability[first],
            card=table.card[first],
            model=table.model[first],
            value=np.bincount(number, fit.weight * residual) / heard,
            variance=(1 + unsure) / heard,
            is_hidden=np.bincount(number, ~table.at_least) == 0,
        )


def _find_reached(table: Table, is_usual: Mask, roots: int) -> Floats:
    # Values of strangers count only if no other person measured the model.
    is_known = is_usual & (table.ignorance < STRANGER)
    has_known = np.bincount(table.root[is_known], minlength=roots) > 0
    cells = np.flatnonzero(np.where(has_known[table.root], is_known, is_usual))
    first, place = number_rows(table.root[cells], table.host[cells])
    reached = np.full(roots, np.nan)
    np.fmax.at(reached, table.root[cells[first]], find_medians(place, table.log_value[cells], len(first)))
    return reached
