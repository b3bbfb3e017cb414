"""An address made to be linked: the best cards for a board and a purpose, in every form."""

from xml.etree import ElementTree

import pytest
from django.test import Client

from tests.api.test_models import card

pytestmark = pytest.mark.django_db
STEM = "/best/raspberry-pi-5/pi-root"


def test_it_works(client: Client) -> None:
    card(1, "Slow", 100)
    card(2, "Fast", 2000)
    page = client.get(f"{STEM}/").content.decode()
    assert "Best SD card for a Raspberry Pi 5" in page and "Fast 4 GB" in page
    assert f"http://testserver{STEM}/" in page
    answer = client.get(f"{STEM}.json").json()
    assert (answer["board"], answer["profile"]) == ("raspberry-pi-5", "pi-root")
    [pick] = answer["picks"]
    assert (pick["titles"], pick["slug"], pick["cards"]) == (["Best"], "fast-4-gb", 1)
    assert pick["at_least"] < pick["likely"]


@pytest.mark.parametrize(
    ("form", "kind"), [("txt", "text/plain"), ("md", "text/markdown"), ("svg", "image/svg+xml")]
)
def test_every_form_names_the_card(client: Client, form: str, kind: str) -> None:
    card(2, "Fast", 2000)
    answer = client.get(f"{STEM}.{form}")
    assert answer.headers["Content-Type"].startswith(kind)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Fast 4 GB" in answer.content.decode() and "Best" in answer.content.decode()
    if form == "svg":
        ElementTree.fromstring(answer.content)


@pytest.mark.parametrize("form", ["/", ".json", ".txt", ".md", ".svg"])
def test_without_cards_it_says_so(client: Client, form: str) -> None:
    answer = client.get(f"{STEM}{form}")
    assert answer.status_code == 200
    assert b"No card was tested" in answer.content or answer.json()["picks"] == []


@pytest.mark.parametrize(
    "address", ["/best/abacus/pi-root/", "/best/raspberry-pi-5/toast.json", f"{STEM}.exe"]
)
def test_what_is_not_there_is_404(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_readers_without_eyes_find_every_answer(client: Client) -> None:
    lines = client.get("/llms.txt").content.decode().splitlines()
    links = [line.partition("](http://testserver")[2].rstrip(")") for line in lines if "/best/" in line]
    assert f"{STEM}.md" in links
    assert {client.get(link).status_code for link in links} == {200}
