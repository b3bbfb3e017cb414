"""The first page answers the visitor's question, which is not always about which card to buy."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from submissions.models import CardModel
from tests.performances import add_performance

pytestmark = pytest.mark.django_db
GOOD = {"small_writes": 4000.0, "small_reads": 4000.0, "large_writes": 30e6, "large_reads": 80e6}


def ask(client: Client, text: str, **more: str) -> str:
    response = client.get("/", {"q": text, **more}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    return response.content.decode()


def title(page: str) -> str:
    (heading,) = re.findall(r"<h1>(.*?)</h1>", page, re.DOTALL)
    return str(heading)


def add(name: str, slot: str = "sdr104", speed: float = 1.0, **marks: Any) -> None:
    brand, _, line = name.partition(" ")
    values = {ability: value * speed for ability, value in GOOD.items()}
    add_performance(name, slot, values, **{"brand": brand, "line": line, "words": name.lower()} | marks)


def names(page: str) -> list[str]:
    """Return the names of the cards in the ranking on a page, in their order."""
    return re.findall(r'class="title"><a [^>]*>([^<]*)</a>', page.partition('id="ranking"')[2])


def test_it_works(client: Client) -> None:
    page = ask(client, "how do I tell whether my card is fake")
    assert title(page) == "Is my card fake? There are two ways to check"
    assert "f3write /media/card" in page and 'href="/decode/"' in page and 'id="ranking"' not in page


def test_an_answer_has_no_simulated_cards_below(client: Client) -> None:
    add("Invented", "raspberry-pi-5", slug="simulated-x", simulated=True)
    assert "Invented" in client.get("/").content.decode()
    assert "Invented" not in client.get("/", {"q": "is my card fake"}).content.decode()


@pytest.mark.parametrize(
    ("text", "heading", "link"),
    [
        (
            "my sd card is very slow",
            "Slow speed: is it the card, the reader or the program?",
            "/submit/#check",
        ),
        (
            "microSD wird nicht erkannt",
            "Card not detected: is it the card, the reader or the program?",
            "/submit/#check",
        ),
        (
            "ma carte est protégée en écriture",
            "Card is read-only: is it the card, the reader or the program?",
            "/submit/#check",
        ),
        ("mmc0: error -110 whilst initialising SD card", "A line from a kernel log", "/submit/#paste"),
        ("how to benchmark an sd card", "Test a card with one command", "/submit/"),
        ("how long do memory cards last", "How worn is a card?", "/?tells_health=yes"),
        ("what does V30 mean", "C10, U1, U3, V10, V30, V60, V90", "/glossary/"),
        ("max sd card size for my printer", "Which cards fit my device?", "/boards/"),
        ("is my card good enough", "Is my card good?", "/good/"),
        ("how to install retropie on an SSD", "This is about something else", "/decode/"),
        (
            "which sd card should I buy",
            "For which device?",
            "?q=which+sd+card+should+I+buy&amp;board=dashcam",
        ),
    ],
)
def test_each_intent_has_its_answer(client: Client, text: str, heading: str, link: str) -> None:
    page = ask(client, text)
    assert title(page) == heading and f'href="{link}"' in page


@pytest.mark.parametrize(
    ("text", "heading", "told"),
    [
        ("does the switch support 1tb cards", "Which cards fit a Nintendo Switch?", "up to 2 TB"),
        (
            "max sd card size for a steam deck",
            "Which cards fit a Steam Deck or another handheld?",
            "SDXC",
        ),
        ("is a 32gb card compatible with my printer", "A card of this size is SDHC", "says SDHC or SDXC"),
        ("is a 256gb card compatible with my printer", "A card of this size is SDXC", "says SDXC"),
        ("does my printer support more than 2TB", "No card of this size is sold", "most likely a fake"),
        ("can raspberry pi read exfat sd cards", "FAT32, exFAT", "format the card in the device"),
        ("does a microSD with an adapter work in my printer", "Adapter", "but not the other way round"),
        ("does an uhs ii card work in a uhs i slot", "UHS-II, UHS-III", "A second row of pins"),
    ],
)
def test_what_a_device_takes_is_told(client: Client, text: str, heading: str, told: str) -> None:
    page = ask(client, text)
    assert title(page) == heading and told in page


@pytest.mark.parametrize(
    ("text", "chips"),
    [
        ("is a 32gb card compatible with my printer", ["32 GB"]),
        ("32gb pi 4", ["32 GB or more", "Raspberry Pi 4 or 400"]),
        ("exactly 32gb", ["32 GB"]),
        ("32gb or 64gb", ["32 GB", "64 GB"]),
        ("not 32gb", ["not 32 GB"]),
        ("20€ sd card", ["up to 20 EUR"]),
        ("is this 20€ card fake", []),
    ],
)
def test_what_was_understood_is_what_is_searched_for(client: Client, text: str, chips: list[str]) -> None:
    assert re.findall(r'aria-label="Remove ([^"]*)"', ask(client, text)) == chips


def test_a_device_takes_the_sizes_that_were_tested_in_it(client: Client) -> None:
    add_performance("Small", "raspberry-pi-4", GOOD, capacity_gb=32)
    assert "1 model of 32 GB was tested in it." in (page := ask(client, "max sd card size raspberry pi 4"))
    assert "Look for a mark" in page
    add_performance("Large", "raspberry-pi-4", GOOD, capacity_gb=128)
    add_performance("Fake", "raspberry-pi-4", GOOD, capacity_gb=512, lost_data=True)
    add_performance("Elsewhere", "raspberry-pi-4", GOOD, capacity_gb=512, origin="elsewhere")
    page = ask(client, "max sd card size raspberry pi 4")
    assert (
        "2 models of up to 128 GB were tested in it. It accepts SDXC" in page
        and "Look for a mark" not in page
    )


def test_who_names_no_device_is_asked_and_sees_a_card_for_each(client: Client) -> None:
    add("Kioxia EXCERIA")
    page = ask(client, "best sd card")
    assert title(page) == "For which device?" and 'id="ranking"' not in page
    assert "Best SD card for a Raspberry Pi" not in page
    devices = re.findall(r"board=([a-z0-9-]+)", page.partition("For which device?")[2].partition("</dl>")[0])
    assert {"raspberry-pi-5", "dashcam", "nintendo-switch"} <= set(devices)


def test_a_device_that_is_named_gets_its_list(client: Client) -> None:
    add("Kioxia EXCERIA", "sdr104")
    assert title(ask(client, "best card for my dashcams")) == "Best SD card for a dashcam or security camera"


@pytest.mark.parametrize(
    "text", ["best card for a pi 6", "max sd card size pi 6", "is my kioxia good for a pi 6"]
)
def test_a_device_that_nobody_tested_is_called_so(client: Client, text: str) -> None:
    add("Kioxia EXCERIA", "raspberry-pi-5")
    told = "We have no results from a “pi 6” yet. The results below are for a Raspberry Pi 5 or 500."
    page = ask(client, text)
    assert told in page and '">pi 6</a>' in page
    assert told in client.get("/good/", {"q": text}).content.decode()
    assert told not in ask(client, text.replace("6", "5"))


def test_what_a_device_needs_is_said_of_a_card_that_was_not_tested_in_it(client: Client) -> None:
    asked = "Samsung PRO Plus 256 GB for the switch 2"
    assert "It runs games only from microSD Express cards." in ask(client, asked)
    assert (
        "It runs games only from microSD Express cards."
        in client.get("/good/", {"q": asked}).content.decode()
    )


def test_two_names_are_compared_side_by_side(client: Client) -> None:
    add("SanDisk Extreme", "raspberry-pi-4")
    add("SanDisk Ultra", "raspberry-pi-4", speed=0.2)
    page = ask(client, "SanDisk Extreme or Ultra for a Pi 4?")
    assert title(page) == "SanDisk Extreme or SanDisk Ultra?"
    assert "SanDisk Extreme is the best of these for a Raspberry Pi 4 or 400." in page
    assert "/compare/?m=sandisk-extreme&amp;m=sandisk-ultra&amp;board=raspberry-pi-4" in page


def test_two_sizes_of_one_card_are_compared(client: Client) -> None:
    add("SanDisk Extreme", "raspberry-pi-4", capacity_gb=64)
    large: dict[str, Any] = {
        "brand": "SanDisk",
        "line": "Extreme",
        "words": "sandisk extreme",
        "capacity_gb": 128,
    }
    add("SanDisk Extreme 128", "raspberry-pi-4", **large)
    page = ask(client, "SanDisk Extreme 64 vs 128gb pi 4")
    assert title(page) == "SanDisk Extreme or SanDisk Extreme 128?"
    page = ask(client, "SanDisk Extreme 64 vs 256gb pi 4")
    assert title(page) == "sandisk extreme 64 GB or sandisk extreme 256 GB?"
    assert "Only one of these has been tested." in page


def test_a_name_that_was_tested_in_another_size_is_compared(client: Client) -> None:
    add("SanDisk Extreme", "raspberry-pi-4", capacity_gb=64)
    add("SanDisk Ultra", "raspberry-pi-4", capacity_gb=256)
    assert title(ask(client, "SanDisk Extreme or Ultra 256gb pi 4")) == "SanDisk Extreme or SanDisk Ultra?"


def test_names_and_sizes_are_compared_at_once(client: Client) -> None:
    for line in ("Extreme", "Ultra"):
        of_line: dict[str, Any] = {"brand": "SanDisk", "line": line, "words": f"sandisk {line.lower()}"}
        add(f"{line} 64", "raspberry-pi-4", **of_line | {"capacity_gb": 64})
        add(f"{line} 128", "raspberry-pi-4", **of_line | {"capacity_gb": 128})
    page = ask(client, "SanDisk Extreme or Ultra 64 or 128gb pi 4")
    assert title(page) == "Extreme 64 or Extreme 128 or Ultra 64 or Ultra 128?"
    assert title(ask(client, "SanDisk Extreme 64 vs Ultra 128 pi 4")) == "Extreme 64 or Ultra 128?"


def test_cards_of_one_size_are_compared(client: Client) -> None:
    add("SanDisk Extreme", "raspberry-pi-4", capacity_gb=64)
    add("SanDisk Ultra", "raspberry-pi-4", capacity_gb=16, known_cards=9)
    of_line: dict[str, Any] = {"brand": "SanDisk", "line": "Ultra", "words": "sandisk ultra"}
    add("SanDisk Ultra 64", "raspberry-pi-4", capacity_gb=64, **of_line)
    assert title(ask(client, "SanDisk Extreme or Ultra pi 4")) == "SanDisk Extreme or SanDisk Ultra 64?"


def test_of_two_brands_it_asks_for_cards(client: Client) -> None:
    add("SanDisk Extreme", "raspberry-pi-4")
    add("Kioxia EXCERIA", "raspberry-pi-4")
    page = ask(client, "sandisk vs kioxia pi 4")
    assert title(page) == "Which cards do you want to compare?"
    assert "SanDisk Extreme</a>" in page and "Kioxia EXCERIA</a>" in page


def test_names_that_nobody_tested_are_not_compared(client: Client) -> None:
    page = ask(client, "SanDisk Extreme or Samsung Pro Plus")
    assert title(page) == "sandisk extreme or samsung pro plus?" and "Nobody has tested these yet." in page


def test_what_is_not_wanted_is_on_no_side_of_a_comparison(client: Client) -> None:
    add("SanDisk Extreme", "raspberry-pi-4")
    add("SanDisk Ultra Plus", "raspberry-pi-4", known_cards=9, app_perf_class=1)
    add("SanDisk Ultra Fit", "raspberry-pi-4")
    page = ask(client, "SanDisk Extreme or Ultra, not A1, for a Pi 4?")
    assert title(page) == "SanDisk Extreme or SanDisk Ultra Fit?"


def test_two_marks_are_explained(client: Client) -> None:
    page = ask(client, "A1 vs A2")
    assert title(page) == "A1 or A2" and "A2 promises 4,000 and 2,000" in page


def test_a_card_at_hand_is_judged(client: Client) -> None:
    add("Kingston Canvas", "raspberry-pi-4")
    page = ask(client, "is my kingston canvas good enough for a pi 4?")
    assert "Kingston Canvas</a></h1>" in page and '<p class="suits yes">' in page


def test_a_card_at_hand_may_be_any_size_of_its_name(client: Client) -> None:
    of_line: dict[str, Any] = {"brand": "SanDisk", "line": "Ultra", "words": "sandisk ultra"}
    add("SanDisk Ultra 64", "raspberry-pi-4", capacity_gb=64, **of_line)
    add("SanDisk Ultra", "raspberry-pi-4", capacity_gb=2, known_cards=9)
    add("SanDisk Ultra Fit", "raspberry-pi-4")
    page = ask(client, "is my sandisk ultra good enough for a pi 4?")
    assert title(page) == "Which of these is your card?"
    offered = re.findall(r'href="/good/\?m=([a-z0-9-]+)&amp;board=raspberry-pi-4', page)
    assert offered == ["sandisk-ultra", "sandisk-ultra-64"]
    assert "SanDisk Ultra 64</a></h1>" in ask(client, "is my sandisk ultra 64gb good enough for a pi 4?")


def test_a_card_at_hand_that_nobody_tested_is_described(client: Client) -> None:
    page = ask(client, "is my kingston canvas select plus 64gb good enough for a pi 4?")
    assert title(page) == "Kingston Canvas Select Plus 64 GB" and "Nobody has tested it yet." in page


def test_a_card_at_hand_without_a_size_is_no_one_product(client: Client) -> None:
    page = ask(client, "is my kingston canvas select plus good enough for a pi 4?")
    assert title(page) == "Nobody has tested “kingston canvas select plus” yet."
    sold = page.partition("Sold under this name")[2]
    assert "Kingston Canvas Select Plus 32 GB" in sold and "Kingston Canvas Select Plus 64 GB" in sold


@pytest.mark.parametrize("text", ["not sandisk", "ohne sandisk", "sin sandisk", "pas de sandisk", "不要闪迪"])
def test_what_is_not_wanted_is_in_no_list(client: Client, text: str) -> None:
    add("SanDisk Extreme", "raspberry-pi-4")
    add("Kioxia EXCERIA", "raspberry-pi-4")
    page = ask(client, f"{text} pi 4")
    assert names(page) == ["Kioxia EXCERIA"]
    assert "SanDisk" not in page.partition("<h1>")[2]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("fastest", "Kioxia EXCERIA"),
        ("cheapest", "Kingston Canvas"),
        ("am zuverlässigsten most reliable", "SanDisk Ultra"),
        ("largest", "Lexar Play"),
        ("longest lasting", "SanDisk High Endurance"),
    ],
)
def test_a_superlative_orders_the_list(client: Client, text: str, first: str) -> None:
    add("Kioxia EXCERIA", "raspberry-pi-4", speed=3)
    priced: dict[str, Any] = {"price": 3.0, "currency": "EUR", "priced_on": timezone.localdate()}
    add("Kingston Canvas", "raspberry-pi-4", **priced)
    add("SanDisk Ultra", "raspberry-pi-4", known_cards=9)
    add("Lexar Play", "raspberry-pi-4", capacity_gb=1024)
    add("SanDisk High Endurance", "raspberry-pi-4")
    assert names(ask(client, f"{text} card for a raspberry pi 4"))[0] == first


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("best card", "Kioxia EXCERIA"),
        ("fastest card", "Kioxia EXCERIA"),
        ("cheapest card", "Kingston Canvas"),
        ("largest card", "Lexar Play"),
        ("worst card", "SanDisk Ultra"),
    ],
)
def test_a_superlative_picks_the_card_for_each_device(client: Client, text: str, card: str) -> None:
    priced: dict[str, Any] = {"currency": "EUR", "priced_on": timezone.localdate()}
    add("Kioxia EXCERIA", speed=3, price=9.0, **priced)
    add("Kingston Canvas", price=3.0, **priced)
    add("Lexar Play", capacity_gb=1024)
    add("SanDisk Ultra", speed=0.01)
    picked = ask(client, text).partition("For which device?")[2].partition("</dl>")[0]
    assert set(re.findall(r'href="/models/[^>]*>([^<]*)</a>', picked)) == {card}


@pytest.mark.parametrize(
    ("text", "first"),
    [("worst", "SanDisk Ultra"), ("most expensive", "Kingston Canvas"), ("smallest", "Lexar Play")],
)
def test_a_superlative_of_the_other_end_begins_there(client: Client, text: str, first: str) -> None:
    add("Kioxia EXCERIA", "raspberry-pi-4", speed=3)
    priced: dict[str, Any] = {"price": 3.0, "currency": "EUR", "priced_on": timezone.localdate()}
    add("Kingston Canvas", "raspberry-pi-4", **priced)
    add("SanDisk Ultra", "raspberry-pi-4", speed=0.1)
    add("Lexar Play", "raspberry-pi-4", capacity_gb=16)
    add("Fake", "raspberry-pi-4", capacity_gb=8, speed=0.01, lost_data=True)
    page = ask(client, f"{text} card for a raspberry pi 4")
    assert (names(page)[0], names(page)[-1]) == (first, "Fake")
    assert title(page) == "SD cards for a Raspberry Pi 4 or 400" and "Order: " in page


def test_an_order_of_the_address_counts_before_a_superlative(client: Client) -> None:
    add("Kioxia EXCERIA", "raspberry-pi-4", speed=3)
    add("Lexar Play", "raspberry-pi-4", capacity_gb=1024)
    assert names(ask(client, "largest card for a pi 4", sort="place"))[0] == "Kioxia EXCERIA"


def test_a_fake_is_no_pick_and_on_no_side_of_a_comparison(client: Client) -> None:
    add("SanDisk Extreme", "raspberry-pi-4", lost_data=True)
    add("SanDisk Ultra", "raspberry-pi-4")
    assert "SanDisk Extreme" not in ask(client, "best sd card").partition("<h1>")[2]
    compared = ask(client, "SanDisk Extreme or Ultra for a Pi 4?").partition("<h1>")[2]
    assert "/models/sandisk-extreme/" not in compared.partition("</table>")[0]


@pytest.mark.parametrize(
    ("text", "grey"),
    [
        ("which card for my quonkel", ["quonkel"]),
        ("frobnicated quonkel", ["frobnicated quonkel"]),
        ("which card should I buy", []),
        ("is my quonkel card fake", []),
        ("推荐一款内存卡", []),
    ],
)
def test_words_that_no_question_has_are_grey_where_nothing_is_understood(
    client: Client, text: str, grey: list[str]
) -> None:
    page = ask(client, text)
    assert re.findall(r'<span class="unknown"[^>]*>([^<]*)<', page) == grey
    assert ("Not understood" in page, "Understood:" in page) == (bool(grey), False)


def test_ignored_words_are_grey_and_no_names(client: Client) -> None:
    CardModel.objects.all().delete()
    page = ask(client, "What SD card should I buy for my turntable move?")
    assert "Cards named" not in page and "Nobody has tested" not in page and "No card" not in page
