"""An account with a name and a password collects submissions and creates API tokens; it is optional."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions.models import AbilityEstimate, ApiToken, Run, Submission
from submissions.writing import decisions, ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture
def ada(django_user_model: Any) -> User:
    return django_user_model.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def inside(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def hand_in(number: int, *, submitter: str = "anybody", account: User | None = None) -> ingest.Receipt:
    sent = body(uuid=uuid(number), card=specimen(number))
    receipt = ingest.receive(sent, channel="api", submitter=submitter, account=account)
    ingest.process(receipt.submission.pk)
    return receipt


def page(response: Any, status: int = 200) -> str:
    assert response.status_code == status
    return str(response.content.decode())


def test_it_works(client: Client) -> None:
    wish = {"username": "ada", "password1": PASSWORD, "password2": PASSWORD}
    assert "ada" in page(client.post("/account/sign-up/", wish, follow=True))
    client.post("/submit/", {"text": body().decode()})
    assert Submission.objects.get().account == User.objects.get(username="ada")
    assert Submission.objects.get().public_id in page(client.get("/account/"))
    client.post("/account/log-out/")
    assert client.get("/account/").headers["Location"] == "/account/log-in/?next=/account/"
    assert "ada" in page(
        client.post("/account/log-in/", {"username": "ada", "password": PASSWORD}, follow=True)
    )


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"username": "ada", "password1": "short", "password2": "short"}, "too short"),
        ({"username": "ada", "password1": "passwordpassword", "password2": "x"}, "match"),
        ({"username": "a b", "password1": PASSWORD, "password2": PASSWORD}, "valid username"),
        ({"username": "ADA", "password1": PASSWORD, "password2": PASSWORD}, "already exists"),
        ({}, "required"),
    ],
)
def test_a_bad_wish_is_refused(client: Client, ada: User, wish: dict[str, str], words: str) -> None:
    assert words in page(client.post("/account/sign-up/", wish), 400)
    assert User.objects.count() == 1


def test_a_wrong_password_does_not_say_which_names_exist(client: Client, ada: User) -> None:
    answers = {
        name: page(client.post("/account/log-in/", {"username": name, "password": "wrong"}))
        for name in ("ada", "bob")
    }
    assert all("correct username and password" in answer for answer in answers.values())


def test_a_log_in_never_leads_to_another_site(client: Client, ada: User) -> None:
    wish = {"username": "ada", "password": PASSWORD, "next": "https://evil.example/"}
    assert client.post("/account/log-in/", wish).headers["Location"] == "/account/"


def test_the_admin_has_the_same_door(inside: Client) -> None:
    there = inside.get("/admin/", follow=True)
    assert there.redirect_chain[-1][0] == "/account/log-in/?next=%2Fadmin%2F"


def test_a_submission_is_taken_over_by_its_key(inside: Client, ada: User) -> None:
    receipt = hand_in(1)
    wish = {"public_id": receipt.submission.public_id, "key": receipt.delete_key}
    assert "is yours now" in page(inside.post("/account/adopt/", wish, follow=True))
    assert Submission.objects.get().account == ada


def test_what_is_taken_over_counts_for_the_account(ada: User) -> None:
    """Two submitters count as two people until one account takes over both submissions."""
    receipts = [hand_in(1, submitter="one"), hand_in(2, submitter="two")]
    assert set(AbilityEstimate.objects.values_list("people", flat=True)) == {2}
    for receipt in receipts:
        decisions.adopt(receipt.submission, ada)
    assert set(AbilityEstimate.objects.values_list("people", flat=True)) == {1}
    assert Run.objects.count() == 2


def test_without_its_key_nothing_is_taken_over(inside: Client) -> None:
    receipt = hand_in(1)
    wish = {"public_id": receipt.submission.public_id, "key": "guess"}
    assert "no submission with this ID and this delete key" in page(inside.post("/account/adopt/", wish), 400)
    assert "required" in page(inside.post("/account/adopt/", {}), 400)
    assert Submission.objects.get().account is None


def test_what_belongs_to_another_account_stays_there(inside: Client, django_user_model: Any) -> None:
    bob = django_user_model.objects.create_user("bob")
    receipt = hand_in(1, account=bob)
    wish = {"public_id": receipt.submission.public_id, "key": receipt.delete_key}
    assert "belongs to a different account" in page(inside.post("/account/adopt/", wish), 400)


def test_a_token_is_shown_once(inside: Client) -> None:
    made = page(inside.post("/account/tokens/", {"name": "bench", "scopes": ["submit", "correct"]}))
    secret = made.partition("<code>flashdb_")[2].partition("<")[0]
    assert len(secret) == 43
    assert ApiToken.objects.find_by_secret(f"flashdb_{secret}") == ApiToken.objects.get()
    assert secret not in page(inside.get("/account/"))
    assert secret not in str(ApiToken.objects.values())


@pytest.mark.parametrize("wish", [{"name": "x"}, {"scopes": ["submit"]}, {"name": "x", "scopes": ["rule"]}])
def test_a_token_without_name_or_purpose_is_refused(inside: Client, wish: dict[str, Any]) -> None:
    assert 'href="#"' not in page(inside.post("/account/tokens/", wish), 400)
    assert not ApiToken.objects.exists()


def test_tokens_are_not_without_number(inside: Client, ada: User) -> None:
    for number in range(20):
        ApiToken.objects.make(ada, name=str(number), scopes=["submit"])
    wish = {"name": "one more", "scopes": ["submit"]}
    summary = (
        page(inside.post("/account/tokens/", wish), 400).partition('id="errors"')[2].partition("</div>")[0]
    )
    assert "Revoke one" in summary


def test_a_revoked_token_permits_nothing(inside: Client, ada: User) -> None:
    token, secret = ApiToken.objects.make(ada, name="bench", scopes=["submit"])
    inside.post(f"/account/tokens/{token.pk}/revoke/")
    assert ApiToken.objects.find_by_secret(secret) is None


def test_nobody_revokes_the_token_of_another(inside: Client, django_user_model: Any) -> None:
    bob = django_user_model.objects.create_user("bob")
    token, secret = ApiToken.objects.make(bob, name="his", scopes=["submit"])
    inside.post(f"/account/tokens/{token.pk}/revoke/")
    assert ApiToken.objects.find_by_secret(secret) == token


@pytest.mark.parametrize(("fate", "left"), [("", 2), ("yes", 1)])
def test_an_account_is_closed(inside: Client, ada: User, fate: str, left: int) -> None:
    hand_in(1, account=ada)
    hand_in(2)
    assert "not your password" in page(inside.post("/account/close/", {"password": "x"}), 400)
    inside.post("/account/close/", {"password": PASSWORD, "with_submissions": fate})
    assert not User.objects.exists()
    assert Submission.objects.filter(account=None).count() == left
    assert inside.get("/account/").status_code == 302


def test_a_password_is_changed(inside: Client, ada: User, django_user_model: Any) -> None:
    """A new password ends the API tokens of this account, and of no other."""
    accounts = ada, django_user_model.objects.create_user("bob")
    secrets = [ApiToken.objects.make(account, name="bench", scopes=["submit"])[1] for account in accounts]
    new = "another long sentence"
    wish = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert inside.post("/account/password/", wish).headers["Location"] == "/account/"
    ada.refresh_from_db()
    assert ada.check_password(new)
    assert [bool(ApiToken.objects.find_by_secret(secret)) for secret in secrets] == [False, True]


@pytest.mark.parametrize("address", ["/account/", "/account/close/", "/account/password/"])
def test_a_stranger_is_asked_for_a_name(client: Client, address: str) -> None:
    assert client.get(address).headers["Location"].startswith("/account/log-in/")


def test_a_form_of_another_site_changes_nothing(ada: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    for address in ("tokens/", "adopt/", "close/", "password/", "log-out/", "sign-up/", "log-in/"):
        assert strict.post(f"/account/{address}", {"name": "x", "scopes": ["submit"]}).status_code == 403


def test_the_number_of_queries_does_not_grow(
    inside: Client, ada: User, django_assert_num_queries: Any
) -> None:
    for number in range(4):
        hand_in(number, account=ada)
    with django_assert_num_queries(5):
        page(inside.get("/account/"))
