"""The page of a model shows all stored data about the model, in limited size and always up to date."""

import re
from typing import Any

import pytest
from django.test import Client

from submissions.domain.ranking.summary import MOST_MARKS, MOST_RUNS, MOST_TOLD
from submissions.evidence import records, summaries
from submissions.models import CardModel, ModelSummary, Run, Submission
from submissions.writing import ingest, scoring
from tests.factories import SA04G, body, rand_write, seq_read, specimen, uuid
from tests.small_crowd import vouch

pytestmark = pytest.mark.django_db

ADDRESS = "/models/sa04g-4-gb-sd-02-544d/"


def receive(number: int, *, channel: str = "api", **changes: object) -> Submission:
    return ingest.receive(body(uuid=uuid(number), **changes), channel=channel, submitter="anybody").submission


def file(number: int = 1, *, channel: str = "api", vouched: bool = False, **changes: object) -> Submission:
    submission = receive(number, channel=channel, **changes)
    if vouched:
        vouch(submission)
    ingest.process(submission.pk)
    return submission


def many(count: int, **changes: Any) -> None:
    """Process a run of each of this many cards, with 101 IOPS, 102 IOPS and so on."""
    received = [
        receive(number, card=specimen(number), measurements=[rand_write(100 + number)], **changes)
        for number in range(1, count + 1)
    ]
    ingest.process_batch([one.pk for one in received])


def page(client: Client, url: str = ADDRESS) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def test_the_model_page_tells_what_is_known(client: Client) -> None:
    file(
        channel="bulk",
        source={
            "title": "Flashbenching",
            "author": "A. Tester",
            "url": "https://example.org/a",
            "licence": "MIT",
        },
    )
    shown = page(client)
    for said in (
        "SA04G",
        "Toshiba",
        "0x544d",
        "3.90 GB",
        "Flashbenching",
        "A. Tester",
        "https://example.org/a",
        "500 IOPS",
    ):
        assert said in shown
    assert "nobody has told us yet what its label says" in shown


def test_the_model_page_shows_why_a_value_is_not_ranked(client: Client) -> None:
    file(measurements=[seq_read(1.9, unit="GB/s")])
    shown = page(client)
    assert "impossible" in shown
    assert "more than the link can carry" in shown


@pytest.mark.parametrize("runs", [1, 12])
def test_the_model_page_needs_ten_queries(client: Client, runs: int, django_assert_num_queries: Any) -> None:
    for number in range(runs):
        file(number + 1, vouched=True, card=specimen(number))
    # model with its summary, variants, performances, ranks, neighbours, the best values in the slot,
    # abilities elsewhere, flags, runs, sources
    with django_assert_num_queries(10):
        client.get(ADDRESS)


def test_the_model_page_says_what_it_does_and_how_sure_that_is(client: Client) -> None:
    for number in range(4):
        file(number + 1, vouched=True, card=specimen(number), measurements=[rand_write(500)])
    shown = page(client, f"{ADDRESS}?board=raspberry-pi-4")
    assert "Small writes: 500 IOPS, measured in a Raspberry Pi 4 or 400." in shown
    assert "For 95 of 100 cards of this model, the value is" in shown
    assert "Running the system: place 1 of 1." in shown
    assert "It may be fast enough for a Raspberry Pi 4 or 400." in shown


def test_measured_and_expected_values_look_different(client: Client) -> None:
    file(measurements=[rand_write(500)])
    row = '<tr class="expected"'
    assert row not in page(client, f"{ADDRESS}?board=raspberry-pi-4").partition('id="abilities"')[2]
    elsewhere = page(client, f"{ADDRESS}?board=raspberry-pi-5").partition('id="abilities"')[2]
    assert row in elsewhere and "Expected from other devices" in elsewhere


def test_a_card_that_lost_data_has_no_place(client: Client) -> None:
    lost = {"workload": "capacity", "metric": "real_capacity", "unit": "B", "values": [2**30]}
    receipt = page(client, file(measurements=[rand_write(5000), lost]).get_absolute_url())
    assert "so we do not rank the model" in receipt and "counted, but not ranked" in receipt
    assert "Place " not in receipt
    shown = page(client)
    assert "<strong>A card of this model lost data in a test. Beware: 1 of 1" in shown
    assert "Running the system: place" not in shown and "Compared with other cards" not in shown


def test_what_is_left_out_takes_one_more(client: Client, django_assert_num_queries: Any) -> None:
    file(measurements=[seq_read(1.9, unit="GB/s")])
    # one more query for the values that are left out; the model has no neighbours
    with django_assert_num_queries(10):
        client.get(ADDRESS)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (
            {"values": [2**30], "parameters": {"capacity_kind": "limbo"}},
            "holds only 1.07 GB of 3.90 GB",
        ),
        ({"values": [2**30], "parameters": {"capacity_kind": "good"}}, "holds all of its 1.07 GB"),
        ({"values": [3.8e9]}, "holds all of its 3.80 GB"),  # without the share of the file system
        ({"values": [2**30]}, "holds only 1.07 GB of 3.90 GB"),
        ({"values": [], "failure": {"code": "damaged", "detail": "nothing"}}, "stores nothing"),
    ],
)
def test_the_model_page_tells_what_a_card_kept(client: Client, kept: dict[str, Any], told: str) -> None:
    tried = {"workload": "capacity", "metric": "real_capacity", "unit": "B"}
    file(measurements=[tried | kept])

    assert f"t {told}" in page(client)
    assert CardModel.objects.get().lost_data == ("holds all" not in told)


def test_a_part_that_was_lost_takes_the_place(client: Client) -> None:
    lost = {"values": [], "failure": {"code": "data_lost", "detail": "some"}}
    tried = {"workload": "capacity", "metric": "real_capacity", "unit": "B"} | lost
    file(measurements=[tried | {"parameters": {"capacity_kind": "lost"}}])

    assert "It lost data in a test of only part of it." in page(client)
    assert CardModel.objects.get().lost_data


def test_it_tells_the_health_of_cards_and_trouble_in_a_host(client: Client) -> None:
    for number, used in enumerate([12, 12, 95], 1):
        worn = [{"name": "life_used", "value": used, "unit": "%"}]
        file(number, card=specimen(number), measurements=[], readings=worn)
    logged = [{"name": "kernel log", "value": "running CQE recovery", "tool": "kernel"}]
    file(4, card=specimen(4), readings=logged)
    shown = re.sub(r"<[^>]*>", "", page(client).partition('id="doubts"')[2].partition('id="devices"')[0])
    told = " ".join(shown.split())
    assert "“running CQE recovery”. 1 card. Turn the queue off" in told
    assert "The card reports that 95 % of its life is used up. 1 card. Copy" in told
    assert "The card reports that 12 % of its life is used up. 2 cards" in told


def test_it_tells_the_allocation_unit_that_cards_declare(client: Client) -> None:
    status = "0000000002000000039090000f051d" + "00" * 49
    file(card=specimen(1, registers=SA04G | {"ssr": status}))
    told = " ".join(page(client).partition("Allocation unit that the cards declare")[2].split())
    assert told.startswith("</dt> <dd> 4 MiB </dd>")


# Tests of many cards.


def test_many_cards_are_sampled_and_it_says_so(client: Client) -> None:
    many(MOST_MARKS + 20)
    shown = page(client)
    assert f"This chart shows {MOST_MARKS} of {MOST_MARKS + 20} marks" in shown
    assert shown.count('<g class="mark') == MOST_MARKS
    assert "101 IOPS" in shown and f"{100 + MOST_MARKS + 20} IOPS" in shown, "the slowest and the fastest"
    assert f"{MOST_MARKS + 20} cards; each mark is the median" in shown


def test_few_cards_are_all_drawn(client: Client) -> None:
    many(3)
    shown = page(client)
    assert shown.count('<g class="mark') == 3
    assert "This chart shows" not in shown


def test_every_run_is_a_link_away(client: Client, django_assert_num_queries: Any) -> None:
    many(MOST_RUNS + 1)
    addresses = [run.get_absolute_url() for run in Run.objects.select_related("submission").newest_first()]
    shown = page(client)
    assert [one in shown for one in addresses] == [True] * MOST_RUNS + [False]
    assert f'href="{ADDRESS}runs/">All {MOST_RUNS + 1} tests</a>' in shown
    with django_assert_num_queries(3):  # the model, how many, these
        listed = page(client, f"{ADDRESS}runs/")
    assert all(one in listed for one in addresses)
    assert client.get("/models/nobody/runs/").status_code == 404


def test_of_many_that_are_left_out_it_says_how_many(client: Client) -> None:
    many(MOST_TOLD + 2, host={"interface": "mmc", "bus_mode": {"name": "DDR50"}})
    file(900, card=specimen(900), measurements=[seq_read(1.9, unit="GB/s")] * (MOST_TOLD + 2))
    shown = " ".join(page(client).split())
    assert f"{MOST_TOLD + 2} measurements do not count" in shown
    assert f"(the first {MOST_TOLD} are shown)" in shown


def test_prices_of_many_are_the_newest(client: Client) -> None:
    for number in range(1, MOST_TOLD + 2):
        label = {"price": number, "currency": "EUR", "bought_on": f"20{number:02}-01"}
        file(number, card=specimen(number, label=label))
    shown = page(client, CardModel.objects.get().get_absolute_url()).partition("What people paid")[2]
    assert f"Showing the latest {MOST_TOLD} of {MOST_TOLD + 1}." in shown
    assert "21.00\u00a0€" in shown and ">1.00\u00a0€" not in shown


# Tests that stored data is never outdated.


def list_stored() -> list[tuple[Any, ...]]:
    rows = ModelSummary.objects.order_by("card_model__slug").select_related("card_model")
    return [(row.card_model.slug, row.summary, row.newest_runs, row.left_out) for row in rows]


def make_summaries() -> list[tuple[Any, ...]]:
    models = CardModel.objects.order_by("slug")
    known = records.load_records(models)
    rows = {one.model.pk: row for one, row in zip(known, summaries.make_summaries(known), strict=True)}
    found = [(model.slug, rows[model.pk]) for model in models]
    return [(slug, row.summary, row.newest_runs, row.left_out) for slug, row in found]


def test_deleting_leaves_what_a_clean_recomputation_says(client: Client) -> None:
    first, second = file(1, card=specimen(1)), file(2, card=specimen(2), measurements=[rand_write(777)])
    assert "777 IOPS" in page(client)
    ingest.delete(second)
    assert "777 IOPS" not in page(client)
    assert list_stored() == make_summaries()
    ingest.delete(first)
    assert not ModelSummary.objects.exists(), "it goes with its model"


def test_working_out_again_changes_nothing_of_what_is_told() -> None:
    submissions = [file(number, card=specimen(number % 2)) for number in range(1, 5)]
    before = [told for _, told, *_ in list_stored()]
    for submission in reversed(submissions):
        ingest.process(submission.pk)
    assert [told for _, told, *_ in list_stored()] == before
    assert list_stored() == make_summaries()


def test_a_card_that_changes_its_name_takes_its_runs_along(client: Client) -> None:
    file(1, card=specimen(1), measurements=[rand_write(777)])
    file(2, card=specimen(1, label={"brand": "Kingston"}), measurements=[rand_write(888)])
    (only,) = list_stored()
    assert only[0] == "kingston-4-gb" and only[1].runs == 2
    assert list_stored() == make_summaries()


def test_while_a_bulk_load_leaves_it_behind_the_page_tells_what_is_measured(client: Client) -> None:
    file(1, card=specimen(1))
    late = receive(2, card=specimen(2), measurements=[rand_write(777)])
    ingest.process_batch([late.pk], judge=scoring.postpone)
    assert list_stored() != make_summaries()
    assert "777 IOPS" in page(client)
    scoring.describe(CardModel.objects.values_list("pk", flat=True))
    assert list_stored() == make_summaries()


@pytest.mark.parametrize("models", [1, 5])
def test_any_number_of_models_takes_the_same_queries(models: int, django_assert_num_queries: Any) -> None:
    for number in range(models):
        file(number + 1, card=specimen(number, label={"brand": f"Brand {number}"}))
    found = list(CardModel.objects.all())
    # silicon, hosts, cards, doubts, prices, marks, geometry; and copies of runs and measurements
    with django_assert_num_queries(7):
        known = records.load_records(found)
    # findings, and measurements that are no figures
    with django_assert_num_queries(2):
        summaries.make_summaries(known)
