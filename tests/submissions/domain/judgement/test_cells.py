"""Runs become cells: the median of each card, host and submitter, with what stays out left out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.judgement.cells import gather
from submissions.domain.judgement.link_limits import Links
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.runs import Runs, over_the_link, unit_suspected
from tests.submissions.domain.judgement.small import runs


def test_it_works() -> None:
    cells = gather(runs([(0, 0, 0, 0, 3.0), (0, 0, 0, 0, 1.0), (0, 0, 1, 0, 7.0), (0, 0, 0, 0, 2.0)]))
    assert cells.log_value.tolist() == [2.0, 7.0]
    assert cells.runs.tolist() == [3, 1]
    assert cells.host.tolist() == [0, 1]
    assert not cells.at_least.any()


def test_of_two_runs_far_apart_the_faster_counts() -> None:
    """Three runs have a middle of their own; of two close ones nobody knows which was disturbed."""
    far = [(0, 0, 0, 0, 1.0), (0, 0, 0, 0, 1.3)]
    near = [(0, 1, 0, 0, 1.15), (0, 1, 0, 0, 1.0)]
    three = [(0, 2, 0, 0, value) for value in (1.0, 1.05, 1.6)]
    assert gather(runs([*far, *near, *three])).log_value.tolist() == pytest.approx([1.3, 1.075, 1.05])


def test_the_same_card_in_the_same_host_by_another_submitter_is_a_cell_of_its_own() -> None:
    assert len(gather(runs([(0, 0, 0, 0, 1.0), (0, 0, 0, 1, 1.0)]))) == 2


def test_a_value_above_the_link_is_left_out() -> None:
    given_runs = runs([(0, 0, 0, 0, 1.0), (0, 1, 0, 0, 1.5)], reach=1.0)
    assert over_the_link(given_runs).tolist() == [False, True]
    assert gather(given_runs).card.tolist() == [0]


def test_a_value_near_the_link_says_at_least_where_the_margin_begins() -> None:
    cells = gather(runs([(0, 0, 0, 0, 0.95), (0, 1, 0, 0, 0.5)], reach=1.0))
    assert cells.at_least.tolist() == [True, False]
    assert cells.log_value.tolist() == pytest.approx([0.88, 0.5])


def test_a_value_at_the_margin_says_at_least() -> None:
    assert gather(runs([(0, 0, 0, 0, 1.0 - DEFAULTS.link_margin)], reach=1.0)).at_least.tolist() == [True]


def test_a_learned_reach_goes_before_the_nominal_one() -> None:
    """Host 0 was seen to reach 0.9, host 1 was not."""
    given_runs = runs([(0, 0, 0, 0, 0.87), (0, 1, 1, 0, 0.87)], reach=1.0)
    cells = gather(given_runs, Links(np.array([0.9, np.nan, np.nan])))
    assert cells.at_least.tolist() == [True, False]
    assert cells.log_value.tolist() == pytest.approx([0.83, 0.87])


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 2, *[st.integers(-3, 3)] * 2), min_size=1, max_size=30))
def test_cells_are_in_order_hosts_never_seen_among_them(rows: list[tuple[int, int, int, int]]) -> None:
    cells = gather(runs([(*row, 1.0) for row in rows]))
    columns = (cells.model, cells.card, cells.host, cells.submitter)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == sorted(set(rows))


def test_repeats_tell_their_spread_from_three_on() -> None:
    """1, 2, 3 lie -1, 0, 1 from their median; sqrt(3/2) makes up for so few."""
    cells = gather(runs([(0, 0, 0, 0, value) for value in (1.0, 2.0, 3.0)] + [(0, 1, 0, 0, 9.0)]))
    assert cells.repeat_residuals.tolist() == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])


def test_repeats_at_their_link_tell_no_spread() -> None:
    cells = gather(runs([(0, 0, 0, 0, value) for value in (0.94, 0.96, 0.98)], reach=1.0))
    assert cells.at_least.tolist() == [True] and cells.repeat_residuals.tolist() == []


def test_no_runs_are_no_cells() -> None:
    assert len(gather(runs([]))) == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_missing_must_be_left_out_before(value: float) -> None:
    with pytest.raises(ValueError, match="leave out what is missing"):
        runs([(0, 0, 0, 0, value)])


def test_columns_of_different_length_are_refused() -> None:
    run = runs([(0, 0, 0, 0, 1.0)])
    with pytest.raises(ValueError, match="differ in length"):
        type(run)(run.model, run.card, run.host, run.submitter, run.log_value, run.log_reach[:0])


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2), st.floats(-2, 1)),
    min_size=1,
    max_size=30,
)


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(rows, chance) -> None:
    whole = [(card // 2, card, host, submitter, value) for card, host, submitter, value in rows]
    first, second = (gather(runs(order, reach=0.5)) for order in (whole, chance.sample(whole, len(whole))))
    for name in first.__slots__:
        assert getattr(first, name).tolist() == getattr(second, name).tolist()


# A unit that must be wrong


def test_a_wrong_unit_is_seen_among_three_cards() -> None:
    runs = three_cards(1000.0, 1100.0, 900.0 * 1024)
    assert unit_suspected(runs).tolist() == [False, False, True]
    assert unit_suspected(three_cards(1000.0, 1100.0, 0.95)).tolist() == [False, False, True]


def test_a_slow_card_is_no_wrong_unit() -> None:
    assert not unit_suspected(three_cards(1000.0, 1100.0, 3.0)).any()


def test_cards_far_apart_are_no_wrong_unit() -> None:
    """3 is 333 times below the middle: not a thousand."""
    assert not unit_suspected(three_cards(1000.0, 5000.0, 3.0)).any()


def test_many_runs_of_one_card_have_one_voice() -> None:
    nothing, card = np.zeros(5, dtype=np.int64), np.array([0, 0, 0, 1, 2])
    values = np.log([1.0, 1.0, 1.0, 1000.0, 1000.0])
    suspected = unit_suspected(Runs(nothing, card, nothing, nothing, values, np.full(5, np.inf)))
    assert suspected.tolist() == [True, True, True, False, False]


def three_cards(*values: float) -> Runs:
    nothing, card = np.zeros(3, dtype=np.int64), np.arange(3)
    return Runs(nothing, card, nothing, nothing, np.log(values), np.full(3, np.inf))
