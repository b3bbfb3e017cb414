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
    limits = learn([measured(drawn(limit=0.1))], hosts=2)
    assert limits.log_reach[0] == pytest.approx(0.1, abs=0.01)
    assert np.isnan(limits.log_reach[[1, 2]]).all()


def test_cards_that_end_by_themselves_are_no_link() -> None:
    assert np.isnan(learn([measured(drawn(limit=9.0))], hosts=1).log_reach[0])


def test_one_model_measured_often_is_no_link() -> None:
    assert np.isnan(learn([measured(drawn(limit=0.1), models=4)], hosts=1).log_reach[0])


def test_few_runs_cannot_tell() -> None:
    assert np.isnan(learn([measured(drawn(limit=0.1)[:14])], hosts=1).log_reach[0])


def test_page_cache_does_not_raise_a_link_that_is_known() -> None:
    values = drawn(limit=0.1)
    values[:40] = 2.0
    assert learn([measured(values, reach=0.1)], hosts=1).log_reach[0] == pytest.approx(0.1, abs=0.01)


def test_the_order_of_runs_does_not_matter() -> None:
    rows = measured(drawn(limit=0.1))
    shuffled = rows.where(np.random.default_rng(1).permutation(200))
    moved = replace(shuffled, submitter=shuffled.submitter[::-1])
    assert learn([moved], hosts=1).log_reach[0] == learn([rows], hosts=1).log_reach[0]


def test_a_host_has_one_link() -> None:
    """Reads pile up; what is written never comes near, and ends there, too."""
    slow = measured(drawn(limit=9.0) - 3.0)
    assert learn([slow, measured(drawn(limit=0.1))], hosts=1).log_reach[0] == pytest.approx(0.1, abs=0.01)


def test_a_reader_that_says_too_little_is_not_believed() -> None:
    """Nine of ten cards are faster than "USB 2": where they end is the link, and without an end there is none."""
    piled = learn([measured(drawn(limit=0.1) + 1.0, reach=0.2)], hosts=1)
    assert piled.log_reach[0] == pytest.approx(1.1, abs=0.01)
    free = learn([measured(drawn(limit=9.0) + 1.0, reach=0.2)], hosts=1)
    assert free.log_reach[0] > 40


def test_two_runs_do_not_disprove_what_a_host_says() -> None:
    assert np.isnan(learn([measured(np.array([2.0, 2.0]), reach=0.1)], hosts=1).log_reach[0])
