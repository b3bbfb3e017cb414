"""The cards of a ranking that the site recommends, and those that it passes over."""

from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.proof import Proof
from submissions.domain.ranking.wish import Wish
from submissions.evidence.picks import Picks, choose_picks
from tests.performances import add_performance

pytestmark = pytest.mark.django_db
WISH = Wish(boards.find("raspberry-pi-5"), uses.find_use("pi-root"))
GOOD = {"small_writes": 4000.0, "small_reads": 4000.0, "large_writes": 40e6}


def add(
    name: str, values: dict[str, float] | None = None, *, proof: Proof = Proof.CONFIRMED, **marks: Any
) -> None:
    """Store a model that passes every requirement, with this level of proof."""
    row = add_performance(name, "raspberry-pi-5", values or GOOD, **marks)
    row.proofs = [proof if log is not None else None for log in row.means]
    row.save()


def choose() -> Picks:
    return choose_picks(WISH)


def list_named() -> dict[str, str]:
    return {kind: row.card_model.name for kind, row in choose().named.items()}


def test_it_works(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    add("Fast", GOOD | {"small_writes": 9000.0})
    add("Tested", people=7)
    with django_assert_num_queries(3):
        assert list_named() == {"best": "Fast", "tested": "Tested"}


@pytest.mark.parametrize(
    "marks",
    [
        {"varies": True},
        {"suspicious_cards": 1},
        {"lost_data": True},
        {"is_sold": False},
        {"is_sold": None},
        {"capacity_gb": 2},
        {"proof": Proof.STRANGER},
        {"proof": Proof.STRANGERS},
        {"proof": Proof.SOURCE},
    ],
)
def test_a_card_without_proof_or_with_a_gate_is_passed_over(marks: dict[str, Any]) -> None:
    add("Doubtful", GOOD | {"small_writes": 9000.0}, **marks)
    add("Sound")
    assert set(list_named().values()) == {"Sound"}


def test_one_source_with_repeats_needs_a_clear_margin() -> None:
    add("Close", {"small_writes": 660.0}, proof=Proof.REPEATED)
    assert list_named() == {}
    add("Clear", {"small_writes": 900.0}, proof=Proof.REPEATED)
    assert list_named() == {"best": "Clear"}


def test_a_card_whose_leading_need_is_open_is_passed_over() -> None:
    add("Open", {"small_writes": 550.0})
    assert list_named() == {}


def test_without_a_pick_the_best_known_are_told(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(5):
        add(f"Known {number}", GOOD | {"small_writes": 1000.0 * (number + 1)}, proof=Proof.SOURCE)
    with django_assert_num_queries(4):
        found = choose()
    assert found.named == {}
    assert [row.card_model.name for row in found.candidates] == ["Known 4", "Known 3", "Known 2"]


def test_the_cheapest_is_that_in_the_usual_currency() -> None:
    today = timezone.localdate()
    for name, price, currency in (("Dear", 20.0, "USD"), ("Cheap", 12.0, "USD"), ("Yen", 9.0, "JPY")):
        add(name, price=price, currency=currency, priced_on=today)
    assert list_named()["cheapest"] == "Cheap"


def test_a_card_that_does_not_go_in_is_passed_over() -> None:
    add("Full size", GOOD | {"small_writes": 9000.0}, form="SD")
    add("Sound")
    wish = Wish(WISH.board, WISH.use, {"form": "SD"})
    assert choose_picks(wish).named == {}
