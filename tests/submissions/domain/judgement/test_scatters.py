"""Scatter among cards that no register tells apart."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import f

from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.judgement.scatters import scatters
from submissions.domain.judgement.sides import CardFacts, Values

CARDS = 8


def scatter(freedom: float, *, runs: int = 2, enough: int = DEFAULTS.suspected_cards):
    """Of eight cards of one silicon, 0.5 apart, where a spread of 0.2 is expected of a pool of this freedom."""
    facts = CardFacts(np.zeros(CARDS, int), np.full(CARDS, 7), np.arange(CARDS))
    value = np.array([0.5 * card for card in range(CARDS)])
    values = Values(value, np.full(CARDS, 0.04), np.ones(CARDS), np.full(CARDS, runs))
    return scatters(
        facts,
        {"seq_read": values},
        {"seq_read": Prior(freedom, 1.0)},
        replace(DEFAULTS, suspected_cards=enough),
    )


@pytest.mark.parametrize("freedom", [4.0, 12.0])
def test_the_pool_is_as_sure_as_its_freedom(freedom: float) -> None:
    """F of the seven cards that are left without the worst, around one centre."""
    ((row,),) = scatter(freedom).values()
    assert row.p_value == pytest.approx(f.sf(row.strength, 6, freedom))
    assert row.span_ratio == pytest.approx(np.exp(0.8 * 3.5))


def test_no_pool_is_believed_to_be_surer_than_thirty_cards() -> None:
    ((row,),) = scatter(200.0).values()
    assert row.p_value == pytest.approx(f.sf(row.strength, 6, 30))


def test_a_model_is_suspected_from_so_many_cards_on() -> None:
    assert len(scatter(4.0, enough=CARDS)) == 1
    assert scatter(4.0, enough=CARDS + 1) == {}


def test_cards_measured_once_tell_no_scatter() -> None:
    assert scatter(4.0, runs=1) == {}
