"""On the starter data the order of models on a board agrees with measurements made side by side on it."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.bench import real_crowd, truth_checks
from tests.bench.truth_checks import LEADING, Truth

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def truths() -> list[Truth]:
    """Return a list that keeps the result of the check for all tests, because the check takes seconds."""
    return []


@pytest.fixture
def truth(truths: list[Truth], load_starter: Callable[[], None]) -> Truth:
    if not truths:
        load_starter()
        truths.append(truth_checks.check(real_crowd.gather_world()))
    return truths[0]


@pytest.mark.parametrize("board", ["raspberry-pi-4", "raspberry-pi-5"])
def test_the_leading_ability_contradicts_no_pair_of_the_same_bench(truth: Truth, board: str) -> None:
    pairs = [pair for pair in truth.pairs if (pair.bench.slot, pair.bench.ability) == (board, LEADING)]
    wrong = [pair for pair in truth.contradicted if pair in pairs]
    assert len(pairs) > 20 and not wrong


def test_few_pairs_of_any_ability_are_contradicted(truth: Truth) -> None:
    pairs, wrong = (Counter(pair.bench.slot for pair in some) for some in (truth.pairs, truth.contradicted))
    assert {slot: wrong[slot] / count for slot, count in pairs.items() if wrong[slot] > 0.05 * count} == {}


def test_nothing_is_printed_above_its_bus(truth: Truth) -> None:
    assert truth.values_above_bus == []


def test_what_was_measured_on_a_board_lies_in_its_interval(truth: Truth) -> None:
    inside = sum(value.is_inside for value in truth.here)
    assert len(truth.here) > 200 and inside >= 0.93 * len(truth.here)


def test_small_writes_predict_sources_that_are_left_out(truth: Truth) -> None:
    assert truth.leading.pairs == 40 and truth.leading.right >= 28
    assert min(tally.lead for tally in truth.left_out.values()) >= -1
