"""What a model is worth, given its surroundings."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from submissions.domain.judgement.cells import gather
from submissions.domain.judgement.crowd import Expected, Market
from submissions.domain.judgement.estimates import Estimates, estimate_all, pulls, start, sweep
from submissions.domain.judgement.layout import Field, Layout, Variances
from submissions.domain.judgement.parameters import DEFAULTS, Parameters
from submissions.domain.judgement.sides import values_of
from tests.submissions.domain.judgement.small import NO_TRAITS, PLAIN, SPREADS, estimate, runs, surroundings


def judged(rows, *, parameters: Parameters = PLAIN, reach: float = np.inf, around=None) -> Estimates:
    cards = max((row[1] for row in rows), default=-1) + 1
    cells = gather(runs(rows, reach), parameters=parameters)
    return estimate(cells, around or surroundings(), traits=NO_TRAITS, cards=cards, parameters=parameters)


def test_it_works() -> None:
    """One run at 1: its variance is 0.1² + 0.1² + 0.2² = 0.06, the market's 0.25, so 1 / 0.06 of 1 / 0.06 + 4."""
    estimates = judged([(0, 0, 0, 0, 1.0)])
    assert estimates.mean[0] == pytest.approx((1 / 0.06) / (1 / 0.06 + 4))
    assert estimates.sd[0] == pytest.approx((1 / 0.06 + 4) ** -0.5)
    assert (estimates.own_mean[0], estimates.own_precision[0]) == pytest.approx((1.0, 1 / 0.06))
    assert (estimates.cards[0], estimates.submitters[0], estimates.runs[0]) == (1, 1, 1)


def test_two_cards_count_by_how_well_they_were_measured() -> None:
    """Two runs: 0.01 / 2 + 0.01 + 0.04 = 0.055 against 0.06."""
    estimates = judged([(0, 0, 0, 0, 1.0), *[(0, 1, 0, 1, 2.0)] * 2])
    weights = np.array([1 / 0.06, 1 / 0.055])
    assert estimates.mean[0] == pytest.approx((weights * [1, 2]).sum() / (weights.sum() + 4))
    assert estimates.card_vote.tolist() == pytest.approx((weights / weights.sum()).tolist())


def test_a_host_is_taken_off_and_its_uncertainty_added() -> None:
    around = surroundings(hosts=1)
    around.host_effect[0], around.host_variance[0] = 0.4, 0.04
    estimates = judged([(0, 0, 0, 0, 1.4)], around=around)
    assert estimates.mean[0] == pytest.approx((1 / 0.10) / (1 / 0.10 + 4))


def test_a_host_not_seen_yet_adds_nothing_and_is_as_uncertain_as_hosts_are() -> None:
    estimates = judged([(0, 0, -1, 0, 1.0)])
    assert estimates.mean[0] == pytest.approx((1 / 0.15) / (1 / 0.15 + 4))


def test_a_model_without_cards_is_what_the_market_says() -> None:
    around = replace(surroundings(), market=Market(7.0, (np.array([0.5, 0.0]),), (np.array([0.0, 0.11]),)))
    cells = gather(runs([]))
    estimates = estimate(cells, around, traits=np.array([[0], [-1]]), cards=0, parameters=PLAIN)
    assert estimates.mean.tolist() == [7.5, 7.0]
    assert estimates.sd.tolist() == pytest.approx([0.5, 0.6])
    assert estimates.own_precision.tolist() == [0, 0]
    assert np.isnan(estimates.own_mean).all()


def test_eight_cards_on_one_host_are_not_eight_hosts() -> None:
    """The host, not seen yet, has a variance of 0.3² = 0.09, each card 0.06: 0.06 / 8 + 0.09; apart 0.15 / 8."""
    together = judged([(0, card, -1, card, 1.0) for card in range(8)])
    apart = judged([(0, card, -1 - card, card, 1.0) for card in range(8)])
    assert together.own_precision[0] == pytest.approx(1 / (0.06 / 8 + 0.09))
    assert apart.own_precision[0] == pytest.approx(8 / 0.15)
    assert together.mean[0] < apart.mean[0]


def test_cards_on_the_same_two_hosts_share_both() -> None:
    """Two cards, each on two hosts: 0.04 / 2 between cards, 0.02 / 4 of cells, 0.09 / 2 of hosts."""
    estimates = judged([(0, card, host, card - 2 * host, 1.0) for card in (0, 1) for host in (-1, -2)])
    assert estimates.own_precision[0] == pytest.approx(1 / (0.02 + 0.005 + 0.045))


def test_a_model_whose_cards_all_end_at_their_link_has_no_mean_of_its_own() -> None:
    """What its cards say weighs next to nothing, and is not divided by that."""
    estimates = judged([(0, 0, 0, 0, -3.0)], reach=-3.0)
    assert estimates.own_mean[0] == pytest.approx(0.0, abs=1e-3)


def test_a_card_that_was_measured_badly_is_distrusted_less() -> None:
    """One step from a model held at 0: one run at 1 with variance 0.02 gets the t weight 3.5 / (2.5 + 50) = 1 / 15, so
    its value has the variance 0.3; the card, whose own variance is 0.04, is trusted with 3.5 / (2.5 + 1 / 0.34)."""
    layout = Layout.of(gather(runs([(0, 0, 0, 0, 1.0)])), models=1, cards=1)
    market = Expected(np.zeros(1), np.array([1e12]))
    parameters = replace(PLAIN, tail=2.5)
    variances = Variances.of(layout, np.array([0.02]), [SPREADS], parameters)
    field = Field(np.zeros(1), np.zeros(1))
    begun = replace(start(layout, market, field), mean=np.zeros(1))
    state = sweep(layout, begun, market, field, variances, parameters)
    assert (state.weight[0], state.trust[0]) == pytest.approx((1 / 0.3, 3.5 / (2.5 + 1 / 0.34)))


def test_nobody_is_surer_than_the_level_of_all() -> None:
    rows = [(0, card, 0, card, 0.0) for card in range(9)]
    around = surroundings(spreads=replace(SPREADS, level=0.02))
    assert judged(rows, around=around).sd[0] == pytest.approx(np.hypot(judged(rows).sd[0], 0.02))


# Links


def test_at_its_link_a_card_that_was_expected_to_be_faster_says_nothing() -> None:
    estimates = judged([(0, 0, 0, 0, -2.0)], reach=-2.0)
    assert estimates.mean[0] == pytest.approx(0.0, abs=1e-3)
    assert estimates.at_least[0]


def test_at_its_link_a_card_that_was_expected_to_be_slower_is_at_least_that() -> None:
    estimates = judged([(0, 0, 0, 0, 1.0)], reach=1.0)
    measured = judged([(0, 0, 0, 0, 0.88)])
    assert estimates.mean[0] > measured.mean[0]


def test_cards_at_their_links_speak_against_a_slow_one() -> None:
    """Four cards of four people reach the link; the one that was measured below it is the odd one, or throttled."""
    rows = [(0, card, card, card, 1.0) for card in range(4)]
    slow = judged([*rows, (0, 4, 4, 4, 0.0)], reach=1.0, parameters=DEFAULTS, around=surroundings(hosts=5))
    assert slow.mean[0] > 0.8


def test_cards_of_one_person_at_their_links_are_one_voice() -> None:
    """Below lie two cards of two other people."""
    below = [(0, 4, 4, 4, 0.0), (0, 5, 5, 5, 0.05)]
    around = surroundings(hosts=6)
    of_one, of_four = (
        judged(
            [*((0, card, card, whose[card], 1.0) for card in range(4)), *below],
            reach=1.0,
            parameters=DEFAULTS,
            around=around,
        ).mean[0]
        for whose in ((0, 0, 0, 0), (0, 1, 2, 3))
    )
    assert of_one < 0.15 < of_four


@given(st.floats(-3, 3), st.floats(0.01, 1))
def test_a_censored_cell_pulls_as_the_slope_of_its_likelihood(limit: float, variance: float) -> None:
    cells = gather(runs([(0, 0, 0, 0, limit)], reach=limit))
    sd, step = variance**0.5, 1e-5
    above, below = (norm.logsf((cells.log_value[0] - mean) / sd) for mean in (step, -step))
    score, information = pulls(cells, np.zeros(1), np.array([variance]), PLAIN)
    assert score[0] == pytest.approx((above - below) / (2 * step), rel=1e-3, abs=1e-6)
    assert 0 <= information[0] <= 1 / variance + 1e-9


# Who counts how much


def test_one_card_has_one_vote_however_often_it_runs() -> None:
    estimates = judged([*[(0, 0, host % 4, 0, 1.0) for host in range(100)], (0, 1, 0, 1, 0.0)])
    assert estimates.card_vote[0] < 0.6


def test_an_odd_card_counts_less() -> None:
    rows = [(0, card, 0, card, 0.0) for card in range(4)]
    estimates = judged([*rows, (0, 4, 0, 4, -2.0)], parameters=DEFAULTS)
    assert estimates.card_vote[4] < 0.05
    assert estimates.mean[0] == pytest.approx(0.0, abs=0.1)


def test_a_card_slow_in_all_it_does_counts_less_in_each() -> None:
    """A model of two cards: nobody can tell which of them is odd, until the other figures of one of them speak."""
    around = surroundings()
    one = gather(runs([(0, 0, 0, 0, 0.1), (0, 1, 1, 1, -0.6)]))
    alone = estimate(one, around, traits=NO_TRAITS, cards=2)
    expected = around.market.expected(NO_TRAITS, around.spreads)
    together = estimate_all([(one, around)] * 5, [expected] * 5, cards=2)
    assert [figure.mean[0] for figure in together] == pytest.approx([together[0].mean[0]] * 5)
    assert alone.mean[0] + 0.02 < together[0].mean[0] <= 0.1


def attacked(cards: int) -> float:
    """Mean of a model with five honest cards at 0, and one submitter with so many at 1."""
    honest = [(0, card, card % 4, card, 0.0) for card in range(5)]
    return float(judged(honest + [(0, 5 + card, 0, 9, 1.0) for card in range(cards)]).mean[0])


def test_a_submitter_weighs_no_more_than_the_cap_in_one_model() -> None:
    """The cap is one perfect card, 1 / 0.053; five honest cards weigh 5 / 0.06, the market 4."""
    most = (1 / 0.053) / (1 / 0.053 + 5 / 0.06 + 4)
    assert 0 < attacked(2) <= most * (1 + 1e-5)
    assert attacked(7) == pytest.approx(attacked(3))


def test_who_brings_suspiciously_many_cards_of_one_model_weighs_less() -> None:
    assert attacked(100) == pytest.approx(attacked(8))
    assert 0 < attacked(8) < attacked(1) / 3


def test_many_cards_of_one_submitter_do_not_turn_the_middle_over() -> None:
    honest = [(0, card, card % 4, card, 0.0) for card in range(3)]
    spam = [(0, 3 + card, 0, 9, 3.0) for card in range(30)]
    assert judged(honest + spam, parameters=DEFAULTS).mean[0] == pytest.approx(0.0, abs=0.1)


def test_a_card_of_two_models_is_refused() -> None:
    cells = gather(runs([(0, 0, 0, 0, 1.0), (1, 0, 0, 0, 1.0)]))
    with pytest.raises(ValueError, match="two models"):
        estimate(cells, surroundings(), traits=np.zeros((2, 0), dtype=np.int64), cards=1)


# Incremental

rows_of_cards = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3), st.floats(-2, 2)),
    min_size=1,
    max_size=25,
)


def of_three_models(rows) -> list[tuple[int, int, int, int, float]]:
    return [(card // 2, card, host, submitter, value) for card, host, submitter, value in rows]


@settings(max_examples=25)
@given(rows_of_cards, rows_of_cards, st.randoms(use_true_random=False))
def test_what_is_added_and_taken_back_leaves_exactly_what_was_there(before, added, chance) -> None:
    """A model's estimate is a function of its runs and its surroundings, in whatever order they came."""
    three = np.zeros((3, 0), dtype=np.int64)
    whole = of_three_models([*before, *added])
    left = chance.sample(whole[: len(before)], len(before))
    first, _, last = (
        estimate(gather(runs(rows)), surroundings(), traits=three, cards=6)
        for rows in (whole[: len(before)], whole, left)
    )
    assert first.mean.tolist() == last.mean.tolist()
    assert first.sd.tolist() == last.sd.tolist()


@settings(max_examples=25)
@given(rows_of_cards)
def test_one_model_alone_gets_what_it_gets_among_all(rows) -> None:
    whole = of_three_models(rows)
    together = estimate(gather(runs(whole)), surroundings(), traits=np.zeros((3, 0), dtype=np.int64), cards=6)
    for model in {row[0] for row in whole}:
        own = [
            (0, card % 2, host, submitter, value)
            for model_of_row, card, host, submitter, value in whole
            if model_of_row == model
        ]
        alone = estimate(gather(runs(own)), surroundings(), traits=NO_TRAITS, cards=2)
        assert alone.mean[0] == pytest.approx(together.mean[model], abs=1e-9)
        assert alone.sd[0] == pytest.approx(together.sd[model], abs=1e-9)


def test_the_cap_of_the_numbers_above() -> None:
    assert SPREADS.perfect_card() == pytest.approx(1 / 0.053)


def test_a_card_is_a_draw_from_its_model_as_well_as_it_was_measured() -> None:
    """Cards scatter by 0.2² = 0.04, one run tells one of them with 0.02."""
    cells = gather(runs([(0, 0, 0, 0, 1.0)]), parameters=PLAIN)
    single = estimate(cells, surroundings(), traits=NO_TRAITS, cards=1, parameters=PLAIN)
    values = values_of(cells, single, SPREADS)
    assert (values.value[0], values.variance[0], values.runs[0]) == pytest.approx((1.0, 0.06, 1))
