"""Tests of results that people have reformatted: each is read like the original text, or not at all."""

import pytest

from tests import dressings

BARE = list(dressings.bare_texts())
OUTCOMES = dressings.outcomes()


@pytest.mark.parametrize("bare", BARE, ids=lambda bare: bare.tool)
def test_a_bare_text_is_read(bare: dressings.Bare) -> None:
    assert dressings.meanings(bare.text)


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: f"{outcome.tool} {outcome.dressing}")
def test_no_dressing_makes_a_text_misread(outcome: dressings.Outcome) -> None:
    assert outcome.wrong == ()


def test_most_dressed_texts_are_read_like_the_bare_ones() -> None:
    assert (len(BARE), len(dressings.DRESSINGS)) == (16, 15)
    assert len(OUTCOMES) >= 186
    assert sum(outcome.sign == "=" for outcome in OUTCOMES) >= 160
