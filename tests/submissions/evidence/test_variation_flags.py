"""Models with cards that differ are flagged, on a real database."""

from dataclasses import replace

import pytest

from submissions.evidence import abilities, crowds, observations, variation_flags
from submissions.models import CardModel, Submission, VariationFlag
from tests.factories import rand_write, report, specimen, uuid
from tests.small_crowd import process, receive, two_silicons

pytestmark = pytest.mark.django_db


def judge_with(varies: float = 0.0, suspected: float = 0.0) -> list[VariationFlag]:
    """Return the flags as after a full fit of a large crowd, with these p-values for differences and scatter."""
    stored = crowds.current_crowd()
    usual = replace(stored.usual, varies_below=varies, suspected_below=suspected)
    gathered = observations.gather(list(CardModel.objects.values_list("pk", flat=True)), stored.numbers)
    return variation_flags.flag_rows(abilities.judge(gathered, stored._replace(usual=usual), {}))


def test_two_silicons_that_differ_are_told_apart() -> None:
    two_silicons(5, ratio=3)
    (flag,) = judge_with(varies=0.03)
    assert (flag.kind, flag.figure) == ("varies", "small_writes")
    assert flag.lower_ratio is not None and 1.1 < flag.lower_ratio < 3 < (flag.upper_ratio or 0)
    assert (flag.cards, flag.submitters) == (10, 10)
    assert flag.evidence["names"] == ["SA04G 1.1", "SA04G 2.0"]


def test_two_silicons_that_are_alike_are_one() -> None:
    two_silicons(5, ratio=1)
    assert judge_with(varies=0.03) == []


def test_cards_that_look_alike_and_scatter_are_suspected() -> None:
    """Eight cards come from as many trusted sources, each measured twice; every other card has a fifth of the speed."""
    received = []
    for number in range(16):
        card = specimen(number // 2, label={"brand": "Mixed"})
        value = (1000 if number % 4 < 2 else 200) + number
        document = report(uuid=uuid(number), card=card, measurements=[rand_write(value)])
        received.append(receive(document, f"source {number // 2}"))
    Submission.objects.update(vouched=True)
    process(received)
    (flag,) = judge_with(suspected=0.5)
    assert (flag.kind, flag.figure, flag.cards, flag.submitters) == ("suspected", "small_writes", 8, 8)
    assert flag.card_model.brand == "Mixed"
    assert 2.5 < (flag.ratio or 0) < 6 and 0 <= (flag.p_value or 0) < 0.01
    assert judge_with(suspected=0.0) == []


def test_no_card_is_accused_before_the_first_full_fit() -> None:
    two_silicons(5, ratio=3)
    assert not VariationFlag.objects.exists()
