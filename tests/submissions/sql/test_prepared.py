"""Prepared queries return the same rows as their querysets, repeatedly and from any thread."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, DateTimeField, QuerySet

from submissions.models import Card, CardModel, Run
from submissions.sql.prepared import AnyOf, Param, PreparedQuery
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db


@PreparedQuery
def labels() -> "QuerySet[Run, Any]":
    runs = Run.objects.filter(AnyOf("card", "cards")).order_by("pk")
    return runs.values_list("pk", "label", "host__board", "started_at")


@PreparedQuery
def cards() -> "QuerySet[Card]":
    rows = Card.objects.filter(AnyOf("key", "keys")).select_related("variant__card_model").order_by("pk")
    return rows.defer("manufactured").annotate(all_runs=Count("runs"))


def store_cards(number: int) -> list[Card]:
    for serial in range(number):
        card = specimen(serial, label={"brand": f"Brand {serial}"})
        sent = body(uuid=uuid(serial + 1), card=card)
        received = ingest.receive(sent, channel="api", submitter=str(serial))
        ingest.process(received.submission.pk)
    return list(Card.objects.order_by("pk"))


def test_it_works(django_assert_num_queries: Any) -> None:
    first, second, third = (card.pk for card in store_cards(3))
    plain = Run.objects.order_by("pk").values_list("pk", "label", "host__board", "started_at")
    two = list(plain.filter(card__in=[first, third]))
    with django_assert_num_queries(1):
        assert labels(cards=[first, third]) == two != []
    assert labels(cards=[second]) == list(plain.filter(card=second)), "other parameters, the same SQL"
    assert labels(cards=[]) == []


def test_instances_come_with_all_that_was_selected(django_assert_num_queries: Any) -> None:
    first, *_ = store_cards(2)
    model = first.variant.card_model
    (card,) = cards(keys=[first.key])
    with django_assert_num_queries(0):
        assert (card, card.variant.card_model, card.all_runs) == (first, model, 1)
    with django_assert_num_queries(1):
        assert card.manufactured == first.manufactured, "what was deferred is read when it is asked for"


def test_the_queryset_is_made_once() -> None:
    asked: list[int] = []

    @PreparedQuery
    def models() -> "QuerySet[CardModel]":
        asked.append(1)
        return CardModel.objects.filter(AnyOf("slug", "slugs"))

    store_cards(1)
    assert [len(models(slugs=[model.slug])) for model in [*CardModel.objects.all()] * 3] == [1, 1, 1]
    assert asked == [1]


def test_a_single_value_is_given_as_it_is() -> None:
    @PreparedQuery
    def runs_after() -> "QuerySet[Run]":
        return Run.objects.filter(submission__received_at__gt=Param("at", DateTimeField())).order_by("pk")

    store_cards(2)
    first, second = Run.objects.order_by("pk")
    assert runs_after(at=first.submission.received_at) == [second]
    assert runs_after(at=second.submission.received_at) == []


@pytest.mark.django_db(transaction=True)
def test_every_thread_asks_by_its_own_connection() -> None:
    keys = [card.key for card in store_cards(2)]

    def ask(key: str) -> list[str]:
        try:
            return [card.key for card in cards(keys=[key])]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(ask, keys * 8)) == [[key] for key in keys * 8]


def test_words_are_parameters_and_never_sql() -> None:
    store_cards(1)
    assert cards(keys=["'; DROP TABLE submissions_card; --", '{"', "%s", "\\"]) == []


def test_words_of_the_query_itself_are_what_they_are() -> None:
    words = "100 % of 'it' \\ %s {}"

    @PreparedQuery
    def models_by_name() -> "QuerySet[CardModel]":
        return CardModel.objects.filter(AnyOf("pk", "pks"), name=words)

    (first, *_), pks = store_cards(2), [*CardModel.objects.values_list("pk", flat=True)]
    CardModel.objects.filter(pk=first.variant.card_model_id).update(name=words)
    assert [model.name for model in models_by_name(pks=pks)] == [words]


def test_what_is_not_given_is_named() -> None:
    with pytest.raises(KeyError, match="keys"):
        cards()


def test_what_is_prefetched_is_refused() -> None:
    with pytest.raises(ValueError, match="prefetched"):
        PreparedQuery(lambda: CardModel.objects.prefetch_related("variants"))()
