"""Suspicions against a card are stored with it, and registers of another card do not name this card."""

import itertools
from typing import Any

import pytest
from django.test import Client

from submissions.models import Card, CardModel, Measurement, Performance, Run, Submission
from submissions.writing import ingest
from tests.factories import SA04G, SA04G_SERIAL, body, report, specimen, uuid

pytestmark = pytest.mark.django_db

OTHER_CSD = "400e00325b5900003b877f800a400000"  # 7,990,149,120 bytes
FOREIGN = {"bus": "SD", "registers": dict(SA04G), "size_bytes": 7_990_149_120}


def receive(number: int, **changes: Any) -> Submission:
    sent = body(uuid=uuid(number), **changes)
    return ingest.receive(sent, channel="api", submitter="anybody").submission


def process_new(number: int, **changes: Any) -> Submission:
    submission = receive(number, **changes)
    ingest.process(submission.pk)
    submission.refresh_from_db()
    return submission


def card_of(number: int, **changes: Any) -> Card:
    return process_new(number, **changes).run.card


def rules(card: Card) -> list[str]:
    return [suspicion["id"] for suspicion in card.suspicions]


def test_it_works() -> None:
    card = card_of(1, card=specimen(1, label={"brand": "Samsung"}))
    assert rules(card) == ["C15", "C19"]
    assert card.verdict == "suspicious"
    assert all(
        {"weight", "reason", "false_positives", "source"} <= set(suspicion) for suspicion in card.suspicions
    )


def test_an_ordinary_card_is_nothing_unusual() -> None:
    assert (card_of(1).verdict, card_of(1).suspicions) == ("nothing unusual", [])


def test_a_card_without_registers_is_not_judged() -> None:
    assert card_of(1, card={"label": {"brand": "SanDisk"}}).verdict == ""


def test_an_invented_card_is_not_judged() -> None:
    card = card_of(1, card=specimen(1, label={"brand": "Samsung"}), simulated=True)
    assert (card.verdict, card.suspicions) == ("", [])


def test_one_cid_with_two_csds_is_suspicious() -> None:
    process_new(1)
    other = report()["card"] | {"registers": SA04G | {"csd": OTHER_CSD}, "size_bytes": None}
    assert "C25" in rules(card_of(2, card=other))


def test_the_checksum_byte_makes_no_other_csd() -> None:
    process_new(1)
    stripped = report()["card"] | {"registers": SA04G | {"csd": SA04G["csd"][:30] + "00"}}
    assert card_of(2, card=stripped).suspicions == []


def test_a_date_after_the_submission_is_suspicious() -> None:
    cid = "02544d534130344711353389090" + "633"  # March 2099
    assert rules(card_of(1, card=report()["card"] | {"registers": {"cid": cid}})) == ["C17"]


def test_the_last_test_of_the_capacity_counts() -> None:
    lost, kept = (
        [{"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": [size]}]
        for size in (2.0**30, 3.9e9)
    )
    assert card_of(1, measurements=lost).verdict == "suspicious"
    assert card_of(2, measurements=kept).verdict == "nothing unusual"


def test_deleting_the_report_takes_the_suspicion_away() -> None:
    process_new(1)
    other = report()["card"] | {"registers": SA04G | {"csd": OTHER_CSD}, "size_bytes": None}
    submission = process_new(2, card=other)
    ingest.delete(submission)
    assert Card.objects.get().suspicions == []


def test_the_order_of_processing_does_not_matter() -> None:
    submissions = [
        receive(1),
        receive(2, card=report()["card"] | {"registers": SA04G | {"csd": OTHER_CSD}, "size_bytes": None}),
        receive(3, card=report()["card"] | {"label": {"brand": "Samsung"}}),
        receive(4, card=FOREIGN),
    ]
    outcomes = []
    for order in itertools.islice(itertools.permutations(submissions), 0, None, 3):
        for submission in order:
            ingest.process(submission.pk)
        outcomes.append(
            list(Card.objects.order_by("key").values_list("key", "verdict", "suspicions", "variant__pnm"))
        )
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert len(outcomes[0]) == 2


# Tests of registers of another card.


def test_registers_of_another_card_do_not_name_this_one() -> None:
    run = process_new(1, card=FOREIGN).run
    assert run.card.variant.card_model.slug == "unidentified-card-8-gb"
    assert run.card.variant.mid is None and run.card.variant.capacity_bytes == 7_990_149_120
    assert rules(run.card) == ["D1"]
    assert "the system sees 7,990,149,120" in run.excluded
    assert run.registers["cid"]["pnm"] == "SA04G"  # kept as it was sent


def test_it_is_kept_and_not_ranked() -> None:
    submission = process_new(1, card=FOREIGN)
    assert submission.state == "processed"
    assert Measurement.objects.count() == 2
    assert Performance.objects.count() == 0


def test_the_card_whose_registers_they_are_is_left_alone() -> None:
    process_new(1)
    process_new(2, card=FOREIGN)
    card = Run.objects.get(submission__uuid=uuid(1)).card
    assert (card.runs.count(), card.verdict) == (1, "nothing unusual")


def test_the_label_still_names_it() -> None:
    submission = process_new(1, card=FOREIGN | {"label": {"brand": "Smartbuy", "capacity_gb": 8}})
    assert submission.run.card.variant.card_model.slug == "smartbuy-8-gb"
    assert Performance.objects.count() == 0


@pytest.mark.parametrize("target", ["file", "directory", "unknown"])
def test_the_size_of_a_file_says_nothing_of_the_card(target: str) -> None:
    run = process_new(1, card=FOREIGN, run=report()["run"] | {"target": target}).run
    assert run.card.variant.pnm == "SA04G" and run.excluded == ""


# Tests of the pages.


def test_pages_say_why_a_card_is_suspicious(client: Client) -> None:
    submission = process_new(1, card=specimen(1, label={"brand": "Samsung"}))
    card = submission.run.card
    for url in (
        submission.get_absolute_url(),
        card.get_absolute_url(),
        card.variant.card_model.get_absolute_url(),
    ):
        page = client.get(url).content.decode()
        # Elsewhere on the page, the site asks every visitor: "Is my card fake?"
        main = page.partition("<main")[2].partition("</main>")[0]
        assert "suspicious because the label says samsung" in main
        assert "fake" not in main.lower() and "counterfeit" not in main.lower()


def test_pages_say_why_a_run_is_not_ranked(client: Client) -> None:
    submission = process_new(1, card=FOREIGN)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "Kept, but not ranked: " in page and "the system sees 7,990,149,120" in page
    assert "kept, but not ranked" in page


def test_no_page_shows_the_serial_number(client: Client) -> None:
    submission = process_new(1, card=FOREIGN)
    model = CardModel.objects.get()
    for url in (
        submission.get_absolute_url(),
        submission.run.card.get_absolute_url(),
        model.get_absolute_url(),
    ):
        page = client.get(url).content.decode().lower()
        assert SA04G_SERIAL not in page and str(int(SA04G_SERIAL, 16)) not in page


def test_the_model_page_says_how_many_cards_are_doubted(client: Client) -> None:
    for number in (1, 2):
        process_new(number, card=specimen(number + 70_000, label={"brand": "Samsung"}))
    page = client.get("/models/samsung-4-gb/").content.decode()
    assert (
        '<strong>2 of 2 cards:</strong> <span lang="en">suspicious because the label says samsung'
    ) in page
