"""The recommended cards of a ranking, and the cards that are passed over."""

from typing import Any

import pytest

from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.wish import Wish
from submissions.evidence.picks import choose_picks
from submissions.models import CardModel, Performance
from tests.factories import report
from tests.small_crowd import process, receive

pytestmark = pytest.mark.django_db
WISH = Wish(boards.find("raspberry-pi-5"), uses.find_use("pi-root"))


@pytest.fixture
def performance() -> Performance:
    """Return the performance of one model, which others copy."""
    process([receive(report(), "somebody")])
    return Performance.objects.get(slot="raspberry-pi-5")


def rename(performance: Performance, name: str, *, known_people: int = 0, **marks: Any) -> Performance:
    """Store a model with this name and the same figures; among equals the first comes first."""
    model = CardModel.objects.create(
        slug=name, name=name, named_from=CardModel.NamedFrom.LABEL, brand="B", line="L", **marks
    )
    columns = {name: getattr(performance, name) for name in ("slot", "means", "sds", "card_sds", "origins")}
    ability = performance.abilities["small_writes"] | {"known_people": known_people}
    abilities = performance.abilities | {"small_writes": ability}
    return Performance.objects.create(card_model=model, abilities=abilities, **columns)


def best(*rows: Performance) -> list[tuple[str, str]]:
    listed = Performance.objects.wanted(WISH).filter(pk__in=[row.pk for row in rows])
    chosen = choose_picks(listed, WISH.use)
    return [(kind, row.card_model.name) for kind, row in chosen]


def test_it_works(performance: Performance) -> None:
    assert best(rename(performance, "first"), rename(performance, "second")) == [("best", "first")]


@pytest.mark.parametrize("marks", [{"varies": True}, {"suspicious_cards": 1}, {"lost_data": True}])
def test_a_model_that_may_be_anything_is_passed_over(performance: Performance, marks: dict[str, Any]) -> None:
    doubtful = rename(performance, "first", **marks)
    assert best(doubtful, rename(performance, "second")) == [("best", "second")]
    assert best(doubtful) == []


def test_strangers_displace_no_model_that_known_people_report(performance: Performance) -> None:
    invented = [rename(performance, f"invented-{number}") for number in range(30)]
    assert best(*invented) == [("best", "invented-0")]
    known = rename(performance, "known", known_people=1)
    assert best(*invented, known) == [("best", "known")]
