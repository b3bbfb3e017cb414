"""Tests of the weight of strangers (people without a record of confirmed results).

They count nearly in full, unless they contradict people with a record, or many of them come at the same time.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from submissions.domain.estimation.crowd import Crowd
from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.estimates import Estimates
from submissions.domain.estimation.evidence import Evidence, Index
from submissions.domain.estimation.learn import learn
from submissions.domain.estimation.people import STRANGER
from tests.submissions.domain.estimation.test_people import CATALOGUE, make_evidence

MODELS, EACH = 40, 14
TARGET = 0


def make_crowd(ignorance: Any = STRANGER, *, fakes: int = 0, **columns: Any) -> Evidence:
    """Return evidence in which each model has 14 people of its own.

    In addition, `fakes` people report three times the speed of one model.
    """
    chance = np.random.default_rng(7)
    model = np.repeat(np.arange(MODELS), EACH)
    person = np.arange(len(model))
    true = 6 + chance.standard_normal(MODELS)
    values = true[model] + 0.15 * chance.standard_normal(len(model))
    week = np.tile(10 * np.arange(EACH), MODELS)
    known = np.broadcast_to(ignorance, len(model))
    false = true[TARGET] + np.log(3) + 0.05 * chance.standard_normal(fakes)
    fake = np.full(fakes, TARGET)
    return make_evidence(
        np.concatenate([model, fake]),
        np.concatenate([person, 10_000 + np.arange(fakes)]),
        np.concatenate([values, false]),
        week=np.concatenate([week, columns.get("week", np.full(fakes, 999))]),
        network=np.concatenate([person, columns.get("network", 10_000 + np.arange(fakes))]),
        ignorance=np.concatenate([known, np.full(fakes, STRANGER)]),
    )


def judge(evidence: Evidence) -> tuple[Crowd, Estimates]:
    crowd = learn(evidence, CATALOGUE, hosts=1)
    return crowd, estimate(evidence, crowd)


def find_shift(ignorance: Any, **fakes: Any) -> float:
    """Return the factor by which fake values change the estimate of the model."""
    before, after = (
        judge(evidence)[1] for evidence in (make_crowd(ignorance), make_crowd(ignorance, **fakes))
    )
    return float(np.exp(np.abs(after.mean - before.mean)[0, TARGET]))


def test_where_nobody_is_known_strangers_count_like_vouched_sources() -> None:
    strangers, vouched = (judge(make_crowd(ignorance))[1] for ignorance in (STRANGER, 0))
    assert np.abs(strangers.mean - vouched.mean)[0].max() < 0.03
    assert (strangers.sd[0] < 2 * vouched.sd[0]).all()


def test_a_burst_does_not_outvote_strangers_of_many_weeks() -> None:
    assert find_shift(STRANGER, fakes=50) < 1.2
    assert find_shift(STRANGER, fakes=500) < 1.2


def test_three_networks_do_not_outvote_strangers_however_long_they_take() -> None:
    chance = np.random.default_rng(1)
    drip = {"week": chance.integers(150, size=50), "network": 10_000 + np.arange(50) % 3}
    assert find_shift(STRANGER, fakes=50, **drip) < 1.2


def test_fakes_do_not_outvote_two_people_with_a_record() -> None:
    known: Index = np.where(np.arange(MODELS * EACH) % EACH < 2, 2, STRANGER)
    drip = {"week": np.arange(50)}
    assert find_shift(known, fakes=50, **drip) < 1.2
    assert find_shift(STRANGER, fakes=50, **drip) > 2, "nobody is known, and they come one by one"


@pytest.mark.parametrize("fakes", [0, 1, 5, 50])
def test_no_report_makes_a_model_disappear(fakes: int) -> None:
    assert judge(make_crowd(fakes=fakes))[1].is_measured[0].all()


def test_an_honest_burst_counts_more_than_one_person_and_less_than_as_many_apart() -> None:
    crowd, _ = judge(make_crowd())
    model = np.zeros(30, np.int64)
    apart = make_evidence(model, np.arange(30), 6.5, week=np.arange(30), network=np.arange(30))
    burst = replace(apart, week=model)
    sds = [estimate(some, crowd).sd[0, 0] for some in (apart.where(model[:1]), burst, apart)]
    assert sds[0] > sds[1] > sds[2]


def test_a_model_is_known_by_three_people_with_a_record_or_a_vouched_source() -> None:
    place = np.arange(MODELS * EACH) % EACH
    known = [
        judge(make_crowd(np.where(place < number, grade, STRANGER)))[1].known_people[0].tolist()
        for number, grade in ((0, 2), (2, 2), (3, 2), (1, 0))
    ]
    assert known == [[0] * MODELS, [0] * MODELS, [3] * MODELS, [1] * MODELS]
