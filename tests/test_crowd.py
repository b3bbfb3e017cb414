"""The simulated crowd has the size, the seed and the kinds of trouble that were requested."""

import numpy as np
import pytest

from tests.crowd import crowd
from tests.worlds import NAMES, Manners, Size

SMALL = Size(models=100, hosts=10, runs=3000)


def test_it_works() -> None:
    drawn = crowd(1, SMALL)
    assert set(drawn.values) == set(drawn.truth) == set(NAMES)
    assert len(drawn.card) == len(drawn.submitter) >= SMALL.runs
    assert drawn.card.max() < drawn.cards == len(drawn.signature)
    assert (drawn.model == drawn.card_model[drawn.card]).all()


def test_a_seed_is_a_crowd() -> None:
    one, same, other = crowd(1, SMALL), crowd(1, SMALL), crowd(2, SMALL)
    assert np.array_equal(one.values["seq_read"], same.values["seq_read"], equal_nan=True)
    assert not np.array_equal(one.truth["seq_read"], other.truth["seq_read"])


def test_without_troubles_there_are_none() -> None:
    calm = crowd(1, SMALL, Manners(visible=0, hidden=0, wide=0, mistakes=False, spam=False))
    assert len(calm.card) == SMALL.runs
    assert not calm.kind.any()
    assert not calm.spammed.any()
    assert np.nanmax(calm.values["seq_read"]) < 1.2 * calm.host_link.max()


def test_mistakes_go_over_the_link_and_are_sent_twice() -> None:
    wild = crowd(1, SMALL, Manners(spam=False))
    assert np.nanmax(wild.values["seq_read"]) > 2 * wild.host_link.max()
    assert len(wild.card) > SMALL.runs


@pytest.mark.parametrize(("hides", "unknown"), [(True, True), (False, False)])
def test_readers_may_hide_the_registers(hides: bool, unknown: bool) -> None:
    drawn = crowd(1, SMALL, Manners(readers_hide_cid=hides))
    assert (drawn.signature == -1).any() == unknown
