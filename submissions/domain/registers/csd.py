"""Decode the CSD: the capacity of a card and the properties of its bus interface.

Sources: SD Physical Layer Simplified Specification 9.10 section 5.3; JESD84-B51 section 7.3.
"""

from collections.abc import Callable
from dataclasses import dataclass

from submissions.domain.errors import DecodeError
from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.register_layout import (
    Layout,
    Register,
    RegisterReading,
    Value,
    Values,
    read_fields,
    table,
)

_KIB_512 = 524_288
_SDUC_FIRST_C_SIZE = 0x40_0000  # above 2 TiB
_SDXC_FIRST_C_SIZE = 0xFFFF  # above 32 GiB
_MMC_SEE_EXT_CSD = 0xFFF  # "more than 2 GiB": SEC_COUNT in EXT_CSD has the size

# Mantissa of TAAC and TRAN_SPEED in tenths; code 0 is reserved.
_TENTHS = (0, 10, 12, 13, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80)
_MMC_TENTHS = (*_TENTHS[:6], 26, *_TENTHS[7:11], 52, *_TENTHS[12:])  # 26 and 52 MHz
_CURRENT_MIN_MA = (0.5, 1, 5, 10, 25, 35, 60, 100)
_CURRENT_MAX_MA = (1, 5, 10, 25, 35, 45, 80, 200)

COMMAND_CLASSES = (
    *("basic", "command queue", "block read", "reserved", "block write", "erase"),
    *("write protection", "card lock", "application specific", "I/O", "switch", "function extension"),
)


def access_time_ns(number: int) -> Value:
    """Return the access time (TAAC) in nanoseconds, 1 ns to 80 ms; None for the reserved mantissa 0."""
    mantissa = _TENTHS[number >> 3 & 15]
    return mantissa * 10 ** (number & 7) / 10 if mantissa else None


def _transfer_rate(tenths: tuple[int, ...]) -> Callable[[int], Value]:
    """Return a function that decodes TRAN_SPEED in bits per second per data line."""

    def rate(number: int) -> Value:
        unit, mantissa = number & 7, tenths[number >> 3 & 15]
        return mantissa * 10_000 * 10**unit if unit <= 3 and mantissa else None

    return rate


def command_classes(number: int) -> tuple[int, ...]:
    """Return the numbers of the command classes that the card supports, from its CCC field."""
    return tuple([bit for bit in range(12) if number >> bit & 1])


_VALUES: Values = {
    "access time": access_time_ns,
    "classes": lambda number: ", ".join(f"{bit} {COMMAND_CLASSES[bit]}" for bit in command_classes(number)),
    "lowest current": _CURRENT_MIN_MA.__getitem__,
    "highest current": _CURRENT_MAX_MA.__getitem__,
    "clock": _transfer_rate(_TENTHS),
    "clock of an MMC": _transfer_rate(_MMC_TENTHS),
}
SD_1, SD_2, SD_3 = (table(f"csd-sd-{version}", 16, _VALUES) for version in (1, 2, 3))
MMC = table("csd-mmc", 16, _VALUES)
_SD_TABLES = {0: SD_1, 1: SD_2, 2: SD_3}


@dataclass(frozen=True, slots=True)
class Csd(Register):
    """A decoded CSD. `capacity_bytes` is None if another register has the size, see `capacity_reason`.

    `capacity_class` is "SDSC", "SDHC", "SDXC", "SDUC" or "MMC"; `spec_vers` exists for MMC only;
    `transfer_rate_bits_per_second` is per data line; `crc` is a state of crc7.py.
    """

    bus: str
    csd_structure: int
    spec_vers: int | None
    capacity_class: str
    capacity_bytes: int | None
    capacity_reason: str
    command_classes: tuple[int, ...]
    transfer_rate_bits_per_second: Value
    read_block_bytes: int
    write_block_bytes: int
    permanently_write_protected: bool
    temporarily_write_protected: bool
    crc: str


def decode(register: RegisterBytes, *, bus: str) -> Csd:
    """Return the decoded CSD of an "SD" or "MMC" card. Raise DecodeError for SD's reserved CSD_STRUCTURE 3."""
    table = _table(register.raw[0] >> 6, bus)
    reading = read_fields(table, register.raw)
    capacity, reason = _capacity(reading, table)
    return Csd(
        register.raw,
        reading,
        **reading.attributes,
        bus=bus,
        spec_vers=reading["SPEC_VERS"] if table is MMC else None,
        capacity_class=_capacity_class(reading, table),
        capacity_bytes=capacity,
        capacity_reason=reason,
        command_classes=command_classes(reading["CCC"]),
        crc=register.crc or "",
    )


def _table(structure: int, bus: str) -> Layout:
    if bus == "MMC":
        return MMC
    if structure not in _SD_TABLES:
        raise DecodeError(
            "The CSD has CSD_STRUCTURE 3 at position 1, which no SD card has; if this is an eMMC, set the"
            " bus to MMC.",
            field="csd",
        )
    return _SD_TABLES[structure]


def _capacity(reading: RegisterReading, table: Layout) -> tuple[int | None, str]:
    """Return the capacity in bytes (PLSS 5.3.2 to 5.3.4, JESD84-B51 7.3), or None and the reason."""
    c_size = reading["C_SIZE"]
    if table is SD_2 or table is SD_3:
        return (c_size + 1) * _KIB_512, ""
    if table is MMC and c_size == _MMC_SEE_EXT_CSD:
        return None, "above 2 GiB: the size is in EXT_CSD SEC_COUNT"
    return (c_size + 1) << (reading["C_SIZE_MULT"] + 2 + reading["READ_BL_LEN"]), ""


def _capacity_class(reading: RegisterReading, table: Layout) -> str:
    if table is MMC:
        return "MMC"
    if table is SD_2:
        return "SDXC" if reading["C_SIZE"] >= _SDXC_FIRST_C_SIZE else "SDHC"
    return "SDSC" if table is SD_1 else "SDUC"


def size_unit_bytes(csd: Csd) -> int:
    """Return the unit of the protected area in the SSR in bytes: that of C_SIZE on SDSC, else 1."""
    if csd.capacity_class != "SDSC":
        return 1
    return 1 << (csd.reading["C_SIZE_MULT"] + 2 + csd.reading["READ_BL_LEN"])


def looks_like_sduc(raw: bytes) -> bool:
    """Return whether a CSD with CSD_STRUCTURE 2, SDUC or MMC 1.2 to 4, states more than 2 TiB, as only SDUC does."""
    return read_fields(SD_3, raw)["C_SIZE"] >= _SDUC_FIRST_C_SIZE
