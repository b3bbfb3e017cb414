"""Every view of a model with a grave fault names the fault before any praise, or does not name the model.

Such a fault is called a gate: lost data, for example.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.test import Client

from submissions.domain.ranking.gates import DOUBTING, EXCLUDING, Gate
from submissions.models import CardModel
from submissions.pages.mirror import index
from submissions.writing import ingest
from tests.factories import rand_write, report, sold_card, uuid
from tests.performances import add_performance
from tests.small_crowd import receive, vouch
from tests.submissions.pages.test_mirror import read

pytestmark = pytest.mark.django_db

WISH = "board=raspberry-pi-5&use=pi-root"
BEST = "/best/raspberry-pi-5/pi-root"
NEEDS = {"small_reads": 9000.0, "large_writes": 60e6}


class Case(NamedTuple):
    """The columns of a model with a gate, and the sentence that names the gate."""

    marks: dict[str, Any]
    sentence: str


CASES = {
    Gate.LOST_DATA: Case({"lost_data": True}, "A card of this model lost data in a test."),
    Gate.LOSSES: Case(
        {"losers": 1, "judging_people": 5}, "Beware: 1 of 5 people had a card that lost data in a test."
    ),
    Gate.SUSPICIOUS: Case(
        {"suspicious_cards": 1, "known_cards": 2}, "Beware: 1 of 2 tested cards are suspicious."
    ),
    Gate.DOES_NOT_FIT: Case({"form": "SD"}, "It does not fit a Raspberry Pi 5 or 500."),
    Gate.TOO_SMALL: Case(
        {"capacity_gb": 2}, "It is too small: for “Running the system” a card should hold 4 GB or more."
    ),
    Gate.NOT_SOLD: Case({"is_sold": False}, "Shops no longer sell it."),
}
GOOD_WORDS = ("Fast enough", "9,000 IOPS", "Running the system: place")


@pytest.fixture(params=Gate, autouse=True)
def gate(request: pytest.FixtureRequest) -> Gate:
    """Store a model that would be the fastest without this gate, and one without any gate; return the gate."""
    closed: Gate = request.param
    marks: dict[str, Any] = {"known_cards": 2, "words": "gated"} | CASES[closed].marks
    add_performance("Gated", "raspberry-pi-5", {"small_writes": 9000, **NEEDS}, **marks)
    add_performance("Plain", "raspberry-pi-5", {"small_writes": 2000, **NEEDS}, words="plain")
    return closed


def text(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def main(client: Client, url: str) -> str:
    return text(client, url).partition("<main")[2].partition("</main>")[0]


def with_form(gate: Gate) -> str:
    """Return the query parameter with which cards that do not fit are found, too."""
    return "&form=SD" if gate is Gate.DOES_NOT_FIT else ""


def check_words(said: str, gate: Gate, *, good: tuple[str, ...] = GOOD_WORDS) -> None:
    """Assert that the gate is named before any praise, and that a model that it excludes gets no praise."""
    at = said.index(CASES[gate].sentence)
    for words in good:
        assert words not in said[:at], f"“{words}” before “{CASES[gate].sentence}”"
    if gate in EXCLUDING:
        assert "Fast enough" not in said and "Running the system: place" not in said


def test_without_a_gate_each_of_them_praises_the_model(client: Client, gate: Gate) -> None:
    """Without a gate the praise is there, so the other tests can fail."""
    praised = f"/models/plain/?{WISH}"
    assert "Fast enough" in main(client, praised) and ("Running the system: place") in main(client, praised)
    assert "Plain</a></h2>" in main(client, f"{BEST}/")


def test_the_model_page(client: Client, gate: Gate) -> None:
    page = main(client, f"/models/gated/?{WISH}")
    check_words(page.partition("</h1>")[2], gate)
    assert ("Compared with other cards" in page) == (gate not in EXCLUDING)


def test_a_row_of_the_finder(client: Client, gate: Gate) -> None:
    if gate is Gate.DOES_NOT_FIT:
        assert "gated" not in text(client, f"/?{WISH}").partition('id="ranking"')[2]
    listed = text(client, f"/?{WISH}{with_form(gate)}").partition('id="ranking"')[2]
    (row,) = (row for row in re.findall(r"<tr.*?</tr>", listed) if "/models/gated/" in row)
    check_words(row, gate)
    assert ('<td class="place"></td>' in row) == (gate in EXCLUDING)


def test_the_finder_picks_the_other(client: Client, gate: Gate) -> None:
    picks = text(client, f"/?{WISH}").partition('id="ranking"')[0]
    assert re.findall(r"<h2><a [^>]*>([^<]*)</a></h2>", picks) == ["Plain"]


def check_advice(advice: dict[str, Any], gate: Gate) -> None:
    assert advice["gates"] == [gate]
    assert (advice["place"] is None) == (gate in EXCLUDING)


def test_the_api(client: Client, gate: Gate) -> None:
    for address in (f"/api/v1/models/?{WISH}{with_form(gate)}", f"/api/v1/compare/?{WISH}&m=gated"):
        (row,) = (row for row in client.get(address).json()["results"] if row["slug"] == "gated")
        check_advice(row, gate)
    told = client.get(f"/api/v1/models/gated/explanation/?{WISH}").json()
    check_advice(told["advice"], gate)
    picked = client.get(f"/api/v1/picks/?{WISH}").json()["results"]
    assert [row["slug"] for row in picked] == ["plain"]


def test_a_search_of_the_api(client: Client, gate: Gate) -> None:
    answer = client.get(f"/api/v1/search/?q=gated&{WISH}").json()
    assert [row["slug"] for row in answer["models"]] == ([] if gate is Gate.DOES_NOT_FIT else ["gated"])
    for row in answer["models"]:
        check_advice(row, gate)


def test_the_api_tells_the_facts_of_one_model(client: Client, gate: Gate) -> None:
    model = client.get("/api/v1/models/gated/").json()
    assert {name: model[name] for name in CASES[gate].marks} == CASES[gate].marks
    assert "place" not in model


def test_is_my_card_good(client: Client, gate: Gate) -> None:
    page = main(client, f"/good/?m=gated&{WISH}")
    judged = page.partition('<section class="judged">')[2].partition("</section>")[0]
    check_words(judged, gate)
    answer = "no" if gate in EXCLUDING else "maybe" if gate in DOUBTING else "yes"
    assert f'class="suits {answer}"' in judged


@pytest.mark.parametrize("form", ["/", ".json", ".txt", ".md", ".svg"])
def test_no_form_of_the_best_names_it(client: Client, gate: Gate, form: str) -> None:
    said = text(client, f"{BEST}{form}")
    assert "Plain" in said and "Gated" not in said and "gated" not in said


def test_without_another_it_is_no_candidate_either(client: Client, gate: Gate) -> None:
    CardModel.objects.filter(name="Plain").delete()
    for form in ("/", ".json", ".txt", ".md", ".svg"):
        assert "Gated" not in text(client, f"{BEST}{form}")


def test_the_answer_for_another_product_of_its_line(client: Client, gate: Gate) -> None:
    CardModel.objects.filter(name="Gated").update(brand="Kioxia", line="EXCERIA")
    page = text(client, f"/?q=kioxia+exceria+64gb&{WISH}")
    near = page.partition("Closest cards of the same product line")[2].partition("</section>")[0]
    rows = [row for row in re.findall("<dd>.*?</dd>", near) if "/models/gated/" in row]
    assert len(rows) == (gate not in EXCLUDING)
    for row in rows:
        check_words(row, gate)


def test_the_badge(client: Client, gate: Gate) -> None:
    title = re.search("<title>(.*)</title>", text(client, f"/models/gated/badge.svg?{WISH}"))
    assert title
    said = title[1].partition("Running the system: ")[2]
    assert said.startswith(CASES[gate].sentence)
    check_words(said, gate)
    assert ("IOPS" in said) == (gate not in EXCLUDING)


def test_a_list_for_the_pages_of_others(client: Client, gate: Gate) -> None:
    page = text(client, "/embed/raspberry-pi-5/pi-root/")
    rows = [row for row in re.findall("<li.*?</li>", page) if "/models/gated/" in row]
    assert len(rows) == (gate not in EXCLUDING)
    for row in rows:
        check_words(row, gate)


def test_the_page_of_a_board(client: Client, gate: Gate) -> None:
    page = main(client, "/boards/raspberry-pi-5/")
    rows = [row for row in re.findall("<li.*?</li>", page) if "use=pi-root" in row and "/gated/" in row]
    assert len(rows) == (gate not in EXCLUDING)
    for row in rows:
        check_words(row, gate)


def test_the_feed_of_first_places(client: Client, gate: Gate) -> None:
    CardModel.objects.all().delete()
    for number in (1, 2):
        sent = report(uuid=uuid(number), card=sold_card(), measurements=[rand_write(2000)])
        submission = receive(sent, f"person {number}")
        vouch(submission)
        ingest.process(submission.pk)
    feed = "/feeds/best/raspberry-pi-5/pi-root/"
    assert "New number one: Kioxia EXCERIA 32 GB" in text(client, feed)
    CardModel.objects.update(**CASES[gate].marks)
    assert "New number one" not in text(client, feed)


def test_cards_side_by_side(client: Client, gate: Gate) -> None:
    page = main(client, f"/compare/?m=gated&m=plain&{WISH}")
    check_words(page, gate, good=("Gated is the best", "Fast enough", "9,000 IOPS"))
    places = page.partition('data-row="place"')[2].partition("</tr>")[0]
    assert ("<td>–</td>" in places) == (gate in EXCLUDING)
    answers = page.partition('data-row="answer"')[2].partition("</tr>")[0]
    assert ('class="suits small no"' in answers) == (gate in EXCLUDING)
    assert CASES[gate].sentence in answers


def test_an_excluded_card_wins_no_comparison(client: Client, gate: Gate) -> None:
    page = main(client, f"/compare/?m=gated&m=plain&{WISH}")
    if gate in EXCLUDING:
        small_writes = page.partition('data-row="small_writes"')[2].partition("</tr>")[0]
        assert "<b>best</b>" not in small_writes
        assert "over 99 %" not in page


def test_the_index_of_the_mirror(tmp_path: Path, gate: Gate) -> None:
    index.write_index(tmp_path)
    slot = read(tmp_path, "slot.raspberry-pi-5")
    order = slot["uses"]["pi-root"]
    model = read(tmp_path, "models")["slug"].index("gated")
    at = order["row"].index(slot["model"].index(model))
    assert slot["words"][order["notes"][at]] == CASES[gate].sentence
    assert (order["place"]["microSD"][at] == "") == (gate in EXCLUDING)
    assert bool(order["place"]["microSD"][1 - at])


def test_a_card_that_is_not_listed_for_the_use_says_it_too(client: Client) -> None:
    add_performance("Hsthe", "sdr104", {"sustained_writes": 40e6}, lost_data=True, brand="Hsthe")
    CardModel.objects.filter(name="Hsthe").update(words="hsthe")
    said = client.get("/?q=hsthe&board=raspberry-pi-5").content.decode()
    listed = said.partition("Not tested for “Running the system” yet")[2]
    assert listed.partition("<li>")[2].strip().startswith("A card of this model lost data in a test.")
    said = client.get("/good/?q=hsthe&board=raspberry-pi-5").content.decode()
    assert "A card of this model lost data in a test." in said
