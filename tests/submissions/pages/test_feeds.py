"""The feed of changes of the first rank, the page that lists feeds, and the pages that link them."""

from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from submissions.models import CardModel
from tests.api.test_lists import card
from tests.atom import ATOM, list_errors
from tests.factories import rand_write, sold_card

pytestmark = pytest.mark.django_db
FIRST = "/feeds/best/raspberry-pi-5/pi-root/"


def process_sold_card(number: int) -> None:
    """Process a report of a new person about a card that shops sell."""
    sent: dict[str, Any] = {"card": sold_card(), "measurements": [rand_write(2000)]}
    card(number, submitter=f"person {number}", vouched=True, **sent)


def entries(client: Client, address: str) -> list[tuple[str, str]]:
    """Return the id and title of every entry of a feed."""
    feed = ElementTree.fromstring(client.get(address).content)
    found = feed.iter(f"{ATOM}entry")
    return [(entry.findtext(f"{ATOM}id", ""), entry.findtext(f"{ATOM}title", "")) for entry in found]


def test_a_first_place_is_announced_once(client: Client) -> None:
    process_sold_card(1)
    assert entries(client, FIRST) == [], "one source proves nothing"
    process_sold_card(2)
    once = entries(client, FIRST)
    number = "http://testserver/models/kioxia-exceria-32-gb/?board=raspberry-pi-5&use=pi-root"
    assert once == [(number, "New number one: Kioxia EXCERIA 32 GB")]
    process_sold_card(3)
    assert entries(client, FIRST) == once, "another test of the same model is no news"


def test_another_first_place_is_another_entry(client: Client) -> None:
    process_sold_card(1)
    process_sold_card(2)
    before = entries(client, FIRST)
    CardModel.objects.update(name="Another card", slug="another")
    ((number, title),) = entries(client, FIRST)
    assert (number, title) != before[0] and title == "New number one: Another card"


@pytest.mark.parametrize(
    "address",
    ["/feeds/", FIRST, "/feeds/models/kioxia-exceria-32-gb/", "/feeds/search/?q=kioxia%20%22exceria%22"],
)
def test_every_feed_is_valid(client: Client, address: str) -> None:
    process_sold_card(1)
    process_sold_card(2)
    content = client.get(address).content
    assert b"<entry>" in content
    assert list_errors(content) == []


@pytest.mark.parametrize("address", ["/feeds/", FIRST])
def test_a_feed_without_entries_is_valid(client: Client, address: str) -> None:
    content = client.get(address).content
    assert b"<entry>" not in content
    assert list_errors(content) == []


def test_an_invalid_feed_is_noticed(client: Client) -> None:
    process_sold_card(1)
    feed = client.get("/feeds/").content.decode()
    for old, new in (
        ("<author>", "<!--"),
        ("<updated>20", "<updated>"),
        ("<id>http", "<id>urn:nobody"),
        ('rel="self"', ""),
        ("<title>", "<title>x</title><title>"),
    ):
        assert old in feed
        broken = feed.replace(old, new).replace("</author>", "-->" if new == "<!--" else "</author>")
        assert list_errors(broken.encode()), old


@pytest.mark.parametrize("address", [FIRST, "/feeds/"])
def test_a_feed_needs_one_query(client: Client, address: str, django_assert_num_queries: Any) -> None:
    for number in range(3):
        card(number + 1)
    with django_assert_num_queries(1):
        client.get(address)


@pytest.mark.parametrize(
    "address", ["best/nothing/pi-root/", "best/raspberry-pi-5/nothing/", "cid/sd/02-544d/SA04G/", "follow/"]
)
def test_an_unknown_feed_is_not_found(client: Client, address: str) -> None:
    assert client.get(f"/feeds/{address}").status_code == 404


@pytest.mark.parametrize(
    ("page", "feed"),
    [
        ("/follow/", "/feeds/"),
        ("/best/raspberry-pi-5/pi-root/", FIRST),
        ("/models/kingston-4-gb/", "/feeds/models/kingston-4-gb/"),
        ("/?q=kingston+4gb", "/feeds/search/?q=kingston+4gb"),
    ],
)
def test_pages_link_their_feed(client: Client, page: str, feed: str) -> None:
    card(1)
    assert f'href="{feed}"' in client.get(page).content.decode()
    assert client.get(feed).status_code == 200


def test_the_feed_page_takes_no_address(client: Client) -> None:
    page = client.get("/follow/").content.decode()
    assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
