"""Scores: hand-computed once, and then what must hold whatever was measured."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.profiles import Profile, Term, all_profiles
from submissions.domain.ranking import Score, score

ONE = Profile("one", "One figure", 1, "a test", (Term("rand_read_4k", 1.0, 1000.0, 0.5),))
TWO = Profile(
    "two",
    "Two figures",
    1,
    "a test",
    (Term("rand_read_4k", 0.75, 1000.0, 0.5), Term("rand_write_4k", 0.25, 500.0, 1.0)),
)
PI = all_profiles()["pi-root"]


def scored(
    figures: dict[str, list[float]], *, profile: Profile = ONE, cards: int | None = None, submitters: int = 1
) -> Score:
    found = score(profile, figures, cards=cards or max(map(len, figures.values())), submitters=submitters)
    assert found is not None
    return found


def test_it_works() -> None:
    """One card at twice the reference; s = 0.25, t = 0.5.

    n / s² = 16, 1 / t² = 4: m = 16 ln 2 / 20 = 0.8 ln 2, v = 1 / 20, sd = 0.2236068.
    value = 100 · 2^0.8 = 174.1101; half = 1.96 · 0.2236068 · 1.5 = 0.6574040; exp(half) = 1.9297761.
    """
    found = scored({"rand_read_4k": [2000.0]})

    assert found.value == pytest.approx(174.1101, abs=1e-4)
    assert found.lower == pytest.approx(90.2230, abs=1e-3)
    assert found.upper == pytest.approx(335.9934, abs=1e-3)
    assert (found.cards, found.submitters, found.covered, found.terms) == (1, 1, 1, 1)


def test_four_cards_say_more_than_one() -> None:
    """n / s² = 64, 1 / t² = 4: m = 64 ln 2 / 68 = 0.9411765 ln 2, v = 1 / 68, sd = 0.1212678.

    value = 100 · 2^0.9411765 = 192.0093; half = 1.96 · 0.1212678 · 1.25 = 0.2971061; exp(half) = 1.3459577.
    """
    found = scored({"rand_read_4k": [2000.0] * 4})

    assert found.value == pytest.approx(192.0093, abs=1e-4)
    assert found.lower == pytest.approx(142.6563, abs=1e-3)
    assert found.upper == pytest.approx(258.4364, abs=1e-3)


def test_two_figures_are_weighed_by_their_shares() -> None:
    """Reads twice the reference, writes half of it: m = 0.8 ln 2 and, with 1 / t² = 1, -(16 / 17) ln 2.

    Σ w m = (0.75 · 0.8 - 0.25 · 0.9411765) ln 2 = 0.3647059 ln 2; variance 0.75² / 20 + 0.25² / 17 = 0.0318015.
    """
    found = scored({"rand_read_4k": [2000.0], "rand_write_4k": [250.0]}, profile=TWO)

    assert found.value == pytest.approx(100 * 2**0.3647059, rel=1e-6)
    assert math.log(found.upper / found.value) == pytest.approx(1.96 * 1.5 * math.sqrt(0.0318015), rel=1e-5)


def test_the_reference_card_scores_100() -> None:
    reference = {term.figure: [term.reference] for term in PI.terms}
    assert scored(reference, profile=PI).value == pytest.approx(100.0)


@pytest.mark.parametrize("figures", [{}, {"rand_read_4k": []}, {"seq_read": [40e6]}])
def test_nothing_known_is_no_score(figures: dict[str, list[float]]) -> None:
    assert score(ONE, figures, cards=0, submitters=0) is None


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_what_is_no_measurement_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="math domain"):
        scored({"rand_read_4k": [value]})


# How sure is it?


@pytest.mark.parametrize(
    ("cards", "submitters", "state"),
    [
        (1, 1, "early"),
        (2, 2, "early"),
        (3, 1, "early"),
        (100, 1, "early"),
        (3, 2, "ranked"),
        (7, 7, "ranked"),
        (8, 2, "solid"),
    ],
)
def test_the_state_counts_cards_and_submitters(cards: int, submitters: int, state: str) -> None:
    assert scored({"rand_read_4k": [1000.0]}, cards=cards, submitters=submitters).state == state


def width(found: Score) -> float:
    return math.log(found.upper / found.lower)


def test_every_further_card_narrows_the_interval() -> None:
    widths = [width(scored({"rand_read_4k": [1200.0] * cards})) for cards in range(1, 30)]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == len(widths)


def test_further_cards_bring_the_score_to_what_they_say() -> None:
    values = [scored({"rand_read_4k": [2000.0] * cards}).value for cards in range(1, 200)]
    assert values == sorted(values)
    assert 199 < values[-1] < 200


def test_an_uncertain_prior_is_not_believed_in_both_directions() -> None:
    """Ten times better and ten times worse are the same distance from 100."""
    better, worse = (scored({"rand_read_4k": [value]}) for value in (10_000.0, 100.0))
    assert better.value * worse.value == pytest.approx(100**2)
    assert better.upper * worse.lower == pytest.approx(100**2)


# A figure nobody measured

good_cards = st.fixed_dictionaries(
    {
        term.figure: st.lists(st.floats(1, 1000).map(term.reference.__mul__), min_size=1, max_size=4)
        for term in PI.terms
    }
)
figure_names = st.sampled_from([term.figure for term in PI.terms])


@given(good_cards, figure_names)
def test_leaving_out_a_figure_no_worse_than_the_reference_never_helps(
    figures: dict[str, list[float]], left_out: str
) -> None:
    rest = {name: values for name, values in figures.items() if name != left_out}
    known, unknown = (scored(found, profile=PI, cards=4) for found in (figures, rest))

    assert width(unknown) > width(known)
    assert unknown.value <= known.value * (1 + 1e-12)
    assert unknown.lower < known.lower
    assert (known.covered, unknown.covered) == (10, 9)


def test_a_figure_nobody_measured_is_taken_for_the_reference() -> None:
    """What is left out is neither dropped nor 0: 0.8 ln 2 of 75 % and nothing of the other 25 %."""
    found = scored({"rand_read_4k": [2000.0]}, profile=TWO)
    assert found.value == pytest.approx(100 * 2**0.6)
    assert (found.covered, found.terms) == (1, 2)


def test_leaving_out_a_bad_figure_brings_the_score_nearer_to_100_and_less_certain() -> None:
    """Known limit of the method: the score of a bad card rises, but never above the reference."""
    bad = {term.figure: [term.reference / 10] for term in PI.terms}
    told = scored(bad, profile=PI)
    withheld = scored({"seq_read": bad["seq_read"]}, profile=PI)
    assert told.value < withheld.value < 100
    assert width(withheld) > 2 * width(told)


# Whatever was measured: twelve orders of magnitude

any_cards = st.dictionaries(
    figure_names,
    st.lists(st.floats(-6, 6).map(lambda power: 1e3 * 10**power), min_size=1, max_size=12),
    min_size=1,
)


@given(any_cards)
def test_the_value_lies_between_its_bounds(figures: dict[str, list[float]]) -> None:
    found = scored(figures, profile=PI)
    assert 0 < found.lower < found.value < found.upper < math.inf


@given(any_cards, st.randoms(use_true_random=False))
def test_the_order_of_cards_does_not_matter(figures: dict[str, list[float]], chance: random.Random) -> None:
    shuffled = {name: chance.sample(values, len(values)) for name, values in figures.items()}
    backwards = dict(reversed(shuffled.items()))
    assert scored(backwards, profile=PI) == scored(figures, profile=PI)


@given(any_cards, figure_names, st.floats(1.001, 1000))
def test_a_better_figure_never_makes_a_worse_score(
    figures: dict[str, list[float]], name: str, better: float
) -> None:
    first = figures | {name: figures.get(name, [1000.0])}
    second = first | {name: [value * better for value in first[name]]}
    assert scored(second, profile=PI).value > scored(first, profile=PI).value


@given(any_cards)
def test_the_unit_of_a_figure_does_not_matter(figures: dict[str, list[float]]) -> None:
    """A geometric mean of ratios: cards and reference in kilo-units give the same score."""
    terms = tuple(Term(term.figure, term.share, term.reference / 1000, term.spread) for term in PI.terms)
    kilo = Profile("kilo", "In thousands", 1, "a test", terms)
    thousandths = {name: [value / 1000 for value in values] for name, values in figures.items()}
    assert scored(thousandths, profile=kilo).value == pytest.approx(scored(figures, profile=PI).value)
