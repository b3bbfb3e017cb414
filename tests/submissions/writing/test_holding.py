"""Doubtful submissions are held until a moderator decides, whatever the order of reports."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from submissions import tasks
from submissions.domain.errors import ReportError
from submissions.models import AbilityEstimate, AuditEntry, CardModel, Remark, Run, Submission, keys
from submissions.models.audit import Actor, Role
from submissions.writing import decisions, holding, ingest, scoring
from tests.factories import SA04G, body, rand_read, rand_write, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db

Ruling = Submission.Ruling
OTHER_CSD = "400e00325b590000ee7f7f800a40004b"


def receive(number: int, *, submitter: str = "", **changes: Any) -> Submission:
    report = body(uuid=uuid(number), **{"card": specimen(number)} | changes)
    return ingest.receive(report, channel="api", submitter=submitter or f"s{number}").submission


def hand_in(number: int, **changes: Any) -> Submission:
    submission = receive(number, **changes)
    ingest.process(submission.pk)
    return submission


def doubtful(number: int) -> Submission:
    """Process a report where two of three measurements are faster than any bus."""
    buffered = [seq_read(9000), seq_read(9500)]
    for measurement in buffered:
        measurement["parameters"]["io"] = "buffered"
    return hand_in(number, measurements=[*buffered, rand_read()])


def states() -> list[str]:
    return list(Submission.objects.order_by("pk").values_list("state", flat=True))


def cards_ranked() -> int:
    return max(AbilityEstimate.objects.values_list("cards", flat=True), default=0)


def trail(submission: Submission) -> list[tuple[str, str]]:
    return list(AuditEntry.objects.of(submission).values_list("action", "role"))


@pytest.fixture
def moderator(django_user_model: Any) -> Actor:
    return Actor(Role.MODERATOR, django_user_model.objects.create_user("mod"))


def test_it_works() -> None:
    hand_in(1)
    held = doubtful(2)
    assert states() == ["processed", "held"]
    assert cards_ranked() == 1
    held.refresh_from_db()
    assert held.reason_code == "mostly_impossible"
    assert "impossible" in Run.objects.get(submission=held).excluded
    assert trail(held) == [("held", "rule")]


def test_working_it_out_again_tells_nothing_new() -> None:
    held = doubtful(1)
    ingest.process(held.pk)
    assert states() == ["held"]
    assert trail(held) == [("held", "rule")]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_registers_of_one_card_the_later_is_held(order: tuple[int, int]) -> None:
    other = specimen(1) | {"registers": specimen(1)["registers"] | {"csd": OTHER_CSD}, "size_bytes": None}
    received = [receive(1), receive(2, card=other)]
    for index in order:
        ingest.process(received[index].pk)
    assert states() == ["processed", "held"]
    assert Submission.objects.get(pk=received[1].pk).reason_code == "other_registers"


def test_when_the_first_goes_the_other_is_released() -> None:
    other = specimen(1) | {"registers": SA04G | specimen(1)["registers"] | {"csd": OTHER_CSD}}
    first, second = hand_in(1), hand_in(2, card=other | {"size_bytes": None})
    ingest.delete(first)
    assert states() == ["processed"]
    assert trail(second) == [("held", "rule"), ("released", "rule")]
    assert Run.objects.get().excluded == ""


def test_many_cards_of_one_submitter_wait(settings: Any) -> None:
    settings.MOST_CARDS_IN_A_DAY = 2
    for number in range(4):
        hand_in(number, submitter="eager")
    hand_in(9, submitter="another")
    assert states() == ["processed", "processed", "held", "held", "processed"]


def test_in_one_batch_only_the_cards_beyond_the_limit_wait(settings: Any) -> None:
    settings.MOST_CARDS_IN_A_DAY = 2
    received = [receive(number, submitter="eager") for number in range(4)]
    ingest.process_batch([submission.pk for submission in received])
    assert states() == ["processed", "processed", "held", "held"]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_which_of_many_cards_wait_is_told_by_when_they_came(settings: Any, order: tuple[int, ...]) -> None:
    """The order of arrival decides, not the order of processing; when one report is deleted, the next moves up."""
    settings.MOST_CARDS_IN_A_DAY = 2
    received = [receive(number, submitter="eager") for number in range(3)]
    for index in order:
        ingest.process(received[index].pk)
    tasks.sweep()
    assert states() == ["processed", "processed", "held"]
    ingest.delete(received[0])
    tasks.sweep()
    assert states() == ["processed", "processed"]
    assert holding.find_misplaced(since=received[0].received_at - timedelta(days=1)) == []


def test_whoever_sits_at_the_server_may_bring_many(settings: Any) -> None:
    settings.MOST_CARDS_IN_A_DAY = 2
    for number in range(4):
        hand_in(number, submitter=keys.local_submitter())
    assert set(states()) == {"processed"}


# Tests of moderators.


def test_what_a_moderator_confirms_is_ranked(moderator: Actor) -> None:
    held = doubtful(1)
    decisions.store_ruling(held, Ruling.CONFIRMED, reason="seen on the bench", by=moderator)
    assert states() == ["processed"]
    assert Run.objects.get().excluded == ""
    assert trail(held) == [("held", "rule"), ("confirmed", "moderator")]
    ingest.process(held.pk)
    assert states() == ["processed"]


@pytest.mark.parametrize(("ruling", "state"), [(Ruling.DISPUTED, "held"), (Ruling.EXCLUDED, "processed")])
def test_what_a_moderator_doubts_is_not_ranked(moderator: Actor, ruling: Any, state: str) -> None:
    submission = hand_in(1)
    decisions.store_ruling(submission, ruling, reason="wrong card in the photo", by=moderator)
    assert (states(), cards_ranked()) == ([state], 0)
    assert "wrong card in the photo" in Run.objects.get().excluded
    ingest.process(submission.pk)
    assert (states(), cards_ranked()) == ([state], 0)
    decisions.store_ruling(submission, Ruling.CONFIRMED, reason="cleared up", by=moderator)
    assert (states(), cards_ranked()) == (["processed"], 1)


def test_a_ruling_needs_a_reason(moderator: Actor) -> None:
    with pytest.raises(ReportError, match="Give a reason"):
        decisions.store_ruling(hand_in(1), Ruling.EXCLUDED, reason=" ", by=moderator)
    assert cards_ranked() == 1


# Tests of visitors.


def say(submission: Submission, visitor: str, kind: str, account: User | None = None) -> None:
    reason = "mine is slower" if kind == "wrong" else ""
    decisions.store_remark(submission, visitor=visitor, account=account, kind=kind, reason=reason)


def make_returning(visitors: str) -> None:
    """Store a report of a week ago for each of these visitors."""
    for at, visitor in enumerate(visitors):
        hand_in(900 + at, submitter=visitor)
    long_ago = timezone.now() - timedelta(days=8)
    Submission.objects.filter(submitter__in=list(visitors)).update(received_at=long_ago)


def state_of(submission: Submission) -> str:
    return Submission.objects.get(pk=submission.pk).state


def test_three_visitors_put_it_into_the_queue() -> None:
    submission = hand_in(1)
    make_returning("abc")
    for visitor in ("a", "b", "a"):
        say(submission, visitor, "wrong")
    assert state_of(submission) == "processed"
    say(submission, "c", "wrong")
    assert state_of(submission) == "held"
    assert trail(submission) == [("held", "visitors")]


def test_visitors_of_whom_nothing_is_known_hold_nothing() -> None:
    submission = hand_in(1)
    hand_in(2, submitter="b")  # just now
    for visitor in "abcdef":
        say(submission, visitor, "wrong")
    assert state_of(submission) == "processed"
    assert Remark.objects.count() == 6


def test_an_account_of_some_age_is_known(django_user_model: Any) -> None:
    submission = hand_in(1)
    for name in "abc":
        account = django_user_model.objects.create_user(name, date_joined=timezone.now() - timedelta(days=8))
        say(submission, name, "wrong", account)
    assert state_of(submission) == "held"


def test_remarks_alone_never_empty_a_ranking(settings: Any) -> None:
    """Submissions of one model that are held do not use up the limit of another model."""
    submissions = [hand_in(number) for number in range(6)]
    other = hand_in(50, card=specimen(50, label={"brand": "Lexar"}))
    make_returning("abc")
    for submission in (*submissions, other):
        for visitor in "abc":
            say(submission, visitor, "wrong")
    assert [state_of(submission) for submission in submissions].count("held") == 1
    assert state_of(other) == "held"
    settings.MOST_HELD_BY_REMARKS = 0
    AuditEntry.objects.update(at=timezone.now() - timedelta(days=2))
    ingest.process(submissions[1].pk)
    assert [state_of(submission) for submission in submissions].count("held") == 1
    settings.MOST_HELD_BY_REMARKS = 20
    for submission in submissions:
        ingest.process(submission.pk)
    assert [state_of(submission) for submission in submissions].count("held") == 2


def test_the_share_that_remarks_hold_is_of_the_model_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many reports of other models do not raise the limit of this one."""
    monkeypatch.setattr(holding, "_HELD_OF_MODEL", 0.5)
    of_model = [
        hand_in(50 + number, card=specimen(50 + number, label={"brand": "Lexar"})) for number in range(2)
    ]
    for number in range(4):
        hand_in(number)
    make_returning("abc")
    for submission in of_model:
        for visitor in "abc":
            say(submission, visitor, "wrong")
    assert [state_of(submission) for submission in of_model] == ["held", "processed"]


def test_what_remarks_hold_stays_held_when_it_is_worked_out_again() -> None:
    """It is the one of its model that they may hold today."""
    submission = hand_in(1)
    make_returning("abc")
    for visitor in "abc":
        say(submission, visitor, "wrong")
    ingest.process(submission.pk)
    assert state_of(submission) == "held"


def test_as_many_others_take_it_out_again() -> None:
    submission = hand_in(1)
    make_returning("abcxyz")
    for visitor in "abc":
        say(submission, visitor, "wrong")
    assert state_of(submission) == "held"
    for visitor in "xyz":
        say(submission, visitor, "same")
    assert state_of(submission) == "processed"


def test_the_last_word_of_a_visitor_counts() -> None:
    submission = hand_in(1)
    make_returning("abc")
    for visitor in "abc":
        say(submission, visitor, "wrong")
    say(submission, "c", "same")
    assert state_of(submission) == "processed"
    assert Remark.objects.count() == 3


def test_no_visitor_stands_above_a_moderator(moderator: Actor) -> None:
    submission = hand_in(1)
    decisions.store_ruling(submission, Ruling.CONFIRMED, reason="measured it again", by=moderator)
    make_returning("abcdef")
    for visitor in "abcdef":
        say(submission, visitor, "wrong")
    assert state_of(submission) == "processed"


def test_nobody_praises_themselves(django_user_model: Any) -> None:
    ada = django_user_model.objects.create_user("ada")
    submission = hand_in(1, submitter="me")
    with pytest.raises(ReportError, match="This submission is yours"):
        say(submission, "me", "same")
    Submission.objects.update(account=ada)
    submission.refresh_from_db()
    with pytest.raises(ReportError, match="This submission is yours"):
        say(submission, "elsewhere", "same", ada)


def test_a_batch_needs_no_more_queries_for_more_reports(django_assert_max_num_queries: Any) -> None:
    """Two queries suffice for all: the runs of the cards, and the cards of their submitters."""
    received = [receive(number, measurements=[rand_write()]) for number in range(8)]
    with django_assert_max_num_queries(60):
        ingest.process_batch([submission.pk for submission in received])


def test_a_second_brand_that_looks_like_a_first_waits() -> None:
    first = hand_in(1, card=specimen(1, label={"brand": "Nobrandia"}))
    twin = hand_in(2, card=specimen(2, label={"brand": "N0brandia"}))
    known = hand_in(3, card=specimen(3, label={"brand": "Klngston"}))
    again = hand_in(4, card=specimen(4, label={"brand": "nobrandia"}))
    assert [state_of(submission) for submission in (first, twin, known, again)] == [
        "processed",
        "held",
        "held",
        "processed",
    ]
    twin.refresh_from_db()
    assert twin.reason_code == "looks_like" and "“Nobrandia”" in twin.reason_detail


@pytest.mark.parametrize("brands", [("Nobrandia", "N0brandia"), ("N0brandia", "Nobrandia")])
def test_of_two_that_are_worked_out_together_the_second_waits(brands: tuple[str, str]) -> None:
    """Models are written in the order of their names, but the order of reports decides which brand came first."""
    received = [
        receive(number, card=specimen(number, label={"brand": brand})) for number, brand in enumerate(brands)
    ]
    ingest.process_batch([submission.pk for submission in received])
    assert states() == ["processed", "held"]


def test_a_brand_that_an_older_release_wrote_has_its_twins_too() -> None:
    hand_in(1, card=specimen(1, label={"brand": "Nobrandia"}))
    model = CardModel.objects.get()
    assert model.brand_look == "nobrandla"
    CardModel.objects.update(brand_look="")
    assert state_of(hand_in(2, card=specimen(2, label={"brand": "N0brandia"}))) == "held"
    with transaction.atomic():
        scoring.describe([model.pk])
    model.refresh_from_db()
    assert model.brand_look == "nobrandla", "written again with its facets"
