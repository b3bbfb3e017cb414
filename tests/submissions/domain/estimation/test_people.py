"""Tests of the records of people and of batches.

A record grows slowly, and values of a model never count for it when this model is estimated; people who may be one
person count as one voice.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from submissions.domain.estimation import people
from submissions.domain.estimation.crowd import prior_crowd
from submissions.domain.estimation.evidence import Ability, Catalogue, Evidence, Index
from submissions.domain.estimation.people import STRANGER, VOUCHED, PersonRecord

CATALOGUE = Catalogue(
    abilities=(Ability("writes", False, "sd", 6.0, 1.0), Ability("reads", True, "sd", 18.0, 0.5)),
    methods=("writes", "reads"),
    ability_of_method=(0, 1),
)
CROWD = prior_crowd(CATALOGUE, 2)
FAR = np.log(3)


def make_evidence(model: Any, person: Any, log_value: Any = 6.0, **columns: Any) -> Evidence:
    model = np.asarray(model)
    usual = {
        "card": np.arange(len(model)),
        "method": 0,
        "host": 0,
        "network": -1,
        "week": -1,
        "ignorance": STRANGER,
        "log_reach": np.inf,
        "age_years": 0.0,
        "report": np.arange(len(model)),
    }
    given = usual | {"person": person, "log_value": log_value} | columns
    filled: dict[str, Any] = {
        name: np.broadcast_to(np.asarray(column), len(model)).copy() for name, column in given.items()
    }
    return Evidence(models=int(model.max()) + 1, model=model, **filled)


def meet(models: int, visitors: int) -> tuple[Index, Index]:
    """Return the model and the person of each value, if each of `visitors` people measured each of `models` models."""
    return np.repeat(np.arange(models), visitors), np.tile(np.arange(visitors), models)


def grade(record: PersonRecord, person: int, model: int = 999) -> int:
    asked = np.array([person]), np.array([model]), np.array([False])
    return int(record.grade_ignorance(*asked)[0])


def test_it_works() -> None:
    model, person = meet(12, 4)
    values = 6.0 + np.where(person == 3, FAR, 0.0)
    record = people.learn_record(make_evidence(model, person, values), CROWD)
    assert [grade(record, number) for number in range(5)] == [1, 1, 1, STRANGER, STRANGER]
    assert record.find_known_people().tolist() == [0, 1, 2]


def test_a_record_takes_more_than_four_honest_reports() -> None:
    grades = [grade(people.learn_record(make_evidence(*meet(count, 3)), CROWD), 0) for count in range(1, 11)]
    assert grades == [3, 3, 3, 3, 2, 2, 2, 2, 2, 1]


def test_no_report_speaks_for_itself() -> None:
    record = people.learn_record(make_evidence(*meet(10, 3)), CROWD)
    assert (grade(record, 0, model=0), grade(record, 0)) == (2, 1)


def test_sources_that_are_vouched_for_are_known_at_once() -> None:
    asked = np.array([7]), np.array([1]), np.array([True])
    assert people.NO_RECORD.grade_ignorance(*asked).tolist() == [VOUCHED]


def test_two_others_are_needed_to_compare() -> None:
    assert not len(people.learn_record(make_evidence(*meet(5, 2)), CROWD).person)


def test_neighbours_are_one_other() -> None:
    model, person = meet(5, 3)
    crowded = make_evidence(model, person, network=np.where(person == 0, -1, 4))
    assert not len(people.learn_record(crowded, CROWD).person)
    apart = make_evidence(model, person, network=person)
    assert len(people.learn_record(apart, CROWD).person) == 15


def test_values_at_the_link_tell_nothing_of_a_person() -> None:
    limited = make_evidence(*meet(5, 3), method=1, log_value=18.0, log_reach=18.05)
    assert not len(people.learn_record(limited, CROWD).person)
    learned = replace(CROWD, log_reach=np.array([18.05, np.nan]))
    unstated = make_evidence(*meet(5, 3), method=1, log_value=18.0, log_reach=np.nan)
    assert not len(people.learn_record(unstated, learned).person)
    assert len(people.learn_record(unstated, CROWD).person) == 15


def test_a_slow_host_does_not_speak_against_its_owner() -> None:
    model, person = meet(10, 4)
    slow = person == 0
    evidence = make_evidence(model, person, 6.0 - np.where(slow, FAR, 0.0), host=slow.astype(int))
    assert grade(people.learn_record(evidence, CROWD), 0) == STRANGER
    effect = np.array([[0.0, -FAR], [np.nan, np.nan]])
    assert grade(people.learn_record(evidence, replace(CROWD, host_effect=effect)), 0) == 1


def test_hosts_that_the_crowd_does_not_know_count_as_usual_ones() -> None:
    evidence = make_evidence(*meet(10, 3), host=-1)
    assert grade(people.learn_record(evidence, prior_crowd(CATALOGUE, 0)), 0) == 1


def attack(reports_before: int, fakes: int) -> tuple[Evidence, Index]:
    """Return evidence and the numbers of fake people.

    14 honest people measure 20 models. Then `fakes` fake people report honest values of `reports_before` models, and
    false values of three models.
    """
    model, person = meet(20, 14)
    honest = model >= 0
    fake_people = 100 + np.arange(fakes)
    before = [np.full(fakes, 3 + number) for number in range(reports_before)]
    targets = [np.full(fakes, number) for number in range(3)]
    model = np.concatenate([model, *before, *targets])
    person = np.concatenate([person, *[fake_people] * (reports_before + 3)])
    is_fake = np.arange(len(model)) >= len(honest) + fakes * reports_before
    return make_evidence(model, person, 6.0 + FAR * is_fake), fake_people


def test_a_majority_of_fakes_gains_no_record_and_takes_none() -> None:
    """In three models, 50 fake people outnumber 14 honest ones, after four honest reports each."""
    evidence, fakes = attack(reports_before=4, fakes=50)
    record = people.learn_record(evidence, CROWD)
    assert {grade(record, int(fake)) for fake in fakes} == {STRANGER}
    assert {grade(record, honest) for honest in range(14)} == {1}
    assert record.agrees[(record.person < 100) & (record.model < 3)].all()


def test_numbers_of_people_and_models_may_be_any() -> None:
    record = people.learn_record(make_evidence(*meet(10, 3)), CROWD)
    ids = PersonRecord(record.person * -(2**61), record.model + 2**40, record.agrees)
    assert (grade(ids, -(2**61)), grade(ids, -(2**61), 2**40)) == (1, 2)


def batches(**columns: Any) -> list[int]:
    evidence = make_evidence([0] * 6, [0, 1, 2, 3, 4, 5], **columns)
    number = people.number_batches(evidence)
    return [1 if one < 0 else int((number == one).sum()) for one in number]


def test_people_of_one_network_or_one_week_are_one_voice() -> None:
    assert batches() == [1] * 6
    assert batches(network=[5, 5, 5, -1, -1, 6]) == [3, 3, 3, 1, 1, 1]
    assert batches(week=[9, 9, 1, 2, 3, -1]) == [2, 2, 1, 1, 1, 1]


def test_who_belongs_to_two_crowds_belongs_to_the_larger() -> None:
    assert batches(network=[5, 5, 5, 6, 7, 8], week=[1, 2, 3, 3, 4, 5]) == [3, 3, 3, 1, 1, 1]
    assert batches(network=[5, 5, 6, 6, 7, 8], week=[1] * 6) == [6] * 6


def test_a_week_is_one_voice_of_strangers_but_not_of_people_with_a_record() -> None:
    assert batches(week=3, ignorance=[3, 3, 3, 2, 2, 1]) == [3, 3, 3, 1, 1, 1]
    assert batches(network=3, ignorance=[3, 3, 3, 2, 2, 1]) == [3, 3, 3, 2, 2, 1]


def test_vouched_sources_are_never_one_voice() -> None:
    together = make_evidence([0] * 2, [0, 1], week=3, network=4, ignorance=VOUCHED)
    assert people.number_batches(together).tolist() == [-1, -1]


def test_a_batch_is_of_one_model_and_a_person_of_one_batch() -> None:
    evidence = make_evidence([0, 0, 0, 1], [0, 0, 1, 1], week=[1, 2, 2, 2])
    number = people.number_batches(evidence)
    assert number[0] == number[1] == number[2] >= 0 > number[3], "the last week counts"


def count(ignorance: list[int], **columns: Any) -> int:
    rows = len(ignorance)
    usual = {"person": np.arange(rows), "batch": np.full(rows, -1), "agrees": np.ones(rows, bool)}
    given: dict[str, Any] = usual | {name: np.array(column) for name, column in columns.items()}
    root = np.zeros(rows, np.int64)
    return int(people.count_known_people(root, ignorance=np.array(ignorance), roots=1, **given)[0])


def test_three_independent_people_with_a_record_settle_a_model() -> None:
    assert [count([1] * number) for number in (1, 2, 3, 4)] == [0, 0, 3, 4]
    assert count([2, 2, 2, 3, 3]) == 3
    assert count([STRANGER] * 69) == 0
    assert count([1, 1, 1], batch=[7, 7, 8]) == 0
    assert count([1, 1, 1], agrees=[True, True, False]) == 0


def test_one_vouched_source_settles_a_model() -> None:
    assert count([VOUCHED, STRANGER]) == 1
    assert count([VOUCHED, VOUCHED], person=[4, 4]) == 1
    assert count([VOUCHED, 1]) == 1
    assert count([VOUCHED, 1, 1]) == 3


def test_nothing_is_known_of_nothing() -> None:
    nothing = make_evidence([0], [0]).where(np.zeros(0, np.int64))
    assert not len(people.learn_record(nothing, CROWD).person)
    assert not len(people.number_batches(nothing))
    assert not len(people.NO_RECORD.find_known_people())
