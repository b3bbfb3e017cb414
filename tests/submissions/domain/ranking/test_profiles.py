"""Profiles: what a card is used for, as shares of figures that the registry knows."""

from itertools import combinations

import pytest

from submissions.domain.measuring import metrics
from submissions.domain.ranking.uses import DEFAULT, Profile, Term, all_profiles

every_profile = pytest.mark.parametrize("profile", all_profiles().values(), ids=lambda profile: profile.name)


def test_it_works() -> None:
    camera = all_profiles()["camera"]
    # The weights add up to 100.
    assert [(term.figure, term.share) for term in camera.terms] == [
        ("seq_write", 0.20),
        ("seq_write_synced", 0.15),
        ("fill_write", 0.15),
        ("seq_write_qd32", 0.15),
        ("open_au_write_osync", 0.15),
        ("seq_read", 0.06),
        ("seq_read_cold", 0.04),
        ("fill_read", 0.04),
        ("seq_read_qd32", 0.06),
    ]


def test_the_default_is_a_profile_and_comes_first() -> None:
    assert next(iter(all_profiles())) == DEFAULT


def test_a_term_of_no_known_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="rand_write_8k"):
        Term("rand_write_8k", share=1.0, reference=500.0, spread=0.5)


@every_profile
def test_the_shares_of_a_profile_are_one_whole(profile: Profile) -> None:
    assert sum(term.share for term in profile.terms) == pytest.approx(1.0)
    assert all(term.share > 0 for term in profile.terms)


@every_profile
def test_a_figure_counts_once(profile: Profile) -> None:
    assert len({term.figure for term in profile.terms}) == len(profile.terms)


@every_profile
def test_every_term_can_be_reckoned_with(profile: Profile) -> None:
    assert all(term.reference > 0 and term.spread > 0 for term in profile.terms)


@every_profile
def test_a_profile_says_where_its_weights_come_from(profile: Profile) -> None:
    assert profile.title and profile.source and profile.version >= 1


def test_one_figure_has_one_reference_everywhere() -> None:
    for profile, other in combinations(all_profiles().values(), 2):
        theirs = {term.figure: (term.reference, term.spread) for term in other.terms}
        for term in profile.terms:
            assert theirs.get(term.figure, (term.reference, term.spread)) == (term.reference, term.spread)


@every_profile
def test_a_higher_value_is_the_better_one_in_every_term(profile: Profile) -> None:
    """A score is a mean of ratios to the reference: a figure where less is better would turn it round."""
    directions = {metrics.METRICS[metrics.FIGURES[term.figure].metric].better for term in profile.terms}
    assert directions == {"higher"}
