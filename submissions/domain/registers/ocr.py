"""OCR: voltages, and whether the card is high capacity. Linux shows the host's choice of voltage instead.

Source: SD Physical Layer Simplified Specification 9.10, section 5.1.
"""

from dataclasses import dataclass, field
from typing import Final

from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.layout import Field, RegisterReading, flag, layout, read


def _window(bit: int) -> Field:
    tenths = 27 + bit - 15
    return Field(
        f"V{tenths}", bit, bit, f"works at {tenths / 10:.1f} to {(tenths + 1) / 10:.1f} V: {{}}", flag
    )


OCR: Final = layout(
    "ocr",
    4,
    (
        Field("power_up", 31, 31, "powered up when this was read: {}", flag),
        Field("CCS", 30, 30, "high capacity (SDHC and above): {}", flag),
        Field("UHS_II", 29, 29, "UHS-II: {}", flag),
        Field("CO2T", 27, 27, "over 2 TB (SDUC): {}", flag),
        Field("S18A", 24, 24, "switching to 1.8 V accepted: {}", flag),
        *(_window(bit) for bit in range(15, 24)),
    ),
    source="SD Physical Layer Simplified Specification 9.10, section 5.1, table 5-1",
)


@dataclass(frozen=True, slots=True)
class Ocr:
    """A decoded OCR; `high_capacity` is None unless the card was powered up when the register was read."""

    powered_up: bool
    high_capacity: bool | None
    uhs_ii: bool
    over_2_tb: bool
    raw: bytes = field(repr=False)
    reading: RegisterReading = field(repr=False, compare=False)


def decode(register: RegisterBytes) -> Ocr:
    reading = read(OCR, register.raw)
    powered_up = bool(reading["power_up"])
    return Ocr(
        powered_up=powered_up,
        high_capacity=bool(reading["CCS"]) if powered_up else None,
        uhs_ii=bool(reading["UHS_II"]),
        over_2_tb=bool(reading["CO2T"]),
        raw=register.raw,
        reading=reading,
    )
