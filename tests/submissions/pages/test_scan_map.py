"""The scan of a card is shown as a map, with the same areas on the page, in the API and in the report."""

import re
from typing import Any

import pytest
from django.test import Client

from submissions.domain.json_shape import ShapeError
from submissions.domain.report import parse
from submissions.models import Run
from submissions.writing import ingest
from tests.factories import body, specimen

pytestmark = pytest.mark.django_db

SCAN: dict[str, Any] = {
    "size_bytes": 8_000_000_000,
    "block_bytes": 262_144,
    "read_bytes": 7_900_000_000,
    "largest_gap_bytes": 1_048_576,
    "verified_bytes": 3_000_000_000,
    "queue_depth": 32,
    "bad": [[2_000_000_000, 262_144]],
    "slow": [[4_000_000_000, 524_288]],
    "changed": [],
    "changed_in_queue": [],
}


def file_scan(**changes: Any) -> Run:
    run = {"suite": "check", "tool": "cardbench"}
    sent = body(card=specimen(1), measurements=[], scan=SCAN | changes, run=run)
    receipt = ingest.receive(sent, channel="api", submitter="anybody")
    ingest.process(receipt.submission.pk)
    return Run.objects.get(submission=receipt.submission)


def test_it_works(client: Client) -> None:
    run = file_scan()
    shown = client.get(run.submission.get_absolute_url()).content.decode()
    page = client.get(f"/runs/{run.submission.public_id}/").content.decode()
    assert "Areas that cannot be read: 1, 262 kB in all." in shown.replace("\xa0", " ")
    assert "99 % of the card was read: a bad area larger than 1 MiB would have been found." in page.replace(
        "\xa0", " "
    )
    assert "2.000 GB" in page and 'class="bad" x="25.000%"' in page and 'class="slow" x="50.000%"' in page
    assert client.get(f"/api/v1/runs/{run.submission.public_id}/").json()["scan"] == SCAN


@pytest.mark.parametrize(("read_bytes", "share"), [(7_990_000_000, "99 %"), (16_000_000, "0.2 %")])
def test_a_part_is_neither_all_of_it_nor_nothing(client: Client, read_bytes: int, share: str) -> None:
    run = file_scan(read_bytes=read_bytes, verified_bytes=0, bad=[])
    for address in (run.submission.get_absolute_url(), f"/runs/{run.submission.public_id}/"):
        page = client.get(address).content.decode().replace("\xa0", " ")
        assert re.search(f"{share} of (it|the card) was read", page), address


def test_a_card_with_bad_areas_has_lost_data() -> None:
    assert file_scan().lost_data is True
    assert file_scan(bad=[]).lost_data is None


def test_a_run_without_a_scan_has_none(client: Client) -> None:
    receipt = ingest.receive(body(card=specimen(1)), channel="api", submitter="anybody")
    ingest.process(receipt.submission.pk)
    name = receipt.submission.public_id
    assert client.get(f"/api/v1/runs/{name}/").json()["scan"] is None
    assert (
        "svg" not in client.get(f"/runs/{name}/").content.decode().partition("Check for read errors")[2][:10]
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"bad": [[8_000_000_000, 512]]},
        {"slow": [[-512, 512]]},
        {"changed": [[0, 0]]},
        {"read_bytes": 9_000_000_000},
        {"largest_gap_bytes": 0},
        {"block_bytes": 9_000_000_000},
        {"bad": [[0, 1024], [512, 1024]]},
        {"read_bytes": 1024, "bad": [[0, 262_144]]},
        {"bad": [[1]]},
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ShapeError) as refused:
        parse(body(scan=SCAN | wrong))
    assert refused.value.field.startswith("scan")


def test_a_scan_of_more_than_the_card_is_refused() -> None:
    sent = body(
        card=specimen(1, size_bytes=4_000_000_000),
        run={"suite": "check", "tool": "x", "target": "device"},
        scan=SCAN,
    )
    with pytest.raises(ShapeError, match="A scan cannot be larger than its card"):
        parse(sent)
