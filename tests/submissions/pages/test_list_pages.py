"""Lists of cards for a use on a device come from stored performances: finder, boards, best pages, badge."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.proof import Proof
from submissions.models import CardModel, Performance
from tests.performances import add_performance

pytestmark = pytest.mark.django_db

SLOT = "raspberry-pi-5"
PASSES = {"small_reads": 4000.0, "large_writes": 40e6}


@pytest.fixture(autouse=True)
def models() -> None:
    today = timezone.localdate()
    add_performance(
        "Good", SLOT, {"small_writes": 4000, **PASSES}, price=9.0, currency="EUR", priced_on=today
    )
    add_performance(
        "Fair",
        SLOT,
        {"small_writes": 3900, **PASSES},
        price=7.0,
        currency="EUR",
        priced_on=today,
        people=5,
    )
    add_performance("Guess", SLOT, {"small_writes": 1800, **PASSES}, origin="elsewhere")
    add_performance("Slow", SLOT, {"small_writes": 46, **PASSES}, price=1.0, currency="EUR", priced_on=today)
    add_performance("Fake", SLOT, {"small_writes": 9000, **PASSES}, price=3.0, lost_data=True)
    add_performance("Reader", SLOT, {"small_reads": 9000})


def text(client: Client, url: str, **options: Any) -> str:
    response = client.get(url, **options)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def shown_rows(page: str) -> list[tuple[str, ...]]:
    """Return rank, name and amount of every row of the list on a page."""
    row = r'<td class="place">([^<]*)</td><th scope="row"><span class="title"><a [^>]*>([^<]*)</a>.*?<b>([^<]*)</b>'
    return re.findall(row, page.partition('id="ranking"')[2])


def test_it_works(client: Client) -> None:
    page = text(client, "/")
    assert shown_rows(page) == [
        ("=1", "Good", "4,000 IOPS"),
        ("=1", "Fair", "3,900 IOPS"),
        ("3", "Guess", "≈ 1,800 IOPS"),
        ("4", "Slow", "46 IOPS"),
        ("", "Fake", "9,000 IOPS"),
    ]
    assert "expected from other devices" in page and "lost data" in page
    assert "Too close to the best to call: Fair." in page


def test_three_cards_are_picked(client: Client) -> None:
    picks = text(client, "/").partition('id="ranking"')[0]
    kinds = re.findall(r'<span class="kind">([^<]*)</span>', picks)
    names = re.findall(r"<h2><a [^>]*>([^<]*)</a></h2>", picks)
    assert list(zip(kinds, names, strict=True)) == [
        ("Best overall", "Good"),
        ("Cheapest card that passes · Tested by the most people", "Fair"),
    ]
    assert "measured in a Raspberry Pi 5 or 500" in picks and "5 cards, 5 trusted sources" in picks


def test_of_few_models_no_pick_is_missing(client: Client) -> None:
    CardModel.objects.exclude(name="Guess").delete()
    page = text(client, "/")
    assert "We don’t know yet" not in page and ">Best overall · Tested by the most people<" in page


def test_a_pick_that_cannot_be_named_is_an_answer(client: Client) -> None:
    CardModel.objects.update(price=None, priced_on=None)
    page = text(client, "/")
    assert page.count("We don’t know yet") == 1 and "has a price from the last year" in page


def test_a_price_older_than_a_year_is_no_headline(client: Client) -> None:
    CardModel.objects.filter(name="Fair").update(priced_on=timezone.localdate() - timedelta(days=366))
    page = text(client, "/")
    assert ">Cheapest card that passes<" not in page.partition("Good</a></h2>")[0]
    assert "7.00 €" not in page and "9.00 €" in page


def test_without_proof_the_best_known_are_told(client: Client) -> None:
    CardModel.objects.filter(name="Good").update(is_sold=False)
    CardModel.objects.filter(name="Fair").update(product_count=0)
    Performance.objects.update(proofs=[int(Proof.SOURCE)] * len(ABILITIES))
    picks = text(client, "/").partition('id="ranking"')[0]
    assert "We don’t know yet" in picks and ">Best overall<" not in picks
    assert re.findall(r"<li><a [^>]*>([^<]*)</a>", picks.partition("Best cards so far:")[2]) == ["Guess"]


@pytest.mark.parametrize(
    "marks",
    [{"varies": True}, {"suspicious_cards": 1}, {"is_sold": None}, {"is_sold": False}, {"lost_data": True}],
)
def test_doubtful_cards_are_listed_and_no_picks(client: Client, marks: dict[str, Any]) -> None:
    CardModel.objects.filter(name="Good").update(**marks)
    picks, _, listed = text(client, "/").partition('id="ranking"')
    assert ">Good</a></h2>" not in picks and ">Good</a>" in listed


def test_a_list_can_be_in_the_order_of_any_ability(client: Client) -> None:
    add_performance("Reads", SLOT, {"small_writes": 700, "small_reads": 9500})
    page = text(client, "/?sort=small_reads")
    place, name, amount = shown_rows(page)[0]
    assert (place, name, amount) == ("", "Reads", "9,500 IOPS")
    assert 'aria-current="true">Small reads</a>' in page and "1,500 IOPS needed" in page
    assert shown_rows(text(client, "/?sort=price"))[0][1] == "Slow"
    assert shown_rows(text(client, "/?sort=nonsense"))[0][0] == "=1"


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("origin=here", ["Good", "Fair", "Slow"]),
        ("small_writes_min=3950", ["Good"]),
        ("large_writes_min=41", []),
        ("min_cards=5", ["Fair"]),
    ],
)
def test_a_list_can_be_narrowed_by_figures(client: Client, query: str, names: list[str]) -> None:
    assert [row[1] for row in shown_rows(text(client, f"/?{query}"))] == names


def test_the_filter_offers_abilities_of_the_slot(client: Client) -> None:
    assert 'name="small_writes_min"' in text(client, "/filter/") and "_spi_min" not in text(
        client, "/filter/"
    )
    assert 'name="large_writes_spi_min"' in text(client, "/filter/?board=raspberry-pi-pico")


def test_simulated_cards_have_a_list_of_their_own(client: Client) -> None:
    add_performance("Simulated", SLOT, {"small_writes": 9000}, slug="simulated-x", simulated=True)
    page = text(client, "/")
    assert "Simulated</a>" in page.partition('<details class="simulated">')[2]
    assert "Simulated</a>" not in page.partition('<details class="simulated">')[0]


def test_the_first_page_needs_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(10):
        client.get("/")


def test_a_board_lists_the_best_of_each_use(client: Client) -> None:
    page = text(client, "/boards/raspberry-pi-5/")
    best = page.partition("Running the system</a>")[2].partition("</section>")[0]
    assert re.findall(r">([A-Z]\w+)</a>", best) == ["Good", "Fair", "Guess", "Slow"]
    assert '<b class="measure">≈ 1,800 IOPS</b>' in best


@pytest.mark.parametrize(
    ("slug", "verdict"),
    [
        ("good", "Fast enough for a Raspberry Pi 5 or 500. Small writes: 4,000 IOPS"),
        ("slow", "Too slow for a Raspberry Pi 5 or 500. Small writes: 46 IOPS; needed: 500 IOPS."),
        ("fake", "A card of this model lost data in a test."),
        ("reader", "Not tested for a Raspberry Pi 5 or 500 yet."),
    ],
)
def test_a_badge_holds_the_verdict(client: Client, slug: str, verdict: str) -> None:
    assert f": Running the system: {verdict}</title>" in text(client, f"/models/{slug}/badge.svg")
