"""Just at the numbers of the judgement: how many runs, cells and models are enough, and which of two rules decides."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from submissions.domain.judgement import engine
from submissions.domain.judgement.crowd import CrowdFigure
from submissions.domain.judgement.flags import Scatter
from submissions.domain.judgement.inputs import Evidence
from submissions.domain.judgement.link_limits import learn
from submissions.domain.judgement.moderation import Prior, threshold
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.scatters import wide
from submissions.domain.judgement.sides import CardFacts, Values
from submissions.domain.judgement.variation import Pool, compare, find
from tests.submissions.domain.judgement.small import runs, surroundings


def test_fifteen_runs_show_a_link() -> None:
    """Half of them end at 0.1, the others lie far below."""
    rows = [(card, card, 0, card, 0.1 if card % 2 else -2.0 + card / 30) for card in range(15)]
    assert learn([runs(rows)], hosts=1).log_reach[0] == pytest.approx(0.1)
    assert np.isnan(learn([runs(rows[1:])], hosts=1).log_reach[0])


def test_a_suspicion_is_wide_and_sure() -> None:
    rows = [
        Scatter("a", 8, 1.6, 3.0, 0.0009),
        Scatter("b", 8, 2.0, 3.0, 0.001),
        Scatter("c", 8, 1.59, 3.0, 1e-9),
        Scatter("d", 8, 3.0, 3.0, 0.0001),
    ]
    assert [row.figure for row in wide(rows, DEFAULTS)] == ["d", "a"]


def test_only_cards_measured_twice_are_suspected() -> None:
    values = [0.0, 0.02, -0.02, 0.01, -0.8, -0.82, -0.78, -0.81, 3.0, -3.0]
    twice = np.array([2] * 8 + [1] * 2)
    cards = CardFacts(np.zeros(10, dtype=np.int64), np.full(10, 7), np.arange(10))
    figure = Values(np.array(values), np.full(10, 0.01), np.ones(10), twice)
    pool = Pool({"writing": Prior(8.0, 1.0)}, {"writing": Prior(50.0, 1.0)}, 0.01, 0.01)
    ((row,),) = find(cards, compare(cards, {"writing": figure}, pool), pool).suspected.values()
    assert row.cards == 8


def crowd_fit(models: int, cards: int, **parameters: Any) -> tuple[CrowdFigure, engine.CrowdFit]:
    """What was usual, and what a full fit makes of so many cards of so many models, each measured once."""
    rows = [(card % models, card, card % 4, card, 3.0 + (card % models) / 10) for card in range(cards)]
    given, usual = runs(rows), surroundings()
    facts = CardFacts(given.model, np.full(cards, -1), np.arange(cards))
    traits = np.zeros((models, 0), dtype=np.int64)
    fit, _ = engine.learn(
        Evidence({"free": given}, {"free": np.arange(cards)}, traits, facts),
        host_types=np.zeros(4, dtype=np.int64),
        linked=["free"],
        prior={"free": usual},
        standing_flags={},
        parameters=replace(DEFAULTS, **parameters),
    )
    return usual, fit


@pytest.mark.parametrize(
    ("models", "cards", "learned"), [(5, 6, True), (5, 5, False), (4, 6, False), (11, 40, True)]
)
def test_six_cells_of_five_models_are_enough_to_learn_from(models: int, cards: int, learned: bool) -> None:
    usual, fit = crowd_fit(models, cards)
    assert (fit.figures["free"] is not usual) == learned


def test_parameters_reach_the_links() -> None:
    """Ten runs on every host, and whatever lies at the top counts as a pile: a link, as soon as ten are enough."""
    anything = {"piled_models": 1, "piled_share": 0.0, "piled_ratio": 0.0}
    for least, seen in ((10, True), (11, False)):
        _, fit = crowd_fit(10, 40, piled_runs=least, **anything)
        assert np.isfinite(fit.links["free"].log_reach[:4]).all() == seen


def test_of_one_model_the_share_itself_is_the_threshold() -> None:
    assert threshold(np.array([0.04]), 0.05) == 0.04
    assert threshold(np.array([0.06]), 0.05) == 0.0
