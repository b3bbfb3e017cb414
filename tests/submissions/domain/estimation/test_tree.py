"""Tests that compare the fit of the tree of effects with the same model as one dense normal distribution."""

import numpy as np
import pytest

from submissions.domain.estimation import tree as trees


@pytest.mark.parametrize("seed", range(8))
def test_effects_are_those_of_the_dense_normal(seed):
    chance = np.random.default_rng(seed)
    cells = int(chance.integers(1, 30))
    begins = np.logical_or.accumulate(chance.uniform(size=(4, cells)) < [[0.1], [0.2], [0.3], [0.4]], axis=0)
    begins[:, 0] = True
    nodes = [np.cumsum(level) - 1 for level in begins[::-1]]
    tree = trees.make_tree(nodes)
    variance = chance.uniform(0, 2, tree.starts[-1]) * (chance.uniform(size=tree.starts[-1]) < 0.8)
    weight, value = chance.uniform(0, 3, cells), chance.standard_normal(cells)

    gains = trees.find_gains(tree, weight, variance)
    _, effects, total = trees.solve(tree, gains, weight * value)
    effect_variance, total_variance = trees.find_variances(tree, gains)

    below = np.zeros((cells, tree.starts[-1]))
    for level, start in zip(nodes, tree.starts, strict=False):
        below[np.arange(cells), start + level] = 1
    precision = below.T @ (weight[:, None] * below)
    covariance = np.linalg.inv(np.eye(len(variance)) + variance[:, None] * precision) @ np.diag(variance)
    mean = covariance @ below.T @ (weight * value)
    np.testing.assert_allclose(effects, mean, atol=1e-9)
    np.testing.assert_allclose(effect_variance, np.diag(covariance), atol=1e-9)
    np.testing.assert_allclose(total, below @ mean, atol=1e-9)
    np.testing.assert_allclose(total_variance, np.diag(below @ covariance @ below.T), atol=1e-9)


def test_a_capped_node_says_no_more_than_its_cap():
    tree = trees.make_tree([np.array([0, 1, 2]), np.array([0, 0, 0])])
    variance = np.array([0.0, 0.0, 0.0, 0.1])
    gains = trees.find_gains(tree, np.full(3, 10.0), variance, capped_level=1, cap=np.array([0.2]))
    assert gains.precision[3] * gains.shrink[3] == pytest.approx(1 / 0.2)
