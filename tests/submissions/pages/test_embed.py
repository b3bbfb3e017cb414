"""The list that shops and magazines embed in their pages is the only page that other sites may frame."""

import re

import pytest
from django.test import Client

from tests.api.test_lists import card

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "/embed/raspberry-pi-4/pi-root/"


def test_it_works(client: Client) -> None:
    card(1, "Kingston", vouched=True)
    card(2, "Transcend", vouched=True)
    page = client.get(ADDRESS)
    text = page.content.decode()
    assert page.status_code == 200
    assert "Transcend 4 GB" in text and text.count("<li>") == 2
    assert text.count("1 card, 1 trusted source") == 2
    assert re.search(r"\d\d? \w+ 20\d\d,", text), "a list without its date says nothing"
    assert 'target="_blank"' in text and "CC BY 4.0" in text


def test_the_word_of_one_stranger_is_not_listed(client: Client) -> None:
    card(1, "Boasted")
    assert "Boasted" not in client.get(ADDRESS).content.decode()


def test_it_sets_no_cookie_and_runs_no_script(client: Client) -> None:
    page = client.get(ADDRESS)
    assert not page.cookies and "<script" not in page.content.decode()
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src" not in policy and "form-action 'none'" in policy


def test_any_page_may_hold_it_and_no_other(client: Client) -> None:
    embedded, page = client.get(ADDRESS), client.get("/best/raspberry-pi-4/pi-root/")
    assert "X-Frame-Options" not in embedded.headers
    assert "frame-ancestors *" in embedded.headers["Content-Security-Policy"]
    assert embedded.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert page.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


def test_the_line_to_copy_stands_on_the_page_of_the_answer(client: Client) -> None:
    page = client.get("/best/raspberry-pi-4/pi-root/").content.decode()
    assert f"&lt;iframe src=&quot;http://testserver{ADDRESS}&quot;".replace("&quot;", '"') in page


@pytest.mark.parametrize("where", ["no-board/pi-root", "raspberry-pi-4/no-use", "raspberry-pi-4/express"])
def test_what_is_not_in_the_tables_is_not_there(client: Client, where: str) -> None:
    assert client.get(f"/embed/{where}/").status_code == 404


def test_an_empty_list_says_so(client: Client) -> None:
    assert "No card has been tested" in client.get(ADDRESS).content.decode()
