"""Tests of the fields of a report that everybody may read."""

import json
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.fields import Text
from submissions.domain.privacy import published_report
from submissions.domain.privacy.published_report import readers, scrub_report
from submissions.domain.report import Report, parse
from tests.factories import body, rand_write, report, specimen, uuid

SERIAL = 0x35338909


def publish(amendments: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    report = body(**{"uuid": uuid(1), "card": specimen(SERIAL), "measurements": [rand_write()]} | changes)
    document: dict[str, Any] = json.loads(published_report.format_public_report(report, amendments or {}))
    return document


def with_registers(**registers: str) -> dict[str, Any]:
    card = specimen(SERIAL)
    return card | {"registers": registers, "label": {"brand": "Kingston"}}


def test_it_works() -> None:
    document = publish()
    assert document["card"]["registers"]["cid"] == "02544d534130344711········00d3··"
    assert document["measurements"] == [rand_write()]
    assert "uuid" not in document


def test_a_register_without_a_serial_number_stands_as_it_was_sent() -> None:
    csd = specimen(SERIAL)["registers"]["csd"]
    assert publish()["card"]["registers"]["csd"] == csd


def test_a_register_that_cannot_be_read_is_left_out() -> None:
    cid = specimen(SERIAL)["registers"]["cid"]
    assert publish(card=with_registers(cid=cid[:-1]))["card"]["registers"] == {}


def test_where_the_bus_is_not_known_both_places_are_dotted() -> None:
    """The serial number is in bits 55 to 24 on SD, and in bits 47 to 16 on MMC."""
    card = with_registers(cid="7700004142434445103533890900d300") | {"bus": None}
    assert publish(card=card)["card"]["registers"]["cid"] == "770000414243444510··········d3··"


@pytest.mark.parametrize(
    ("written", "reads"),
    [
        ("my serial is 0x35338909", "my serial is ███"),
        ("that is 892569865", "that is ███"),
        ("write to jane.roe@bigbox.example", "write to ███"),
        ("log in /home/jane/secret.txt", "log in ███"),
        ("nothing private, 21.5 MB/s", "nothing private, 21.5 MB/s"),
    ],
)
def test_what_nobody_knows_is_a_bar(written: str, reads: str) -> None:
    assert publish(note=written)["note"] == reads


def list_structs(kind: Any = Report) -> Iterator[type[msgspec.Struct]]:
    """Yield the type of a report and the types of its parts, at any depth."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
        yield from (part for field in msgspec.structs.fields(kind) for part in list_structs(field.type))
    yield from (part for inner in get_args(kind) for part in list_structs(inner))


FIELDS = sorted({(struct, name) for struct in list_structs() for name in readers(struct)}, key=str)


@pytest.mark.parametrize(("struct", "name"), FIELDS)
def test_every_field_declares_who_may_read_it(struct: type[msgspec.Struct], name: str) -> None:
    (field,) = [field for field in msgspec.structs.fields(struct) if field.name == name]
    assert any(list_structs(field.type)) or readers(struct)[name] in ("public", "scrubbed", "private")


def test_a_field_that_declares_nothing_is_seen() -> None:
    class Careless(msgspec.Struct):
        told: Text
        forgotten: str

    assert readers(Careless) == {"told": "scrubbed", "forgotten": None}


NAME = "Xaverina"


def fill_texts(name: str) -> bytes:
    """Return a report with this name in every free text except the names of the model."""
    text = f"{name} at /home/{name}"
    document = report(
        uuid=uuid(1),
        note=text,
        client={"name": name, "version": text},
        card={
            **specimen(SERIAL, specimen=text),
            "label": {"brand": "Kingston", "bought_at": text},
        },
        host={
            **{field: text for field in ("board", "machine", "kernel", "driver", "reader", "filesystem")},
            "device": name,
            "mount_options": text,
            "scheduler": text,
            "bus_mode": {"name": text},
        },
        run={
            "suite": name,
            "tool": name,
            "tool_version": text,
            "before": {"governor": text},
            "doubts": [text, "host busy"],
            "not_compared": text,
        },
        measurements=[
            rand_write() | {"failure": {"code": name, "detail": text}},
            {"workload": name, "metric": name, "unit": name, "values": [], "parameters": {"variant": text}},
        ],
        readings=[{"name": text, "value": text, "unit": name, "of": text, "tool": text}],
        source={
            "title": text,
            "id": name,
            "place": text,
            "dated": text,
            "author": text,
            "url": f"https://user:{name}@nas.example/{name}",
            "licence": text,
        },
        extra={name: text},
    )
    return json.dumps(document).encode()


def test_no_free_text_is_published_as_it_came() -> None:
    """The report has the private name in every scrubbed and private field, and no field of the public form shows it."""
    sent = fill_texts(NAME)
    shown = json.loads(published_report.format_public_report(sent, {}))
    assert NAME not in json.dumps(shown)
    assert (shown["run"]["doubts"], shown["source"]["title"]) == (["███ at ███", "host busy"], "███ at ███")
    assert {"id", "url"}.isdisjoint(shown["source"])
    filled = set(_find_fields(json.loads(sent)))
    declared = {name for struct, name in FIELDS if readers(struct)[name] == "scrubbed"}
    assert declared <= filled


def _find_fields(value: Any) -> Iterator[str]:
    for name, part in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(part, dict | list):
            held = [found for found in _find_fields(part)]
            yield from [*held, str(name)] if held else []
        elif NAME in str(part):
            yield str(name)


def test_who_files_it_sees_private_fields_and_bars() -> None:
    filed = scrub_report(parse(fill_texts(NAME)), None)
    assert NAME in filed.card.specimen and filed.uuid
    assert filed.measurements[0].failure and NAME not in filed.measurements[0].failure.detail


def test_what_was_published_elsewhere_is_published_as_it_was() -> None:
    url = "https://lists.example.org/pipermail/results/2011-March/000042.html"
    sent = body(source={"title": "a mail", "author": NAME, "url": url})
    assert (
        json.loads(published_report.format_public_report(sent, {}, taken_over=True))["source"]["author"]
        == NAME
    )
    assert "url" not in json.loads(published_report.format_public_report(sent, {}))["source"]
    unsourced = json.loads(published_report.format_public_report(body(note=NAME), {}, taken_over=True))
    assert unsourced["note"] == "███"


def test_the_name_of_a_model_is_public_but_for_a_serial_number() -> None:
    label = {"brand": NAME, "line": f"Extreme {SERIAL:08x} {SERIAL}", "model_number": "02544d534130344711"}
    shown = publish(card=specimen(SERIAL, label=label))["card"]["label"]
    assert shown == {"brand": NAME, "line": "Extreme ███ ███", "model_number": "███"}
    longest = {"model_number": "AUSDH32GUI3V30SHA2-RA1"}
    assert publish(card=specimen(SERIAL, label=longest))["card"]["label"] == longest


def test_what_may_be_anything_is_left_out() -> None:
    assert "extra" not in publish(extra={"password": "swordfish"})
    assert "specimen" not in publish(card=specimen(SERIAL, specimen="the one in Jane's camera"))["card"]


def test_it_reads_as_its_owner_amended_it() -> None:
    assert publish({"note": "short"}, note="too much said")["note"] == "short"


@given(st.integers(0x10000, 2**32 - 1))
def test_no_serial_number_is_left(serial: int) -> None:
    spellings = f"{serial:08x} {serial} {serial:X} 0x{serial:x}"
    document = publish(
        card=specimen(serial), note=spellings, run={"suite": "q", "tool": "t", "doubts": [spellings]}
    )
    words = json.dumps([document["note"], document["run"], document["card"]["registers"]["cid"]]).lower()
    assert f"{serial:08x}" not in words and f" {serial} " not in words
