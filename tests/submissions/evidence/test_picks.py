"""The recommended cards of a ranking, and the cards that are passed over."""

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


def rename(performance: Performance, name: str, **marks: object) -> Performance:
    model = CardModel(name=name, named_from=CardModel.NamedFrom.LABEL, brand="B", line="L", **marks)
    columns = ("slot", "means", "sds", "card_sds", "origins", "abilities")
    return Performance(card_model=model, **{column: getattr(performance, column) for column in columns})


def best(*rows: Performance) -> list[tuple[str, str]]:
    chosen = choose_picks(rows, Performance.objects.wanted(WISH).none(), WISH.use)
    return [(kind, row.card_model.name) for kind, row in chosen]


def test_it_works(performance: Performance) -> None:
    assert best(rename(performance, "first"), rename(performance, "second")) == [("best", "first")]


@pytest.mark.parametrize("marks", [{"varies": True}, {"suspicious_cards": 1}, {"lost_data": True}])
def test_a_model_that_may_be_anything_is_passed_over(
    performance: Performance, marks: dict[str, object]
) -> None:
    assert best(rename(performance, "first", **marks), rename(performance, "second")) == [("best", "second")]
    assert best(rename(performance, "first", **marks)) == []
