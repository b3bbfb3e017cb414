"""The registers of a report, as far as they can be read."""

import msgspec

from submissions.domain.errors import DecodeError
from submissions.domain.normalize import NotUnderstood
from submissions.domain.registers import Decoded, decode
from submissions.domain.report import Card


def decode_card(card: Card) -> tuple[Decoded | None, tuple[NotUnderstood, ...]]:
    """Every register that can be read, and those that cannot.

    Raises DecodeError for a CID when nothing else names the card.
    """
    registers = {name: text for name, text in msgspec.structs.asdict(card.registers).items() if text}
    bus = card.bus if card.bus in ("SD", "MMC") else None
    unreadable: list[NotUnderstood] = []
    while registers:
        try:
            return decode(registers, bus=bus), tuple(unreadable)
        except DecodeError as error:
            field = f"card.registers.{error.field}"
            if error.field == "cid" and not card.label.brand.strip():
                raise DecodeError(error.detail, field=field) from error
            unreadable.append(NotUnderstood(field, error.code, error.detail))
            del registers[error.field]
    return None, tuple(unreadable)
