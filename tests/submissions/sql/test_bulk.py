"""Many rows are written in one statement, and every kind of column is stored as by Django."""

import gc
import weakref
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from submissions.models import CardModel, Host, Submission, Variant, Word
from submissions.sql import bulk

pytestmark = pytest.mark.django_db


def a_model(slug: str, **more: object) -> CardModel:
    return CardModel(slug=slug, name=f"Name of {slug}", named_from="label", **more)


def test_it_works() -> None:
    rows = [a_model("one", makers=["A", 'B "and" C'], price=1.5), a_model("two", capacity_gb=None)]
    bulk.insert(rows)
    first, second = CardModel.objects.order_by("pk")
    assert [first.pk, second.pk] == [row.pk for row in rows]
    assert (first.slug, first.makers, first.price, second.capacity_gb) == (
        "one",
        ["A", 'B "and" C'],
        1.5,
        None,
    )
    assert first.created_at == rows[0].created_at


def test_what_is_there_stays_as_it_is() -> None:
    bulk.insert_missing([Word(text="kingston")])
    before = Word.objects.get()
    bulk.insert_missing([Word(text="kingston"), Word(text="sandisk")])
    assert Word.objects.get(text="kingston") == before
    assert Word.objects.count() == 2


def test_a_new_row_is_as_one_reads_it_and_comes_once() -> None:
    brought: dict[str, Any] = {
        "public_id": "a",
        "content_hash": "b",
        "body": b"{}",
        "channel": "api",
        "submitter": "c",
    }
    brought |= {"received_at": timezone.now()}
    row = bulk.insert_if_new(Submission, brought)
    assert row
    read = Submission.objects.get()
    assert columns(row) == columns(read)
    assert (row._state.adding, row._state.db) == (read._state.adding, read._state.db)
    assert bulk.insert_if_new(Submission, brought) is None


def columns(row: Submission) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in Submission._meta.concrete_fields}


def test_of_those_that_were_missing_the_ids_are_told() -> None:
    bulk.insert([Word(text="kingston")])
    stored, new = Word(text="kingston"), Word(text="sandisk")
    assert bulk.insert_new([stored, new], "text") == [new]
    assert (stored.pk, new) == (None, Word.objects.get(text="sandisk"))


def test_what_is_asked_again_is_planned_once() -> None:
    """PostgreSQL lists its prepared statements, with how often each was planned for a single call."""
    question = "SELECT statement, custom_plans FROM pg_prepared_statements WHERE statement LIKE %s"
    for _ in range(3):
        plans = bulk.fetch_rows(question, ["%custom_plans FROM pg_prepared%"])
    assert plans == [(question.replace("%s", "$1"), 0)]


def test_an_answer_of_many_rows_is_not_kept() -> None:
    assert bulk.fetch_rows("SELECT generate_series(1, %s)", [3]) == [(1,), (2,), (3,)]
    kept = weakref.ref(bulk.execute_prepared("SELECT 1", []))
    assert kept() is bulk.execute_prepared("SELECT 2", []), "one cursor for all short answers"
    assert len(bulk.fetch_rows("SELECT generate_series(1, %s)", [1001])) == 1001
    gc.collect()
    assert kept() is None


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_was_closed_is_asked_no_more() -> None:
    ((before,),) = bulk.fetch_rows("SELECT pg_backend_pid()", [])
    connection.close()
    ((after,),) = bulk.fetch_rows("SELECT pg_backend_pid()", [])
    assert before != after


def test_two_unknowns_are_the_same_unknown() -> None:
    for _ in range(2):
        bulk.insert_missing([Host(interface="mmc", clock_hz=None)])
    assert Host.objects.count() == 1


def test_only_the_named_columns_of_the_given_rows_are_written() -> None:
    rows = [a_model("one"), a_model("two")]
    bulk.insert(rows)
    rows[0].words, rows[0].oems, rows[0].name = "gelöscht, “zitiert”", ["0x544d"], "not written"
    bulk.update(rows[:1], ["words", "oems"])
    first, second = CardModel.objects.order_by("pk")
    assert (first.words, first.oems, first.name) == ("gelöscht, “zitiert”", ["0x544d"], "Name of one")
    assert second.words == ""


def test_copied_rows_are_as_inserted_ones() -> None:
    model = a_model("one")
    bulk.insert([model])
    odd = ("SA\t04\\G", "\\N", "a\r\nb", "\\.", "", None)
    bulk.copy_models(Variant, [Variant(card_model=model, bus="SD", mid=2, pnm=name) for name in odd])
    assert list(Variant.objects.order_by("pk").values_list("mid", "pnm")) == [(2, name) for name in odd]


def test_copied_arrays_objects_and_bytes_are_as_inserted_ones() -> None:
    more = {"makers": ["A", 'B "and" C'], "price": 1e-7, "capacity_gb": None, "varies": True}
    now = timezone.now()
    bulk.copy_models(CardModel, [a_model("one", created_at=now, **more)])
    assert CardModel.objects.filter(created_at=now, slug="one", **{"capacity_gb__isnull": True}).values(
        "makers", "price", "varies"
    ).get() == {name: more[name] for name in ("makers", "price", "varies")}
    told = {"a\nb": ['"', 1.5, None]}
    bulk.copy_models(Submission, [Submission(body=b"\x00\\\n", amendments=told, received_at=now)])
    stored = Submission.objects.get()
    assert (bytes(stored.body), stored.amendments, stored.received_at) == (b"\x00\\\n", told, now)


def test_replaced_are_all_rows_of_these_models_and_no_others(django_assert_num_queries: Any) -> None:
    first, second = models = [a_model("one"), a_model("two")]
    bulk.insert(models)
    bulk.insert([Variant(card_model=model, bus="SD", pnm=name) for model in models for name in "ab"])
    with django_assert_num_queries(1):
        bulk.replace([first.pk], {Variant: [Variant(card_model=first, bus="SD", pnm="%s; '")]})
    assert sorted(Variant.objects.values_list("card_model", "pnm")) == [
        (first.pk, "%s; '"),
        (second.pk, "a"),
        (second.pk, "b"),
    ]
    bulk.replace([first.pk, second.pk], {Variant: []})
    assert not Variant.objects.exists()


def test_nothing_is_no_statement(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        bulk.insert([])
        bulk.insert_missing([])
        bulk.update([], ["words"])
