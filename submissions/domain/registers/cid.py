"""CID: who made the card, what they call it, its revision, serial number and date.

Sources: SD Physical Layer Simplified Specification 9.10 section 5.2; JESD84-B51 section 7.2; the year rules
are those of Linux drivers/mmc/core/mmc.c.
"""

from dataclasses import dataclass, field
from typing import Final

from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.layout import (
    Field,
    RegisterReading,
    Value,
    hexadecimal,
    layout,
    printable,
    read,
    text,
)

_MMC_1_SPEC_VERS: Final = 1  # CSD.SPEC_VERS 0 and 1 are MMC 1.x with a wider MID and a longer name
_FIRST_WITH_EXT_CSD: Final = 4
_SANDISK_MMC: Final = 0x45
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def revision(number: int) -> str:
    """PRV: two BCD digits, 0x11 -> "1.1"."""
    return f"{number >> 4}.{number & 15}"


def sd_date(number: int) -> str | None:
    """MDT of SD: eight bits of years since 2000 and a month. None when the month is not 1..12."""
    return _month_text(2000 + (number >> 4), number & 15)


def _month_text(year: int, month: int) -> str | None:
    return f"{year}-{month:02d}" if 1 <= month <= 12 else None


def month_in_words(date: Value) -> str:
    """ "2013-03" -> "March 2013"."""
    year, month = str(date).split("-")
    return f"{_MONTHS[int(month) - 1]} {year}"


def _sd_oid(number: int) -> str:
    return oid_text(number, 2)


def oid_text(number: int, length: int) -> str:
    """The OEM field as letters where it has any, else as hex: 0x544d -> "TM", 0x0013 -> "0x0013"."""
    raw = number.to_bytes(length, "big")
    letters = all(0x20 < byte < 0x7F for byte in raw)
    return raw.decode("ascii") if letters and length > 1 else f"0x{raw.hex()}"


_CRC = (
    Field("CRC7", 7, 1, "checksum over the first 15 bytes", hexadecimal),
    Field("end_bit", 0, 0, "end bit, 1 on the wire; some hosts clear it"),
)

SD: Final = layout(
    "cid",
    16,
    (
        Field(
            "MID",
            127,
            120,
            "manufacturer number {}, assigned by the SD-3C; the list is not public",
            hexadecimal,
        ),
        Field("OID", 119, 104, "OEM or application: {}", _sd_oid),
        Field("PNM", 103, 64, "product name: {}", text(5)),
        Field("PRV", 63, 56, "product revision {}", revision),
        Field("PSN", 55, 24, "serial number of this one card"),
        Field("reserved_23_20", 23, 20, "reserved; some genuine cards since 2022 fill it"),
        Field("MDT", 19, 8, "made in {}", sd_date, month_in_words),
        *_CRC,
    ),
    source="SD Physical Layer Simplified Specification 9.10, section 5.2",
)

MMC: Final = layout(
    "cid",
    16,
    (
        Field("MID", 127, 120, "manufacturer number {}, from the JEDEC list (not the SD list)", hexadecimal),
        Field("BIN", 119, 114, "JEP106 bank of the manufacturer number, less 1; 0 when unused"),
        Field(
            "CBX", 113, 112, "device type {}", {0: "removable card", 1: "BGA", 2: "package on package"}.get
        ),
        Field("OID", 111, 104, "OEM or application number {}", hexadecimal),
        Field("PNM", 103, 56, "product name: {}", text(6)),
        Field("PRV", 55, 48, "product revision {}", revision),
        Field("PSN", 47, 16, "serial number of this one device"),
        Field("MDT_month", 15, 12, "made in {}", {n: name for n, name in enumerate(_MONTHS, 1)}.get),
        Field("MDT_year", 11, 8, "year code {}; its first year depends on EXT_CSD_REV"),
        *_CRC,
    ),
    source="JESD84-B51 section 7.2; BIN since 5.1A",
)

MMC_1: Final = layout(
    "cid",
    16,
    (
        Field("MID", 127, 104, "manufacturer number {} (24 bits in MMC 1.x)", hexadecimal),
        Field("PNM", 103, 48, "product name: {}", text(7)),
        Field("HWREV", 47, 44, "hardware revision {}"),
        Field("FWREV", 43, 40, "firmware revision {}"),
        Field("PSN", 39, 16, "serial number of this one card"),
        Field("MDT_month", 15, 12, "made in {}", {n: name for n, name in enumerate(_MONTHS, 1)}.get),
        Field("MDT_year", 11, 8, "year code {}, counted from 1997"),
        *_CRC,
    ),
    source="Linux drivers/mmc/core/mmc.c, mmc_decode_cid, for CSD.SPEC_VERS 0 and 1",
)


@dataclass(frozen=True, slots=True)
class Cid:
    """A decoded CID under the specification's names. `psn` identifies one card and stays on the server.

    `oid` is None for MMC 1.x, which has none. `mdt` is "YYYY-MM", or None with the reason in `mdt_reason`
    and, when only the century is unclear, every possible month in `mdt_candidates`. `crc` is a state of
    crc7.py.
    """

    bus: str
    mid: int
    oid: int | None
    oid_text: str
    pnm: str
    prv: str
    psn: int = field(repr=False)
    mdt: str | None
    mdt_reason: str
    mdt_candidates: tuple[str, ...]
    crc: str
    raw: bytes = field(repr=False)
    reading: RegisterReading = field(repr=False, compare=False)


def identity_bytes(cid: bytes) -> bytes:
    """The 15 bytes that identify a card. The 16th is the checksum, which hosts replace as they like."""
    return cid[:15]


def decode_sd(register: RegisterBytes) -> Cid:
    reading = read(SD, register.raw)
    mdt = sd_date(reading["MDT"])
    return Cid(
        bus="SD",
        mid=reading["MID"],
        oid=reading["OID"],
        oid_text=_sd_oid(reading["OID"]),
        pnm=printable(register.raw[3:8]),
        prv=revision(reading["PRV"]),
        psn=reading["PSN"],
        mdt=mdt,
        mdt_reason="" if mdt else f"month {reading['MDT'] & 15} does not exist",
        mdt_candidates=(),
        crc=register.crc or "",
        raw=register.raw,
        reading=reading,
    )


def decode_mmc(
    register: RegisterBytes, *, spec_vers: int | None = None, ext_csd_rev: int | None = None
) -> Cid:
    """Decode an MMC or eMMC CID. `spec_vers` of the CSD chooses the layout: 0 and 1 are MMC 1.x."""
    old = spec_vers is not None and spec_vers <= _MMC_1_SPEC_VERS
    reading = read(MMC_1 if old else MMC, register.raw)
    before_ext_csd = spec_vers is not None and spec_vers < _FIRST_WITH_EXT_CSD
    years = mmc_years(reading["MDT_year"], 0 if before_ext_csd else ext_csd_rev, mid=reading["MID"])
    mdt, reason, candidates = _mmc_date(years, reading["MDT_month"])
    return Cid(
        bus="MMC",
        mid=reading["MID"],
        oid=None if old else reading["OID"],
        oid_text="" if old else oid_text(reading["OID"], 1),
        pnm=printable(register.raw[3:10] if old else register.raw[3:9]),
        prv=f"{reading['HWREV']}.{reading['FWREV']}" if old else revision(reading["PRV"]),
        psn=reading["PSN"],
        mdt=mdt,
        mdt_reason=reason,
        mdt_candidates=candidates,
        crc=register.crc or "",
        raw=register.raw,
        reading=reading,
    )


def mmc_years(code: int, ext_csd_rev: int | None, *, mid: int) -> tuple[int, ...]:
    """The years that the code (0..15) can mean: one when EXT_CSD_REV is known, else every candidate.

    Source: Linux drivers/mmc/core/mmc.c and its MMC_QUIRK_BROKEN_MDT for SanDisk (0x45), after JESD84-B51
    and B51B.
    """
    old, middle, new = 1997 + code, 2013 + code, 2029 + code
    from_5 = middle if code <= 12 or mid == _SANDISK_MMC else old
    from_9 = new if code <= 9 else middle
    if ext_csd_rev is None:
        return tuple(sorted({old, from_5, from_9}))
    if ext_csd_rev < 5:
        return (old,)
    return (from_5,) if ext_csd_rev < 9 else (from_9,)


def _mmc_date(years: tuple[int, ...], month: int) -> tuple[str | None, str, tuple[str, ...]]:
    dates = tuple([date for year in years if (date := _month_text(year, month))])
    if not dates:
        return None, f"month {month} does not exist", ()
    if len(dates) > 1:
        return None, "the year depends on EXT_CSD_REV, which was not given", dates
    return dates[0], "", ()
