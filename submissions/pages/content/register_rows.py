"""Explain the registers of a card on pages: a sentence, the maker, and every field with its bits."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import msgspec
from django.utils.translation import gettext, gettext_noop

from submissions.domain import report
from submissions.domain.errors import DecodeError, ReportError
from submissions.domain.findings import FindingWords
from submissions.domain.findings.finding_rules import IDENTITY
from submissions.domain.findings.text_findings import find_in_text
from submissions.domain.identity import identification
from submissions.domain.identity.identification import Identification, decode_card
from submissions.domain.identity.suspicions.quirks import Queueing, queue_on_pi_5
from submissions.domain.intake.readers.registers_dump import split
from submissions.domain.registers import ExplainedField, RegisterReading, decode_readable, hex_digits
from submissions.pages.content.finding_lines import list_findings
from submissions.sandbox import limited_call

TITLES = {
    "cid": gettext_noop("CID, the identity"),
    "csd": gettext_noop("CSD, the capacity"),
    "scr": gettext_noop("SCR, the specification"),
    "ssr": gettext_noop("SSR, the speed classes"),
    "ocr": gettext_noop("OCR, the voltages"),
    "ext_csd": gettext_noop("EXT_CSD, what an eMMC says about itself"),
}
_LONGEST_RAW = 18

# A real card of a BeagleBone, with an invented serial number.
EXAMPLE = """\
==> /sys/block/mmcblk0/device/cid <==
02544d534130344711c0ffee0000d30f
==> /sys/block/mmcblk0/device/csd <==
400e00325b5900001d177f800a40008d
==> /sys/block/mmcblk0/device/scr <==
0235800001000000
==> /sys/block/mmcblk0/device/type <==
SD
"""


class RegisterTable(NamedTuple):
    """The fields of a register. `digits`: its hex without the serial number, "" if only single fields are known."""

    title: str
    digits: str
    rows: tuple[ExplainedField, ...]


class Portrait(NamedTuple):
    """The registers of one card, explained as those of an SD card or of an MMC."""

    card: Identification
    sentence: str
    queueing: Queueing | None
    tables: tuple[RegisterTable, ...]


class Readings(NamedTuple):
    """The registers in a text, explained: as SD or as MMC; or as both, with the reason in `undecided`.

    `findings` are facts from outputs of tools in the text; without registers, there is nothing else.
    """

    portraits: tuple[Portrait, ...] = ()
    undecided: str = ""
    findings: Sequence[FindingWords] = ()


def read_registers(text: str, *, label_brand: str, received_on: date) -> Readings:
    """Return all facts about a card in a text, and store nothing. Raise DecodeError if there is no fact."""
    findings = _find_in_text(text, label_brand)
    try:
        readings = _read_registers(text, label_brand=label_brand, received_on=received_on)
    except DecodeError:
        if not findings:
            raise
        return Readings(findings=findings)
    # The explained registers say more about the identity.
    return readings._replace(findings=[one for one in findings if one.kind != IDENTITY])


def _find_in_text(text: str, label_brand: str) -> list[FindingWords]:
    try:
        found = limited_call.call(find_in_text, text, label_brand=label_brand)
    except ReportError:
        return []
    return list_findings(msgspec.to_builtins(found))


def _read_registers(text: str, *, label_brand: str, received_on: date) -> Readings:
    dump = split(text)
    decoded = decode_readable(dump.registers, bus=dump.bus)
    card = identification.identify(
        decoded, label_brand=label_brand or None, size_bytes=dump.size_bytes, received_on=received_on
    )
    return Readings(
        portraits=portraits(card, by_field=dump.printed),
        undecided=decoded.bus_reason if card.readings else "",
    )


def explain_report(body: bytes) -> tuple[Portrait, ...]:
    """Return the registers of a stored report, explained as SD, as MMC, or, if that is not clear, as both.

    The checksum is left out, because everybody sees the page and the checksum reveals a part of the serial number.
    """
    decoded, _ = decode_card(report.parse(body).card)
    if decoded is None:
        return ()
    card = identification.identify(decoded)
    return tuple(
        portrait._replace(tables=tuple(map(_remove_checksum, portrait.tables)))
        for portrait in portraits(card, by_field={})
    )


def _remove_checksum(table: RegisterTable) -> RegisterTable:
    if not any(row.field == "PSN" for row in table.rows):
        return table
    rows = tuple(row for row in table.rows if row.field != "CRC7")
    return table._replace(digits=table.digits[:-2] + "··", rows=rows)


def portraits(card: Identification, *, by_field: Mapping[str, Collection[str]]) -> tuple[Portrait, ...]:
    """Return registers explained as SD, as MMC, or as both if undecided. `by_field`: known fields by register."""
    return tuple(
        Portrait(
            card=reading,
            sentence=identification.describe_card(reading),
            queueing=queue_on_pi_5(reading.decoded),
            tables=tuple(_tables(reading, by_field)),
        )
        for reading in card.readings or (card,)
    )


def _tables(card: Identification, by_field: Mapping[str, Collection[str]]) -> list[RegisterTable]:
    rows = card.decoded.explain()
    return [
        RegisterTable(
            title=gettext(title),
            digits="" if name in by_field else _digits(getattr(card.decoded, name).reading),
            rows=tuple(
                row for row in rows if row.register == name and _is_worth_showing(row, by_field.get(name))
            ),
        )
        for name, title in TITLES.items()
        if getattr(card.decoded, name) is not None
    ]


def _is_worth_showing(row: ExplainedField, by_field: Collection[str] | None) -> bool:
    """Return whether a page shows a field: reserved bits only if set, and known fields of incomplete registers."""
    if by_field is not None:
        return row.field in by_field
    is_reserved = row.field.startswith("reserved")
    return not is_reserved or (row.value != 0 and len(row.raw) <= _LONGEST_RAW)


def _digits(reading: RegisterReading) -> str:
    return hex_digits(reading, without=["PSN"] if "PSN" in reading.layout.positions else [])
