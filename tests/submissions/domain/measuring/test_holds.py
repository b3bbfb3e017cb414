"""Tests of the rules by which submissions wait for a second look."""

from typing import Any

import pytest

from submissions.domain.measuring.holds import RULES, Facts, Hold, facts_of_report, hold
from submissions.domain.measuring.normalize import Measured, NotUnderstood


def code(**facts: Any) -> str:
    result = hold(Facts(**facts))
    return result.code if result else ""


def test_it_works() -> None:
    assert hold(Facts(measured=40)) is None
    result = hold(Facts(other_registers=True))
    (rule,) = (rule for _, rule in RULES if rule.code == "other_registers")
    assert result == rule


def test_what_is_no_card_needs_no_second_look() -> None:
    result = hold(Facts(no_card="it is a disk", measured=4, impossible=4))
    assert result == Hold("no_card", "it is a disk", final=True)


@pytest.mark.parametrize(("measured", "impossible", "held"), [(2, 2, 0), (3, 2, 1), (4, 2, 0), (5, 3, 1)])
def test_a_majority_must_be_one(measured: int, impossible: int, held: int) -> None:
    assert bool(code(measured=measured, impossible=impossible)) == held


def test_one_slip_of_a_unit_is_enough() -> None:
    assert code(slips=1) == "unit_suspected"


@pytest.mark.parametrize(("cards", "most", "held"), [(30, 30, 0), (31, 30, 1), (99, 0, 0)])
def test_many_cards_are_more_than_allowed(cards: int, most: int, held: int) -> None:
    assert bool(code(cards_in_a_day=cards, most_cards_in_a_day=most)) == held


@pytest.mark.parametrize(("wrong", "same", "held"), [(2, 0, 0), (3, 0, 1), (3, 3, 0), (4, 3, 1)])
def test_visitors_need_to_be_some_and_the_majority(wrong: int, same: int, held: int) -> None:
    assert bool(code(wrong=wrong, same=same)) == held


def test_only_visitors_make_a_hold_theirs() -> None:
    by_visitors, by_report = hold(Facts(wrong=3)), hold(Facts(slips=1))
    assert (by_visitors and by_visitors.by_visitors, by_report and by_report.by_visitors) == (True, False)


def test_what_a_report_says_by_itself() -> None:
    measured = [
        Measured("stream", "iops", {}, (1.0,), 1.0, None, None, "", verdict, "")
        for verdict in ("ok", "suspicious", "impossible")
    ]
    slip = NotUnderstood("measurements[0].values[0]", "value_out_of_range", "1e+30 bytes/s is beyond …")
    assert facts_of_report(measured, [slip]) == {"measured": 3, "impossible": 1, "slips": 1}
    assert facts_of_report([], []) == {}


def test_every_rule_has_a_name_of_its_own_and_a_reason() -> None:
    assert len({rule.code for _, rule in RULES}) == len(RULES)
    assert all(rule.reason and not rule.reason.endswith(".") for _, rule in RULES)
