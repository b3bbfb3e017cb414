"""The geometry of a card, read from a pasted text, is shown on the pages and in the API."""

from typing import Any

import pytest
from django.test import Client

from submissions.domain.pasting import pasted
from submissions.models import Geometry, Submission
from submissions.writing import ingest
from tests import corpus
from tests.factories import body, specimen, uuid

pytestmark = pytest.mark.django_db
PAGE = (corpus.LOGS / "flashbench" / "sa04g-whole-page.txt").read_bytes()


def paste() -> Submission:
    submission = ingest.receive_parts(PAGE, [pasted.Claims()], channel="page", submitter="anybody")[
        0
    ].submission
    ingest.process(submission.pk)
    submission.refresh_from_db()
    return submission


def state(number: int, size_bytes: int) -> Submission:
    measurement = {"workload": "geometry", "metric": "erase_block_size", "unit": "B", "values": [size_bytes]}
    document = body(
        uuid=uuid(number),
        card=specimen(number, label={"brand": "Kingston"}),
        measurements=[measurement],
        extra={"geometry": {"erase_block_size": {"confidence": 0.95, "reason": "A step of 12 %."}}},
    )
    submission = ingest.receive(document, channel="api", submitter="anybody").submission
    ingest.process(submission.pk)
    submission.refresh_from_db()
    return submission


def stored_rows() -> list[tuple[Any, ...]]:
    rows = Geometry.objects.order_by("id")
    return [(row.quantity, row.origin, row.answer) for row in rows]


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def test_it_works(client: Client) -> None:
    """The whole page of an author, pasted as one text, gives the author's conclusions: 4 MiB, 3 open AUs."""
    submission = paste()
    assert stored_rows() == [
        ("erase_block_size", "inferred", "4 MiB"),
        ("page_size", "inferred", "16 KiB"),
        ("open_au_linear", "inferred", "3"),
        ("open_au_random", "inferred", "3"),
        ("fat_area_size", "inferred", "none"),
    ]
    shown = page(client, submission.run.get_absolute_url())
    assert "83\u00a0%" in shown
    assert "The card holds a whole number of 4 MiB blocks, but not of blocks of 8 MiB." in shown


def test_it_is_worked_out_anew() -> None:
    submission = paste()
    before = stored_rows()
    ingest.process(submission.pk)
    assert stored_rows() == before


def test_what_the_client_states_is_told_apart(client: Client) -> None:
    submission = state(1, 4 * 1024**2)
    assert stored_rows() == [("erase_block_size", "stated", "4 MiB")]
    shown = page(client, submission.run.get_absolute_url())
    assert "stated in the report" in shown
    assert "A step of 12 %." in shown


def test_the_model_says_what_its_cards_say(client: Client) -> None:
    for number, mib in enumerate((4, 4, 8), 1):
        state(number, mib * 1024**2)
    shown = " ".join(page(client, "/models/kingston-4-gb/").split())
    assert '4 MiB <span class="quiet">2 cards, 95 % certain</span>' in shown
    assert '8 MiB <span class="quiet">1 card, 95 % certain</span>' in shown


def test_the_api_tells_it(client: Client) -> None:
    submission = paste()
    rows = client.get(f"/api/v1/submissions/{submission.public_id}/").json()["geometry"]
    assert {name: rows[2][name] for name in ("quantity", "origin", "value", "code", "confidence")} == {
        "quantity": "open_au_linear",
        "origin": "inferred",
        "value": 3.0,
        "code": "",
        "confidence": 0.97,
    }
    assert client.get(f"/api/v1/runs/{submission.public_id}/").json()["geometry"] == rows


def test_it_is_shown_before_anything_is_stored(client: Client) -> None:
    answer = client.post("/submit/", {"text": PAGE.decode(), "look": "1"})
    assert "whole number of 4 MiB blocks" in answer.content.decode()
    assert not Submission.objects.exists()
