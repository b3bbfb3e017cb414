"""Who is trusted, how much a voice weighs, and that untrusted people gain nothing by agreeing among themselves."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.judgement import reputation
from submissions.domain.judgement.reputation import NOBODY, TRUSTED, UNTRUSTED, VOUCHED, Record, Voices

Row = tuple[int, int, float]  # model, person, value


def voices(rows: list[Row], *, vouched: frozenset[int] = frozenset(), linked: bool = False) -> Voices:
    model, person = (np.array([row[at] for row in rows], dtype=np.int64) for at in (0, 1))
    return Voices.of(
        *(np.zeros(len(rows), dtype=np.int64), model, person),
        np.log([row[2] for row in rows]),
        linked=np.array([linked]),
        vouched=np.isin(person, list(vouched)),
    )


def core() -> list[Row]:
    """Four people who measured the same three models, and agree."""
    return [(model, person, 100.0 + person) for model in (1, 2, 3) for person in (11, 12, 13, 14)]


def levels(given: Voices, record: Record) -> dict[tuple[int, int], int]:
    level, _ = reputation.trust_levels(given, record)
    return dict(
        zip(zip(given.model.tolist(), given.person.tolist(), strict=True), level.tolist(), strict=True)
    )


def test_people_who_agree_about_several_models_hold_each_other_up() -> None:
    record = reputation.learn(voices([*core(), (4, 15, 500.0)]), NOBODY)
    assert record.established.tolist() == [1, 2, 3]
    seen = levels(voices([*core(), (4, 15, 500.0), (4, 11, 90.0)]), record)
    assert seen[1, 11] == seen[4, 11] == TRUSTED and seen[4, 15] == UNTRUSTED


def test_one_model_gives_no_trust_in_itself() -> None:
    record = reputation.learn(voices([*core(), (1, 15, 101.0)]), NOBODY)
    seen = levels(voices([(1, 15, 101.0), (2, 15, 900.0)]), record)
    assert seen[1, 15] == UNTRUSTED and seen[2, 15] == TRUSTED


def test_untrusted_people_who_agree_among_themselves_gain_nothing() -> None:
    record = reputation.learn(voices(core()), NOBODY)
    ring = [(model, person, 9000.0) for model in (7, 8, 9) for person in range(20, 60)]
    after = reputation.learn(voices([*core(), *ring]), record)
    assert after.established.tolist() == [1, 2, 3]
    assert set(levels(voices(ring), after).values()) == {UNTRUSTED}


def test_a_model_is_established_by_three_trusted_people() -> None:
    record = reputation.learn(voices(core()), NOBODY)
    two, three = ([(4, person, 50.0) for person in (11, 12, 13)[:number]] for number in (2, 3))
    assert 4 not in reputation.learn(voices([*core(), *two]), record).established
    assert 4 in reputation.learn(voices([*core(), *three]), record).established


def test_a_vouched_source_establishes_alone() -> None:
    rows = [(1, 11, 100.0), (1, 12, 105.0), (2, 12, 10.0), (2, 13, 10.0)]
    record = reputation.learn(voices(rows, vouched=frozenset({11})), NOBODY)
    assert record.established.tolist() == [1]
    assert record.person.tolist() == [12] and record.agrees.tolist() == [True]
    seen = levels(voices(rows, vouched=frozenset({11})), record)
    assert (seen[1, 11], seen[2, 12], seen[1, 12]) == (VOUCHED, TRUSTED, UNTRUSTED)


def test_people_who_are_often_far_off_lose_trust() -> None:
    liar = [(1, 15, 101.0), (2, 15, 1000.0), (3, 15, 1000.0)]
    record = reputation.learn(voices([*core(), *liar]), reputation.learn(voices(core()), NOBODY))
    given = voices([(9, 15, 1.0), (9, 11, 1.0), (9, 99, 1.0)])
    level, reliability = reputation.trust_levels(given, record)
    of = dict(zip(given.person.tolist(), zip(level.tolist(), reliability.tolist(), strict=True), strict=True))
    assert of[15] == (UNTRUSTED, pytest.approx(2 / 7))
    assert of[11] == (TRUSTED, pytest.approx(4 / 5))
    assert of[99] == (UNTRUSTED, pytest.approx(1 / 2))


def test_a_link_never_makes_anybody_odd() -> None:
    slow = [*core(), (1, 15, 10.0)]
    before = reputation.learn(voices(core()), NOBODY)
    assert 15 in reputation.learn(voices(slow), before).person
    assert 15 not in reputation.learn(voices(slow, linked=True), before).person


def test_untrusted_people_together_weigh_a_third_of_the_trusted() -> None:
    record = reputation.learn(voices(core()), NOBODY)
    given = voices([(4, 11, 100.0), (4, 12, 100.0), *((4, person, 101.0) for person in range(20, 70))])
    level, reliability = reputation.trust_levels(given, record)
    belief = reputation.beliefs(given, level, reliability)
    assert belief[level == TRUSTED].tolist() == [1.0, 1.0]
    assert belief[level == UNTRUSTED].sum() == pytest.approx(2 / 3)


def test_who_contradicts_them_weighs_next_to_nothing() -> None:
    record = reputation.learn(voices(core()), NOBODY)
    given = voices([(4, 11, 100.0), (4, 12, 100.0), (4, 13, 100.0), (4, 20, 101.0), (4, 21, 30.0)])
    level, reliability = reputation.trust_levels(given, record)
    belief = reputation.beliefs(given, level, reliability)
    assert belief[3] == pytest.approx(0.5 / 0.8) and belief[4] < 0.1


def test_untrusted_people_alone_are_believed_as_everybody_was() -> None:
    record = reputation.learn(voices(core()), NOBODY)
    given = voices([(4, 20, 100.0), (4, 21, 300.0)])
    assert reputation.beliefs(given, *reputation.trust_levels(given, record)).tolist() == [1.0, 1.0]


def test_nobody_is_told_from_anybody_before_anything_is_established() -> None:
    lonely = voices([(1, 11, 5.0), (2, 12, 6.0)])
    assert not len(reputation.learn(lonely, NOBODY).established)
    assert set(levels(lonely, NOBODY).values()) == {TRUSTED}


@pytest.mark.parametrize(
    ("person", "model", "elsewhere"),
    [(15, 1, (0, 2)), (15, 2, (1, 1)), (15, 9, (1, 2)), (16, 2, (0, 0)), (16, 3, (1, 0)), (99, 2, (0, 0))],
)
def test_what_is_said_of_this_very_model_does_not_count(
    person: int, model: int, elsewhere: tuple[int, int]
) -> None:
    rows = np.array([(15, 1, 1), (15, 2, 0), (15, 3, 0), (16, 2, 1)])
    record = Record(rows[:, 0], rows[:, 1], rows[:, 2].astype(bool), np.zeros(0, dtype=np.int64))
    agreed, odd = record.elsewhere(np.array([person]), np.array([model]))
    assert (agreed[0], odd[0]) == elsewhere


def test_arrays_and_databases_trust_the_same_people() -> None:
    agreed, odd = (side.ravel() for side in np.mgrid[0:9, 0:9])
    trusted = reputation._is_trusted(agreed, odd)
    assert trusted.tolist() == ((agreed >= 1) & (reputation._reliability(agreed, odd) >= 0.6)).tolist()
    asked = f"SELECT {reputation.TRUSTED_SQL} FROM (SELECT value AS agrees FROM json_each(?))"
    with closing(sqlite3.connect(":memory:")) as database:
        pairs = zip(agreed.tolist(), odd.tolist(), strict=True)
        standings = (json.dumps([True] * agrees + [False] * differs) for agrees, differs in pairs)
        assert [database.execute(asked, [rows]).fetchone()[0] for rows in standings] == trusted.tolist()


def _others(rows: list[Row], level: list[int], at: int) -> list[float]:
    """Return the values a person is compared with: of trusted others in the model, or of all where there are none."""
    model = rows[at][0]
    of_model = [other for other in range(len(rows)) if rows[other][0] == model]
    trusted = [other for other in of_model if level[other] > UNTRUSTED]
    return [rows[other][2] for other in (trusted or of_model) if other != at]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.floats(1, 100)), min_size=1, max_size=20))
def test_everybody_is_held_against_the_median_of_the_others(drawn: list[Row]) -> None:
    """One trusted person is enough; without levels two others are."""
    drawn = sorted(drawn)  # as voices are
    rows = [(model, person, value) for person, (model, _, value) in enumerate(drawn)]
    level = [kind for _, kind, _ in drawn]
    least = 1 if {UNTRUSTED, VOUCHED} & set(level) else 2
    apart, compared = reputation._from_others(voices(rows), np.array(level))
    for at, (_, _, value) in enumerate(rows):
        others = _others(rows, level, at)
        assert compared[at] == (len(others) >= least)
        if compared[at]:
            assert apart[at] == pytest.approx(np.log(value) - np.median(np.log(others)), abs=1e-9)
