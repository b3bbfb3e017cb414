"""The language of a page follows a link, a cookie or the browser's wish; programs get English."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def two_languages(settings: Any) -> Iterator[None]:
    """Add German, which Django translates in part: its dates and sentences suffice to see the language."""
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    translation.trans_real.get_languages.cache_clear()  # type: ignore[attr-defined]
    yield
    translation.trans_real.get_languages.cache_clear()  # type: ignore[attr-defined]
    translation.activate("en")


def language(client: Client, path: str, **headers: str) -> str:
    return client.get(path, headers=headers).headers["Content-Language"]


def test_it_works(client: Client) -> None:
    answer = client.get("/about/", headers={"Accept-Language": "fr, de;q=0.8, en;q=0.5"})
    assert answer.headers["Content-Language"] == "de"
    assert '<html lang="de">' in answer.content.decode()
    assert {"Accept-Language", "Cookie"} <= set(answer.headers["Vary"].split(", "))


def test_a_link_changes_it_for_good_without_script(client: Client) -> None:
    page = client.get("/boards/?lang=de").content.decode()
    assert 'href="?lang=en"' in page
    assert 'hreflang="de" href="?lang=de"' in page
    assert language(client, "/about/") == "de"
    assert "django_language" not in client.get("/about/").cookies, "it is set once"
    client.get("/about/?lang=en")
    assert language(client, "/about/", **{"Accept-Language": "de"}) == "en"


def test_the_link_keeps_what_else_was_asked(client: Client) -> None:
    assert 'href="?q=extreme&amp;lang=de"' in client.get("/?q=extreme&lang=en").content.decode()


def test_an_unknown_language_is_none(client: Client) -> None:
    answer = client.get("/about/?lang=tlh")
    assert answer.headers["Content-Language"] == "en"
    assert "django_language" not in answer.cookies


@pytest.mark.parametrize(
    "path", ["/api/v1/makers/", "/llms.txt", "/best/raspberry-pi-5/pi-root.md", "/feeds/", "/robots.txt"]
)
def test_machines_get_english_unless_they_ask(client: Client, path: str) -> None:
    client.cookies["django_language"] = "de"
    assert language(client, path, **{"Accept-Language": "de"}) == "en"
    answer = client.get(f"{path}?lang=de")
    assert (answer.status_code, answer.headers["Content-Language"]) == (200, "de")
    assert not answer.cookies


def test_an_answer_that_is_kept_is_kept_for_each_language(client: Client) -> None:
    english = client.get("/boards/").content.decode()
    german = client.get("/boards/", headers={"Accept-Language": "de-AT"}).content.decode()
    assert '<html lang="en">' in english
    assert '<html lang="de">' in german
