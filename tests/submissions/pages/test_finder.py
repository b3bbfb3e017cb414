"""The first page: the best card for a board and a purpose, as a browser without JavaScript and as htmx gets it."""

from typing import Any

import pytest
from django.test import Client

from submissions.domain.ranking import boards, interfaces, profiles
from submissions.domain.ranking.bottleneck import Limit, limit
from submissions.models import Submission
from submissions.writing import ingest
from tests.factories import body, rand_read, rand_write, rand_write_qd32, report, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


def file(number: int = 1, **changes: object) -> Submission:
    submission = ingest.receive(
        body(uuid=uuid(number), **changes), channel="api", submitter=f"tester {number}"
    ).submission
    ingest.process(submission.pk)
    return submission


def labelled(number: int, brand: str, iops: float = 500, **label: Any) -> Submission:
    card = specimen(number, label={"brand": brand} | label)
    return file(number, card=card, measurements=[rand_write(iops)])


def text(client: Client, url: str, **options: Any) -> str:
    response = client.get(url, **options)
    assert response.status_code == 200
    return response.content.decode()


def ranking(client: Client, query: str = "") -> str:
    return text(client, f"/?{query}", headers=HTMX)


def test_it_works(client: Client) -> None:
    labelled(1, "Slow", 100)
    labelled(2, "Fast", 2000)
    page = text(client, "/")
    assert '<a href="/models/fast-4-gb/?board=raspberry-pi-5&amp;profile=pi-root">Fast 4 GB</a>' in page
    assert "Best so far:" in page
    assert page.index("Fast 4 GB") < page.index("Slow 4 GB")
    for said in ("2,000 IOPS", "1 card", "of 1 submitter", "1 of 10 figures", "held back by: Random write"):
        assert said in page


def test_what_just_came_in_can_be_looked_at(client: Client) -> None:
    shown, refused = file(1), file(2, card={})
    page = text(client, "/")
    assert (shown.get_absolute_url() in page, refused.get_absolute_url() in page) == (True, False)


def test_what_was_measured_with_a_queue_is_found_for_a_slot_without(client: Client) -> None:
    labelled(1, "Measured", 900)
    card = specimen(2, label={"brand": "Queued"})
    file(2, card=card, measurements=[rand_write_qd32(4000)])
    page = ranking(client, "board=raspberry-pi-4")
    assert page.index("Measured 4 GB") < page.index("Queued 4 GB"), "less sure is ranked below"
    assert "only measured with 32 commands queued; this slot has no queue" in page
    assert "only measured" not in ranking(client, "board=raspberry-pi-5")


def test_the_first_sentence_says_what_cannot_be_told_apart(client: Client) -> None:
    labelled(1, "One", 900)
    labelled(2, "Other", 890)
    page = ranking(client)
    assert "As good, as far as anybody can tell: Other 4 GB." in page
    assert "It is early" in page


def test_every_choice_stays_in_the_form(client: Client) -> None:
    labelled(1, "Kingston")
    page = text(client, "/?board=raspberry-pi-4&profile=camera&q=kingston&min_gb=2&app_class=1")
    for said in (
        'value="raspberry-pi-4" selected',
        'value="camera" selected',
        'value="kingston"',
        "<details open",
    ):
        assert said in page


def test_the_board_decides_which_slot_counts(client: Client) -> None:
    labelled(1, "Kingston")
    assert "in a Raspberry Pi 3" in ranking(client, "board=raspberry-pi-3")


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("q=kingstn", True),
        ("q=sa04g", True),
        ("q=0x544d", True),
        ("q=transcend", False),
        ("q=&min_gb=&max_gb=&budget=&currency=EUR&brand=&app_class=&flagged=", True),
        ("min_gb=4", True),
        ("min_gb=5", False),
        ("max_gb=4", True),
        ("max_gb=3", False),
        ("brand=kingston", True),
        ("brand=king", False),
        ("maker=Toshiba", True),
        ("maker=Samsung", False),
        ("oem=544D", True),
        ("oem=0x1234", False),
        ("app_class=1", True),
        ("app_class=2", False),
        ("video_class=30", False),
        ("uhs_grade=1", True),
        ("bus_mode=DDR50", True),
        ("bus_mode=SDR104", False),
        ("since=2013", True),
        ("since=2013-04", False),
        ("flagged=no", True),
        ("flagged=yes", False),
        ("min_cards=1", True),
        ("min_cards=2", False),
        ("budget=8&currency=EUR", True),
        ("budget=7&currency=EUR", False),
        ("budget=8&currency=USD", False),
    ],
)
def test_it_can_be_narrowed_down(client: Client, query: str, finds: bool) -> None:
    labelled(1, "Kingston", marks=["A1", "U1"], price=7.5, currency="EUR")
    page = ranking(client, query)
    assert ("Kingston 4 GB" in page) == finds
    assert ("No card here" in page) != finds


@pytest.mark.parametrize(
    "query",
    [
        "profile=nonsense",
        "board=abacus",
        "q=%00",
        "q=" + "x" * 999,
        "min_gb=-1",
        "min_gb=nan",
        "max_gb=1e999",
        "oem=zzz",
        "since=yesterday",
        "page=99",
        "page=x",
        "min_cards=99999999999999999999",
    ],
)
def test_it_bears_a_nonsensical_address(client: Client, query: str) -> None:
    labelled(1, "Kingston")
    assert client.get(f"/?{query}").status_code == 200


def test_nonsense_is_named_beside_its_field(client: Client) -> None:
    assert "An OEM number is up to four hex digits" in text(client, "/?oem=zzz")


def test_an_empty_finder_says_what_to_do(client: Client) -> None:
    assert "You may submit the first one" in text(client, "/")


def test_it_says_when_nothing_matches(client: Client) -> None:
    labelled(1, "Kingston")
    assert "No card here answers to “nobody”" in ranking(client, "q=nobody")
    assert "whose price nobody has told" in ranking(client, "budget=1")


def test_htmx_gets_only_the_ranking_and_a_clean_address(client: Client) -> None:
    response = client.get("/?q=king&min_gb=&page=1", headers=HTMX)
    assert b"<html" not in response.content
    assert "HX-Request" in response.headers["Vary"]
    assert response.headers["HX-Push-Url"] == "/?q=king"


def test_a_model_with_a_suspicious_card_is_marked(client: Client) -> None:
    labelled(1, "Toshiba")
    assert ">suspicious<" not in ranking(client)
    labelled(2, "SanDisk")  # a Toshiba inside
    page = ranking(client).partition("<table")[2]
    assert page.index("SanDisk 4 GB") < page.index(">suspicious<")
    assert page.count(">suspicious<") == 1


def test_simulated_cards_are_marked_and_stand_apart(client: Client) -> None:
    labelled(1, "Real")
    file(2, card=specimen(2, label={"brand": "Unreal"}), simulated=True, host={"interface": "simulated"})
    real, _, apart = text(client, "/").partition('<details class="simulated"')
    assert "Real 4 GB" in real and "Unreal" not in real
    assert "Unreal 4 GB" in apart


def test_a_long_ranking_has_pages(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.pages.views.finder.MODELS_PER_PAGE", 2)
    for number in range(3):
        labelled(number + 1, f"Brand {number}", 1000 - number)
    assert "1 to 2 of 3" in ranking(client, "q=brand")
    second = ranking(client, "q=brand&page=2")
    assert "Brand 2 4 GB" in second and "Brand 0" not in second
    assert '<td class="number place">3</td>' in second
    assert "?q=brand&amp;page=1" in second


def test_what_words_find_is_not_counted_to_the_end(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.pages.views.finder.MODELS_PER_PAGE", 1)
    monkeypatch.setattr("submissions.pages.views.finder.MOST_COUNTED", 2)
    for number in range(3):
        labelled(number + 1, f"Brand {number}", 1000 - number)
    assert "1 to 1 of 2 or more" in ranking(client, "q=brand")
    assert "Brand 1 4 GB" in ranking(client, "q=brand&page=99")
    assert "1 to 1 of 3<" in ranking(client)


@pytest.mark.parametrize("cards", [1, 6])
@pytest.mark.parametrize(
    ("query", "words"),
    [("", 0), ("q=brand&min_gb=1&brand=brand+0&flagged=no", 1), ("q=brand+brant+branb", 1)],
)
def test_it_needs_few_queries(
    client: Client, cards: int, query: str, words: int, django_assert_num_queries: Any
) -> None:
    for number in range(cards):
        labelled(number + 1, f"Brand {number}")
    # How many, the page, brands, simulated ranking, newest submissions; and words that are like those of a search.
    with django_assert_num_queries(5 + words):
        client.get(f"/?{query}")


# What limits a card


PI_4 = boards.find("raspberry-pi-4").interface
ROOT = profiles.find("pi-root")


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({}, None),
        ({"rand_write_4k": 250}, Limit("card", "rand_write_4k", 0.5)),
        ({"rand_write_4k": 250, "seq_read": 44e6}, Limit("card", "rand_write_4k", 0.5)),
        ({"rand_write_4k": 1000, "seq_read": 44e6}, Limit("slot", "seq_read", 1.1)),
        ({"rand_write_4k": 1000}, Limit("card", "rand_write_4k", 2.0)),
    ],
)
def test_what_limits_a_card(figures: dict[str, float], expected: Limit | None) -> None:
    assert limit(ROOT, PI_4, {name: {"value": value} for name, value in figures.items()}) == expected


def test_where_no_slot_is_in_the_way_only_the_card_limits() -> None:
    found = limit(ROOT, interfaces.find("fastest"), {"seq_read": {"value": 44e6}})
    assert found is not None and found.kind == "card"


def test_a_slow_card_in_a_slow_slot_is_named_for_what_it_is(client: Client) -> None:
    file(1, card=report()["card"], measurements=[rand_write(5000), rand_read(9000), seq_read(22.0)])
    assert "limited by the slot: Sequential read" in ranking(client, "board=raspberry-pi-3")


@pytest.mark.parametrize("path", ["/", "/makers/"])
def test_a_search_is_a_search_to_the_browser(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert page.count('type="search"') == 1
    assert '<input type="search" name="q"' in page
