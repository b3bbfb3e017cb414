"""What the card in the shop will probably do."""

from dataclasses import replace

import numpy as np
import pytest

from submissions.domain.judgement.cells import gather
from submissions.domain.judgement.predicted import Predicted, crowd_cards, predict
from tests.submissions.domain.judgement.small import NO_TRAITS, PLAIN, SPREADS, estimate, runs, surroundings

# Cards of the crowd: as a normal of 0.2.
NORMAL = replace(SPREADS, cards=tuple(0.2 * np.random.default_rng(1).standard_normal(2000)))


def predicted(values: list[float], spreads=NORMAL) -> Predicted:
    """Of one model, each card on a host of its own that is known exactly."""
    rows = [(0, card, card % 4, card, value) for card, value in enumerate(values)]
    around = surroundings(spreads=spreads)
    estimates = estimate(gather(runs(rows)), around, traits=NO_TRAITS, cards=len(rows), parameters=PLAIN)
    return predict([(estimates, spreads)], np.zeros(len(rows), dtype=np.int64))[0]


def test_figures_in_one_go_are_each_by_itself() -> None:
    """Three cards of two models; of the second figure one was not measured, and its crowd has told nothing."""
    models = np.array([0, 0, 1])
    figures = []
    for values, spreads in (([0.1, -0.6, 0.3], NORMAL), ([0.0, 0.2], SPREADS)):
        rows = [(int(models[card]), card, card % 4, card, value) for card, value in enumerate(values)]
        around = surroundings(spreads=spreads)
        traits = np.zeros((2, 0), dtype=np.int64)
        figures.append(
            (estimate(gather(runs(rows)), around, traits=traits, cards=3, parameters=PLAIN), spreads)
        )
    together = predict(figures, models)
    for figure, of_figure in zip(figures, together, strict=True):
        alone = predict([figure], models)[0]
        for column in ("lower", "upper", "slow"):
            assert getattr(of_figure, column).tolist() == pytest.approx(getattr(alone, column).tolist())
    assert together[0].slow[0] > together[0].slow[1]


def test_it_works() -> None:
    """Fifty cards that scatter by 0.2: the mean is known well, the next card within 1.96 · 0.2."""
    next_card = predicted((0.2 * np.random.default_rng(2).standard_normal(50)).tolist())
    assert next_card.lower[0] == pytest.approx(-0.39, abs=0.12)
    assert next_card.upper[0] == pytest.approx(0.39, abs=0.12)


def test_one_card_says_little_of_the_next() -> None:
    few, many = predicted([0.0]), predicted([0.0] * 40)
    assert few.upper[0] - few.lower[0] > many.upper[0] - many.lower[0]


def test_a_hidden_mix_is_wide_and_half_of_it_slow() -> None:
    """Half of the cards do a third of the others: nobody can tell them apart, but that a card may be either is said."""
    mixed, plain = predicted([0.5, -0.5] * 20), predicted([0.0] * 40)
    assert mixed.lower[0] < -0.45 and mixed.upper[0] > 0.45
    assert mixed.slow[0] == pytest.approx(0.5, abs=0.1)
    assert plain.slow[0] < 0.1


def test_before_any_crowd_odd_cards_are_expected_to_be_slow() -> None:
    next_card = predicted([0.0] * 3, spreads=SPREADS)
    assert -next_card.lower[0] > next_card.upper[0]


def test_of_few_cards_the_crowd_learns_nothing() -> None:
    cells = gather(runs([(0, 0, 0, 0, 1.0)]))
    single = estimate(cells, surroundings(), traits=NO_TRAITS, cards=1, parameters=PLAIN)
    assert crowd_cards(single, np.zeros(1, dtype=np.int64)) == ()
