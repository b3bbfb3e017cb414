"""Decode the OCR: voltages, and whether the card is high capacity. Linux shows the host's choice of voltage.

Source: SD Physical Layer Simplified Specification 9.10, section 5.1, table 5-1.
"""

from dataclasses import dataclass

from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.register_layout import Register, read_fields, table

OCR = table("ocr", 4, {})


@dataclass(frozen=True, slots=True)
class Ocr(Register):
    """A decoded OCR; `high_capacity` is None unless the card was powered up when the register was read."""

    powered_up: bool
    high_capacity: bool | None
    uhs_ii: bool
    over_2_tb: bool


def decode(register: RegisterBytes) -> Ocr:
    reading = read_fields(OCR, register.raw)
    powered_up = bool(reading["power_up"])
    high_capacity = bool(reading["CCS"]) if powered_up else None
    return Ocr(register.raw, reading, **reading.attributes, high_capacity=high_capacity)
