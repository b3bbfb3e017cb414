"""A report as everybody may read it; `published_text` does the same for pasted text."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from submissions.domain.amendment import amended
from submissions.domain.identity.identification import decode_card
from submissions.domain.privacy.published_text import scrub
from submissions.domain.registers import Decoded, hex_digits
from submissions.domain.report import Host, Label, Registers, Report, Source
from submissions.domain.report import parse as parse_report

_UNPUBLISHED = ("uuid", "extra")
# Fields of a CID; CSD, too, has a checksum, of nothing private.
_OF_ONE_CARD = {"cid": ("PSN", "CRC7")}
_Part = TypeVar("_Part", Host, Label, Source)


def disclosed(report: Report, decoded: Decoded | None) -> Report:
    """The report with private places of its texts scrubbed, and the serial number of its card in none of them."""
    serials = _serials(decoded)
    host, card = report.host, report.card
    return msgspec.structs.replace(
        report,
        note=_scrubbed(report.note, serials),
        source=_texts(report.source, serials) if report.source else None,
        host=_texts(host, serials),
        card=msgspec.structs.replace(card, label=_texts(card.label, serials)),
    )


def published(body: bytes, amendments: Mapping[str, Any]) -> bytes:
    """A stored report as indented JSON for everybody: as its owner amended it, with every text scrubbed.

    Readable registers have dots for the serial number and the checksum; unreadable ones are left out, as are the uuid,
    which is as good as a key, the owner's name of the specimen, `extra`, which may hold anything, and empty fields.
    """
    report = amended(parse_report(body), amendments)
    decoded, _ = decode_card(report.card)
    serials = _serials(decoded)
    address = report.source.url if report.source else ""
    document = {
        name: value for name, value in msgspec.to_builtins(report).items() if name not in _UNPUBLISHED
    }
    document = _without_empty(
        document, cache(lambda text: text if text == address else _scrubbed(text, serials))
    )
    document["card"].pop("specimen", None)
    document["card"] |= {"registers": _registers(report.card.registers, decoded)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2)


def _without_empty(value: Any, scrubbed: Callable[[str], str]) -> Any:
    """JSON-able value without empty fields, every text in it scrubbed."""
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, dict):
        filled = {name: item for name, item in value.items() if item not in (None, "", (), {})}
        return {name: _without_empty(item, scrubbed) for name, item in filled.items()}
    return [_without_empty(item, scrubbed) for item in value] if isinstance(value, list | tuple) else value


def _registers(registers: Registers, decoded: Decoded | None) -> dict[str, str]:
    """Hex digits by register, dots for the serial number; for both of its places where SD or MMC is undecided."""
    readings = (decoded, *decoded.readings) if decoded else ()
    digits_of: dict[str, str] = {}
    for name in registers.__struct_fields__:
        for register in filter(None, (getattr(reading, name) for reading in readings)):
            digits = hex_digits(register.reading, without=_OF_ONE_CARD.get(name, ()))
            digits_of[name] = "".join(
                max(pair) for pair in zip(digits, digits_of.get(name, digits), strict=True)
            )
    return digits_of


def _serials(decoded: Decoded | None) -> tuple[int, ...]:
    """Serial numbers that the CID may hold: two where it can be read as SD and as MMC, () without a CID."""
    if decoded is None:
        return ()
    readings = (decoded, *decoded.readings)
    return tuple({reading.cid.psn for reading in readings if reading.cid})


def _texts(part: _Part, serials: tuple[int, ...]) -> _Part:
    """The part with every text scrubbed but `url`, which is published already."""
    fields = msgspec.structs.asdict(part)
    texts = {
        name: _scrubbed(value, serials)
        for name, value in fields.items()
        if isinstance(value, str) and value and name != "url"
    }
    return msgspec.structs.replace(part, **texts)


def _scrubbed(text: str, serials: tuple[int, ...]) -> str:
    return scrub(text, serials=serials) if text else ""
