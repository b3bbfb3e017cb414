"""An address made to be linked: the best cards for a board and a purpose, in every form."""

from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils.timezone import localdate

from submissions.models import Score
from submissions.pages import wording
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


def test_every_form_tells_the_same(client: Client) -> None:
    card(2, "Fast", 2000)
    score = Score.objects.get(profile="pi-root", interface="sdr104")
    least, likely = (wording.times(value / 100) for value in (score.bound, score.value))
    facts = f"at least {least} what it needs, likely {likely}; 1 card, 1 person"
    page, model = f"http://testserver{STEM}/", "http://testserver/models/fast-4-gb/"
    answer = client.get(f"{STEM}.json").json()
    assert (answer["date"], answer["links"]) == (localdate().isoformat(), {"page": page})
    assert answer["picks"] == [
        {
            "titles": ["Best"],
            "slug": "fast-4-gb",
            "name": "Fast 4 GB",
            "at_least": round(score.bound / 100, 3),
            "likely": round(score.value / 100, 3),
            "state": "early",
            "cards": 1,
            "submitters": 1,
            "price": None,
            "currency": None,
            "page": model,
        }
    ]
    head, line, link = client.get(f"{STEM}.txt").content.decode().splitlines()
    assert head.startswith("Best SD card for a Raspberry Pi 5 or 500, Running the system, ")
    assert (line, link) == (f"Best: Fast 4 GB ({facts})", page)
    head, _, use, _, line = client.get(f"{STEM}.md").content.decode().splitlines()
    assert head == f"### [Best SD card for a Raspberry Pi 5 or 500]({page})"
    assert use.startswith("Running the system, ") and line == f"* **Best**: [Fast 4 GB]({model}), {facts}"
    drawn = ElementTree.fromstring(client.get(f"{STEM}.svg").content)
    assert drawn.get("height") == "45"
    assert [text.get("y") for text in drawn.iter() if text.tag.endswith("text")] == ["18", "36"]


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
