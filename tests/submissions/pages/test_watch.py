"""A run under way, watched by whoever has its link, until it leads to its submission."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

pytestmark = pytest.mark.django_db
PAGE = "/watch/k3x9w2/"


def tell(client: Client, **progress: Any) -> Any:
    return client.put(f"/api/v1{PAGE}", progress, content_type="application/json")


def part(client: Client) -> Any:
    return client.get(PAGE, headers={"HX-Request": "true"})


def test_it_works(client: Client) -> None:
    cache.clear()
    assert client.get(PAGE).status_code == 404
    assert tell(client, done=0.25, step="random reads", card="SA04G").status_code == 204
    page = client.get(PAGE)
    text = page.content.decode()
    assert "Testing your SA04G" in text and "25" in text and "random reads" in text
    assert page.headers["Cache-Control"] == "no-store"
    assert "<html" in text and "<html" not in part(client).content.decode()
    assert "HX-Redirect" not in part(client).headers
    assert client.get("/watch/another/").status_code == 404


def test_it_leads_to_the_submission(client: Client) -> None:
    tell(client, done=1, submission="abcdefgh23")
    assert client.get(PAGE).headers["Location"] == "/submissions/abcdefgh23/"
    assert part(client).headers["HX-Redirect"] == "/submissions/abcdefgh23/"


@pytest.mark.parametrize(
    "wrong",
    [{}, {"done": 1.1}, {"done": -0.1}, {"done": 0, "step": "x" * 121}, {"done": 0, "more": 1}]
    + [{"done": 1, "submission": submission} for submission in ("../admin", "abcdefg", "a" * 33)],
)
def test_what_is_no_progress_is_refused(client: Client, wrong: dict[str, Any]) -> None:
    cache.clear()
    refused = tell(client, **wrong)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "wrong_shape")
    assert client.get(PAGE).status_code == 404
