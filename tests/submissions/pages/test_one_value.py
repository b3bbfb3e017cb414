"""A figure has one value wherever it stands, a guess is called one, and a place is the number that is printed."""

import re

import pytest
from django.test import Client

from submissions.models import CardModel, Performance, Score
from submissions.pages import wording
from tests.factories import rand_read, rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import process, receive

CAPPED = {"value": 44e6, "measured": 44e6, "lower": 41e6, "upper": 50e6, "cards": 2, "at_least": False}


def hand_in(number: int, **changes) -> Score | None:
    process([receive(report(uuid=uuid(number), **changes), f"s{number}")])
    return Score.objects.filter(profile="pi-root", interface="sdr104").first()


@pytest.mark.django_db
def test_a_purpose_that_writes_ranks_nobody_whose_writing_was_not_measured() -> None:
    assert hand_in(1, card=specimen(1), measurements=[rand_read(), seq_read()]) is None
    assert Score.objects.filter(profile="camera").count() == 0
    assert Score.objects.filter(profile="media").exists(), "it reads mostly"
    assert hand_in(2, card=specimen(1), measurements=[rand_write()]) is not None


@pytest.mark.django_db
def test_places_follow_the_lower_end() -> None:
    for number in range(5):
        card = specimen(number, label={"brand": f"Brand {number}"})
        hand_in(
            number, card=card, measurements=[rand_write(300.0 * (number + 1)), rand_read()][: 1 + number % 2]
        )
    listed = Score.objects.filter(profile="pi-root", interface="sdr104").order_by("-bound")
    lower = [score.lower for score in listed]
    assert lower == sorted(lower, reverse=True)
    assert all(score.bound == score.lower for score in listed)


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


def scored(figures: dict, **more) -> Score:
    return Score(
        **{"value": 200, "lower": 150, "bound": 150, "upper": 260, "state": "solid", "profile": "pi-root"}
        | {"interface": "ddr50", "figures": figures}
        | more
    )


MEASURED = {
    name: {"value": 1000.0, "lower": 900.0, "upper": 1100.0}
    for name in ("rand_write_4k", "rand_write_4k_unqueued", "rand_read_4k", "rand_read_4k_unqueued")
}


def test_two_guesses_are_not_sure_of_each_other() -> None:
    fast, slow = scored({"seq_read": CAPPED}), scored({}, value=20, lower=18, upper=22)
    assert fast.is_mostly_estimated
    assert fast.chances_against([slow]) == [0.9]
    assert slow.chances_against([fast]) == [pytest.approx(0.1)]
    seen = scored(MEASURED)
    assert not seen.is_mostly_estimated
    assert seen.chances_against([slow])[0] > 0.99


@pytest.mark.django_db
def test_without_registers_none_speak_for_it(client: Client) -> None:
    hand_in(1, card={"bus": "SD", "label": {"brand": "Nameless", "capacity_gb": 32}})
    page = client.get(CardModel.objects.get().get_absolute_url()).content.decode()
    assert "Nobody has checked yet whether these cards are genuine" in page
    assert "speaks against it" not in page


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
    pages = "".join(client.get(page).content.decode() for page in ("/api/", "/api/schema/"))
    assert "Put it " not in pages
    assert "before APIView" not in pages
