"""Learn a crowd: levels, spreads of all effects, methods, hosts, links, and how abilities of a model go together.

The variance s of an effect is learned from effects u with weights w of their tails by MacKay's fixed point

    s = (n₀ s₀ + sum of w u²) / (n₀ + sum of (1 - var(u) / v))

(D. MacKay, Neural Computation 4, 1992), with a prior s₀ that is worth n₀ effects, so that s stays near it if few are
known.
"""

from dataclasses import replace

import numpy as np

from submissions.domain.estimation import hints, links
from submissions.domain.estimation.cells import Table, make_table
from submissions.domain.estimation.crossing import CrowdEffects
from submissions.domain.estimation.crowd import UNPROVEN, Crowd, prior_crowd
from submissions.domain.estimation.evidence import Catalogue, Evidence, Floats, Index, Mask
from submissions.domain.estimation.fit import Fit, find_strangers
from submissions.domain.estimation.groups import count_different
from submissions.domain.estimation.host_proof import prove_hosts
from submissions.domain.estimation.parameters import DEFAULTS, EFFECTS, Parameters

_CELL, _STRANGER = EFFECTS.index("cell"), EFFECTS.index("stranger")
_HOST = EFFECTS.index("host")
# Sweeps before spreads are learned: effects must have found their places.
_SETTLING = 2
# A host with this many models counts in full for the reference host; one with two models does not count.
_FULL_VOICE = 10


def learn(
    evidence: Evidence, catalogue: Catalogue, *, hosts: int, parameters: Parameters = DEFAULTS
) -> Crowd:
    """Learn the crowd (spreads, and effects of methods and hosts) of this evidence.

    `hosts`: the number of hosts; the evidence gives them numbers from 0.
    """
    crowd = prior_crowd(catalogue, hosts, parameters)
    ability = catalogue.find_abilities(evidence.method)
    decides, proof = prove_hosts(evidence, ability, crowd.host_proof.shape)
    log_reach = links.learn_reach(evidence.where(decides), catalogue, hosts, parameters)
    table = make_table(evidence, catalogue, log_reach, parameters, with_top=True)
    if not len(table):
        return crowd
    crowd = replace(crowd, log_reach=log_reach, host_proof=proof)
    fit = Fit(table, crowd.variance, crowd.level[table.ability], parameters)
    cell_decides = np.ones(len(table), dtype=np.bool_)
    cell_decides[table.row_cell[~decides & (table.row_cell >= 0)]] = False
    shared = _make_crowd_effects(table, cell_decides, crowd, parameters)
    variance = crowd.variance
    for sweep in range(parameters.learn_sweeps):
        fit.sweep(shared)
        if sweep >= _SETTLING:
            variance = _learn_variance(fit, shared, variance, crowd, parameters)
            fit.replace_variances(variance)
            shared.replace_variances(_prior_variance(variance, parameters))
    voices = _weigh_hosts(table, cell_decides, proof)
    return _make_crowd(fit, shared, replace(crowd, variance=variance), voices, parameters)


def _make_crowd_effects(table: Table, decides: Mask, crowd: Crowd, parameters: Parameters) -> CrowdEffects:
    is_other = crowd.method_variance[table.method] > 0
    hosts = (np.where(chosen, table.host, -1) for chosen in (decides, ~decides))
    numbers = np.stack([np.where(is_other, table.method, -1), *hosts])
    freedom = np.array([np.inf, parameters.freedoms[_HOST], parameters.freedoms[_HOST]])
    return CrowdEffects(table, numbers, _prior_variance(crowd.variance, parameters), freedom)


def _prior_variance(variance: Floats, parameters: Parameters) -> Floats:
    methods = np.full(variance.shape[1], parameters.method_spread**2)
    return np.stack([methods, variance[_HOST], variance[_HOST]])


def _learn_variance(
    fit: Fit, shared: CrowdEffects, variance: Floats, crowd: Crowd, parameters: Parameters
) -> Floats:
    table, prior, abilities = fit.table, crowd.variance, len(crowd.level)
    # Where only strangers measured a model, nothing tells their bias from its effect.
    is_told = table.effect != _STRANGER
    is_told[find_strangers(table, met_by=1)] = True
    seen, some = np.flatnonzero(~table.at_least), np.flatnonzero(fit.is_free & is_told & (table.factor > 0))
    hosts = np.flatnonzero(shared.kind == 1)
    crossing = hosts[crowd.host_proof[shared.ability[hosts], shared.number[hosts]] > UNPROVEN]
    parts = [
        (
            _CELL * abilities + table.ability[seen],
            *((fit.residual - fit.total)[seen], fit.predicted_variance[seen], fit.cell_variance[seen]),
        ),
        (
            table.effect[some] * abilities + table.ability_of[some],
            *(fit.effects[some], fit.effect_variance[some], fit.node_variance[some]),
        ),
        (
            _HOST * abilities + shared.ability[crossing],
            *(shared.mean[crossing], shared.uncertainty[crossing], shared.variance[crossing]),
        ),
    ]
    row, effect, uncertainty, with_tail = map(np.concatenate, zip(*parts, strict=True))
    squares = np.bincount(row, effect**2 / with_tail, prior.size).reshape(prior.shape)
    number = np.bincount(row, np.maximum(1 - uncertainty / with_tail, 0), prior.size).reshape(prior.shape)
    weight = np.array(parameters.usual_weight)[:, None]
    learned: Floats = (weight * prior + variance * squares) / (weight + number)
    learned[_STRANGER] = np.maximum(learned[_STRANGER], parameters.stranger_floor)
    return learned


def _make_crowd(
    fit: Fit, shared: CrowdEffects, crowd: Crowd, voices: Floats, parameters: Parameters
) -> Crowd:
    # The reference host is in the middle of all hosts.
    table, tree = fit.table, fit.table.tree
    level, top = crowd.level.copy(), fit.effects[tree.top]
    present = table.ability_of[tree.top]
    level[present] += top
    method_effect, method_variance = crowd.method_effect.copy(), crowd.method_variance.copy()
    host_effect, host_variance = crowd.host_effect.copy(), crowd.host_variance.copy()
    for covariance, begin, end in zip(shared.covariance, shared.blocks[:-1], shared.blocks[1:], strict=True):
        own, ability = slice(begin, end), shared.ability[begin]
        kind, number, mean = shared.kind[own], shared.number[own], shared.mean[own]
        host, method = number[kind == 1], number[kind == 0]
        share = np.zeros(end - begin)
        share[kind == 1] = voices[ability, host]
        share /= max(share.sum(), 1e-300)
        middle = share @ mean
        apart = np.diag(covariance) - 2 * covariance @ share + share @ covariance @ share
        host_effect[ability, host] = mean[kind == 1] - middle
        host_variance[ability, host] = (apart / shared.share[own])[kind == 1]
        method_effect[method], method_variance[method] = mean[kind == 0], np.diag(covariance)[kind == 0]
        level[ability] += middle
    correlation = hints.learn_correlation(fit, crowd, parameters)
    return replace(
        crowd,
        level=level,
        method_effect=method_effect,
        method_variance=method_variance,
        host_effect=host_effect,
        host_variance=host_variance,
        host_method=_average_methods(table, method_effect, host_effect.shape),
        correlation=correlation,
    )


def _average_methods(table: Table, method_effect: Floats, shape: tuple[int, ...]) -> Floats:
    place, size = table.ability * shape[1] + table.host, int(np.prod(shape))
    total = np.bincount(place, method_effect[table.method], size)
    average: Floats = total / np.maximum(np.bincount(place, minlength=size), 1)
    return average.reshape(shape)


def _weigh_hosts(table: Table, decides: Mask, proof: Index) -> Floats:
    shape, key = proof.shape, table.ability * proof.shape[1] + table.host
    free_cells = np.where(table.at_least, 0.0, 1.0)
    free = np.bincount(key, free_cells, np.prod(shape)) / np.maximum(
        np.bincount(key, minlength=np.prod(shape)), 1
    )
    number = count_different(key[decides], table.model[decides], int(np.prod(shape)))
    voices: Floats = free * np.clip((number - 2) / (_FULL_VOICE - 2), 0, 1)
    return voices.reshape(shape) * (proof > UNPROVEN)
