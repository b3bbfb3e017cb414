"""Make the public form of a report: each field declares who may read it (`domain.fields`)."""

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

# Fields that identify a card. The checksum of a CSD reveals nothing private.
_OF_ONE_CARD = {"cid": ("PSN", "CRC7")}
_DIGITS = re.compile(r"[0-9A-Za-z]{5,}")
_REGISTER = re.compile(r"[0-9a-f]{17}")  # more hex digits in a row than the name of any model has
_NUMBER = re.compile(r"0[xX]|[0-9A-Fa-f]{5}")  # in every spelling of a serial number of so many digits
# Fields with patterns that do not allow a bar: these values replace the text instead.
_WITHOUT_BARS = {"id": None, "url": ""}
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def scrub_report(report: Report, decoded: Decoded | None, *, taken_over: bool = False) -> Report:
    """Return the report with black bars as its fields declare.

    Private fields are kept, so that the report can be stored.

    `taken_over`: the operator of the site imported the report; then its author and source, if it states one, are public
    already.
    """
    serials = _spell_serials(decoded)
    scrubbed = report if taken_over and report.source else _scrub_part(report, serials)
    label = _bar_serials_of_label(scrubbed.card.label, serials)
    return msgspec.structs.replace(scrubbed, card=msgspec.structs.replace(scrubbed.card, label=label))


def format_public_report(body: bytes, amendments: Mapping[str, Any], *, taken_over: bool = False) -> bytes:
    """Return a stored report as indented JSON for everybody, with amendments, without private and empty fields.

    Readable registers have dots for the serial number and the checksum; unreadable registers are left out.
    """
    report = amend(parse_report(body), amendments)
    decoded, _ = decode_card(report.card)
    document = _build_public(scrub_report(report, decoded, taken_over=taken_over))
    document["card"] |= {"registers": _registers(report.card.registers, decoded)}
    return msgspec.json.format(msgspec.json.encode(document), indent=2)


@cache
def readers(struct: type[msgspec.Struct]) -> Mapping[str, str | None]:
    """Return who may read each field: "public", "scrubbed" or "private"; None if the parts of the field declare it."""
    described = inspect.type_info(struct)
    assert isinstance(described, inspect.StructType)
    return {field.name: _find_strictest(field.type) for field in described.fields}


def _find_strictest(kind: inspect.Type) -> str | None:
    if isinstance(kind, inspect.Metadata) and kind.extra:
        return str(kind.extra["readers"])
    parts = (*getattr(kind, "types", ()), *filter(None, (getattr(kind, "item_type", None),)))
    return min(
        filter(None, map(_find_strictest, parts)), key=("private", "scrubbed", "public").index, default=None
    )


@cache
def _scrubbed_names(struct: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name, who in readers(struct).items() if who in (None, "scrubbed"))


def _scrub_part(part: _Struct, serials: Collection[str]) -> _Struct:
    changed = {}
    for name in _scrubbed_names(type(part)):
        value = getattr(part, name)
        if (new := _with_bars(value, name, serials)) != value:
            changed[name] = new
    return msgspec.structs.replace(part, **changed) if changed else part


def _with_bars(value: Any, name: str, serials: Collection[str]) -> Any:
    match value:
        case str():
            text = _bar_serials(scrub(value), serials)
            return _WITHOUT_BARS[name] if name in _WITHOUT_BARS and BAR in text else text
        case tuple():
            return tuple(_with_bars(item, name, serials) for item in value)
        case msgspec.Struct():
            return _scrub_part(value, serials)
    return value


@lru_cache(maxsize=4096)
def scrub(text: str) -> str:
    """Return the text with black bars in place of words that may not be published.

    Results are cached, because reports share names of workloads, boards and kernels.
    """
    return with_bars(text, bars(text, public_words.words_of_people()))


def _build_public(part: Any) -> Any:
    match part:
        case msgspec.Struct():
            shown = {
                name: getattr(part, name) for name, who in readers(type(part)).items() if who != "private"
            }
            return {
                name: _build_public(value) for name, value in shown.items() if value not in (None, "", ())
            }
        case tuple():
            return [_build_public(item) for item in part]
    return part


# Dots hide the serial number, at both of its places if the registers may be of SD or of MMC.
def _registers(registers: Registers, decoded: Decoded | None) -> dict[str, str]:
    readings = (decoded, *decoded.readings) if decoded else ()
    digits_of: dict[str, str] = {}
    for name in registers.__struct_fields__:
        for register in filter(None, (getattr(reading, name) for reading in readings)):
            digits = hex_digits(register.reading, without=_OF_ONE_CARD.get(name, ()))
            digits_of[name] = "".join(
                max(pair) for pair in zip(digits, digits_of.get(name, digits), strict=True)
            )
    return digits_of


def _bar_serials_of_label(label: Label, serials: Collection[str]) -> Label:
    """Return the label with names of models unchanged, but with bars for serial numbers."""
    names = ("brand", "line", "model_number")
    return msgspec.structs.replace(
        label, **{name: _bar_serials(getattr(label, name), serials) for name in names}
    )


@lru_cache(maxsize=4096)  # as for `scrub`: nearly no text of a report may hold one
def _may_hold_serial(text: str) -> bool:
    return bool(_NUMBER.search(text))


def _bar_serials(text: str, serials: Collection[str]) -> str:
    if not _may_hold_serial(text):
        return text

    def bar_serial(match: re.Match[str]) -> str:
        digits = match[0].casefold().removeprefix("0x")
        return BAR if _REGISTER.search(digits) or digits.lstrip("0") in serials else match[0]

    return _DIGITS.sub(bar_serial, text)


# A CID that can be read as SD and as MMC has two serial numbers.
def _spell_serials(decoded: Decoded | None) -> frozenset[str]:
    readings = (decoded, *decoded.readings) if decoded else ()
    serials = {reading.cid.psn for reading in readings if reading.cid and reading.cid.psn}
    return frozenset(text for serial in serials for text in (f"{serial:x}", str(serial)))
