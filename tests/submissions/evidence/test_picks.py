"""The recommended cards of a ranking, and the cards that are passed over."""

import pytest

from submissions.evidence.picks import find_picks
from submissions.models import CardModel, Score

pytestmark = pytest.mark.django_db


def make_score(name: str, **marks: object) -> Score:
    model = CardModel(name=name, named_from=CardModel.NamedFrom.LABEL, brand="B", line="L", **marks)
    return Score(card_model=model, state="solid", value=150.0, bound=120.0)


def best(*scores: Score) -> list[tuple[str, str]]:
    return [(kind, score.card_model.name) for kind, score in find_picks(scores, Score.objects.none())]


def test_it_works() -> None:
    assert best(make_score("first"), make_score("second")) == [("best", "first"), ("proven", "first")]


@pytest.mark.parametrize("marks", [{"varies": True}, {"suspicious_cards": 1}])
def test_a_model_of_which_anything_may_be_in_the_box_is_passed_over(marks: dict[str, object]) -> None:
    assert best(make_score("first", **marks), make_score("second"))[0] == ("best", "second")
    assert best(make_score("first", **marks)) == []


def test_one_that_is_hardly_proven_is_not_called_so() -> None:
    early = make_score("first")
    early.state = "early"
    assert best(early) == [("best", "first")]
