"""What a link reaches is seen from the pile of values that ends there."""

from dataclasses import replace

import numpy as np
import pytest

from submissions.domain.judgement.link_limits import learn, softened, without_link
from submissions.domain.judgement.parameters import DEFAULTS
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


def test_page_cache_does_not_hide_a_link_that_nobody_states() -> None:
    values = drawn(limit=0.1)
    values[:11] = 2.0
    assert learn([measured(values)], hosts=1).log_reach[0] == pytest.approx(0.1, abs=0.01)


# How softly links limit


def on_two_links(soft: float) -> Runs:
    """200 models between 0.5 and 1.5, each with four cards on links that reach 4, and four on links that reach 1, as
    their hosts say: none has enough runs to tell by itself."""
    chance, alone = np.random.default_rng(9), np.repeat(np.linspace(0.5, 1.5, 200), 8)
    number = np.arange(1600)
    host = 2 * (number // 16) + number // 4 % 2
    reach = np.where(host % 2, 1.0, 4.0)
    value = softened(alone, reach, soft) + 0.03 * chance.standard_normal(1600)
    return Runs(number // 8, number, host, number, value, reach)


@pytest.mark.parametrize("soft", [0.0, 0.1, 0.3])
def test_cards_on_two_links_tell_how_soft_a_link_is(soft: float) -> None:
    """The prior, of 20 models beside 120, pulls by a seventh of the way."""
    learned = learn([on_two_links(soft)], hosts=200).soft
    assert abs(learned - soft) < 0.02 + abs(0.1 - soft) / 7


def test_where_nothing_tells_links_are_as_soft_as_usual() -> None:
    assert learn([measured(drawn(limit=0.1))], hosts=1).soft == DEFAULTS.usual_soft
    assert learn([], hosts=1).soft == DEFAULTS.usual_soft


@pytest.mark.parametrize("soft", [0.05, 0.2])
def test_what_a_link_takes_can_be_given_back(soft: float) -> None:
    alone, reach = np.array([-9.0, -0.5, 0.0, 0.3]), np.full(4, 0.1)
    assert without_link(softened(alone, reach, soft), reach, soft) == pytest.approx(alone)


def test_a_link_nobody_knows_takes_nothing() -> None:
    assert without_link(np.array([1.0]), np.array([np.inf]), 0.1) == pytest.approx([1.0])


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
