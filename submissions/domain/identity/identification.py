"""Identify a card by its registers: maker, product name and suspicions."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import msgspec

from submissions.domain.errors import DecodeError
from submissions.domain.identity.makers import Maker, ProductName, find_maker, find_product
from submissions.domain.identity.suspicions import Suspicion, find_suspicions, verdict
from submissions.domain.measuring.normalize import NotUnderstood
from submissions.domain.registers import Decoded, decode, drop_serial, month_in_words
from submissions.domain.report import Card


@dataclass(frozen=True, slots=True)
class Identification:
    """The identity of one card by its registers.

    If the card may be both SD and MMC, `readings` holds one identification for each.
    """

    decoded: Decoded
    maker: Maker | None
    products: tuple[ProductName, ...]
    suspicions: tuple[Suspicion, ...]
    readings: tuple["Identification", ...] = ()

    @property
    def verdict(self) -> str:
        """Return the verdict on the suspicions.

        It is "" if no CID on a known bus was read, since suspicions need a CID.
        """
        return verdict(self.suspicions) if self.decoded.cid else ""


def identify(
    decoded: Decoded,
    *,
    label_brand: str | None = None,
    size_bytes: int | None = None,
    received_on: date | None = None,
) -> Identification:
    """Return the maker, the product names and the suspicions of a card. Arguments are those of `find_suspicions`."""
    circumstances: dict[str, Any] = {
        "label_brand": label_brand,
        "size_bytes": size_bytes,
        "received_on": received_on,
    }
    cid = decoded.cid
    return Identification(
        decoded=decoded,
        maker=find_maker(cid.bus, cid.mid, cid.oid) if cid else None,
        products=find_product(cid.bus, cid.mid, cid.oid, cid.pnm) if cid else (),
        suspicions=find_suspicions(decoded, **circumstances),
        readings=tuple(identify(reading, **circumstances) for reading in decoded.readings),
    )


def describe_card(card: Identification) -> str:
    """Return a card in one sentence, "" if no field is known.

    An example is "Made by Toshiba (TM), product SA04G, revision 1.1, March 2013, 3,904,897,024 bytes."
    """
    parts = [*_parts_of_cid(card)]
    if capacity := card.decoded.capacity_bytes:
        parts.append(f"{capacity:,} bytes")
    sentence = ", ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}." if parts else ""


def _parts_of_cid(card: Identification) -> list[str]:
    cid, maker = card.decoded.cid, card.maker
    if cid is None or maker is None:
        return []
    letters = f" ({cid.oid_text})" if cid.oid_text and not cid.oid_text.startswith("0x") else ""
    made = month_in_words(cid.mdt) if cid.mdt else "month unknown"
    name = f"product {cid.pnm}" if cid.pnm else "without a product name"
    return [f"made by {maker.short_name}{letters}", name, f"revision {cid.prv}", made]


def decode_card(card: Card) -> tuple[Decoded | None, tuple[NotUnderstood, ...]]:
    """Return the decoded registers of a card, None if none can be read, and the registers that cannot be read.

    Raise DecodeError for an unreadable CID if no label names the card.
    """
    registers = {name: text for name, text in msgspec.structs.asdict(card.registers).items() if text}
    bus = card.bus if card.bus in ("SD", "MMC") else None
    unreadable: list[NotUnderstood] = []
    while registers:
        try:
            decoded = decode(registers, bus=bus)
            return _ignore_serial(decoded) if card.serial_removed else decoded, tuple(unreadable)
        except DecodeError as error:
            field = f"card.registers.{error.field}"
            if error.field == "cid" and not card.label.brand.strip():
                raise DecodeError(error.detail, field=field) from error
            unreadable.append(NotUnderstood(field, error.code, error.detail))
            del registers[error.field]
    return None, tuple(unreadable)


def _ignore_serial(decoded: Decoded) -> Decoded:
    # The serial number was zeroed before publication, so it and the checksum are meaningless.
    kept = [
        finding for finding in decoded.findings if (finding.code, finding.register) != ("wrong_crc", "cid")
    ]
    return replace(
        decoded,
        cid=drop_serial(decoded.cid) if decoded.cid else None,
        findings=tuple(kept),
        readings=tuple(_ignore_serial(reading) for reading in decoded.readings),
    )
