"""The pages of products in shops, sources of results, and quirks of cards link to models and back."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from submissions.domain.identity import products

STARTER = Path(__file__).parents[3] / "submissions" / "starter" / "published"


@pytest.fixture
def published_results(transactional_db: None) -> None:
    files = [STARTER / name for name in ("pidramble.csv", "lechnology_ev3.csv", "yacy_grid.csv")]
    call_command("import_table", *files, "--here", stdout=StringIO())


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


@pytest.mark.usefixtures("published_results")
def test_a_model_leads_to_what_is_sold_and_to_who_measured_it(client: Client) -> None:
    model = page(client, "/models/sandisk-extreme-pro-32-gb/")

    assert "Tested and published by" in model and 'href="/sources/pidramble/"' in model
    assert "Sold under" in model and "MB/s" in model.split("Sold under")[1]
    source = page(client, "/sources/pidramble/")
    assert "Jeff Geerling" in source and "hdparm -t, dd conv=fsync" in source
    assert 'href="/models/sandisk-extreme-pro-32-gb/"' in source
    assert "microSD card benchmarks" in page(client, "/sources/")


@pytest.mark.django_db
def test_a_product_nobody_has_measured_asks_for_a_run(client: Client) -> None:
    (product,) = products.find_by_part("MB-MC64KA")
    told = page(client, f"/products/{product.slug}/")

    assert "Samsung EVO Plus 64 GB (2021, MB-MC64K)" in told
    assert "Nobody has tested this product yet" in told
    assert "Test it with one command" in told
    assert "2017, MB-MC64G" in told, "the other generations stand beside it"


@pytest.mark.usefixtures("published_results")
def test_a_product_leads_to_cards_of_its_name(client: Client) -> None:
    by_form = {product.form: product for product in products.find_by_name("SanDisk", "Extreme PRO", 32)}

    link = 'href="/models/sandisk-extreme-pro-32-gb/"'
    assert link in page(client, f"/products/{by_form['microSD'].slug}/")
    assert link not in page(client, f"/products/{by_form['SD'].slug}/"), "a full-size card is another one"


@pytest.mark.django_db
@pytest.mark.parametrize("words", ["SDSQUAR-064G-GN6MA", "mb-mc64ka", "samsung evo plus 64", "Lexar PLAY"])
def test_the_search_finds_what_nobody_has_measured(client: Client, words: str) -> None:
    assert "Sold under this name" in page(client, f"/?q={words}")


@pytest.mark.django_db
def test_the_kernel_knows_some_cards(client: Client) -> None:
    told = page(client, "/quirks/")

    assert "WORKING_SD_CQ" in told and "BROKEN_SD_CACHE" in told
    listed = client.get("/api/v1/quirks/").json()["results"]
    assert {"0xad", "0x74"} <= {row["mid"] for row in listed if row["quirk"] == "WORKING_SD_CQ"}


@pytest.mark.django_db
def test_the_decoder_says_whether_a_pi_5_queues(client: Client) -> None:
    card = {"bus": "SD", "cid": "ad4c53555344303010c0ffee00018900"}
    answer = client.post("/api/v1/decode/", card, content_type="application/json").json()

    assert answer["queue_on_pi_5"] == "on"
    text = {"text": f"cid: {card['cid']}"}
    assert "runs with its command queue on" in client.post("/decode/", text).content.decode()


@pytest.mark.usefixtures("published_results")
def test_the_api_lists_sources_and_what_is_sold(client: Client) -> None:
    sources = {row["id"]: row for row in client.get("/api/v1/sources/").json()["results"]}
    assert sources["pidramble"]["author"] == "Jeff Geerling"
    assert sources["pidramble"]["cards"] == 24
    sold = client.get("/api/v1/products/?q=SDSQUAR-064G").json()["results"]
    assert [row["part_number"] for row in sold] == ["SDSQUAR-064G*"]
    assert "Nobody" in page(client, sold[0]["links"]["page"].removeprefix("http://testserver"))
