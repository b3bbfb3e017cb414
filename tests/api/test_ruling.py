"""POST /api/v1/submissions/{id}/ruling/ lets moderators decide on a submission by API token."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django_otp import devices_for_user
from django_otp.plugins.otp_static.models import StaticDevice

from submissions.models import ApiToken, Run, Submission
from submissions.writing import ingest
from tests.factories import body, uuid

pytestmark = pytest.mark.django_db


@pytest.fixture
def submission() -> Submission:
    submission = ingest.receive(body(uuid=uuid(1)), channel="api", submitter="x").submission
    ingest.process(submission.pk)
    return submission


@pytest.fixture
def moderator(django_user_model: type[User]) -> User:
    account = django_user_model.objects.create_user("mod", is_staff=True)
    account.user_permissions.add(Permission.objects.get(codename="change_submission"))
    StaticDevice.objects.create(user=account)
    return account


def rule(client: Client, submission: Submission, account: User | None, *scopes: str, **sent: Any) -> Any:
    """Send a moderator's decision with a token that the account created with its second factor, if it has one."""
    headers = {}
    if account:
        device = next((device.persistent_id for device in devices_for_user(account)), "")
        _, secret = ApiToken.objects.make(account, name="x", scopes=scopes, device=device)
        headers = {"Authorization": f"Token {secret}"}
    url = f"/api/v1/submissions/{submission.public_id}/ruling/"
    order = {"ruling": "excluded", "reason": "another card"} | sent
    return client.post(url, order, content_type="application/json", headers=headers)


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_it_works(client: Client, submission: Submission, moderator: User) -> None:
    answer = rule(client, submission, moderator, "moderate")
    assert answer.status_code == 200
    assert "another card" in answer.json()["not_ranked"]
    answer = rule(client, submission, moderator, "moderate", ruling="disputed")
    assert (answer.json()["state"], answer.json()["reason"]["code"]) == ("held", "disputed")


def test_nobody_else_rules(client: Client, submission: Submission, django_user_model: Any) -> None:
    ada = django_user_model.objects.create_user("ada")
    assert code(rule(client, submission, None)) == (401, "no_token")
    assert code(rule(client, submission, ada, "moderate")) == (403, "no_moderator")
    assert Run.objects.get().excluded == ""


def test_a_moderators_token_needs_the_scope(client: Client, submission: Submission, moderator: User) -> None:
    assert code(rule(client, submission, moderator, "submit", "correct")) == (403, "not_permitted_by_token")


def test_what_a_person_made_does_not_rule_when_they_become_a_moderator(
    client: Client, submission: Submission, moderator: User
) -> None:
    """The token was created without a second factor, so it would circumvent it."""
    StaticDevice.objects.all().delete()
    _, secret = ApiToken.objects.make(moderator, name="x", scopes=["moderate"])
    StaticDevice.objects.create(user=moderator)
    answer = client.post(
        f"/api/v1/submissions/{submission.public_id}/ruling/",
        {"ruling": "excluded", "reason": "x"},
        content_type="application/json",
        headers={"Authorization": f"Token {secret}"},
    )
    assert code(answer) == (403, "no_second_factor")
    assert Run.objects.get().excluded == ""


def test_a_moderator_who_lost_the_second_factor_or_the_rights_does_not_rule(
    client: Client, submission: Submission, moderator: User
) -> None:
    StaticDevice.objects.all().delete()
    assert code(rule(client, submission, moderator, "moderate")) == (403, "no_second_factor")
    moderator.is_staff = False
    moderator.save()
    assert code(rule(client, submission, moderator, "moderate")) == (403, "no_moderator")


@pytest.mark.parametrize("sent", [{"ruling": ""}, {"ruling": "deleted"}, {"reason": ""}, {"more": 1}])
def test_nonsense_is_refused(
    client: Client, submission: Submission, moderator: User, sent: dict[str, Any]
) -> None:
    assert code(rule(client, submission, moderator, "moderate", **sent)) == (400, "wrong_shape")
