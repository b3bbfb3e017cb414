"""Claims of untrusted people are shown with their reason, in no order, and move no other score."""

from random import Random
from typing import Any

import pytest
from django.test import Client

from submissions.models import Fit, Score, VariationFlag
from submissions.writing import refit
from tests.factories import rand_read, rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import a_report, crowd, process, receive, together

pytestmark = pytest.mark.django_db

BOARD = "board=raspberry-pi-4&profile=pi-root"


@pytest.fixture
def site() -> None:
    """Eight models that five people have measured, and agree about."""
    together(crowd(160, models=8))
    assert refit.refit() is not None


def claim(number: int, submitter: str, *, speed: float = 10.0) -> Any:
    """Receive a report of a card of a new brand."""
    document = report(
        uuid=uuid(2000 + number),
        card=specimen(2000 + number, label={"brand": "Wonder"}),
        host=a_report(1, Random(1))["host"],
        measurements=[rand_read(1000 * speed), rand_write(400 * speed), seq_read(30)],
    )
    return receive(document, submitter)


def scores() -> dict[str, float]:
    rows = Score.objects.filter(profile="pi-root", interface="ddr50", card_model__brand__startswith="Brand")
    return dict(rows.values_list("card_model__brand", "value"))


def wonder() -> Score:
    return Score.objects.get(profile="pi-root", interface="ddr50", card_model__brand="Wonder")


@pytest.mark.usefixtures("site")
def test_a_model_that_only_untrusted_people_put_on_top_is_a_claim(client: Client) -> None:
    process([claim(number, f"person unknown {number}") for number in range(6)])
    assert (wonder().state, wonder().submitters, wonder().trusted) == ("claim", 6, 0)
    page = client.get(f"/?{BOARD}").content.decode()
    assert "Reported by 6 people so far. It gets a place once 3 trusted people have tested it, too." in page
    listed = client.get(f"/api/v1/models/?{BOARD}").json()["results"]
    assert listed and "Wonder" not in {row["brand"] for row in listed}
    (claimed,) = client.get(f"/api/v1/models/?{BOARD}&state=claim").json()["results"]
    assert claimed["rank"] is None and claimed["score"]["state"] == "claim"
    assert claimed["score"]["reason"].startswith("Reported by 6 people so far")
    model = client.get(f"{wonder().card_model.get_absolute_url()}?{BOARD}").content.decode()
    assert "6 cards, 6 people; only strangers report this" in model and "None" not in model


@pytest.mark.usefixtures("site")
def test_a_full_fit_says_the_same() -> None:
    process([claim(number, f"person unknown {number}") for number in range(6)])
    before = wonder().value
    refit.refit()
    assert wonder().state == "claim" and wonder().value == pytest.approx(before)


@pytest.mark.usefixtures("site")
def test_three_trusted_people_settle_it() -> None:
    process([claim(0, "a newcomer")])
    for number in (0, 1, 2):
        assert wonder().state == "claim"
        process([claim(1 + number, f"person {number}")])
    assert (wonder().state, wonder().trusted) == ("ranked", 3)


@pytest.mark.usefixtures("site")
def test_untrusted_people_may_bring_what_is_not_among_the_best() -> None:
    process([claim(number, f"person unknown {number}", speed=0.5) for number in range(6)])
    assert wonder().state == "ranked"


@pytest.mark.usefixtures("site")
def test_untrusted_people_teach_the_fit_nothing() -> None:
    before = scores()
    junk = [claim(number, "untrusted", speed=10.0) for number in range(40)]
    together(junk)
    refit.refit()
    assert scores() == pytest.approx(before, rel=1e-6)


@pytest.mark.usefixtures("site")
def test_untrusted_people_do_not_sink_what_others_know() -> None:
    before = scores()
    slow = [
        report(
            uuid=uuid(3000 + number),
            card=specimen(3000 + number, label={"brand": "Brand 7"}),
            measurements=[rand_read(500), rand_write(200), seq_read(8)],
        )
        for number in range(30)
    ]
    process([receive(document, f"person unknown {number % 20}") for number, document in enumerate(slow)])
    refit.refit()
    assert scores()["Brand 7"] == pytest.approx(before["Brand 7"], rel=0.03)
    assert not VariationFlag.objects.filter(kind="varies").exists()


def test_nothing_is_a_claim_before_anything_is_established() -> None:
    process([claim(number, f"person unknown {number}") for number in range(3)])
    refit.refit()
    assert wonder().state == "ranked"
    fit = Fit.objects.latest("pk")
    assert (fit.established, fit.standings.count()) == ([], 0)
