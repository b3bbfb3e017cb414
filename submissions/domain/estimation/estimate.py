"""Estimate the abilities of models, from their own evidence and from the fit of all models."""

import numpy as np

from submissions.domain.estimation.cells import Table, make_table
from submissions.domain.estimation.crossing import NewHosts
from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.estimates import Estimates
from submissions.domain.estimation.evidence import Evidence, Floats
from submissions.domain.estimation.fit import Fit
from submissions.domain.estimation.groups import number_rows
from submissions.domain.estimation.parameters import DEFAULTS, EFFECTS, Parameters
from submissions.domain.estimation.summary import Summary

_HOST = EFFECTS.index("host")


def estimate(evidence: Evidence, crowd: Crowd, parameters: Parameters = DEFAULTS) -> Estimates:
    """Return the estimates of the models in this evidence.

    No estimate depends on the other models in the evidence: one model and all models give the same numbers.
    """
    table = make_table(evidence, crowd.catalogue, crowd.log_reach, parameters, with_top=False)
    effect, variance = _find_host_effects(table, crowd)
    is_new = np.isnan(effect)
    offset = np.where(is_new, 0, effect) + crowd.method_effect[table.method]
    fit = Fit(table, crowd.variance, crowd.level[table.ability] + offset, parameters)
    hosts = None
    if is_new.any():
        hosts = NewHosts(table, is_new, crowd.variance[_HOST], parameters.freedoms[_HOST])
    for _ in range(parameters.sweeps):
        fit.sweep(hosts)
    variance = np.where(is_new, 0, variance)
    voice = _find_voices(fit)
    added = _add_variance_of_known(table, voice * fit.gains.rest[table.tree.top][table.root], variance, crowd)
    if hosts is not None:
        added += hosts.root_variance
    return Summary(
        evidence, crowd, parameters, fit, offset + fit.crossed, variance, added, voice
    ).make_estimates()


def _find_host_effects(table: Table, crowd: Crowd) -> tuple[Floats, Floats]:
    place = (table.ability, np.maximum(table.host, -1))
    nothing = np.full((len(crowd.level), 1), np.nan)
    effect = np.hstack([crowd.host_effect, nothing])[place]
    return effect, np.hstack([crowd.host_variance, nothing])[place]


def _find_voices(fit: Fit) -> Floats:
    tree = fit.table.tree
    voice = np.ones(tree.starts[-1] - tree.starts[-2])
    for level in range(len(tree.parents) - 2, -1, -1):
        own = slice(tree.starts[level], tree.starts[level + 1])
        voice = voice[tree.parents[level + 1]] * fit.gains.shrink[own]
    return voice[tree.parents[0]] * fit.weight


def _add_variance_of_known(table: Table, influence: Floats, variance: Floats, crowd: Crowd) -> Floats:
    tree = table.tree
    added = np.zeros(tree.starts[-1] - tree.starts[-2])
    for kind, of_cell in ((table.host, variance), (table.method, crowd.method_variance[table.method])):
        first, place = number_rows(table.root, kind)
        added += np.bincount(
            table.root[first], np.bincount(place, influence) ** 2 * of_cell[first], len(added)
        )
    return added
