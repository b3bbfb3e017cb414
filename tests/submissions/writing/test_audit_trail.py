"""The permissions of owners, moderators and visitors, and the entries of the audit trail field by field."""

import pytest
from django.contrib.auth.models import User

from submissions.domain.amendment import Amendment
from submissions.domain.errors import ReportError
from submissions.domain.report import Label
from submissions.models import AuditEntry, CardModel, Remark, Submission, Variant, keys
from submissions.models.audit import Actor, Role
from submissions.writing import decisions, ingest, names
from tests.factories import SA04G, body, specimen, uuid

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def mod() -> Actor:
    return Actor(Role.MODERATOR, User.objects.create_user("mod"))


def hand_in(number: int, *, account: User | None = None, **label: object) -> Submission:
    card = specimen(number, label={"brand": "Kingston", "capacity_gb": 4} | label)
    given = body(uuid=uuid(number), card=card)
    taken = ingest.receive(given, channel="api", submitter=f"s{number}", account=account).submission
    ingest.process(taken.pk)
    taken.refresh_from_db()
    return taken


def trail() -> AuditEntry:
    return AuditEntry.objects.latest("pk")


def test_an_owner_by_account_and_one_by_key(ada: User) -> None:
    mine, other = hand_in(1, account=ada), hand_in(2)
    key = keys.delete_key(other.public_id)
    assert decisions.find_owner(mine, account=ada) == Actor(Role.OWNER, ada)
    assert decisions.find_owner(other, account=ada, key=key) == Actor(Role.KEY, ada)
    assert decisions.find_owner(other, account=None, key=key) == Actor(Role.KEY, None)
    assert decisions.find_owner(other, account=None) is None


def test_a_ruling_is_told_with_what_was_before(mod: Actor) -> None:
    submission = hand_in(1)
    decisions.store_ruling(submission, Submission.Ruling.DISPUTED, reason="  too fast  ", by=mod)
    entry = trail()
    assert (entry.action, entry.reason, entry.account, entry.submission) == (
        "disputed",
        "too fast",
        mod.account,
        submission,
    )
    assert entry.before == {"ruling": "", "reason": ""}
    assert entry.after == {"ruling": "disputed", "reason": "too fast"}
    submission.refresh_from_db()
    assert (submission.state, submission.reason_code) == ("held", "disputed")
    assert submission.reason_detail == "a moderator disputes it: too fast"


def test_an_excluded_one_is_final_and_waits_for_nobody(mod: Actor) -> None:
    submission = hand_in(1)
    decisions.store_ruling(submission, Submission.Ruling.EXCLUDED, reason="a simulator", by=mod)
    submission.refresh_from_db()
    assert submission.state == "processed"
    assert submission.run.excluded == "a moderator left it out: a simulator"


def test_five_hundred_letters_of_a_reason_are_kept(mod: Actor) -> None:
    submission = hand_in(1)
    decisions.store_ruling(submission, Submission.Ruling.CONFIRMED, reason="r" * 501, by=mod)
    assert Submission.objects.get().ruling_reason == "r" * 500


def test_a_ruling_without_a_reason_says_which_field(mod: Actor) -> None:
    with pytest.raises(ReportError) as refused:
        decisions.store_ruling(hand_in(1), Submission.Ruling.CONFIRMED, reason="  ", by=mod)
    assert (refused.value.field, refused.value.code) == ("reason", "needs_reason")


def test_nobody_remarks_on_their_own(ada: User) -> None:
    mine, other = hand_in(1, account=ada), hand_in(2)
    for submission, visitor, account in ((mine, "s1", None), (mine, "elsewhere", ada)):
        with pytest.raises(ReportError) as refused:
            decisions.store_remark(submission, visitor=visitor, account=account, kind="wrong", reason="no")
        assert refused.value.code == "own_submission"
    decisions.store_remark(other, visitor="elsewhere", account=ada, kind="wrong", reason="no")
    decisions.store_remark(other, visitor="s1", account=None, kind="same", reason="yes")
    said = set(Remark.objects.values_list("visitor", "kind", "reason", "account", "published"))
    assert said == {("elsewhere", "wrong", "no", ada.pk, False), ("s1", "same", "yes", None, False)}


def test_a_remark_takes_the_place_of_what_the_same_visitor_said() -> None:
    for reason in ("first", "second"):
        decisions.keep_remark(slug="a-model", visitor="v", account=None, kind="wrong", reason=reason)
    decisions.keep_remark(slug="another", visitor="v", account=None, kind="wrong", reason="third")
    assert sorted(Remark.objects.values_list("slug", "reason")) == [
        ("a-model", "second"),
        ("another", "third"),
    ]


def test_of_two_remarks_one_is_shown_and_hidden_again(mod: Actor) -> None:
    for slug in ("a-model", "another"):
        decisions.keep_remark(slug=slug, visitor="v", account=None, kind="wrong", reason="x")
    shown = Remark.objects.get(slug="another")
    for published, action in ((True, "published"), (False, "hidden")):
        decisions.publish_remark(shown, published=published, by=mod)
        assert list(Remark.objects.filter(published=True)) == [shown] * published
        assert (trail().action, trail().subject, trail().submission) == (action, "another", None)


def test_a_shown_remark_is_told_under_its_submission(mod: Actor) -> None:
    submission = hand_in(1)
    decisions.store_remark(submission, visitor="v", account=None, kind="wrong", reason="x")
    decisions.publish_remark(Remark.objects.get(), published=True, by=mod)
    assert (trail().subject, trail().submission) == (submission.public_id, submission)


def test_a_deletion_is_told_with_its_reason(mod: Actor) -> None:
    gone, stays = hand_in(1), hand_in(2)
    decisions.delete(gone, by=mod, reason="asked for")
    assert list(Submission.objects.all()) == [stays]
    entry = trail()
    assert (entry.action, entry.subject, entry.reason) == ("deleted", gone.public_id, "asked for")
    assert (entry.submission, entry.account) == (None, mod.account)


def test_an_adopted_submission_counts_for_its_account(ada: User) -> None:
    submission = hand_in(1)
    decisions.adopt(submission, ada)
    submission.refresh_from_db()
    assert (submission.account, submission.submitter) == (ada, "s1")
    assert (trail().action, trail().role, trail().account) == ("adopted", "key", ada)


def test_all_of_an_account_speak_with_one_voice(ada: User) -> None:
    for submission in (hand_in(1), hand_in(2)):
        decisions.adopt(submission, ada)
    assert set(Submission.objects.values_list("submitter", flat=True)) == {"s1"}


def test_an_amendment_is_told_with_what_was_said_before(mod: Actor) -> None:
    submission = hand_in(1)
    decisions.amend(submission, Amendment(note="worn"), by=mod)
    before, after = trail().before or {}, trail().after or {}
    assert (before["note"], after["note"]) == ("", "worn")
    assert after["label"]["brand"] == "Kingston"
    assert decisions.read_claims(Submission.objects.get()).note == "worn"


# Tests of the names of models.


def test_a_merge_is_told_with_both_names(mod: Actor) -> None:
    hand_in(1), hand_in(2, line="Canvas")
    names.merge(["kingston-canvas-4-gb"], into="kingston-4-gb", by=mod)
    entry = trail()
    assert (entry.action, entry.subject, entry.account) == ("merged", "kingston-canvas-4-gb", mod.account)
    assert entry.before == {"slug": "kingston-canvas-4-gb", "name": "Kingston Canvas 4 GB"}
    assert entry.after == {"slug": "kingston-4-gb", "name": "Kingston 4 GB"}


def test_a_new_name_keeps_what_it_does_not_say() -> None:
    hand_in(1, line="Canvas", model_number="SDC10")
    old = CardModel.objects.get()
    model = names.rename(old.slug, label=Label(brand="Kingstone"))
    assert (model.brand, model.line, model.model_number, model.capacity_gb) == (
        "Kingstone",
        "Canvas",
        "SDC10",
        4,
    )
    assert trail().action == "renamed"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (lambda: names.merge(["nothing"], into="kingston-4-gb"), "slug"),
        (lambda: names.merge(["kingston-4-gb"], into="kingston-4-gb"), "into"),
        (lambda: names.rename("kingston-4-gb", label=Label(line="Canvas")), "slug"),
        (lambda: names.split("kingston-4-gb", variants=[], to=Label(line="X")), "variant"),
        (lambda: names.split("kingston-4-gb", variants=[1], to="kingston-4-gb"), "to"),
    ],
)
def test_an_impossible_correction_names_its_field(wrong: object, field: str) -> None:
    hand_in(1), hand_in(2, line="Canvas")
    with pytest.raises(names.CorrectionError) as refused:
        wrong()  # type: ignore[operator]
    assert (refused.value.field, refused.value.code) == (field, "impossible_correction")


def test_variants_are_named_all_or_none() -> None:
    """Refuse a variant of the model together with one of another model."""
    hand_in(1)
    variant = Variant.objects.get()
    for wrong in ([variant.pk, variant.pk + 999], [variant.pk + 999]):
        with pytest.raises(names.CorrectionError, match=f"It has {variant.pk} "):
            names.split("kingston-4-gb", variants=wrong, to=Label(line="X"))
    assert names.split("kingston-4-gb", variants=[variant.pk] * 2, to=Label(line="X")).line == "X"
    assert SA04G["cid"]
