"""A report as everybody may read it: as its fields declare (`domain.fields`)."""

import re
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from submissions.domain.amendment import amend
from submissions.domain.identity.identification import decode_card
from submissions.domain.privacy import public_words
from submissions.domain.privacy.permission import BAR, bars, with_bars
from submissions.domain.registers import Decoded, hex_digits
from submissions.domain.report import Label, Registers, Report
from submissions.domain.report import parse as parse_report

# Fields of a CID; CSD, too, has a checksum, of nothing private.
_OF_ONE_CARD = {"cid": ("PSN", "CRC7")}
_DIGITS = re.compile(r"[0-9A-Za-z]{5,}")
_REGISTER = re.compile(r"[0-9a-f]{17}")  # more hex digits in a row than the name of any model has
_NUMBER = re.compile(r"0[xX]|[0-9A-Fa-f]{5}")  # in every spelling of a serial number of so many digits
# Their patterns have no room for a bar: what would need one is left out.
_WITHOUT_BARS = {"id": None, "url": ""}
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def disclosed(report: Report, decoded: Decoded | None, *, taken_over: bool = False) -> Report:
    """The report with bars as its fields declare. Private fields stay, for whoever files it.

    `taken_over`: whoever runs the site brought it; what has a source was published there, with the name of its author.
    """
    serials = _spellings(decoded)
    scrubbed = report if taken_over and report.source else _scrubbed(report, serials)
    label = _without_serials(scrubbed.card.label, serials)
    return msgspec.structs.replace(scrubbed, card=msgspec.structs.replace(scrubbed.card, label=label))


def published(body: bytes, amendments: Mapping[str, Any], *, taken_over: bool = False) -> bytes:
    """A stored report as indented JSON for everybody: as its owner amended it, without private and empty fields.

    Readable registers have dots for the serial number and the checksum; unreadable ones are left out.
    """
    report = amend(parse_report(body), amendments)
    decoded, _ = decode_card(report.card)
    document = _without_private(disclosed(report, decoded, taken_over=taken_over))
    document["card"] |= {"registers": _registers(report.card.registers, decoded)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2)


@cache
def readers(struct: type[msgspec.Struct]) -> Mapping[str, str | None]:
    """Who may read each field: public, scrubbed, private; None where its parts say it themselves."""
    described = inspect.type_info(struct)
    assert isinstance(described, inspect.StructType)
    return {field.name: _declared(field.type) for field in described.fields}


def _declared(kind: inspect.Type) -> str | None:
    """The strictest of what the type and its parts declare."""
    if isinstance(kind, inspect.Metadata) and kind.extra:
        return str(kind.extra["readers"])
    parts = (*getattr(kind, "types", ()), *filter(None, (getattr(kind, "item_type", None),)))
    return min(filter(None, map(_declared, parts)), key=("private", "scrubbed", "public").index, default=None)


@cache
def _scrubbed_names(struct: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name, who in readers(struct).items() if who in (None, "scrubbed"))


def _scrubbed(part: _Struct, serials: Collection[str]) -> _Struct:
    changed = {}
    for name in _scrubbed_names(type(part)):
        value = getattr(part, name)
        if (new := _with_bars(value, name, serials)) != value:
            changed[name] = new
    return msgspec.structs.replace(part, **changed) if changed else part


def _with_bars(value: Any, name: str, serials: Collection[str]) -> Any:
    match value:
        case str():
            text = _without_serial(scrub(value), serials)
            return _WITHOUT_BARS[name] if name in _WITHOUT_BARS and BAR in text else text
        case tuple():
            return tuple(_with_bars(item, name, serials) for item in value)
        case msgspec.Struct():
            return _scrubbed(value, serials)
    return value


@lru_cache(maxsize=4096)
def scrub(text: str) -> str:
    """The text with bars. Cached for names of workloads, boards and kernels."""
    return with_bars(text, bars(text, public_words.of_people()))


def _without_private(part: Any) -> Any:
    """JSON-able, without private and empty fields."""
    match part:
        case msgspec.Struct():
            shown = {
                name: getattr(part, name) for name, who in readers(type(part)).items() if who != "private"
            }
            return {
                name: _without_private(value) for name, value in shown.items() if value not in (None, "", ())
            }
        case tuple():
            return [_without_private(item) for item in part]
    return part


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


def _without_serials(label: Label, serials: Collection[str]) -> Label:
    """Names of models are published as they are, but for digits that tell one card."""
    names = ("brand", "line", "model_number")
    return msgspec.structs.replace(
        label, **{name: _without_serial(getattr(label, name), serials) for name in names}
    )


@lru_cache(maxsize=4096)
def _may_hold_serial(text: str) -> bool:
    """Cached as `scrub`: nearly no text of a report does."""
    return bool(_NUMBER.search(text))


def _without_serial(text: str, serials: Collection[str]) -> str:
    if not _may_hold_serial(text):
        return text

    def barred(match: re.Match[str]) -> str:
        digits = match[0].casefold().removeprefix("0x")
        return BAR if _REGISTER.search(digits) or digits.lstrip("0") in serials else match[0]

    return _DIGITS.sub(barred, text)


def _spellings(decoded: Decoded | None) -> frozenset[str]:
    """Of the serial numbers that the CID may hold: two where it can be read as SD and as MMC."""
    readings = (decoded, *decoded.readings) if decoded else ()
    serials = {reading.cid.psn for reading in readings if reading.cid and reading.cid.psn}
    return frozenset(text for serial in serials for text in (f"{serial:x}", str(serial)))
