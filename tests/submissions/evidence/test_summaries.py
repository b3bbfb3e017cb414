"""The stored data for the page of a model: every specimen by silicon and host, capacities, and prices."""

from typing import Any

import pytest

from submissions.domain.ranking.summary import Price, Specimen, Summary
from submissions.models import Card, CardModel, Measurement
from submissions.writing import ingest, scoring
from tests.factories import rand_write, report, specimen, uuid
from tests.small_crowd import receive

pytestmark = pytest.mark.django_db


def file(number: int, *, card: int, label: dict[str, Any] | None = None, **changes: Any) -> None:
    described = specimen(card, label={"brand": "Kingston", "capacity_gb": 4} | (label or {}))
    document = report(uuid=uuid(number), card=described, **changes)
    ingest.process(receive(document, f"person {number}").pk)


def summary() -> Summary:
    model = CardModel.objects.get()
    scoring.describe([model.pk])
    model.refresh_from_db()
    shown: Summary = model.summary.summary
    return shown


def test_every_card_stands_in_the_row_of_its_silicon_and_host() -> None:
    """Cards are ordered by their median, the lowest first; implausible values are kept apart."""
    pi_5 = {"board": "Raspberry Pi 5 Model B", "interface": "mmc"}
    for number, (card, value, host) in enumerate(
        [(1, 500, {}), (1, 540, {}), (2, 300, {}), (1, 900, {}), (2, 700, {"host": pi_5})]
    ):
        file(number, card=card, measurements=[rand_write(value)], **host)
    Measurement.objects.filter(run__submission__uuid=uuid(3)).update(verdict="suspicious")
    Card.objects.filter(pk=Card.objects.latest("pk").pk).update(manufactured="")
    sample = summary().samples["rand_write_4k"]
    first, second = (card.key[:6] for card in Card.objects.order_by("pk"))
    assert [(row.variant, row.host, row.all) for row in sample.rows] == [
        ("SA04G 1.1", "Raspberry Pi 4 Model B, DDR50", 3),
        ("SA04G 1.1", "Raspberry Pi 5 Model B", 1),
    ]
    assert sample.rows[0].specimens == (
        Specimen(second, "", 300.0, 1, True),
        Specimen(first, "2013-03", 520.0, 2, True),
        Specimen(first, "2013-03", 900.0, 1, False),
    )
    assert (sample.cards, sample.specimens, sample.all_rows) == (2, 4, 2)
    assert summary().left_out == 1


def test_of_each_card_the_last_trial_counts() -> None:
    tried = {"workload": "capacity", "metric": "real_capacity", "unit": "B"}
    for number, (card, kept) in enumerate([(1, 1e9), (1, 3.8e9), (2, 2e9)]):
        file(number, card=card, measurements=[tried | {"values": [kept]}])
    small, smaller, whole = summary().findings
    assert (small.code, small.values["kept"], small.cards) == ("smaller", [1, "GB"], 1)
    assert (smaller.code, smaller.values["kept"]) == ("smaller", [2, "GB"])
    assert (whole.code, whole.values["kept"]) == ("all_kept", [3.8, "GB"])
    assert summary().runs == 3


def test_prices_are_told_the_newest_first() -> None:
    file(1, card=1, label={"price": 5, "currency": "EUR", "bought_on": "2023-01", "bought_at": "a shop"})
    file(2, card=2, label={"price": 7, "currency": "USD", "bought_on": "2024-01"})
    file(3, card=3)
    assert summary().prices == (Price(7, "USD", "2024-01"), Price(5, "EUR", "2023-01", "a shop"))
    assert summary().all_prices == 2
