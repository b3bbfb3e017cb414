"""Every row of the table of facets is a form field, a parameter of the API with documentation, and a filter."""

import re
from datetime import timedelta
from typing import Any

import pytest
import yaml
from django.db.models.functions import Now
from django.test import Client

from api.v1.model_serializers import CardModelSerializer
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.facets import FACETS, find_oem_numbers
from submissions.models import CardModel
from submissions.pages.forms.finder_form import FinderForm
from submissions.writing import ingest
from tests.factories import body, rand_write, specimen, uuid

# Facet -> a query that matches only some of the models.
QUERIES = {
    "q": "q=kingston",
    "capacity_gb": "capacity_gb=4",
    "capacity_gb_min": "capacity_gb_min=5",
    "capacity_gb_max": "capacity_gb_max=4",
    "price_max": "price_max=10&price_currency=EUR",
    "price_currency": "price_max=10&price_currency=USD",
    "brand": "brand=KINGSTON",
    "maker": "maker=tosh",
    "oem": "oem=TM",
    "speed_class": "speed_class=10",
    "form": "form=SD",
    "app_perf_class": "app_perf_class=2",
    "video_speed_class": "video_speed_class=30",
    "uhs_speed_grade": "uhs_speed_grade=3",
    "bus_mode": "bus_mode=SDR104",
    "manufactured_since": "manufactured_since=2015",
    "flagged": "flagged=true",
    "sold": "sold=true",
    "tells_health": "tells_health=true",
    "min_cards": "min_cards=2",
    "seen_since": "seen_since=2020-01-01",
}
TODAY: dict[str, Any] = {"priced_on": Now()}
# Facet -> changes of a model by which this query excludes it.
LEFT_OUT: dict[str, dict[str, Any]] = {
    "q": {"words": "samsung"},
    "capacity_gb": {"capacity_gb": 8},
    "capacity_gb_min": {"capacity_gb": 4},
    "capacity_gb_max": {"capacity_gb": 8},
    "price_max": {"price": 11, "currency": "EUR", **TODAY},
    "price_currency": {"price": 5, "currency": "EUR", **TODAY},
    "brand": {"brand": "Kingstone"},
    "maker": {"makers": ["Samsung"]},
    "oem": {"oems": ["0x1234"]},
    "speed_class": {"speed_class": 6},
    "form": {"form": "microSD"},
    "app_perf_class": {"app_perf_class": 1},
    "video_speed_class": {"video_speed_class": 10},
    "uhs_speed_grade": {"uhs_speed_grade": 1},
    "bus_mode": {"bus_modes": ["DDR50"]},
    "manufactured_since": {"manufactured_last": "2014-12"},
    "flagged": {"varies": False},
    "sold": {"is_sold": None},
    "tells_health": {"tells_health": False},
    "min_cards": {"cards": 1},
    "seen_since": {"created_at": "2019-12-31T23:00:00Z"},
}
LET_THROUGH: dict[str, dict[str, Any]] = {
    "capacity_gb_min": {"capacity_gb": 5},
    "price_max": {"price": 10, "currency": "EUR", **TODAY},
    "price_currency": {"price": 5, "currency": "USD", **TODAY},
    "speed_class": {"speed_class": 10},
    "form": {"form": "SD"},
    "app_perf_class": {"app_perf_class": 2},
    "video_speed_class": {"video_speed_class": 60},
    "uhs_speed_grade": {"uhs_speed_grade": 3},
    "bus_mode": {"bus_modes": ["DDR50", "SDR104"]},
    "manufactured_since": {"manufactured_last": "2015-01"},
    "flagged": {"varies": True},
    "sold": {"is_sold": True},
    "tells_health": {"tells_health": True},
    "min_cards": {"cards": 2},
}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """Return the parameters of the ranking by name, as the API's OpenAPI document describes them."""
    document = yaml.safe_load(Client().get("/api/v1/schema/").content)
    parameters = document["paths"]["/api/v1/models/"]["get"]["parameters"]
    return {parameter["name"]: parameter for parameter in parameters}


def file(number: int, brand: str, changes: dict[str, Any]) -> CardModel:
    """Return a model with these columns; with `cards`, with this many cards behind its main ability."""
    report = body(
        uuid=uuid(number), card=specimen(number, label={"brand": brand}), measurements=[rand_write(500)]
    )
    ingest.process(ingest.receive(report, channel="api", submitter=str(number)).submission.pk)
    model = CardModel.objects.get(name__startswith=f"{brand} ")
    if "cards" in changes:
        for row in model.performances.all():
            row.abilities["small_writes"] |= changes
            row.save()
    else:
        CardModel.objects.filter(pk=model.pk).update(**changes)
    return model


def find_on_page(client: Client, query: str) -> set[str]:
    page = client.get(f"/?{query}", headers={"HX-Request": "true"}).content.decode()
    return set(re.findall(r'href="/models/([a-z0-9-]+)/', page))


def find_in_api(client: Client, query: str) -> set[str]:
    answer = client.get(f"/api/v1/models/?{query}&board=raspberry-pi-5")
    return {row["slug"] for row in answer.json()["results"]}


@pytest.mark.django_db
@pytest.mark.parametrize("name", QUERIES)
def test_page_and_api_find_the_same_by_every_facet(client: Client, name: str) -> None:
    wanted = file(1, "Kingston", LET_THROUGH.get(name, {}))
    file(2, "Other", LEFT_OUT[name])
    assert find_on_page(client, QUERIES[name]) == find_in_api(client, QUERIES[name]) == {wanted.slug}


@pytest.mark.django_db
def test_a_price_of_last_year_is_no_price(client: Client) -> None:
    old = {"price": 10, "currency": "EUR", "priced_on": Now() - timedelta(days=366)}
    file(1, "Kingston", old)
    assert find_in_api(client, QUERIES["price_max"]) == set()


@pytest.mark.parametrize("name", FACETS)
def test_every_facet_is_a_field_and_a_described_parameter(schema: dict[str, Any], name: str) -> None:
    facet = FACETS[name]
    assert schema[name]["description"] == facet.meaning
    assert "deprecated" not in schema[name]
    assert FinderForm({}).fields[name].label == facet.title
    answered = {*CardModelSerializer().get_fields(), *ABILITIES, "words", "cards", "origin"}
    assert facet.column in answered


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("former", "name"),
    [
        ("min_gb=5", "capacity_gb_min"),
        ("max_gb=4", "capacity_gb_max"),
        ("budget=10&currency=EUR", "price_max"),
        ("budget=10&currency=USD", "price_currency"),
        ("app_class=2", "app_perf_class"),
        ("video_class=30", "video_speed_class"),
        ("uhs_grade=3", "uhs_speed_grade"),
        ("since=2015", "manufactured_since"),
    ],
)
def test_an_old_link_finds_the_same(client: Client, former: str, name: str) -> None:
    wanted = file(1, "Kingston", LET_THROUGH.get(name, {}))
    file(2, "Other", LEFT_OUT[name])
    assert find_on_page(client, former) == {wanted.slug}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("former", "name"),
    [
        ("app_class=2", "app_perf_class"),
        ("since=2020-01-01", "seen_since"),
        ("currency=usd", "price_currency"),
    ],
)
def test_an_old_script_finds_the_same(client: Client, schema: Any, former: str, name: str) -> None:
    wanted = file(1, "Kingston", LET_THROUGH.get(name, {}))
    file(2, "Other", LEFT_OUT[name])
    assert find_in_api(client, former) == {wanted.slug}
    assert schema[former.partition("=")[0]]["deprecated"]


@pytest.mark.django_db
def test_a_currency_alone_asks_nothing(client: Client) -> None:
    wanted = file(1, "Kingston", {"price": 5, "currency": "USD"})
    assert (
        find_on_page(client, "price_currency=EUR")
        == find_in_api(client, "price_currency=EUR")
        == {wanted.slug}
    )


def test_a_new_name_goes_before_a_former_one() -> None:
    assert FinderForm({"min_gb": "1", "capacity_gb_min": "2"}).wish().chosen == {"capacity_gb_min": 2}


@pytest.mark.django_db
def test_a_wrong_value_is_named_as_it_was_given(client: Client) -> None:
    refused = client.get("/api/v1/models/?since=yesterday").json()["error"]
    assert (refused["field"], refused["code"]) == ("since", "wrong_parameter")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0x544d", ["0x544d"]),
        ("544D", ["0x544d"]),
        ("TM", ["0x544d"]),
        ("0x3", ["0x0003"]),
        ("4d", ["0x004d", "0x3464"]),
    ],
)
def test_an_oem_number_is_hex_or_two_letters(text: str, numbers: list[str]) -> None:
    assert find_oem_numbers(text) == numbers


@pytest.mark.parametrize("text", ["", "zzz", "0x12345", "ä€"])
def test_what_is_no_oem_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an OEM number such as"):
        find_oem_numbers(text)
