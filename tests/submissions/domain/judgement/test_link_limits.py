"""What a link reaches is seen from the pile of values that ends there."""

from dataclasses import replace

import numpy as np
import pytest

from submissions.domain.judgement.link_limits import learn
from submissions.domain.judgement.runs import Runs
from tests.submissions.domain.judgement.small import runs


def measured(values, *, models: int = 50, reach: float = np.inf) -> Runs:
    return runs([(number % models, number, 0, number, value) for number, value in enumerate(values)], reach)


def drawn(limit: float) -> np.ndarray:
    """200 cards, their values 0.3 apart, ending a little below a limit."""
    chance = np.random.default_rng(8)
    return np.minimum(0.3 * chance.standard_normal(200), limit) - 0.01 * chance.uniform(size=200)


def test_it_works() -> None:
    limits = learn(measured(drawn(limit=0.1)), hosts=2)
    assert limits.log_reach[0] == pytest.approx(0.1, abs=0.01)
    assert np.isnan(limits.log_reach[[1, 2]]).all()


def test_cards_that_end_by_themselves_are_no_link() -> None:
    assert np.isnan(learn(measured(drawn(limit=9.0)), hosts=1).log_reach[0])


def test_one_model_measured_often_is_no_link() -> None:
    assert np.isnan(learn(measured(drawn(limit=0.1), models=5), hosts=1).log_reach[0])


def test_few_runs_cannot_tell() -> None:
    assert np.isnan(learn(measured(drawn(limit=0.1)[:29]), hosts=1).log_reach[0])


def test_page_cache_does_not_raise_a_link_that_is_known() -> None:
    values = drawn(limit=0.1)
    values[:40] = 2.0
    assert learn(measured(values, reach=0.1), hosts=1).log_reach[0] == pytest.approx(0.1, abs=0.01)


def test_the_order_of_runs_does_not_matter() -> None:
    rows = measured(drawn(limit=0.1))
    shuffled = rows.where(np.random.default_rng(1).permutation(200))
    moved = replace(shuffled, submitter=shuffled.submitter[::-1])
    assert learn(moved, hosts=1).log_reach[0] == learn(rows, hosts=1).log_reach[0]
