"""The page of a model shows cards of one person that differ, even if no single card is suspicious."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import CardModel
from submissions.writing import ingest
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db
UNKNOWN = "its source does not say which board measured it"


def write(*values: float) -> dict[str, Any]:
    pattern = {"direction": "write", "order": "sequential", "block_size_bytes": 100_000_000, "io": "direct"}
    return {
        "workload": "stream",
        "metric": "throughput",
        "unit": "MB/s",
        "values": values,
        "parameters": pattern,
    }


def measure(card: int, *measurements: dict[str, Any], by: str = "one", **report: Any) -> CardModel:
    whole = body(
        uuid=uuid(card),
        card=specimen(card, label={"brand": "SanDisk", "line": "Ultra", "capacity_gb": 4}),
        measurements=list(measurements),
        **report,
    )
    ingest.process(ingest.receive(whole, channel="api", submitter=by).submission.pk)
    return CardModel.objects.get()


def page(client: Client) -> str:
    return " ".join(client.get(CardModel.objects.get().get_absolute_url()).content.decode().split())


def test_it_works(client: Client):
    measure(1, write(18.7, 20.5, 23.6))
    measure(2, write(6.7, 7.3, 6.9))

    shown = page(client)
    assert "One person measured 2 cards with this name in one host" in shown
    assert "the results differ by a factor of 3.0: 6.9 MB/s – 20.5 MB/s" in shown
    assert "The results of one person do not settle this" in shown


def test_the_host_need_not_be_known_for_cards_of_one_hand(client: Client):
    for card, value in ((1, 20.0), (2, 7.0)):
        measure(
            card,
            write(value),
            host={"interface": "mmc"},
            run={"suite": "x", "tool": "dd", "not_compared": UNKNOWN},
        )

    assert "differ by a factor of 2.9" in page(client)


@pytest.mark.parametrize(
    ("first", "second", "by"),
    [
        ((20.0,), (17.0,), "one"),  # less than anybody notices
        ((20.0, 6.0), (8.0,), "one"),  # one of them as far apart from run to run
        ((20.0,), (7.0,), "another"),  # readers of two people may differ
    ],
)
def test_what_may_be_chance_is_not_told(client: Client, first: Any, second: Any, by: str):
    measure(1, write(*first))
    measure(2, write(*second), by=by)

    assert "times apart" not in page(client)


def test_another_host_or_another_way_is_no_comparison(client: Client):
    measure(1, write(20.0))
    measure(2, write(7.0), host={"board": "Another board", "interface": "mmc"})
    measure(3, write(7.0) | {"workload": "transfer"})

    assert "times apart" not in page(client)


def test_what_is_felt_is_told(client: Client):
    boot = {
        "workload": "chore",
        "metric": "duration",
        "unit": "s",
        "values": [24],
        "parameters": {"action": "boot"},
    }
    measure(1, boot)

    shown = page(client)
    assert "Response times" in shown and "24 s" in shown
