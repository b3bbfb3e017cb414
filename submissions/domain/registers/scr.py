"""SCR: which version of the SD specification a card follows, and which commands it has.

Source: SD Physical Layer Simplified Specification 9.10, section 5.6.
"""

from dataclasses import dataclass, field
from typing import Final

from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.layout import Field, RegisterReading, flag, layout, read

_OLD_VERSIONS: Final = {0: "1.0x", 1: "1.10", 2: "2.00"}
_NEW_VERSIONS: Final = {1: "5.xx", 2: "6.xx", 3: "7.xx", 4: "8.xx", 5: "9.xx"}
# Every version in the order of their age, so that two can be compared by position.
VERSIONS: Final = (*_OLD_VERSIONS.values(), "3.0x", "4.xx", *_NEW_VERSIONS.values(), "newer than 9.xx")

_SECURITY: Final = {
    0: "none",
    1: "not used",
    2: "CPRM 1.01 (SDSC)",
    3: "CPRM 2.00 (SDHC)",
    4: "CPRM 3.xx (SDXC)",
}


def _widths(number: int) -> str:
    return " and ".join(f"{1 << bit} bit" for bit in (0, 2) if number >> bit & 1) or "none"


SCR: Final = layout(
    "scr",
    8,
    (
        Field("SCR_STRUCTURE", 63, 60, "SCR version 1.0", {0: 0}.get),
        Field("SD_SPEC", 59, 56, "specification, oldest part of the answer: {} or later", _OLD_VERSIONS.get),
        Field("DATA_STAT_AFTER_ERASE", 55, 55, "erased bits read as {}"),
        Field("SD_SECURITY", 54, 52, "content protection: {}", _SECURITY.get),
        Field("SD_BUS_WIDTHS", 51, 48, "bus widths: {}", _widths),
        Field("SD_SPEC3", 47, 47, "specification 3.00 or later: {}", flag),
        Field("EX_SECURITY", 46, 43, "extended security: code {}"),
        Field("SD_SPEC4", 42, 42, "specification 4.00 or later: {}", flag),
        Field("SD_SPECX", 41, 38, "specification 5 or later: {}", ({0: "no"} | _NEW_VERSIONS).get),
        Field("CMD53_54", 36, 36, "secure receive and send (ACMD53, ACMD54): {}", flag),
        Field("CMD58_59", 35, 35, "extension registers, multiple blocks (CMD58, CMD59): {}", flag),
        Field("CMD48_49", 34, 34, "extension registers, single block (CMD48, CMD49): {}", flag),
        Field("CMD23", 33, 33, "number of blocks set beforehand (CMD23): {}", flag),
        Field("CMD20", 32, 32, "speed class control (CMD20): {}", flag),
        Field("manufacturer", 31, 0, "for the manufacturer's use"),
    ),
    source="SD Physical Layer Simplified Specification 9.10, section 5.6, table 5-19",
)


@dataclass(frozen=True, slots=True)
class Scr:
    """A decoded SCR. `sd_spec` is one of VERSIONS, or None for a reserved code."""

    sd_spec: str | None
    security: str | None
    bus_widths: tuple[int, ...]
    speed_class_control: bool
    set_block_count: bool
    extension_registers: bool
    raw: bytes = field(repr=False)
    reading: RegisterReading = field(repr=False, compare=False)


def decode(register: RegisterBytes) -> Scr:
    reading = read(SCR, register.raw)
    return Scr(
        sd_spec=sd_spec(reading),
        security=_SECURITY.get(reading["SD_SECURITY"]),
        bus_widths=tuple([1 << bit for bit in (0, 2) if reading["SD_BUS_WIDTHS"] >> bit & 1]),
        speed_class_control=bool(reading["CMD20"]),
        set_block_count=bool(reading["CMD23"]),
        extension_registers=bool(reading["CMD48_49"]),
        raw=register.raw,
        reading=reading,
    )


def sd_spec(reading: RegisterReading) -> str | None:
    """The version rule: SD_SPECX wins, whatever SD_SPEC4 says; then SD_SPEC4, SD_SPEC3, and SD_SPEC last.

    Newer flags count only on a card that says SD_SPEC 2 (table 5-19 defines no other combination).
    """
    if reading["SD_SPEC"] != 2:
        return _OLD_VERSIONS.get(reading["SD_SPEC"])
    if reading["SD_SPECX"]:
        return _NEW_VERSIONS.get(reading["SD_SPECX"], VERSIONS[-1])
    if reading["SD_SPEC4"]:
        return "4.xx"
    return "3.0x" if reading["SD_SPEC3"] else "2.00"
