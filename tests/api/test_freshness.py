"""Responses have ETag and Last-Modified, and a cached response is never outdated. CORS and compression work."""

import gzip
import time
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.test import Client

from submissions import freshness
from tests.api.test_lists import card

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/api/v1/runs/"


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the site's change stamp constant, because the real one also counts other tests that write to this server."""
    stamp = str(uuid4())
    monkeypatch.setattr(freshness, "current_stamp", lambda: stamp)


def test_it_works(client: Client, wait_until: Any) -> None:
    card(1)
    wait_until(lambda: asked_again(client).status_code == 304)


def asked_again(client: Client) -> Any:
    return client.get(URL, headers={"If-None-Match": client.get(URL).headers["ETag"]})


def test_who_has_it_is_told_no_more(client: Client, quiet: None) -> None:
    answer = asked_again(client)
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["ETag"] == client.get(URL).headers["ETag"]


def test_a_new_run_changes_it(client: Client) -> None:
    card(1)
    etag = client.get(URL).headers["ETag"]
    card(2)
    answer = client.get(URL, headers={"If-None-Match": etag})
    assert (answer.status_code, len(answer.json()["results"])) == (200, 2)


def test_every_address_and_form_has_its_own(client: Client, quiet: None) -> None:
    queries = ("", "?limit=1", "?format=csv", "?fields=id")
    assert len({client.get(URL + query).headers["ETag"] for query in queries}) == len(queries)
    assert client.get(URL).headers["ETag"] != client.get(URL, headers={"Accept": "text/csv"}).headers["ETag"]


def test_who_has_todays_date_need_not_read_it_again(
    client: Client, quiet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Last-Modified" not in client.get(URL).headers
    time.sleep(1.1)  # a date counts in seconds, and is sent when its second is over
    dated = client.get(URL).headers["Last-Modified"]
    assert client.get(URL, headers={"If-Modified-Since": dated}).status_code == 304
    monkeypatch.setattr(freshness, "current_stamp", lambda: "somebody wrote")
    assert client.get(URL, headers={"If-Modified-Since": dated}).status_code == 200


def test_what_is_kept_is_not_asked_for_again(
    client: Client, quiet: None, django_assert_num_queries: Any
) -> None:
    card(1)
    first = client.get(URL)
    with django_assert_num_queries(0):
        again = client.get(URL)
    assert again.content == first.content
    assert again.headers["ETag"] == first.headers["ETag"]


def test_the_stamp_is_one_query(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        before = freshness.current_stamp()
    card(1)
    assert freshness.current_stamp() != before


def test_packed_and_unpacked_are_the_same(client: Client, quiet: None) -> None:
    for number in range(3):
        card(number)
    plain = client.get(URL)
    for _ in ("as it was made", "as it was kept"):
        packed = client.get(URL, headers={"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.content) == plain.content
    assert "Accept-Encoding" in plain.headers["Vary"]


@pytest.mark.parametrize("path", ["nothing/", "runs/nothing/", "runs/?limit=0"])
def test_what_is_refused_is_not_kept(client: Client, path: str) -> None:
    answer = client.get(f"/api/v1/{path}", headers={"If-None-Match": "*"})
    assert answer.status_code in (400, 404)
    assert "ETag" not in answer.headers


def test_other_sites_may_read(client: Client) -> None:
    assert (
        client.get(URL, headers={"Origin": "https://else.example"}).headers["Access-Control-Allow-Origin"]
        == "*"
    )


@pytest.mark.parametrize(("path", "methods"), [("runs/", "GET, HEAD"), ("decode/", "GET, HEAD, POST")])
def test_other_sites_may_ask_but_not_write(client: Client, path: str, methods: str) -> None:
    answer = client.options(f"/api/v1/{path}", headers={"Access-Control-Request-Method": "POST"})
    assert (answer.status_code, answer.headers["Access-Control-Allow-Methods"]) == (204, methods)


def test_a_page_is_kept_for_whoever_is_not_logged_in(
    client: Client, quiet: None, django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    card(1)
    monkeypatch.setattr("submissions.freshness.time.time", lambda: 1_800_000_030.0)  # half past a minute
    page = client.get("/models/kingston-4-gb/")
    with django_assert_num_queries(0):
        assert client.get("/models/kingston-4-gb/").content == page.content
    etag = page.headers["ETag"]
    assert client.get("/models/kingston-4-gb/", headers={"If-None-Match": etag}).status_code == 304
    assert "Cookie" in page.headers["Vary"]


def test_a_page_for_somebody_is_kept_for_nobody(client: Client, quiet: None) -> None:
    client.force_login(User.objects.create_user("alice", password="a long one"))
    assert "ETag" not in client.get("/").headers


def test_a_page_with_the_secret_of_a_form_is_kept_for_nobody(rf: Any, quiet: None) -> None:
    count = iter(range(9))

    @freshness.fresh
    def with_form(request: Any) -> HttpResponse:
        return HttpResponse(f"{next(count)} {get_token(request)}")

    first, second = with_form(rf.get("/")), with_form(rf.get("/"))
    assert first.content[:1] != second.content[:1]  # type: ignore[attr-defined]
    assert "ETag" not in first.headers
