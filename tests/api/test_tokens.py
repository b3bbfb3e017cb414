"""The header `Authorization: Token …` lets a script act for an account, within limits."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from submissions.models import ApiToken, Submission
from tests.factories import body, uuid

pytestmark = pytest.mark.django_db

URL = "/api/v1/submissions/"


@pytest.fixture
def ada(django_user_model: Any) -> User:
    return django_user_model.objects.create_user("ada")


def bearer(account: User, *scopes: str) -> dict[str, str]:
    _, secret = ApiToken.objects.make(account, name="bench", scopes=scopes)
    return {"Authorization": f"Token {secret}"}


def post(client: Client, headers: dict[str, str], number: int = 1) -> Any:
    return client.post(URL, body(uuid=uuid(number)), content_type="application/json", headers=headers)


def code(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_it_works(client: Client, ada: User) -> None:
    assert post(client, bearer(ada, "submit")).status_code == 202
    submission = Submission.objects.get()
    assert submission.account == ada
    assert ApiToken.objects.get().last_used_on == timezone.now().date()


@pytest.mark.parametrize("sent", ["Bearer x", "Basic YTpi", "flashdb_x"])
def test_another_scheme_is_refused_and_told_which_to_use(client: Client, sent: str) -> None:
    """It was taken for no token, and the report for an anonymous one."""
    for refused in (
        post(client, {"Authorization": sent}),
        client.get("/api/v1/", headers={"Authorization": sent}),
    ):
        assert code(refused) == (401, "wrong_scheme")
        assert refused.headers["WWW-Authenticate"] == "Token"
        assert "Authorization: Token" in refused.json()["error"]["detail"]
    assert not Submission.objects.exists()


def test_all_tokens_of_an_account_are_one_submitter(client: Client, ada: User) -> None:
    post(client, bearer(ada, "submit"), 1)
    client.post(
        URL, body(uuid=uuid(2), note="x"), content_type="application/json", headers=bearer(ada, "submit")
    )
    assert Submission.objects.count() == 2
    assert Submission.objects.values("submitter").distinct().count() == 1


def test_a_token_deletes_what_is_its_owners(client: Client, ada: User) -> None:
    receipt = post(client, bearer(ada, "submit")).json()
    assert (
        client.delete(f"{URL}{receipt['id']}/", headers=bearer(ada, "submit", "correct")).status_code == 204
    )
    assert not Submission.objects.exists()


def test_a_token_does_not_delete_what_is_somebody_elses(
    client: Client, ada: User, django_user_model: Any
) -> None:
    receipt = post(client, bearer(ada, "submit")).json()
    bob = django_user_model.objects.create_user("bob")
    answer = client.delete(f"{URL}{receipt['id']}/", headers=bearer(bob, "submit", "correct", "moderate"))
    assert code(answer) == (403, "wrong_delete_key")


def test_a_token_permits_only_its_scopes(client: Client, ada: User) -> None:
    assert code(post(client, bearer(ada, "correct"))) == (403, "not_permitted_by_token")
    receipt = post(client, bearer(ada, "submit")).json()
    answer = client.delete(f"{URL}{receipt['id']}/", headers=bearer(ada, "submit"))
    assert code(answer) == (403, "not_permitted_by_token")
    assert client.get(f"{URL}{receipt['id']}/", headers=bearer(ada)).status_code == 200


@pytest.mark.parametrize("header", ["Token", "Token ", "Token flashdb_x", "token \xff", "Token a b"])
def test_a_wrong_token_is_refused(client: Client, header: str) -> None:
    answer = post(client, {"Authorization": header})
    assert code(answer) == (401, "wrong_token")
    assert answer.headers["WWW-Authenticate"] == "Token"
    assert not Submission.objects.exists()


def test_a_closed_account_has_no_tokens(client: Client, ada: User) -> None:
    headers = bearer(ada, "submit")
    User.objects.update(is_active=False)
    assert code(post(client, headers)) == (401, "wrong_token")


def test_another_way_to_log_in_is_nobody(client: Client, ada: User) -> None:
    """A session does not authenticate at the API, because forms of other sites could use it."""
    client.force_login(ada)
    assert post(client, {}).status_code == 202
    assert Submission.objects.get().account is None
