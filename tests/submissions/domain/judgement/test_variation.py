"""Same name, different card: found where it is, not where it is not, and by nobody alone."""

from dataclasses import replace

import numpy as np
import pytest

from submissions.domain.judgement.flags import Difference
from submissions.domain.judgement.moderation import Prior
from submissions.domain.judgement.sides import CardFacts, Values
from submissions.domain.judgement.variation import Findings, Pool, compare, find, matters, survey

POOL = Pool({"writing": Prior(8.0, 1.0)}, {"writing": Prior(50.0, 1.0)}, 0.01, 0.01)
VARIANCE = 0.01


def found(values, signatures, submitters=None, *, runs: int = 1, pool: Pool = POOL) -> Findings:
    """One model; every card of a submitter of its own unless told."""
    count = len(values)
    cards = CardFacts(
        np.zeros(count, dtype=np.int64),
        np.array(signatures),
        np.array(submitters if submitters is not None else range(count)),
    )
    figure = Values(
        np.array(values), np.full(count, VARIANCE), np.ones(count), np.full(count, runs, dtype=np.int64)
    )
    return find(cards, compare(cards, {"writing": figure}, pool), pool)


FAST, SLOW = [0.0, 0.02, -0.02], [-0.7, -0.72, -0.68]
SIDES = [7, 7, 7, 9, 9, 9]


def test_it_works() -> None:
    """e^0.7 = 2.01; se = 1.05 sqrt(s² (0.01 / 3 + 0.01 / 3)) with s² borrowed: (8 + 0.16) / 12 = 0.68."""
    ((row,),) = found(FAST + SLOW, SIDES).varies.values()
    assert (row.faster, row.slower, row.cards, row.submitters) == (7, 9, (3, 3), (3, 3))
    assert row.ratio == pytest.approx(np.exp(0.7))
    error = 1.05 * (0.68 * 2 * VARIANCE / 3) ** 0.5
    assert np.log(row.ratio / row.lower_ratio) == pytest.approx(2.1788 * error, rel=1e-4)
    assert row.firm_ratio == pytest.approx(np.exp(-0.01 + 0.69))


def test_cards_of_one_silicon_are_no_difference() -> None:
    assert not found([0.0] * 6, SIDES).varies


def test_a_difference_nobody_notices_is_not_flagged() -> None:
    """Ratio 1.2, however sure."""
    assert not found([0.0] * 200 + [-np.log(1.2)] * 200, [7] * 200 + [9] * 200).varies


def test_one_slow_card_does_not_flag_a_model() -> None:
    assert not found([0.0, 0.0, 0.0, 0.0, -2.5], [7, 7, 7, 9, 9]).varies


def test_one_card_is_no_side() -> None:
    assert not found([*FAST, -0.7], [7, 7, 7, 9]).varies


def test_one_submitter_does_not_flag_a_model() -> None:
    assert not found(FAST + SLOW, SIDES, [1, 2, 3, 4, 4, 4]).varies


@pytest.mark.parametrize("figures", [1, 2])
@pytest.mark.parametrize("people", [2, 3])
def test_two_people_are_believed_where_two_figures_differ(figures: int, people: int) -> None:
    """A writer of slow cards whose reads are as those of the others may be two odd cards; three in a row are not."""
    names = ["writing", "reading"]
    pool = replace(POOL, between=dict.fromkeys(names, Prior(8.0, 1.0)), varies_below=0.01)
    signatures = np.array([7] * 6 + [9] * people)
    cards = CardFacts(np.zeros(len(signatures), dtype=np.int64), signatures, np.arange(len(signatures)))
    values = {
        name: Values(
            np.where((signatures == 9) & (at < figures), -0.7, 0.0),
            np.full(len(signatures), VARIANCE),
            np.ones(len(signatures)),
            np.ones(len(signatures), dtype=np.int64),
        )
        for at, name in enumerate(names)
    }
    varies = find(cards, compare(cards, values, pool), pool).varies
    assert bool(varies) == (figures == 2 or people == 3)


def test_a_card_whose_registers_nobody_saw_is_on_no_side() -> None:
    assert not found(FAST + SLOW, [7, 7, 7, -1, -1, -1]).varies


def test_what_was_not_measured_does_not_disturb() -> None:
    ((row,),) = found([*FAST, *SLOW, np.nan], [*SIDES, 9]).varies.values()
    assert row.cards == (3, 3)


def test_the_order_of_cards_does_not_matter() -> None:
    order = np.random.default_rng(2).permutation(6)
    shuffled = found(np.array(FAST + SLOW)[order], np.array(SIDES)[order], order)
    assert shuffled.varies[0][0].ratio == pytest.approx(found(FAST + SLOW, SIDES).varies[0][0].ratio)


def test_cards_that_look_alike_but_scatter_are_suspected() -> None:
    values = [0.0, 0.02, -0.02, 0.01, -0.8, -0.82, -0.78, -0.81]
    assert not found(values, [7] * 8, runs=2).varies
    ((row,),) = found(values, [7] * 8, runs=2).suspected.values()
    assert row.cards == 8
    assert row.span_ratio == pytest.approx(2.27, abs=0.02)


def test_single_runs_raise_no_suspicion() -> None:
    assert not found([0.0, 0.0, 0.0, -0.8, -0.8, -0.8], [7] * 6, runs=1).suspected


def test_the_worst_card_alone_raises_no_suspicion() -> None:
    assert not found([0.0, 0.01, -0.01, 0.02, -0.02, -3.0], [7] * 6, runs=2).suspected


def crowd_of(models: int, seed: int, gap: float) -> tuple[CardFacts, dict[str, Values]]:
    """Models with three cards of each of two silicons; in the first tenth they differ."""
    chance = np.random.default_rng(seed)
    model, silicon = np.repeat(np.arange(models), 6), np.tile([0, 0, 0, 1, 1, 1], models)
    value = 0.1 * chance.standard_normal(6 * models) - gap * ((model < models // 10) & (silicon == 1))
    every = np.ones(6 * models)
    values = Values(value, VARIANCE * every, every, np.full(6 * models, 2))
    return CardFacts(model, silicon, np.arange(6 * models)), {"writing": values}


def test_a_pool_of_many_finds_those_that_differ() -> None:
    cards, figures = crowd_of(400, seed=4, gap=0.8)
    pool, compared = survey(cards, figures)
    varies = set(find(cards, compared, pool).varies)
    assert len(varies & set(range(40))) >= 38
    assert len(varies - set(range(40))) <= 1


def test_where_nothing_differs_nothing_is_found() -> None:
    cards, figures = crowd_of(400, seed=5, gap=0.0)
    pool, compared = survey(cards, figures)
    findings = find(cards, compared, pool)
    assert (findings.varies, findings.suspected) == ({}, {})


def test_one_model_alone_is_judged_as_among_all() -> None:
    cards, figures = crowd_of(100, seed=6, gap=0.8)
    pool, compared = survey(cards, figures)
    own = slice(12, 18)
    one = CardFacts(np.zeros(6, dtype=np.int64), cards.signature[own], cards.submitter[own])
    values = Values(*(getattr(figures["writing"], name)[own] for name in Values.__slots__))
    alone = find(one, compare(one, {"writing": values}, pool), pool)
    assert alone.varies[0] == find(cards, compared, pool).varies[2]


def test_a_stricter_pool_finds_less() -> None:
    assert not found(FAST + SLOW, SIDES, pool=replace(POOL, varies_below=1e-30)).varies


@pytest.mark.parametrize(
    ("ratio", "lower", "firm", "flagged"),
    [(1.25, 1.1, 1.25, True), (1.24, 1.1, 1.25, False), (1.25, 1.09, 1.25, False), (1.25, 1.1, 1.24, False)],
)
def test_a_difference_matters_by_size_by_certainty_and_without_its_extremes(
    ratio: float, lower: float, firm: float, flagged: bool
) -> None:
    row = Difference("seq_read", 1, 2, (3, 3), (3, 3), ratio, lower, 2.0, firm, 1e-6)
    assert matters(row) is flagged
