"""Security review, finding 7: a batch counts as all its reports, and other sites send nothing for their visitors."""

import secrets
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions import counters
from submissions.models import ApiToken, Submission
from submissions.visitors import limits
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db

URL, BATCH = "/api/v1/submissions/", "/api/v1/submissions/batch/"
TEXT = b"$ ./flashbench /dev/mmcblk1 --open-au --open-au-nr=1\n1MiB    5.19M/s\n"
FORM = "application/x-www-form-urlencoded"
FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "https://testserver.evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
]
OWN = [
    {},
    {"Origin": "http://testserver"},
    {"Origin": "https://testserver"},  # TLS ends in front
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://flashdb.example"},
    {"Sec-Fetch-Site": "none"},
]
foreign = pytest.mark.parametrize("headers", FOREIGN, ids=str)


@pytest.fixture(autouse=True)
def rates(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RATE_LIMITS = {
        "submit": (12, 3600),
        "change": (900, 3600),
        "read": (900, 3600),
        "look": (900, 3600),
    }
    monkeypatch.setattr(limits, "outage", counters.Outage())


def batch(client: Client, count: int, address: str, first: int = 0, headers: Any = None) -> Any:
    numbers = range(first, first + count)
    lines = b"\n".join(body(uuid=uuid(number), card=specimen(number)) for number in numbers)
    return client.post(BATCH, lines, content_type="application/jsonl", REMOTE_ADDR=address, headers=headers)


@pytest.fixture
def address() -> str:
    return f"2001:db8:{secrets.token_hex(2)}::1"


def token() -> dict[str, str]:
    account = User.objects.create_user(f"ada-{secrets.token_hex(4)}")
    _, secret = ApiToken.objects.make(account, name="x", scopes=["submit", "correct"])
    return {"Authorization": f"Token {secret}"}


# Tests of batches.


def test_a_batch_that_is_more_than_may_ever_come_is_refused_whole(client: Client, address: str) -> None:
    answer = batch(client, 13, address)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_many")
    assert "the limit is 12 at once" in answer.json()["error"]["detail"]
    assert not Submission.objects.exists()


def test_a_batch_is_charged_in_full(client: Client, address: str) -> None:
    answers = [
        batch(client, count, address, first).status_code
        for first, count in ((0, 8), (8, 5), (13, 4), (17, 1))
    ]
    assert answers == [200, 429, 200, 429]
    assert Submission.objects.count() == 12


def test_with_a_token_it_may_hold_ten_times_as_many(client: Client, address: str) -> None:
    assert batch(client, 13, address, headers=token()).status_code == 200


# Tests of requests from pages of other sites.


@foreign
@pytest.mark.parametrize("kind", ["application/json", "text/plain", FORM, "text/json", ""])
def test_what_a_foreign_page_sends_is_refused(client: Client, headers: dict[str, str], kind: str) -> None:
    sent = TEXT if kind == "text/plain" else body()
    answer = client.post(f"{URL}?brand=X&capacity_gb=4", sent, content_type=kind, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "foreign_page")
    assert not Submission.objects.exists()


@foreign
def test_nothing_else_is_changed_either(client: Client, headers: dict[str, str]) -> None:
    receipt = client.post(URL, body(), content_type="application/json").json()
    where, key = f"{URL}{receipt['id']}/", {"Delete-Key": receipt["delete_key"]}
    assert client.delete(where, headers=headers | key).status_code == 403
    assert (
        client.patch(where, b"{}", content_type="application/json", headers=headers | key).status_code == 403
    )
    assert batch(client, 1, "203.0.113.9", headers=headers).status_code == 403
    for page in (
        "/submit/",
        "/account/log-in/",
        "/account/sign-up/",
        f"/submissions/{receipt['id']}/remark/",
    ):
        assert client.post(page, {"kind": "wrong"}, headers=headers).status_code == 403
    assert Submission.objects.count() == 1


@foreign
def test_an_authorization_that_browsers_add_by_themselves_is_no_token(
    client: Client, headers: dict[str, str]
) -> None:
    basic = {"Authorization": "Basic YTpi"}
    answer = client.post(URL, body(), content_type="application/json", headers=headers | basic)
    assert answer.status_code == 403


@foreign
def test_with_a_token_a_foreign_page_may(client: Client, headers: dict[str, str]) -> None:
    answer = client.post(URL, body(), content_type="application/json", headers=headers | token())
    assert answer.status_code == 202


@foreign
def test_whoever_only_asks_may_ask_from_anywhere(client: Client, headers: dict[str, str]) -> None:
    asked = {"cid": "02544d5341303447113533890900d371"}
    answer = client.post("/api/v1/decode/", asked, content_type="application/json", headers=headers)
    assert answer.status_code == 200
    assert client.get("/api/v1/models/", headers=headers).status_code == 200


@pytest.mark.parametrize("headers", OWN, ids=str)
def test_our_own_pages_and_programs_may(client: Client, headers: dict[str, str]) -> None:
    assert client.post(URL, body(), content_type="application/json", headers=headers).status_code == 202


def test_an_origin_that_the_operator_trusts_may(client: Client, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://lab.example"]
    headers = {"Origin": "https://lab.example", "Sec-Fetch-Site": "cross-site"}
    assert client.post(URL, body(), content_type="application/json", headers=headers).status_code == 202


@pytest.mark.parametrize(
    ("path", "asked", "methods", "content_type"),
    [
        (URL, "content-type", "GET, HEAD", False),
        (URL, "authorization, content-type", "GET, HEAD, POST, PATCH, DELETE", True),
        (f"{URL}k3v9q2m7wz4d/", "delete-key", "GET, HEAD", False),
        ("/api/v1/parse/", "content-type", "GET, HEAD, POST", True),
    ],
)
def test_a_preflight_names_what_is_meant_for_others(
    client: Client, path: str, asked: str, methods: str, content_type: bool
) -> None:
    headers = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": asked,
    }
    answer = client.options(path, headers=headers)
    assert answer.headers["Access-Control-Allow-Methods"] == methods
    assert ("Content-Type" in answer.headers["Access-Control-Allow-Headers"]) == content_type
    assert "Delete-Key" not in answer.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers
