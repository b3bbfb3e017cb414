"""Describe the card, the host and the shop in the rows of a published table, as parts of a report."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from submissions.domain.fields import FORMS, MARKS
from submissions.domain.intake.published.table import Row

_HEX = re.compile(r"[0-9a-f]{32}")
_BUSES = {"microSD": "SD", "SD": "SD", "eMMC": "MMC", "module": "MMC", "USB stick": "USB"}
_SIZE = re.compile(r"\b(\d{8,15}) bytes")
_NUMBERS = re.compile(
    r"\b(?:man\w*|mid) (0x[0-9a-f]+);? oe?m?i?d?m? (0x[0-9a-f]{4}|[!-~]{2})\b", re.IGNORECASE
)
_REVISION = re.compile(
    r"\brev (\d)\.(\d)\b|\bhw(?:rev)? 0x([0-9a-f]) fw(?:rev)? 0x([0-9a-f])\b", re.IGNORECASE
)
_MADE = re.compile(r"\bmade (\d{1,2})/(20\d\d)\b")
_SHOP = re.compile(r"\bbought at ([A-Z][\w.-]+(?: [A-Z][\w.-]+)?)")
_MONTH = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?\Z")
_PNM_BYTES = 5
# Words behind the board in the name of a host -> the interface of the card.
_SLOTS = {
    "MMC slot": "mmc",
    "overclocked slot": "mmc",
    "SDMMC": "mmc",
    "SDIO": "mmc",
    "SPI": "spi",
    "SPI by PIO": "spi",
    "SD Express adapter": "express",
    "USB": "usb",
    "USB reader": "usb",
    "USB 2 reader": "usb",
    "USB 3 reader": "usb",
    "card reader": "unknown",
}
_UNNAMED = re.compile(r"unknown (board|host|linux host)|\Z", re.IGNORECASE)
_ENCRYPTED = re.compile(r"\b(LUKS2?|dm-crypt|encrypted)\b")
_SOLDERED = ("eMMC", "USB stick", "module")


def describe_card(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the field `card` of a report; each cell is that of the first row in which it is not empty."""
    known, notes = _merge(rows), "; ".join(row.note for row in rows)
    registers = {name: cell for name in ("cid", "csd") if _HEX.fullmatch(cell := getattr(known, name))}
    if "cid" not in registers and (cid := _cid_in_words(known.cid_name, notes)):
        registers["cid"] = cid
    registers |= {
        row.metric.lower(): row.value for row in rows if row.metric in ("SCR", "SSR") and row.unit == "hex"
    }
    size = _SIZE.search(notes)
    return {
        "bus": _BUSES.get(known.form) or ("SD" if "cid" in registers else None),
        "registers": registers if "cid" in registers else {},
        "size_bytes": int(size[1]) if size else None,
        "label": _label(known) | _price(rows),
        "specimen": known.specimen,
        "serial_removed": "cid" in registers or None,
    }


def _label(known: Row) -> dict[str, Any]:
    shop = _SHOP.search(known.note)
    marks = re.split(r"[,\s]+", known.marks)
    return {
        "brand": known.brand,
        "line": known.line,
        "model_number": known.model_number,
        "capacity_gb": float(known.capacity_gb) if _is_number(known.capacity_gb) else None,
        "form": known.form if known.form in FORMS else None,
        "marks": [mark for mark in MARKS if mark in marks],
        "bought_at": shop[1] if shop else "",
    }


# A unit such as USD/GB is not a price.
def _price(rows: Iterable[Row]) -> dict[str, Any]:
    for row in rows:
        if row.metric.startswith("price") and re.fullmatch(r"[A-Z]{3}", row.unit) and _is_number(row.value):
            day = row.date if _MONTH.match(row.date) else ""
            return {"price": float(row.value), "currency": row.unit, "bought_on": day}
    return {}


def describe_host(text: str) -> dict[str, Any]:
    """Return the field `host` of a report, from a text such as "Raspberry Pi 4 Model B" or "PC, USB reader".

    If a text names a board and no reader, the card was in the slot of the board.
    """
    board, _, behind = text.rpartition(", ")
    if behind not in _SLOTS:
        board, behind = text, ""
    is_named = not _UNNAMED.match(board)
    name = text if behind == "overclocked slot" else board
    return {
        "machine" if board == "PC" else "board": name if is_named else "",
        "interface": _SLOTS.get(behind, "mmc" if is_named else "unknown"),
        "reader": behind if re.search("reader|adapter", behind) else "",
    }


def not_compared(rows: Sequence[Row], of_card: Sequence[Row]) -> str:
    """Return why no value of a report may be compared with other cards; "" if all values may be compared."""
    first, card, notes = rows[0], _merge(of_card), "; ".join(row.note for row in rows)
    if card.form in _SOLDERED:
        return f"it is not a memory card: {card.form}"
    if not card.brand and not describe_card(of_card)["registers"]:
        return "its source does not say which card it is"
    if _UNNAMED.match(first.host) or "model not stated" in first.host:
        return "its source does not say which board measured it"
    if "overclocked" in first.host:
        return "the clock of the slot was raised"
    if encrypted := _ENCRYPTED.search(notes):
        return f"it was measured through encryption ({encrypted[1]})"
    return ""


def _merge(rows: Iterable[Row]) -> Row:
    """Return a row with the first cell of each column that is not empty."""
    return Row._make(next(filter(None, cells), "") for cells in zip(*rows, strict=True))


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d+)?", text)) and float(text) > 0


def _cid_in_words(name: str, notes: str) -> str:
    """Return a CID as 32 hex digits, without its serial number, if a source prints its fields separately; else ""."""
    numbers, revision, made = _NUMBERS.search(notes), _REVISION.search(notes), _MADE.search(notes)
    if not (numbers and revision and made and 0 < len(name) <= _PNM_BYTES and name.isascii()):
        return ""
    oem = numbers[2]
    month = int(made[2]) - 2000 << 4 | int(made[1])  # the twelve bits of MDT
    fields = (
        bytes([int(numbers[1], 16) & 0xFF]),
        bytes.fromhex(oem[2:]) if oem.lower().startswith("0x") else oem.encode(),
        name.encode().ljust(_PNM_BYTES),
        bytes.fromhex("".join(filter(None, revision.groups()))),
        bytes(4),
        month.to_bytes(2, "big"),
        bytes(1),
    )
    return b"".join(fields).hex()
