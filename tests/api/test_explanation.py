"""GET /api/v1/models/{slug}/explanation/ lists the values behind an ability, the same as the page."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import CardModel
from submissions.writing import refit
from tests.factories import rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import crowd, process, process_together, receive, two_silicons, vouch

pytestmark = pytest.mark.django_db
URL = "/api/v1/models/kingston-4-gb/explanation/"


def file(number: int, **changes: Any) -> None:
    document = report(uuid=uuid(number), card=specimen(number, label={"brand": "Kingston"}), **changes)
    submission = receive(document, f"person {number}")
    vouch(submission)
    process([submission])


def test_it_works(client: Client) -> None:
    file(1, measurements=[rand_write(1000), seq_read(49.5)])
    file(2, measurements=[rand_write(900)])
    answer = client.get(f"{URL}?board=raspberry-pi-4&use=pi-root").json()
    advice = answer["advice"]
    assert (advice["use"], advice["place"], advice["proof"]["people"]) == ("pi-root", 1, 2)
    assert (answer["ability"], answer["values_in_all"]) == ("small_writes", 2)
    values = {value["value"]: value for value in answer["values"]}
    assert set(values) == {900.0, 1000.0}
    assert (values[900.0]["figure"], values[900.0]["unit"]) == ("rand_write_4k", "1/s")
    assert values[900.0]["counts"] and not values[900.0]["at_least"]
    assert (answer["unranked"], answer["flags"], answer["fitted"]) == ([], [], False)


def test_another_ability(client: Client) -> None:
    file(1, measurements=[rand_write(1000), seq_read(49.5)])
    answer = client.get(f"{URL}?ability=large_reads").json()
    assert answer["values"] == []
    (measurement,) = answer["unranked"]
    assert (measurement["figure"], measurement["verdict"]) == ("seq_read", "suspicious")
    assert "leaves no time for commands" in measurement["reason"]


def test_flags_are_in_words(client: Client) -> None:
    process_together(crowd(70, models=12))
    two_silicons(5, ratio=3)
    refit.refit()
    slug = CardModel.objects.get(brand="Twofold").slug
    (flag,) = client.get(f"/api/v1/models/{slug}/explanation/").json()["flags"]
    assert (flag["kind"], flag["heading"]) == ("varies", "Same name, different cards")
    assert "5 cards with SA04G 1.1 are" in flag["sentence"]
    assert "5 cards with SA04G 2.0" in flag["sentence"]


def test_a_model_without_measurements(client: Client) -> None:
    file(1, measurements=[])
    answer = client.get(URL).json()
    assert (answer["advice"]["place"], answer["advice"]["leading"]["origin"]) == (None, "not_measured")
    assert (answer["ability"], answer["values"]) == ("small_writes", [])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("use=flying", "unknown_use"),
        ("board=abacus", "unknown_board"),
        ("ability=singing", "unknown_ability"),
        ("interface=sdr104", "unknown_parameter"),
    ],
)
def test_unknown_names_are_refused(client: Client, query: str, code: str) -> None:
    file(1)
    answer = client.get(f"{URL}?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_an_unknown_model(client: Client) -> None:
    assert client.get("/api/v1/models/nobody/explanation/").status_code == 404


def test_it_needs_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    file(1)
    with django_assert_max_num_queries(11):
        client.get(URL)


def test_profile_is_a_former_name_of_use(client: Client) -> None:
    file(1)
    answer = client.get(f"{URL}?profile=media")
    assert (answer.json()["advice"]["use"], "Deprecation" in answer.headers) == ("media", True)
