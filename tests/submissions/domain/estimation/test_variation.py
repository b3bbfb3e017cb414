"""Tests of the search for models with cards that differ.

Such models are found, but not if only one person or one odd card shows the difference.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from submissions.domain.estimation.estimates import CardValues
from submissions.domain.estimation.variation import (
    Difference,
    Findings,
    Usual,
    find_variation,
    learn_usual,
)
from submissions.domain.estimation.voices import CardFacts

CARD_VARIANCE, ERROR = 0.008, 0.002
USUAL = Usual((CARD_VARIANCE,), (1.0,), 0.01, 0.001)
FAST, SLOW = [0.0, 0.02, -0.02], [-0.7, -0.72, -0.68]
SIDES = [7, 7, 7, 9, 9, 9]


def card_values(values: Sequence[float] | Any, model: Any = None, hidden: Any = ()) -> CardValues:
    number = np.arange(len(values))
    is_hidden = np.isin(number, list(hidden))
    models = 0 * number if model is None else np.asarray(model)
    return CardValues(
        0 * number, number, models, np.asarray(values, float), np.full(len(number), ERROR), is_hidden
    )


def find(
    values: Sequence[float], variants: Sequence[int], people: Any = None, *, known: Any = True, **more: Any
) -> Findings:
    """Return the variation of one model. By default each card has a person of its own, and everybody has a record."""
    person = np.arange(len(values)) if people is None else np.array(people)
    facts = CardFacts(np.array(variants), person, np.broadcast_to(known, len(values)))
    return find_variation(card_values(values, **more), facts, USUAL)


def test_it_works() -> None:
    """The usual scatter of six voices: the worst voice is left out, and two centres are subtracted.

    So d = 6 - 1 - 2 = 3, and m = 3 x 0.02² / 0.01 / 3.
    """
    ((row,),) = find(FAST + SLOW, SIDES).varies.values()
    assert (row.faster, row.slower, row.cards, row.people) == (7, 9, (3, 3), (3, 3))
    assert row.ratio == pytest.approx(np.exp(0.7))
    own = 3 * 0.0004 / 0.01 / 3
    error = 1.25 * ((8 + 3 * own) / 11 * 2 * 0.01 / 3) ** 0.5
    assert np.log(row.ratio / row.lower_ratio) == pytest.approx(2.2010 * error, rel=1e-4)
    assert row.firm_ratio == pytest.approx(np.exp(-0.02 + 0.68))


def test_cards_of_one_silicon_are_no_difference() -> None:
    assert not find([0.0] * 6, SIDES).varies


def test_a_difference_nobody_notices_is_not_flagged() -> None:
    """The ratio is 1.2, below the least ratio of 1.25, and very certain."""
    assert not find([0.0] * 200 + [-np.log(1.2)] * 200, [7] * 200 + [9] * 200).varies


def test_one_slow_card_does_not_flag_a_model() -> None:
    assert not find([0.0, 0.0, 0.0, 0.0, -2.5], [7, 7, 7, 9, 9]).varies


def test_one_card_is_no_side() -> None:
    assert not find([*FAST, -0.7], [7, 7, 7, 9]).varies


def test_one_person_does_not_flag_a_model() -> None:
    assert not find(FAST + SLOW, SIDES, [1, 2, 3, 4, 4, 4]).varies


def test_a_person_with_many_cards_has_one_voice() -> None:
    values = [*FAST, -0.7, *[-0.02, 0.0] * 10]
    assert not find(values, [7] * 3 + [9] * 21, [1, 2, 3, 4, *[5, 5] * 10]).varies


def test_silicon_that_only_strangers_have_seen_does_not_flag_a_model() -> None:
    many = FAST + SLOW * 20
    variants, known = [7] * 3 + [9] * 60, np.arange(63) < 3
    assert not find(many, variants, known=known).varies
    assert find(many, variants, known=known | (np.arange(63) == 3)).varies


def test_a_card_with_unread_registers_is_on_no_side() -> None:
    assert not find(FAST + SLOW, [7, 7, 7, -1, -1, -1]).varies


def test_two_odd_cards_of_three_do_not_flag_a_model() -> None:
    assert not find([*FAST, -0.7, -0.72, 0.01], SIDES).varies
    assert find([*FAST, *SLOW, -0.7, 0.01], [*SIDES, 9, 9]).varies


def test_a_side_that_links_hide_is_not_compared() -> None:
    for hidden, flagged in ((3, True), (4, False)):
        values, variants = [*FAST, *SLOW, *[9.0] * hidden], [*SIDES, *[9] * hidden]
        assert bool(find(values, variants, hidden=range(6, 6 + hidden)).varies) is flagged


def test_the_order_of_cards_does_not_matter() -> None:
    order = np.random.default_rng(2).permutation(6)
    shuffled = find(list(np.array(FAST + SLOW)[order]), list(np.array(SIDES)[order]), order)
    assert shuffled.varies[0][0] == find(FAST + SLOW, SIDES).varies[0][0]


def test_cards_that_look_alike_but_scatter_are_suspected() -> None:
    values = [0.0, 0.02, -0.02, 0.01, -0.8, -0.82, -0.78, -0.81]
    findings = find(values, [7] * 8)
    assert not findings.varies
    ((row,),) = findings.suspected.values()
    assert (row.cards, row.people) == (8, 8)
    assert row.span_ratio == pytest.approx(2.27, abs=0.02)


def test_the_worst_card_raises_no_suspicion() -> None:
    assert not find([0.0, 0.01, -0.01, 0.02, -0.02, -3.0], [7] * 6).suspected


def crowd_of(models: int, seed: int, gap: float) -> tuple[CardValues, CardFacts]:
    """Return models with three cards of each of two silicons, which differ in the first tenth of the models."""
    chance = np.random.default_rng(seed)
    model, silicon = np.repeat(np.arange(models), 6), np.tile([0, 0, 0, 1, 1, 1], models)
    value = 0.1 * chance.standard_normal(6 * models) - gap * ((model < models // 10) & (silicon == 1))
    return card_values(value, model), CardFacts(silicon, np.arange(6 * models), np.ones(6 * models, bool))


def test_a_full_fit_finds_those_that_differ() -> None:
    values, facts = crowd_of(400, seed=4, gap=0.8)
    varies = set(find_variation(values, facts, learn_usual(values, facts, np.array([CARD_VARIANCE]))).varies)
    assert len(varies & set(range(40))) >= 38
    assert len(varies - set(range(40))) <= 1


def test_where_nothing_differs_nothing_is_found() -> None:
    values, facts = crowd_of(400, seed=5, gap=0.0)
    findings = find_variation(values, facts, learn_usual(values, facts, np.array([CARD_VARIANCE])))
    assert (findings.varies, findings.suspected) == ({}, {})


def test_one_model_alone_is_judged_as_among_all() -> None:
    values, facts = crowd_of(100, seed=6, gap=0.8)
    usual = learn_usual(values, facts, np.array([CARD_VARIANCE]))
    own = slice(12, 18)
    one = CardFacts(facts.variant[own], facts.person[own], facts.is_known[own])
    assert (
        find_variation(card_values(values.value[own]), one, usual).varies[0]
        == find_variation(values, facts, usual).varies[2]
    )


def test_before_the_first_fit_and_without_cards_nothing_is_found() -> None:
    values, facts = card_values(FAST + SLOW), CardFacts(np.array(SIDES), np.arange(6), np.ones(6, bool))
    assert not find_variation(values, facts, Usual((CARD_VARIANCE,), (1.0,))).varies
    nothing = CardFacts(np.zeros(0, int), np.zeros(0, int), np.zeros(0, bool))
    assert find([], []) == Findings({}, {})
    assert learn_usual(card_values([]), nothing, np.array([CARD_VARIANCE])).varies_below == 0


@pytest.mark.parametrize(
    ("ratio", "lower", "firm", "matters"),
    [(1.25, 1.1, 1.1, True), (1.24, 1.1, 1.1, False), (1.25, 1.09, 1.1, False), (1.25, 1.1, 1.09, False)],
)
def test_a_difference_matters_by_size_by_certainty_and_if_cards_hardly_overlap(
    ratio: float, lower: float, firm: float, matters: bool
) -> None:
    assert Difference(0, 1, 2, (3, 3), (3, 3), ratio, lower, 2.0, firm, 1e-6).matters is matters
