"""What of a report's own words may be read by everybody: as `formats.private` has it for pasted text."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from submissions.domain import report
from submissions.domain.amendment import amended
from submissions.domain.identity.identification import decode_card
from submissions.domain.privacy.published_text import scrub
from submissions.domain.registers import Decoded, hex_digits
from submissions.domain.report import Host, Label, Registers, Report, Source

_UNPUBLISHED = ("uuid", "extra")
# Fields of a CID; CSD, too, has a checksum, of nothing private.
_OF_ONE_CARD = {"cid": ("PSN", "CRC7")}
_Part = TypeVar("_Part", Host, Label, Source)


def disclosed(given: Report, decoded: Decoded | None) -> Report:
    """The report with nothing private left in what its owner wrote, and no serial number of its card anywhere."""
    serials = _serials(decoded)
    host, card = given.host, given.card
    return msgspec.structs.replace(
        given,
        note=_scrubbed(given.note, serials),
        source=_texts(given.source, serials) if given.source else None,
        host=_texts(host, serials),
        card=msgspec.structs.replace(card, label=_texts(card.label, serials)),
    )


def published(body: bytes, amendments: Mapping[str, Any]) -> bytes:
    """A report as JSON for everybody: as its owner amended it, and `disclosed` to the last text.

    The registers that can be read stand in it with dots for the serial number and the checksum, the others not at all;
    nor do the uuid, which is as good as a key, what its owner calls the specimen, and `extra`, which may hold anything.
    Empty fields are left out.
    """
    given = amended(report.parse(body), amendments)
    decoded, _ = decode_card(given.card)
    serials = _serials(decoded)
    address = given.source.url if given.source else ""
    told = {name: value for name, value in msgspec.to_builtins(given).items() if name not in _UNPUBLISHED}
    told = _said(told, cache(lambda text: text if text == address else _scrubbed(text, serials)))
    told["card"].pop("specimen", None)
    told["card"] |= {"registers": _registers(given.card.registers, decoded)}
    return msgspec.json.format(msgspec.json.encode(told), indent=2)


def _said(told: Any, scrubbed: Callable[[str], str]) -> Any:
    """What is no empty field, with every text of it scrubbed."""
    if isinstance(told, str):
        return scrubbed(told)
    if isinstance(told, dict):
        return {
            name: _said(value, scrubbed) for name, value in told.items() if value not in (None, "", (), {})
        }
    return [_said(value, scrubbed) for value in told] if isinstance(told, list | tuple) else told


def _registers(given: Registers, decoded: Decoded | None) -> dict[str, str]:
    """Hex digits; where nobody can tell SD from MMC, with dots for both places of the serial number."""
    readings = (decoded, *decoded.readings) if decoded else ()
    told: dict[str, str] = {}
    for name in given.__struct_fields__:
        for register in filter(None, (getattr(one, name) for one in readings)):
            digits = hex_digits(register.reading, without=_OF_ONE_CARD.get(name, ()))
            told[name] = "".join(max(pair) for pair in zip(digits, told.get(name, digits), strict=True))
    return told


def _serials(decoded: Decoded | None) -> tuple[int, ...]:
    """Of the CID, however it is read."""
    if decoded is None:
        return ()
    readings = (decoded, *decoded.readings)
    return tuple({reading.cid.psn for reading in readings if reading.cid})


def _texts(part: _Part, serials: tuple[int, ...]) -> _Part:
    """Every text of a part but an address on the web, which is published already."""
    told = msgspec.structs.asdict(part)
    texts = {
        name: _scrubbed(value, serials)
        for name, value in told.items()
        if isinstance(value, str) and value and name != "url"
    }
    return msgspec.structs.replace(part, **texts)


def _scrubbed(text: str, serials: tuple[int, ...]) -> str:
    return scrub(text, serials=serials) if text else ""
