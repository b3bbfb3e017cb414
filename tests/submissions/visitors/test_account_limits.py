"""Accounts with two of a kind (submissions, tokens), and at their limits."""

import pytest
from django.contrib.auth.models import User

from submissions.models import ApiToken, Submission
from submissions.visitors import accounts
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob")


def hand_in(number: int, account: User | None = None) -> ingest.Receipt:
    given = body(uuid=uuid(number), card=specimen(number))
    return ingest.receive(given, channel="api", submitter="anybody", account=account)


def make_token(account: User, name: str, *scopes: str) -> tuple[ApiToken, str]:
    return accounts.make_token(account, device="", name=name, scopes=list(scopes))


def test_of_two_submissions_the_one_of_the_key_is_taken_over(ada: User) -> None:
    first, second = hand_in(1), hand_in(2)
    key = second.delete_key or ""
    taken = accounts.adopt(ada, public_id=second.submission.public_id, key=key)
    assert taken == second.submission
    assert list(Submission.objects.filter(account=ada)) == [second.submission]
    assert Submission.objects.filter(account=None).get() == first.submission


def test_what_is_mine_already_may_be_taken_over_again(ada: User) -> None:
    mine = hand_in(1, ada)
    accounts.adopt(ada, public_id=mine.submission.public_id, key=mine.delete_key or "")
    assert Submission.objects.get().account == ada


def test_a_refusal_names_the_field(ada: User, bob: User) -> None:
    his = hand_in(1, bob)
    with pytest.raises(accounts.AccountError) as refused:
        accounts.adopt(ada, public_id=his.submission.public_id, key=his.delete_key or "")
    assert (refused.value.field, refused.value.code) == ("public_id", "impossible_for_account")
    with pytest.raises(accounts.AccountError) as unknown:
        accounts.adopt(ada, public_id=his.submission.public_id, key="guess")
    assert unknown.value.field == "key"


def test_the_twentieth_token_is_the_last(ada: User, bob: User) -> None:
    """Tokens of other accounts and revoked tokens do not count."""
    ApiToken.objects.make(bob, name="his", scopes=["submit"])
    tokens = [make_token(ada, str(number), "submit")[0] for number in range(20)]
    with pytest.raises(accounts.AccountError, match="20 tokens"):
        make_token(ada, "one more", "submit")
    accounts.revoke_token(ada, tokens[3].pk)
    token, secret = make_token(ada, "instead", "submit", "correct")
    assert ApiToken.objects.find_by_secret(secret) == token
    assert (token.account, token.name, set(token.scopes)) == (ada, "instead", {"submit", "correct"})


def test_one_token_is_revoked_and_keeps_its_time(ada: User) -> None:
    kept, gone = (make_token(ada, name, "submit")[0] for name in ("kept", "gone"))
    accounts.revoke_token(ada, gone.pk)
    assert list(ApiToken.objects.live()) == [kept]
    at = ApiToken.objects.get(pk=gone.pk).revoked_at
    accounts.revoke_token(ada, gone.pk)
    assert ApiToken.objects.get(pk=gone.pk).revoked_at == at


def test_who_closes_an_account_takes_only_what_is_theirs(ada: User, bob: User) -> None:
    hand_in(1, ada), hand_in(2, bob), hand_in(3)
    accounts.close_account(ada, with_submissions=True)
    assert list(Submission.objects.order_by("pk").values_list("account", flat=True)) == [bob.pk, None]
    assert list(User.objects.all()) == [bob]
