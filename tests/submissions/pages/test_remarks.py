"""Remarks by visitors on a submission are counted at once, and shown after a moderator has read them."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import AuditEntry, Remark, Run, Submission
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def submission() -> Submission:
    given = body(uuid=uuid(1), card=specimen(1, label={"brand": "Kingston"}))
    submission = ingest.receive(given, channel="api", submitter="somebody").submission
    ingest.process(submission.pk)
    return submission


def page(response: Any, status: int = 200) -> str:
    assert response.status_code == status
    return str(response.content.decode())


def addresses(submission: Submission) -> dict[str, str]:
    model = Run.objects.get(submission=submission).card.variant.card_model
    return {"submission": submission.get_absolute_url(), "model": model.get_absolute_url()}


@pytest.mark.parametrize("about", ["submission", "model"])
def test_it_works(client: Client, submission: Submission, about: str) -> None:
    url = addresses(submission)[about]
    shown = url if about == "submission" else f"{url}remark/"  # a model's page asks the database enough
    assert f"{url}remark/" in page(client.get(url))
    assert page(client.get(f"{url}remark/?kind=wrong")).count("checked") == 1
    answer = client.post(f"{url}remark/", {"kind": "wrong", "reason": SCRIPT})
    assert answer.headers["Location"] == url
    assert "wrong: 1" in page(client.get(shown)) and "alert(1)" not in page(client.get(shown))
    Remark.objects.update(published=True)
    assert "&lt;script&gt;alert(1)" in page(client.get(shown)) and SCRIPT not in page(client.get(shown))


def test_a_second_word_replaces_the_first(client: Client, submission: Submission) -> None:
    url = addresses(submission)["model"]
    client.post(f"{url}remark/", {"kind": "wrong", "reason": "x"})
    client.post(f"{url}remark/", {"kind": "same"})
    told = page(client.get(f"{url}remark/"))
    assert "same here: 1" in told and "wrong: " not in told


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"kind": "wrong"}, "Please say what is wrong"),
        ({"kind": "maybe"}, "Select a valid choice"),
        ({}, "required"),
        ({"kind": "wrong", "reason": "x" * 501}, "at most 500"),
        ({"kind": "wrong", "reason": "a\x00b"}, "Null characters"),
    ],
)
def test_nonsense_is_refused(client: Client, submission: Submission, wish: dict[str, str], said: str) -> None:
    assert said in page(client.post(f"{submission.get_absolute_url()}remark/", wish), 400)
    assert not Remark.objects.exists()


def test_what_is_yours_is_not_for_you_to_judge(client: Client) -> None:
    client.post("/submit/", {"text": body().decode()})
    mine = Submission.objects.get()
    assert "This submission is yours" in page(
        client.post(f"/submissions/{mine.public_id}/remark/", {"kind": "same"}), 400
    )


def test_a_form_of_another_site_says_nothing(submission: Submission) -> None:
    strict = Client(enforce_csrf_checks=True)
    page(strict.post(f"{submission.get_absolute_url()}remark/", {"kind": "same"}), 403)


# Tests of remarks in the admin.


def act(client: Client, noun: str, action: str, row: Any, **fields: str) -> str:
    url = f"/admin/submissions/{noun}/"
    return page(client.post(url, {"action": action, "_selected_action": [row.pk], **fields}, follow=True))


def test_a_moderator_lets_a_reason_through(
    client: Client, admin_client: Client, submission: Submission
) -> None:
    url = submission.get_absolute_url()
    client.post(f"{url}remark/", {"kind": "wrong", "reason": "mine is slower"})
    act(admin_client, "remark", "publish", Remark.objects.get())
    assert "mine is slower" in page(client.get(url))
    act(admin_client, "remark", "hide", Remark.objects.get())
    assert "mine is slower" not in page(client.get(url))
    assert [entry.action for entry in AuditEntry.objects.all()] == ["published", "hidden"]


def test_a_moderator_rules_in_the_admin(client: Client, admin_client: Client, submission: Submission) -> None:
    url = submission.get_absolute_url()
    assert "Give a reason" in act(admin_client, "submission", "dispute", submission)
    act(admin_client, "submission", "dispute", submission, reason="another card in the photo")
    shown = page(client.get(url))
    assert "waiting for a moderator" in shown
    assert "disputed by a moderator (reason, ruling): another card in the photo" in shown
    assert "admin" not in shown  # the name of the moderator
    entry = AuditEntry.objects.get()
    assert entry.account and entry.account.username == "admin"
    act(admin_client, "submission", "delete_for_good", submission, reason="asked by its owner")
    assert not Submission.objects.exists()
    assert AuditEntry.objects.get().reason == "asked by its owner"


def test_who_may_only_look_cannot_rule(
    client: Client, submission: Submission, django_user_model: Any
) -> None:
    from django.contrib.auth.models import Permission

    looker = django_user_model.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_submission"))
    client.force_login(looker)
    for action in ("confirm", "dispute", "exclude_it", "delete_for_good"):
        act(client, "submission", action, submission, reason="because")
    assert Submission.objects.get().ruling == ""
