"""Decisions of owners take effect at once, are in the audit trail, and leave the report unchanged."""

import pytest
from django.contrib.auth.models import User

from submissions.domain.amendment import Amendment
from submissions.domain.errors import ReportError
from submissions.models import (
    AbilityEstimate,
    AuditEntry,
    Card,
    CardModel,
    Measurement,
    Performance,
    Run,
    Submission,
)
from submissions.models.audit import Actor, Role
from submissions.writing import decisions, ingest
from tests.factories import body, report, specimen, uuid

pytestmark = pytest.mark.django_db

KEY = Actor(Role.KEY)


def hand_in(number: int, *, brand: str = "Kingston") -> Submission:
    sent = body(uuid=uuid(number), card=specimen(number, label={"brand": brand}))
    submission = ingest.receive(sent, channel="api", submitter=f"s{number}").submission
    ingest.process(submission.pk)
    submission.refresh_from_db()
    return submission


def slugs() -> set[str]:
    return set(CardModel.objects.values_list("slug", flat=True))


def test_it_works() -> None:
    submission = hand_in(1, brand="Kingstn")
    decisions.amend(submission, Amendment(label={"brand": "Kingston"}, condition="fresh"), by=KEY)
    assert slugs() == {"kingston-4-gb"}
    assert set(Performance.objects.values_list("card_model__slug", flat=True)) == {"kingston-4-gb"}
    assert Run.objects.get().condition == "fresh"
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.role, entry.subject) == ("amended", "key", submission.public_id)
    assert entry.changed_fields == ["brand", "condition"]


def test_the_report_stays_as_it_was() -> None:
    submission = hand_in(1)
    decisions.amend(submission, Amendment(note="worn"), by=KEY)
    assert bytes(Submission.objects.get().body) == bytes(submission.body)
    ingest.process(submission.pk)
    assert Run.objects.get().note == "worn"


def test_what_changes_nothing_is_not_told() -> None:
    submission = hand_in(1)
    decisions.amend(submission, Amendment(label={"brand": "Kingston"}), by=KEY)
    assert not AuditEntry.objects.exists()


def test_a_label_that_makes_no_sense_changes_nothing() -> None:
    submission = hand_in(1)
    with pytest.raises(ReportError):
        decisions.amend(submission, Amendment(label={"capacity_gb": -1}), by=KEY)
    assert Submission.objects.get().amendments == {}
    assert Run.objects.count() == 1 and not AuditEntry.objects.exists()


def test_a_card_must_keep_a_name() -> None:
    """Only the label names this card, so its brand cannot be removed."""
    sent = report(card={"label": {"brand": "Kingston"}})
    submission = ingest.receive(body(**sent), channel="api", submitter="x").submission
    ingest.process(submission.pk)
    with pytest.raises(ReportError):
        decisions.amend(submission, Amendment(label={"brand": ""}), by=KEY)
    assert Submission.objects.get().state == "processed"


def test_what_was_rejected_for_want_of_a_name_is_saved_by_one() -> None:
    submission = ingest.receive(body(card={}), channel="api", submitter="x").submission
    ingest.process(submission.pk)
    decisions.amend(submission, Amendment(label={"brand": "Kingston", "capacity_gb": 4}), by=KEY)
    assert Submission.objects.get().state == "processed"
    assert slugs() == {"kingston-4-gb"}


def test_what_is_deleted_is_gone_with_all_that_was_said_about_it() -> None:
    gone, stays = hand_in(1), hand_in(2)
    decisions.amend(gone, Amendment(note="Ada's card"), by=KEY)
    decisions.delete(gone, by=KEY)
    assert list(Submission.objects.all()) == [stays]
    assert (Run.objects.count(), Card.objects.count(), Measurement.objects.count()) == (1, 1, 2)
    assert set(AbilityEstimate.objects.values_list("cards", flat=True)) == {1}
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject, entry.before, entry.after) == (
        "deleted",
        gone.public_id,
        None,
        None,
    )


def test_who_may(django_user_model: type[User]) -> None:
    ada, bob = (django_user_model.objects.create_user(name) for name in ("ada", "bob"))
    receipt = ingest.receive(body(uuid=uuid(1)), channel="api", submitter="x", account=ada)
    submission, key = receipt.submission, receipt.delete_key or ""
    assert decisions.find_owner(submission, account=ada) == Actor(Role.OWNER, ada)
    assert decisions.find_owner(submission, account=None, key=key) == Actor(Role.KEY)
    for account, guess in ((None, ""), (None, "guess"), (bob, ""), (bob, "ключ")):
        assert decisions.find_owner(submission, account=account, key=guess) is None
