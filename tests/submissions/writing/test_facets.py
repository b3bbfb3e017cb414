"""The facets of a model (columns to search by) follow every change of its cards."""

from typing import Any

import pytest

from submissions.evidence import records
from submissions.models import CardModel, Submission, Word
from submissions.writing import ingest, model_facts
from tests.factories import SA04G, body, report, specimen, uuid

pytestmark = pytest.mark.django_db

# C10, U1, V10, A1; invented for the tests of SSR.
SSR_A1 = "0000000000000000" + "04009000000f050a0a0100" + "00" * 45


def file(number: int = 1, **changes: object) -> Submission:
    submission = ingest.receive(
        body(uuid=uuid(number), **changes), channel="api", submitter=str(number)
    ).submission
    ingest.process(submission.pk)
    return submission


def file_label(number: int, **label: Any) -> Submission:
    return file(number, card=specimen(number, label={"brand": "Kingston", "capacity_gb": 4} | label))


def only_model() -> CardModel:
    return CardModel.objects.get()


def matching_names(words: str) -> list[str]:
    return [model.name for model in CardModel.objects.matching(words)]


def test_it_works() -> None:
    file_label(1, marks=["U1", "A1", "C10"], price=7.5, currency="EUR", bought_on="2024-05")
    model = only_model()
    assert model.makers == ["Toshiba"]
    assert model.oems == ["0x544d"]
    assert (model.app_perf_class, model.uhs_speed_grade, model.video_speed_class) == (1, 1, None)
    assert model.bus_modes == ["DDR50"]
    assert (model.manufactured_first, model.manufactured_last) == ("2013-03", "2013-03")
    assert (model.known_cards, model.suspicious_cards, model.varies) == (1, 0, False)
    assert (model.price, model.currency, model.price_count) == (7.5, "EUR", 1)


def test_the_registers_declare_a_class_too() -> None:
    registers = SA04G | {"ssr": SSR_A1[:128]}
    file(card=report()["card"] | {"registers": registers})
    ssr = Submission.objects.get().run.registers["ssr"]
    assert only_model().speed_class == ssr["speed_class"]


def test_a_price_is_the_median_in_the_currency_most_told() -> None:
    for number, (price, currency) in enumerate([(5, "EUR"), (9, "EUR"), (6, "EUR"), (99, "USD")], start=1):
        file_label(number, price=price, currency=currency)
    assert (only_model().price, only_model().currency, only_model().price_count) == (6, "EUR", 4)


def test_a_card_that_goes_takes_its_facets_along() -> None:
    file_label(1)
    gone = file_label(2, marks=["A2"], price=5, currency="USD")
    assert only_model().app_perf_class == 2
    ingest.delete(gone)
    assert (only_model().app_perf_class, only_model().price, only_model().known_cards) == (None, None, 1)


@pytest.mark.parametrize(
    "words",
    [
        "kingston",
        "KINGSTON 4",
        "4gb",
        "sa04g",
        "toshiba",
        "tm",
        "0x544d",
        "02544d53",
        SA04G["cid"],
        SA04G["cid"][:30].upper(),
        "",
    ],
)
def test_a_search_finds_names_and_registers(words: str) -> None:
    file_label(1)
    assert matching_names(words) == ["Kingston 4 GB"]


@pytest.mark.parametrize("words", ["transcend", "kingston 64", "0x1234", "xx", "%", "a\\", "a\x00"])
def test_a_search_finds_nothing_else(words: str) -> None:
    file_label(1)
    assert matching_names(words) == []


def test_a_short_word_is_a_whole_word_and_a_number_has_no_typing_errors() -> None:
    file_label(1)
    assert (
        matching_names("tm")
        == matching_names("02")
        == matching_names("kingston | nobody")
        == ["Kingston 4 GB"]
    )
    assert matching_names("in") == matching_names("sa05g") == matching_names("ston") == []


def test_names_are_compared_with_typing_errors_but_registers_are_not() -> None:
    file_label(1)
    assert set(Word.objects.values_list("text", flat=True)) == {"kingston", "sa04g", "toshiba"}
    assert Word.objects.like(["kingstn", "toshba", "nobody"]) == {
        "kingstn": ["kingston"],
        "toshba": ["toshiba"],
    }


def test_a_word_is_forgotten_after_its_last_model() -> None:
    gone = file_label(1)
    file_label(2, brand="Kingmax")
    ingest.delete(gone)
    model_facts.delete_unused_words()
    assert set(Word.objects.values_list("text", flat=True)) == {"kingmax", "sa04g", "toshiba"}
    assert matching_names("kingmax") == ["Kingmax 4 GB"]


@pytest.mark.parametrize("models", [1, 5])
def test_any_number_of_models_takes_the_same_queries(models: int, django_assert_num_queries: Any) -> None:
    for number in range(models):
        file(number + 1, card=specimen(number, label={"brand": f"Brand {number}"}))
    model_records = records.load_records(CardModel.objects.all())
    # offers; words; and one statement that writes all of them
    with django_assert_num_queries(3):
        model_facts.refresh(model_records)
