"""Rate limits are counted in Redis for all web processes together, and never lose a report."""

import math
import multiprocessing
import secrets
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from flashdb import env
from submissions import counters
from submissions.models import ApiToken, Submission
from submissions.visitors import limits
from submissions.visitors.visitor import LOCAL, Visitor
from tests.factories import body, uuid


@pytest.fixture(autouse=True)
def few(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permit three requests of each kind per hour, in a process that knows of no outage and waits for a busy Redis."""
    monkeypatch.setattr(limits, "PATIENCE_S", 5.0)
    settings.RATE_LIMITS = dict.fromkeys(("submit", "look", "read", "change", "log-in"), (3, 3600))
    monkeypatch.setattr(limits, "outage", counters.Outage())


@pytest.fixture
def stranger() -> Visitor:
    """Return a visitor from a network that no other test has used."""
    return Visitor(f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::/64", None)


@pytest.fixture
def address(stranger: Visitor) -> str:
    return stranger.network.replace("::/64", "::1")


def count_taken(visitor: Visitor, times: int, cost: int = 1) -> int:
    return [limits.spend("submit", visitor, cost=cost) for _ in range(times)].count(None)


def test_it_works(stranger: Visitor) -> None:
    assert count_taken(stranger, 3) == 3
    wait_s = limits.spend("submit", stranger)
    assert wait_s == pytest.approx(1200, abs=5)  # a third of an hour: then there is room for one again
    assert "20 minutes" in limits.explain_refusal(wait_s or 0)


def test_everything_is_counted_by_itself(stranger: Visitor) -> None:
    assert count_taken(stranger, 4) == 3
    assert limits.spend("look", stranger) is None
    assert limits.spend("submit", Visitor("203.0.113.1" + secrets.token_hex(4), None)) is None


def test_room_comes_back_with_time(stranger: Visitor, settings: Any) -> None:
    settings.RATE_LIMITS = {"submit": (1000, 1_000_000), "look": (1000, 1)}
    for action in settings.RATE_LIMITS:
        assert limits.spend(action, stranger, cost=1000) is None
    wait_s = limits.spend("submit", stranger, cost=1) or 0.0
    assert 0 < wait_s <= 1000
    while limits.spend("look", stranger):
        pass  # it ends: a thousandth of a second is enough


def test_many_at_once_cost_as_much_as_one_by_one(stranger: Visitor) -> None:
    assert count_taken(stranger, 1, cost=2) == 1
    assert count_taken(stranger, 2) == 1


def test_more_than_there_is_room_for_takes_all_of_it(stranger: Visitor) -> None:
    assert count_taken(stranger, 2, cost=1000) == 1


def test_who_sits_at_the_server_is_not_limited() -> None:
    assert count_taken(Visitor(LOCAL, None), 10) == 10


def test_it_says_what_may_come_at_once(stranger: Visitor) -> None:
    ada = Visitor(stranger.network, User(pk=1), by_token=True)
    assert (limits.largest_cost("submit", stranger), limits.largest_cost("submit", ada)) == (3, 30)
    assert (
        limits.largest_cost("submit", Visitor(LOCAL, None))
        == limits.largest_cost("page", stranger)
        == math.inf
    )


@pytest.mark.parametrize(
    ("length", "cost"), [("", 1), ("x", 1), ("99999", 1), ("100000", 2), ("8000000", 81)]
)
def test_a_large_request_costs_more(length: str, cost: int) -> None:
    assert limits.cost_of_request({"CONTENT_LENGTH": length}) == cost


def test_what_has_no_limit_has_none(stranger: Visitor, settings: Any) -> None:
    settings.RATE_LIMITS = {}
    assert count_taken(stranger, 10) == 10


def test_a_token_gets_more_and_is_counted_for_its_account(stranger: Visitor) -> None:
    ada = User(pk=secrets.randbelow(2**31))
    assert count_taken(Visitor(stranger.network, ada, by_token=True), 40) == 30
    assert count_taken(Visitor("203.0.113.8", ada, by_token=True), 1) == 0
    assert count_taken(Visitor(stranger.network, ada), 4) == 3  # a session counts as its network


def _try(job: tuple[Visitor, int]) -> int:
    return count_taken(*job)


def test_it_holds_for_several_processes(stranger: Visitor, settings: Any) -> None:
    settings.RATE_LIMITS = {"submit": (50, 3600)}
    with multiprocessing.get_context("fork").Pool(4) as processes:
        assert sum(processes.map(_try, [(stranger, 30)] * 4, chunksize=1)) == 50


def test_without_redis_everybody_may(
    stranger: Visitor, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert count_taken(stranger, 10) == 10
    (line,) = caplog.records
    assert "nobody is limited" in line.message


# Tests over HTTP.


@pytest.mark.django_db
def test_the_api_says_when_to_come_back(client: Client, address: str) -> None:
    def post(number: int, **headers: str) -> Any:
        sent = body(uuid=uuid(number), note=str(number))
        return client.post(
            "/api/v1/submissions/", sent, "application/json", REMOTE_ADDR=address, headers=headers
        )

    assert [post(number).status_code for number in range(4)] == [202, 202, 202, 429]
    refused = post(4)
    assert 1190 < int(refused.headers["Retry-After"]) <= 1200
    assert refused.json()["error"]["code"] == "throttled"
    assert "Try again in 20 minutes" in refused.json()["error"]["detail"]
    assert Submission.objects.count() == 3
    _, secret = ApiToken.objects.make(User.objects.create_user("ada"), name="x", scopes=["submit"])
    assert post(4, Authorization=f"Token {secret}").status_code == 202


@pytest.mark.django_db
def test_a_batch_costs_as_much_as_its_reports(client: Client, address: str) -> None:
    lines = b"\n".join(body(uuid=uuid(number)) for number in range(3))
    sent = [
        client.post("/api/v1/submissions/batch/", lines, "application/jsonl", REMOTE_ADDR=address).status_code
        for _ in range(2)
    ]
    assert sent == [200, 429]


@pytest.mark.django_db
def test_a_page_says_when_to_come_back(client: Client, address: str) -> None:
    def post(**more: str) -> Any:
        return client.post("/submit/", {"text": body().decode(), **more}, REMOTE_ADDR=address)

    assert [post().status_code for _ in range(3)] == [302, 302, 302]
    refused = post()
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1200")
    assert "Try again in 20 minutes" in refused.content.decode()
    assert post(look="1").status_code == 200
    assert client.get("/submit/", REMOTE_ADDR=address).status_code == 200


@pytest.mark.django_db
def test_passwords_are_not_guessed_for_ever(client: Client, address: str) -> None:
    def guess() -> int:
        wish = {"username": "ada", "password": "x"}
        return client.post("/account/log-in/", wish, REMOTE_ADDR=address).status_code

    assert [guess() for _ in range(4)] == [200, 200, 200, 429]


# Tests of settings.


def test_rates_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATES", "read=5/minute")
    assert env.read_rates("RATES", "submit=2/hour,read=1/day") == {"submit": (2, 3600), "read": (5, 60)}
    monkeypatch.setenv("RATES", "read=1/day")  # as it is anyway
    assert env.read_rates("RATES", "submit=2/hour,read=1/day") == {"submit": (2, 3600), "read": (1, 86400)}
    monkeypatch.setenv("RATES", "off")
    assert env.read_rates("RATES", "submit=2/hour") == {}


@pytest.mark.parametrize(
    "wrong", ["on", "submit=many/hour", "submit=0/hour", "sbmit=5/hour", "submit=5/week"]
)
def test_nonsense_is_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("RATES", wrong)
    with pytest.raises(ImproperlyConfigured, match="must be off or rates"):
        env.read_rates("RATES", "submit=2/hour")
