"""A figure has the same value on every page, and only measured values give a rank."""

import re

import pytest
from django.test import Client

from api.fresh_view import CachedView, StrictView
from api.listing.view import ListView, TableView
from submissions.domain.ranking import boards, uses
from submissions.models import CardModel, Performance
from submissions.pages import wording
from tests.factories import rand_read, rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import process, receive


def hand_in(number: int, **changes) -> None:
    process([receive(report(uuid=uuid(number), **changes), f"s{number}")])


def place_for(use: str) -> bool:
    board = boards.find("raspberry-pi-5")
    return Performance.objects.list_measured(board, uses.find_use(use)).exists()


@pytest.mark.django_db
def test_a_use_that_writes_places_no_model_without_measured_writes() -> None:
    hand_in(1, card=specimen(1), measurements=[rand_read(), seq_read()])
    assert [place_for(use) for use in ("pi-root", "camera", "media")] == [False, False, True]
    hand_in(2, card=specimen(1), measurements=[rand_write()])
    assert place_for("pi-root")


@pytest.mark.django_db
def test_all_pages_say_the_same_number(client: Client) -> None:
    for number, iops in enumerate((3947.0, 900.0, 1200.0)):
        hand_in(
            number, card=specimen(number, label={"brand": f"Brand {number}"}), measurements=[rand_write(iops)]
        )
    model = CardModel.objects.get(brand="Brand 0")
    (value,) = (
        row.abilities["small_writes"]
        for row in Performance.objects.filter(card_model=model, slot="raspberry-pi-4")
    )
    words = wording.amount(value["value"], "1/s")
    asked = "board=raspberry-pi-4&profile=pi-root"
    slugs = "&".join(f"m={slug}" for slug in CardModel.objects.values_list("slug", flat=True))
    pages = (
        f"/?{asked}",
        f"{model.get_absolute_url()}?{asked}",
        f"/compare/?{slugs}&{asked}",
        f"/good/?m={model.slug}&{asked}",
    )
    for page in pages:
        assert words in client.get(page).content.decode(), page


@pytest.mark.django_db
def test_without_registers_none_speak_for_it(client: Client) -> None:
    hand_in(1, card={"bus": "SD", "label": {"brand": "Nameless", "capacity_gb": 32}})
    page = client.get(CardModel.objects.get().get_absolute_url()).content.decode()
    assert "Nobody has checked yet whether these cards are genuine" in page
    assert "own data is consistent" not in page


@pytest.mark.django_db
def test_a_known_defect_is_the_headline(client: Client) -> None:
    text = "cid: 9f544953443634476136980065013b00\ncsd: 400e00325b590001cfff7f800a400000"
    page = client.post("/decode/", {"text": text}).content.decode()
    assert re.search(r'judgement unusual">\s*known defect', page)
    assert 'judgement nothing-unusual"' not in page


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["", "explanation/"])
def test_a_misspelled_parameter_of_one_model_is_refused(client: Client, address: str) -> None:
    hand_in(1)
    model = CardModel.objects.get()
    answer = client.get(f"/api/v1/models/{model.slug}/{address}?board_=raspberry-pi-4")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_parameter")
    assert client.get(f"/api/v1/models/{model.slug}/{address}").status_code == 200


@pytest.mark.django_db
def test_the_badge_names_its_card(client: Client) -> None:
    hand_in(1)
    model = CardModel.objects.get()
    badge = client.get(f"/models/{model.slug}/badge.svg?board=raspberry-pi-4").content.decode()
    assert model.name in badge.partition("<text")[2]
    assert "fast enough for a Raspberry Pi 4" in badge


@pytest.mark.django_db
def test_no_docstring_of_ours_is_printed(client: Client) -> None:
    pages = "".join(client.get(page).content.decode() for page in ("/api/", "/api/v1/schema/"))
    ours = [view.__doc__ for view in (TableView, ListView, CachedView, StrictView) if view.__doc__]
    assert ours and not [words for words in ours if words.partition(",")[0] in pages]
