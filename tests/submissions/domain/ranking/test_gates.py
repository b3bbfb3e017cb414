"""Tests of gates: reasons against a model that no figure can outweigh."""

from dataclasses import replace

import pytest

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.gates import Gate, ModelFacts, find_gates

PI_5, ROOT = boards.find("raspberry-pi-5"), uses.find_use("pi-root")


def test_it_works() -> None:
    assert find_gates(ModelFacts(), PI_5, ROOT) == ()
    assert find_gates(ModelFacts(form="microSD", capacity_gb=64, is_sold=True), PI_5, ROOT) == ()


@pytest.mark.parametrize(
    ("facts", "gate"),
    [
        (ModelFacts(lost_data=True), Gate.LOST_DATA),
        (ModelFacts(losers=1, judging_people=5), Gate.LOSSES),
        (ModelFacts(losers=5, judging_people=5, lost_data=True), Gate.LOST_DATA),
        (ModelFacts(suspicious=1, cards=9), Gate.SUSPICIOUS),
        (ModelFacts(form="SD"), Gate.DOES_NOT_FIT),
        (ModelFacts(capacity_gb=2), Gate.TOO_SMALL),
        (ModelFacts(is_sold=False), Gate.NOT_SOLD),
    ],
)
def test_each_fact_closes_a_gate(facts: ModelFacts, gate: Gate) -> None:
    assert find_gates(facts, PI_5, ROOT) == (gate,)


def test_the_gravest_comes_first() -> None:
    facts = ModelFacts(losers=1, suspicious=1, form="SD", capacity_gb=2, is_sold=False)
    assert find_gates(facts, PI_5, ROOT) == tuple(Gate)[1:]
    lossy = replace(facts, lost_data=True)
    assert find_gates(lossy, PI_5, ROOT)[:2] == (Gate.LOST_DATA, Gate.SUSPICIOUS)


def test_a_use_has_a_least_capacity() -> None:
    steam_deck = boards.find("steam-deck")
    assert find_gates(ModelFacts(capacity_gb=64), steam_deck, steam_deck.use) == (Gate.TOO_SMALL,)
    assert find_gates(ModelFacts(capacity_gb=128), steam_deck, steam_deck.use) == ()
