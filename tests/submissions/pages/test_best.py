"""The page below /best/ shows the best cards for a board and a use, in every format, under a URL meant to be linked."""

from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils.timezone import localdate

from tests.performances import add_performance

pytestmark = pytest.mark.django_db
STEM = "/best/raspberry-pi-5/pi-root"


SLOT = "raspberry-pi-5"
FAST = {"small_writes": 2000, "small_reads": 4000, "large_writes": 40e6}


def add_fast() -> None:
    add_performance("Fast", SLOT, FAST)


def test_it_works(client: Client) -> None:
    add_performance("Slow", SLOT, {"small_writes": 100})
    add_fast()
    page = client.get(f"{STEM}/").content.decode()
    assert "Best SD card for a Raspberry Pi 5" in page and "Fast</a>" in page
    assert f"http://testserver{STEM}/" in page
    answer = client.get(f"{STEM}.json").json()
    assert (answer["board"], answer["use"]) == ("raspberry-pi-5", "pi-root")
    [pick] = answer["picks"]
    assert (pick["slug"], pick["place"], pick["shared"]) == ("fast", 1, False)
    assert (pick["titles"], answer["best_known"]) == (["Best overall", "Tested by the most people"], [])


@pytest.mark.parametrize(
    ("form", "kind"), [("txt", "text/plain"), ("md", "text/markdown"), ("svg", "image/svg+xml")]
)
def test_every_form_names_the_card(client: Client, form: str, kind: str) -> None:
    add_fast()
    answer = client.get(f"{STEM}.{form}")
    assert answer.headers["Content-Type"].startswith(kind)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Fast" in answer.content.decode() and "Best" in answer.content.decode()
    if form == "svg":
        ElementTree.fromstring(answer.content)


def test_every_form_tells_the_same(client: Client) -> None:
    add_fast()
    facts = "2,000 IOPS small writes, measured in a Raspberry Pi 5 or 500, 2 cards, 2 trusted sources"
    page, model = f"http://testserver{STEM}/", "http://testserver/models/fast/"
    answer = client.get(f"{STEM}.json").json()
    assert (answer["date"], answer["links"]) == (localdate().isoformat(), {"page": page})
    (pick,) = answer["picks"]
    leading = pick.pop("leading")
    assert pick == {
        "titles": ["Best overall", "Tested by the most people"],
        "slug": "fast",
        "name": "Fast",
        "gates": [],
        "place": 1,
        "shared": False,
        "needs": {"small_writes": "pass", "small_reads": "pass", "large_writes": "pass"},
        "offer": None,
        "page": model,
    }
    assert (leading["ability"], leading["value"], leading["unit"]) == ("small_writes", 2000, "1/s")
    assert (leading["origin"], leading["at_least"], leading["known_people"]) == ("here", False, 2)
    assert leading["lower"] < 2000 < leading["upper"]
    head, line, link = client.get(f"{STEM}.txt").content.decode().splitlines()
    assert head.startswith("Best SD card for a Raspberry Pi 5 or 500, Running the system, ")
    assert (line, link) == (f"Best overall · Tested by the most people: Fast ({facts})", page)
    head, _, use, _, line = client.get(f"{STEM}.md").content.decode().splitlines()
    assert head == f"### [Best SD card for a Raspberry Pi 5 or 500]({page})"
    assert (
        use.startswith("Running the system, ")
        and line == f"* **Best overall · Tested by the most people**: [Fast]({model}), {facts}"
    )
    drawn = ElementTree.fromstring(client.get(f"{STEM}.svg").content)
    assert drawn.get("height") == "45"
    assert [text.get("y") for text in drawn.iter() if text.tag.endswith("text")] == ["18", "36"]


@pytest.mark.parametrize("form", ["/", ".json", ".txt", ".md", ".svg"])
def test_without_cards_it_says_so(client: Client, form: str) -> None:
    answer = client.get(f"{STEM}{form}")
    assert answer.status_code == 200
    if form == ".json":
        assert (answer.json()["picks"], answer.json()["best_known"]) == ([], [])
    else:
        said = "No card has been tested" if form == "/" else "We don’t know yet"
        assert said in answer.content.decode()


def test_without_proof_the_best_known_are_told(client: Client) -> None:
    add_performance("Rumoured", SLOT, FAST, people=1)
    answer = client.get(f"{STEM}.json").json()
    assert (answer["picks"], [row["slug"] for row in answer["best_known"]]) == ([], ["rumoured"])
    for form in (".txt", ".md", "/"):
        said = client.get(f"{STEM}{form}").content.decode()
        assert said.index("We don’t know yet") < said.index("Best cards so far:") < said.index("Rumoured")
        assert "Best overall" not in said and "Tested by the most people" not in said
    assert "Rumoured" not in client.get(f"{STEM}.svg").content.decode()


def test_a_current_price_is_told_with_its_shop_and_day(client: Client) -> None:
    today = localdate()
    add_performance("Fast", SLOT, FAST, price=9.5, currency="EUR", priced_on=today, shop="Example shop")
    (pick,) = client.get(f"{STEM}.json").json()["picks"]
    assert pick["titles"] == ["Best overall", "Cheapest card that passes", "Tested by the most people"]
    assert (pick["offer"]["amount"], pick["offer"]["currency"]) == (9.5, "EUR")
    assert (pick["offer"]["seen_on"], pick["offer"]["shop"]) == (today.isoformat(), "Example shop")
    assert "9.50\xa0€ (Example shop, " in client.get(f"{STEM}.txt").content.decode()


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
