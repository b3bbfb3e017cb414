"""The page “Is my card good?” gives one answer, in words, for the chosen device."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from tests.api.test_models import card
from tests.performances import add_performance

pytestmark = pytest.mark.django_db
GOOD = {"small_writes": 4000.0, "small_reads": 4000.0, "large_writes": 30e6}


def page(client: Client, **query: str) -> str:
    response = client.get("/good/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_it_works(client: Client) -> None:
    add_performance("Kingston 4 GB", "raspberry-pi-4", GOOD)
    judged = page(client, m="kingston-4-gb", board="raspberry-pi-4")
    assert '<p class="suits yes">Yes</p>' in judged
    assert "Raspberry Pi 4 or 400, Running the system: Small writes: 4,000 IOPS" in judged
    assert "2 cards, 2 trusted sources" in judged
    assert "m=kingston-4-gb&amp;board=raspberry-pi-4" in judged
    assert "Nintendo Switch" in judged.partition("In other devices")[2]


def test_what_nobody_tested_for_the_use_is_said(client: Client) -> None:
    add_performance("Kingston 4 GB", "raspberry-pi-4", GOOD)
    judged = page(client, m="kingston-4-gb", board="raspberry-pi-5")
    assert '<p class="suits untested">Not tested</p>' in judged
    assert "Nobody has tested it for “Running the system” yet." in judged


def test_a_card_that_lost_data_is_refused(client: Client) -> None:
    add_performance("Kingston 4 GB", "raspberry-pi-4", GOOD, lost_data=True)
    judged = page(client, m="kingston-4-gb", board="raspberry-pi-4")
    assert '<p class="suits no">No</p>' in judged
    assert "A card of this model lost data in a test." in judged


def test_several_models_are_offered(client: Client) -> None:
    card(1, "Kingston Red", 5000)
    card(2, "Kingston Blue", 500)
    offered = page(client, q="kingston")
    assert "Which of these is your card?" in offered
    (link,) = re.findall(r'href="(/good/\?m=kingston-blue-[^"]*)"', offered)
    judged = client.get(html.unescape(link)).content.decode()
    assert "For which device?" in judged and "In other devices" not in judged


def test_what_is_not_there_has_a_nearest_name(client: Client) -> None:
    card(1, "Quonkel", 5000)
    assert "The closest matches:" in page(client, q="quonkel 512gb")
    assert "Type what the label says" in page(client)
    assert "Type what the label says" in page(client, m="nobody")


def test_a_word_that_no_card_has_is_ignored_quietly(client: Client) -> None:
    card(1, "Kingston", 5000)
    judged = page(client, q="quonkel kingston 4gb pi 4")
    assert (
        'class="suits' in judged and "quonkel" not in judged.partition("</form>")[2].partition("</main>")[0]
    )


def test_it_needs_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    card(1, "Kingston", 5000)
    with django_assert_max_num_queries(7):
        page(client, q="kingston")


def test_a_size_and_a_device_offer_the_cards_of_that_size(client: Client) -> None:
    add_performance("Kingston Canvas 64", "raspberry-pi-5", GOOD, capacity_gb=64)
    add_performance("Kingston Canvas 128", "raspberry-pi-5", GOOD, capacity_gb=128)
    add_performance("Kingston Canvas 64 B", "raspberry-pi-5", GOOD, capacity_gb=64)
    offered = page(client, q="raspberry pi 64gb")
    assert "Which of these is your card?" in offered
    assert "Kingston Canvas 64 B" in offered and "Kingston Canvas 128" not in offered


def test_without_a_device_it_is_judged_for_each(client: Client) -> None:
    marks: dict[str, Any] = {"brand": "Kingston", "line": "Canvas", "words": "kingston canvas"}
    add_performance("Kingston Canvas", "raspberry-pi-5", GOOD, **marks)
    judged = page(client, q="kingston canvas")
    assert "For which device?" in judged and "Raspberry Pi 5 or 500" in judged
    assert "In other devices" not in judged


def test_words_around_the_name_change_nothing(client: Client) -> None:
    marks: dict[str, Any] = {"brand": "SanDisk", "line": "Ultra", "words": "sandisk ultra", "capacity_gb": 64}
    add_performance("SanDisk Ultra 64 GB", "raspberry-pi-4", GOOD, **marks)
    judged = page(client, q="is a sandisk ultra 64gb good enough for my raspberry pi 4")
    assert '<p class="suits yes">Yes</p>' in judged
