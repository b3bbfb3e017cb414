"""The pages below /makers/ show the makers behind manufacturer numbers, and models with these numbers."""

from typing import Any

import pytest
from django.test import Client

from submissions.domain.identity.makers import address, all_makers, find_by_address, search_makers
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db


def text(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def file(number: int, brand: str) -> None:
    given = body(uuid=uuid(number), card=specimen(number, label={"brand": brand}))
    ingest.process(ingest.receive(given, channel="api", submitter="anybody").submission.pk)


def test_it_works(client: Client) -> None:
    page = text(client, "/makers/")
    for said in (
        "Toshiba (memory business now Kioxia)",
        "0x02 0x544d",
        "Kingston",
        "mmc-utils lsmmc.c",
        "MMC",
    ):
        assert said in page


def test_it_is_searched_by_name_number_and_letters(client: Client) -> None:
    for words in ("toshiba", "0x544d", "TM", "kingston 0x02"):
        page = text(client, f"/makers/?q={words}&bus=SD")
        assert "Toshiba (memory business now Kioxia)" in page
        assert "Panasonic" not in page


def test_nothing_found_is_said(client: Client) -> None:
    assert "No makers match your search" in text(client, "/makers/?q=nobody")


def test_a_nonsensical_bus_counts_as_none(client: Client) -> None:
    assert "Toshiba" in text(client, "/makers/?bus=telepathy")


def test_it_leads_to_the_models(client: Client) -> None:
    file(1, "Kingston")
    file(2, "Transcend")
    assert '<a href="/makers/sd/02-544d/">2</a>' in text(client, "/makers/?q=tm")
    page = text(client, "/makers/sd/02-544d/")
    assert 'href="/models/kingston-4-gb/"' in page and 'href="/models/transcend-4-gb/"' in page


def test_a_maker_page_shows_conflicts_and_products(client: Client) -> None:
    page = text(client, "/makers/sd/02-544d/")
    assert "lshw: Kingston" in page
    assert "FlashAir" in page


def test_a_number_nobody_described_has_a_page_too(client: Client) -> None:
    assert "none of our sources lists this manufacturer number" in text(client, "/makers/sd/ee-0001/")


@pytest.mark.parametrize(
    "url", ["/makers/usb/02-544d/", "/makers/sd/toshiba/", "/makers/sd/2/", "/makers/sd/02-544D5/"]
)
def test_what_is_no_number_is_not_found(client: Client, url: str) -> None:
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("maker", all_makers(), ids=lambda maker: "-".join(address(maker)))
def test_every_row_has_an_address_of_its_own(maker: Any) -> None:
    assert find_by_address(*address(maker)) == maker


def test_without_words_every_row_is_found() -> None:
    assert search_makers() == all_makers()


@pytest.mark.parametrize("cards", [1, 4])
@pytest.mark.parametrize("url", ["/makers/", "/makers/sd/02-544d/"])
def test_a_page_needs_one_query(client: Client, url: str, cards: int, django_assert_num_queries: Any) -> None:
    for number in range(cards):
        file(number + 1, f"Brand {number}")
    with django_assert_num_queries(1):
        client.get(url)
