"""The structured data for search engines on a model page has the same names and numbers as its text."""

from html.parser import HTMLParser

import pytest
from django.test import Client

from submissions.models import Performance
from submissions.writing import ingest
from tests.factories import body, rand_read, rand_write, specimen, uuid

pytestmark = pytest.mark.django_db


class _Properties(HTMLParser):
    """A parser that collects (itemprop, text) in the order of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.types: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "itemtype" in given:
            self.types.append(given["itemtype"].rpartition("/")[2])
        if "itemprop" in given:
            self.found.append((given["itemprop"], given.get("content", given.get("href", ""))))


def read(client: Client) -> _Properties:
    label = {"brand": "Kingston"}
    given = body(
        uuid=uuid(1), card=specimen(1, label=label), measurements=[rand_write(2000), rand_read(4000)]
    )
    ingest.process(ingest.receive(given, channel="api", submitter="x").submission.pk)
    parser = _Properties()
    parser.feed(client.get("/models/kingston-4-gb/").content.decode())
    return parser


def test_it_works(client: Client) -> None:
    page = read(client)
    told = dict(page.found)
    assert page.types[0] == "Product"
    assert told["brand"] == "Kingston"
    assert told["url"] == "http://testserver/models/kingston-4-gb/"


def test_an_ability_is_told_with_its_interval(client: Client) -> None:
    page = read(client)
    here = [float(value) for name, value in page.found if name in {"value", "minValue", "maxValue"}][:3]
    stored = Performance.objects.get(slot="raspberry-pi-5").abilities["small_writes"]
    assert here == pytest.approx([stored["value"], stored["lower"], stored["upper"]], rel=1e-5)
    assert here[1] < here[0] < here[2]
    assert page.types.count("PropertyValue") == page.found.count(("additionalProperty", "")) > 0
