"""A visitor with a microSD slot is shown no full-size card unless the visitor asks for one."""

import re

import pytest
from django.test import Client

from submissions.models import CardModel, Performance
from submissions.writing import ingest
from tests.factories import body, rand_write, specimen, uuid
from tests.small_crowd import vouch

pytestmark = pytest.mark.django_db

PI, READER = "board=raspberry-pi-4", "board=usb-3-reader"


def measure(number: int, brand: str, iops: float, form: str | None = None, line: str = "") -> CardModel:
    label = {"brand": brand, "line": line, "capacity_gb": 4} | ({"form": form} if form else {})
    report = body(uuid=uuid(number), card=specimen(number, label=label), measurements=[rand_write(iops)])
    submission = ingest.receive(report, channel="api", submitter=str(number)).submission
    vouch(submission)
    ingest.process(submission.pk)
    return CardModel.objects.get(variants__cards__runs__submission=submission)


@pytest.fixture
def cards() -> dict[str, CardModel]:
    """Return cards that shops sell; the fastest is a full-size card."""
    measured = {
        "large": measure(1, "Sony", 4000, "SD"),
        "small": measure(2, "Kingston", 900, "microSD"),
        "untold": measure(3, "Intenso", 800),
    }
    CardModel.objects.update(is_sold=True)
    return measured


def list_on_page(client: Client, query: str) -> list[str]:
    page = client.get(f"/?{query}", headers={"HX-Request": "true"}).content.decode()
    return list(dict.fromkeys(re.findall(r'href="/models/([a-z0-9-]+)/', page.partition('id="ranking"')[2])))


def list_in_api(client: Client, query: str) -> list[str]:
    return [row["slug"] for row in client.get(f"/api/v1/models/?{query}").json()["results"]]


def test_it_works(client: Client, cards: dict[str, CardModel]) -> None:
    large, small, untold = (cards[name].slug for name in ("large", "small", "untold"))
    assert list_on_page(client, PI) == list_in_api(client, PI) == [small, untold]
    assert list_on_page(client, READER) == list_in_api(client, READER) == [large, small, untold]


def test_who_asks_for_a_form_gets_it(client: Client, cards: dict[str, CardModel]) -> None:
    assert (
        list_on_page(client, f"{PI}&form=SD") == list_in_api(client, f"{PI}&form=SD") == [cards["large"].slug]
    )
    assert list_on_page(client, f"{PI}&form=microSD") == [cards["small"].slug]


@pytest.mark.parametrize("address", ["/best/raspberry-pi-4/pi-root/", "/boards/raspberry-pi-4/"])
def test_no_page_about_a_board_names_it(client: Client, cards: dict[str, CardModel], address: str) -> None:
    page = client.get(address).content.decode()
    assert cards["small"].slug in page
    assert cards["large"].slug not in page


def test_its_page_says_so_and_the_others_move_up(client: Client, cards: dict[str, CardModel]) -> None:
    page = client.get(f"/models/{cards['large'].slug}/?{PI}").content.decode()
    assert "It does not fit a Raspberry Pi 4 or 400." in page
    assert "Its form is SD, but the slot accepts only microSD." in page
    small = f"/models/{cards['small'].slug}/"
    assert re.search(r"place =?1 of 2\.", client.get(f"{small}?{PI}").content.decode())
    assert re.search(r"place =?[12] of 3\.", client.get(f"{small}?{READER}").content.decode())


def test_a_full_size_card_is_no_microsd_card_of_its_name() -> None:
    small, large = (
        measure(1, "SanDisk", 900, "microSD", "Extreme PRO"),
        measure(2, "SanDisk", 900, "SD", "Extreme PRO"),
    )
    assert (small.name, large.name) == ("SanDisk Extreme PRO 4 GB", "SanDisk Extreme PRO 4 GB full size")


def test_a_label_says_the_form_or_else_the_shops_do() -> None:
    told = measure(1, "Kingston", 900, "microSD")
    assert told.form == "microSD"
    assert measure(2, "Kingston", 900).form == "microSD"  # the same model: its other card has the form
    assert measure(3, "Nobody", 900).form == ""
    assert Performance.objects.filter(card_model=told).exists()
