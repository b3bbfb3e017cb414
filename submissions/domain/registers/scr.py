"""Decode the SCR: the version of the SD specification that a card follows, and its optional commands.

Source: SD Physical Layer Simplified Specification 9.10, section 5.6, table 5-19.
"""

from dataclasses import dataclass

from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.register_layout import Register, RegisterReading, read_fields, table

_OLD_VERSIONS = {0: "1.0x", 1: "1.10", 2: "2.00"}
_NEW_VERSIONS = {1: "5.xx", 2: "6.xx", 3: "7.xx", 4: "8.xx", 5: "9.xx"}
# Every version in the order of their age, so that two can be compared by position.
VERSIONS = (*_OLD_VERSIONS.values(), "3.0x", "4.xx", *_NEW_VERSIONS.values(), "newer than 9.xx")


def _widths(number: int) -> tuple[int, ...]:
    return tuple([1 << bit for bit in (0, 2) if number >> bit & 1])


SCR = table(
    *("scr", 8),
    {
        "old version": _OLD_VERSIONS.get,
        "new version": ({0: "no"} | _NEW_VERSIONS).get,
        "widths": lambda number: " and ".join(f"{width} bit" for width in _widths(number)) or "none",
    },
)


@dataclass(frozen=True, slots=True)
class Scr(Register):
    """A decoded SCR. `sd_spec` is one of VERSIONS, or None for a reserved code."""

    sd_spec: str | None
    security: str | None
    bus_widths: tuple[int, ...]
    speed_class_control: bool
    set_block_count: bool
    extension_registers: bool


def decode(register: RegisterBytes) -> Scr:
    reading = read_fields(SCR, register.raw)
    return Scr(
        register.raw,
        reading,
        **reading.attributes,
        sd_spec=sd_spec(reading),
        bus_widths=_widths(reading["SD_BUS_WIDTHS"]),
    )


def sd_spec(reading: RegisterReading) -> str | None:
    """Return the version of the SD specification in an SCR, one of VERSIONS; None for a reserved code.

    SD_SPECX takes precedence over SD_SPEC4, then SD_SPEC3, then SD_SPEC. The newer flags count only together with
    SD_SPEC 2 (table 5-19 defines no other combination).
    """
    if reading["SD_SPEC"] != 2:
        return _OLD_VERSIONS.get(reading["SD_SPEC"])
    if reading["SD_SPECX"]:
        return _NEW_VERSIONS.get(reading["SD_SPECX"], VERSIONS[-1])
    if reading["SD_SPEC4"]:
        return "4.xx"
    return "3.0x" if reading["SD_SPEC3"] else "2.00"
