"""What of a report everybody may read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.privacy import published_report
from tests.factories import body, rand_write, specimen, uuid

SERIAL = 0x35338909


def published(amendments: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    report = body(**{"uuid": uuid(1), "card": specimen(SERIAL), "measurements": [rand_write()]} | changes)
    document: dict[str, Any] = json.loads(published_report.published(report, amendments or {}))
    return document


def with_registers(**registers: str) -> dict[str, Any]:
    card = specimen(SERIAL)
    return card | {"registers": registers, "label": {"brand": "Kingston"}}


def test_it_works() -> None:
    document = published()
    assert document["card"]["registers"]["cid"] == "02544d534130344711········00d3··"
    assert document["measurements"] == [rand_write()]
    assert "uuid" not in document


def test_a_register_without_a_serial_number_stands_as_it_was_sent() -> None:
    csd = specimen(SERIAL)["registers"]["csd"]
    assert published()["card"]["registers"]["csd"] == csd


def test_a_register_that_cannot_be_read_is_left_out() -> None:
    cid = specimen(SERIAL)["registers"]["cid"]
    assert published(card=with_registers(cid=cid[:-1]))["card"]["registers"] == {}


def test_where_the_bus_is_not_known_both_places_are_dotted() -> None:
    """SD keeps the serial number in the bits 55 to 24, MMC in 47 to 16."""
    card = with_registers(cid="7700004142434445103533890900d300") | {"bus": None}
    assert published(card=card)["card"]["registers"]["cid"] == "770000414243444510··········d3··"


@pytest.mark.parametrize(
    ("written", "reads"),
    [
        ("my serial is 0x35338909", "my serial is 0x[serial number]"),
        ("that is 892569865", "that is [serial number]"),
        ("write to jane.roe@bigbox.example", "write to [e-mail address]"),
        ("log in /home/jane/secret.txt", "log in [path]"),
        ("nothing private", "nothing private"),
    ],
)
def test_what_is_private_is_replaced_by_its_kind(written: str, reads: str) -> None:
    assert published(note=written)["note"] == reads


def test_every_text_is_looked_through() -> None:
    failed = rand_write() | {"failure": {"code": "io_error", "detail": "lost /home/jane/card.img"}}
    run = {"suite": "quick", "tool": "cardbench", "doubts": ["host: bigbox was busy"]}
    document = published(measurements=[failed], run=run)
    assert document["measurements"][0]["failure"]["detail"] == "lost [path]"
    assert "bigbox" not in json.dumps(document)


def test_what_may_be_anything_is_left_out() -> None:
    assert "extra" not in published(extra={"password": "swordfish"})
    assert "specimen" not in published(card=specimen(SERIAL, specimen="the one in Jane's camera"))["card"]


def test_it_reads_as_its_owner_amended_it() -> None:
    assert published({"note": "shorter"}, note="too much said")["note"] == "shorter"


def test_where_it_was_published_first_is_an_address_to_follow() -> None:
    url = "https://lists.example.org/pipermail/results/2011-March/000042.html"
    assert published(source={"title": "a mail", "url": url})["source"]["url"] == url


@given(st.integers(0x10000, 2**32 - 1))
def test_no_serial_number_is_left(serial: int) -> None:
    spellings = f"{serial:08x} {serial} {serial:X} 0x{serial:x}"
    document = published(
        card=specimen(serial), note=spellings, run={"suite": "q", "tool": "t", "doubts": [spellings]}
    )
    words = json.dumps([document["note"], document["run"], document["card"]["registers"]["cid"]]).lower()
    assert f"{serial:08x}" not in words and f" {serial} " not in words
