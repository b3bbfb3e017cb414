"""CSD: the capacity of a card and what its bus interface promises.

Sources: SD Physical Layer Simplified Specification 9.10 section 5.3; JESD84-B51 section 7.3.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from submissions.domain.errors import DecodeError
from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.layout import (
    Field,
    Layout,
    RegisterReading,
    Value,
    flag,
    hexadecimal,
    layout,
    plus_one,
    power_of_two,
    read,
)

_KIB_512: Final = 524_288
_SDUC_FIRST_C_SIZE: Final = 0x40_0000  # above 2 TiB
_SDXC_FIRST_C_SIZE: Final = 0xFFFF  # above 32 GiB
_MMC_SEE_EXT_CSD: Final = 0xFFF  # "more than 2 GiB": SEC_COUNT in EXT_CSD has the size

# Mantissa of TAAC and TRAN_SPEED in tenths; code 0 is reserved.
_TENTHS: Final = (0, 10, 12, 13, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80)
_MMC_TENTHS: Final = (*_TENTHS[:6], 26, *_TENTHS[7:11], 52, *_TENTHS[12:])  # 26 and 52 MHz
_CURRENT_MIN_MA: Final = (0.5, 1, 5, 10, 25, 35, 60, 100)
_CURRENT_MAX_MA: Final = (1, 5, 10, 25, 35, 45, 80, 200)

COMMAND_CLASSES: Final = (
    *("basic", "command queue", "block read", "reserved", "block write", "erase"),
    *("write protection", "card lock", "application specific", "I/O", "switch", "function extension"),
)


def access_time_ns(number: int) -> Value:
    """TAAC: unit 1 ns .. 10 ms and a mantissa; None for the reserved mantissa 0."""
    mantissa = _TENTHS[number >> 3 & 15]
    return mantissa * 10 ** (number & 7) / 10 if mantissa else None


def _transfer_rate(tenths: tuple[int, ...]) -> Callable[[int], Value]:
    """TRAN_SPEED in bit/s per data line: unit 100 kbit/s .. 100 Mbit/s and a mantissa."""

    def rate(number: int) -> Value:
        unit, mantissa = number & 7, tenths[number >> 3 & 15]
        return mantissa * 10_000 * 10**unit if unit <= 3 and mantissa else None

    return rate


def command_classes(number: int) -> tuple[int, ...]:
    """CCC: the numbers of the command classes the card has."""
    return tuple([bit for bit in range(12) if number >> bit & 1])


def _classes_in_words(number: int) -> str:
    return ", ".join(f"{bit} {COMMAND_CLASSES[bit]}" for bit in command_classes(number))


def _pick(table: tuple[float, ...]) -> Callable[[int], Value]:
    return table.__getitem__


_HEAD = (
    Field("TAAC", 119, 112, "asynchronous part of the access time: {} ns", access_time_ns),
    Field("NSAC", 111, 104, "clocked part of the access time: {} clock cycles", lambda number: number * 100),
)
_SD_RATE = Field(
    "TRAN_SPEED",
    103,
    96,
    "clock after identification: {} bit/s per line; the speed of UHS modes does not show here",
    _transfer_rate(_TENTHS),
)
_MMC_RATE = Field(
    "TRAN_SPEED", 103, 96, "highest clock without high speed: {} bit/s per line", _transfer_rate(_MMC_TENTHS)
)
_ACCESS = (
    Field("CCC", 95, 84, "command classes: {}", _classes_in_words),
    Field("READ_BL_LEN", 83, 80, "longest block to read: {} bytes", power_of_two),
    Field("READ_BL_PARTIAL", 79, 79, "parts of a block can be read: {}", flag),
    Field("WRITE_BLK_MISALIGN", 78, 78, "a written block may cross a physical block: {}", flag),
    Field("READ_BLK_MISALIGN", 77, 77, "a read block may cross a physical block: {}", flag),
    Field("DSR_IMP", 76, 76, "driver strength can be set (DSR): {}", flag),
)
_SMALL_CAPACITY = (
    Field("C_SIZE", 73, 62, "size: {} units of 2^(C_SIZE_MULT + 2 + READ_BL_LEN) bytes", plus_one),
    Field(
        "VDD_R_CURR_MIN", 61, 59, "reading at the lowest voltage draws up to {} mA", _pick(_CURRENT_MIN_MA)
    ),
    Field(
        "VDD_R_CURR_MAX", 58, 56, "reading at the highest voltage draws up to {} mA", _pick(_CURRENT_MAX_MA)
    ),
    Field(
        "VDD_W_CURR_MIN", 55, 53, "writing at the lowest voltage draws up to {} mA", _pick(_CURRENT_MIN_MA)
    ),
    Field(
        "VDD_W_CURR_MAX", 52, 50, "writing at the highest voltage draws up to {} mA", _pick(_CURRENT_MAX_MA)
    ),
    Field("C_SIZE_MULT", 49, 47, "exponent of the size unit"),
)
_SD_ERASE = (
    Field("ERASE_BLK_EN", 46, 46, "single blocks can be erased: {}", flag),
    Field("SECTOR_SIZE", 45, 39, "erase sector: {} write blocks", plus_one),
    Field("WP_GRP_SIZE", 38, 32, "write protection group: {} erase sectors", plus_one),
)
_MMC_ERASE = (
    Field("ERASE_GRP_SIZE", 46, 42, "erase group: {} x ERASE_GRP_MULT write blocks", plus_one),
    Field("ERASE_GRP_MULT", 41, 37, "erase group multiplier {}", plus_one),
    Field("WP_GRP_SIZE", 36, 32, "write protection group: {} erase groups", plus_one),
)
_WRITE = (
    Field("WP_GRP_ENABLE", 31, 31, "groups can be write protected: {}", flag),
    Field("R2W_FACTOR", 28, 26, "writing takes {} times as long as reading", power_of_two),
    Field("WRITE_BL_LEN", 25, 22, "longest block to write: {} bytes", power_of_two),
    Field("WRITE_BL_PARTIAL", 21, 21, "parts of a block can be written: {}", flag),
)
_TAIL = (
    Field("FILE_FORMAT_GRP", 15, 15, "file format group {}"),
    Field("COPY", 14, 14, "content marked as a copy: {}", flag),
    Field("PERM_WRITE_PROTECT", 13, 13, "write protected for ever: {}", flag),
    Field("TMP_WRITE_PROTECT", 12, 12, "write protected for now: {}", flag),
    Field(
        "FILE_FORMAT",
        11,
        10,
        "file format: {}",
        ("partition table", "FAT without partition table", "universal", "other").__getitem__,
    ),
    Field("CRC7", 7, 1, "checksum over the first 15 bytes", hexadecimal),
    Field("end_bit", 0, 0, "end bit, 1 on the wire; some hosts clear it"),
)
_POWER_CYCLE_PROTECT = Field("WP_UPC", 9, 9, "write protected until the power goes off: {}", flag)


def _structure(meaning: str) -> Field:
    return Field("CSD_STRUCTURE", 127, 126, meaning)


_PLSS: Final = "SD Physical Layer Simplified Specification 9.10, section 5.3"
_SD_BODY = (*_HEAD, _SD_RATE, *_ACCESS, *_SD_ERASE, *_WRITE, _POWER_CYCLE_PROTECT, *_TAIL)

SD_1: Final = layout(
    "csd", 16, (_structure("CSD version 1.0: SDSC"), *_SMALL_CAPACITY, *_SD_BODY), source=_PLSS
)
SD_2: Final = layout(
    "csd",
    16,
    (
        _structure("CSD version 2.0: SDHC or SDXC"),
        Field("C_SIZE", 69, 48, "size: {} x 512 KiB", plus_one),
        *_SD_BODY,
    ),
    source=_PLSS,
)
SD_3: Final = layout(
    "csd",
    16,
    (_structure("CSD version 3.0: SDUC"), Field("C_SIZE", 75, 48, "size: {} x 512 KiB", plus_one), *_SD_BODY),
    source=_PLSS,
)
MMC: Final = layout(
    "csd",
    16,
    (
        _structure("CSD structure {} of MMC (3: see EXT_CSD)"),
        Field(
            "SPEC_VERS",
            125,
            122,
            "MMC system specification {}",
            {0: "1.0", 1: "1.4", 2: "2.0", 3: "3.1", 4: "4.0 or later"}.get,
        ),
        *(*_HEAD, _MMC_RATE, *_ACCESS, *_SMALL_CAPACITY, *_MMC_ERASE, *_WRITE),
        Field("DEFAULT_ECC", 30, 29, "error correction by default: code {}"),
        Field("CONTENT_PROT_APP", 16, 16, "content protection: {}", flag),
        Field("ECC", 9, 8, "error correction of the content: code {}"),
        *_TAIL,
    ),
    source="JESD84-B51 section 7.3",
)
_SD_TABLES: Final = {0: SD_1, 1: SD_2, 2: SD_3}


@dataclass(frozen=True, slots=True)
class Csd:
    """A decoded CSD. `capacity_bytes` is None where the size stands elsewhere, with the reason beside it.

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
    raw: bytes = field(repr=False)
    reading: RegisterReading = field(repr=False, compare=False)


def decode(register: RegisterBytes, *, bus: str) -> Csd:
    """Decode the CSD of an "SD" or "MMC" card. Raises DecodeError for SD's reserved CSD_STRUCTURE 3."""
    table = _table(register.raw[0] >> 6, bus)
    reading = read(table, register.raw)
    capacity, reason = _capacity(reading, table)
    return Csd(
        bus=bus,
        csd_structure=reading["CSD_STRUCTURE"],
        spec_vers=reading["SPEC_VERS"] if table is MMC else None,
        capacity_class=_capacity_class(reading, table),
        capacity_bytes=capacity,
        capacity_reason=reason,
        command_classes=command_classes(reading["CCC"]),
        transfer_rate_bits_per_second=_transfer_rate(_MMC_TENTHS if table is MMC else _TENTHS)(
            reading["TRAN_SPEED"]
        ),
        read_block_bytes=1 << reading["READ_BL_LEN"],
        write_block_bytes=1 << reading["WRITE_BL_LEN"],
        permanently_write_protected=bool(reading["PERM_WRITE_PROTECT"]),
        temporarily_write_protected=bool(reading["TMP_WRITE_PROTECT"]),
        crc=register.crc or "",
        raw=register.raw,
        reading=reading,
    )


def _table(structure: int, bus: str) -> Layout:
    if bus == "MMC":
        return MMC
    if structure not in _SD_TABLES:
        raise DecodeError(
            "CSD has CSD_STRUCTURE 3 at position 1, which no SD card has; if this is an eMMC, say so.",
            field="csd",
        )
    return _SD_TABLES[structure]


def _capacity(reading: RegisterReading, table: Layout) -> tuple[int | None, str]:
    """Capacity in bytes after PLSS 5.3.2 to 5.3.4 and JESD84-B51 7.3, or the reason why it is not here."""
    c_size = reading["C_SIZE"]
    if table is SD_2 or table is SD_3:
        return (c_size + 1) * _KIB_512, ""
    if table is MMC and c_size == _MMC_SEE_EXT_CSD:
        return None, "above 2 GiB: the size stands in EXT_CSD SEC_COUNT"
    return (c_size + 1) << (reading["C_SIZE_MULT"] + 2 + reading["READ_BL_LEN"]), ""


def _capacity_class(reading: RegisterReading, table: Layout) -> str:
    if table is MMC:
        return "MMC"
    if table is SD_2:
        return "SDXC" if reading["C_SIZE"] >= _SDXC_FIRST_C_SIZE else "SDHC"
    return "SDSC" if table is SD_1 else "SDUC"


def size_unit_bytes(csd: Csd) -> int:
    """Bytes in which the SSR counts the protected area: single bytes, but the unit of C_SIZE on SDSC."""
    if csd.capacity_class != "SDSC":
        return 1
    return 1 << (csd.reading["C_SIZE_MULT"] + 2 + csd.reading["READ_BL_LEN"])


def looks_like_sduc(raw: bytes) -> bool:
    """CSD_STRUCTURE 2 is SDUC on the SD bus and MMC 1.2 to 4 on the other; only SDUC has more than 2 TiB."""
    return read(SD_3, raw)["C_SIZE"] >= _SDUC_FIRST_C_SIZE
