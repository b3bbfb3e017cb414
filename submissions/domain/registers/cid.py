"""Decode the CID: maker, product name, revision, serial number and date of manufacture.

Sources: SD Physical Layer Simplified Specification 9.10 section 5.2; JESD84-B51 section 7.2 (BIN since 5.1A); MMC 1.x
(CSD.SPEC_VERS 0 and 1) and the year rules as in Linux drivers/mmc/core/mmc.c, mmc_decode_cid.
"""

from dataclasses import dataclass, field, replace
from functools import partial

from submissions.domain.registers.crc7 import SERIAL_REMOVED
from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.register_layout import Register, Value, Values, read_fields, table

_MMC_1_SPEC_VERS = 1  # CSD.SPEC_VERS 0 and 1 are MMC 1.x, with a wider MID and a longer name
_FIRST_WITH_EXT_CSD = 4
_SANDISK_MMC = 0x45
_NAMES = "January February March April May June July August September October November December"
_MONTHS = _NAMES.split()


def revision(number: int) -> str:
    """Return the product revision (PRV), two BCD digits: 0x11 -> "1.1"."""
    return f"{number >> 4}.{number & 15}"


def sd_date(number: int) -> str | None:
    """Return the date of manufacture (MDT) of an SD card as "YYYY-MM"; None if the month is not 1..12.

    `number`: eight bits of years since 2000 and four bits of the month.
    """
    return _month_text(2000 + (number >> 4), number & 15)


def _month_text(year: int, month: int) -> str | None:
    return f"{year}-{month:02d}" if 1 <= month <= 12 else None


def month_in_words(date: Value) -> str:
    """Return a month in words: "2013-03" -> "March 2013"."""
    year, month = str(date).split("-")
    return f"{_MONTHS[int(month) - 1]} {year}"


def oid_text(number: int, length: int) -> str:
    """Return an OEM number of two printable bytes as letters, others as hex: 0x544d -> "TM", 0x0013 -> "0x0013"."""
    raw = number.to_bytes(length, "big")
    letters = all(0x20 < byte < 0x7F for byte in raw)
    return raw.decode("ascii") if letters and length > 1 else f"0x{raw.hex()}"


_VALUES: Values = {
    "oid": partial(oid_text, length=2),
    "revision": revision,
    "month of a year": sd_date,
    "month": dict(enumerate(_MONTHS, 1)).get,
}
SD = table("cid-sd", 16, _VALUES, words={"month of a year": month_in_words})
MMC = table("cid-mmc", 16, _VALUES)
MMC_1 = table("cid-mmc-1", 16, _VALUES)


@dataclass(frozen=True, slots=True)
class Cid(Register):
    """A decoded CID; attributes have the names of the specification.

    `psn` identifies one card and stays on the server; None if it was removed before publication. `oid` is None for MMC
    1.x, which has no OEM number. `mdt` is "YYYY-MM", or None with the reason in `mdt_reason` and, if only the century
    is unclear, every possible month in `mdt_candidates`. `crc` is a state of crc7.py.
    """

    bus: str
    mid: int
    oid: int | None
    oid_text: str
    pnm: str
    prv: str
    psn: int | None = field(repr=False)
    mdt: str | None
    mdt_reason: str
    mdt_candidates: tuple[str, ...]
    crc: str


def drop_serial(cid: Cid) -> Cid:
    """Return the CID without its serial number, for a CID that was published with zeros in its place."""
    return replace(cid, psn=None, crc=SERIAL_REMOVED)


def identity_bytes(cid: bytes) -> bytes:
    """Return the 15 bytes of a CID that identify a card. The 16th is the checksum, which some hosts replace."""
    return cid[:15]


def decode_sd(register: RegisterBytes) -> Cid:
    reading = read_fields(SD, register.raw)
    attributes = reading.attributes
    return Cid(
        register.raw,
        reading,
        **attributes,
        bus="SD",
        mid=reading["MID"],
        oid=reading["OID"],
        mdt_reason="" if attributes["mdt"] else f"month {reading['MDT'] & 15} does not exist",
        mdt_candidates=(),
        crc=register.crc or "",
    )


def decode_mmc(
    register: RegisterBytes, *, spec_vers: int | None = None, ext_csd_rev: int | None = None
) -> Cid:
    """Return the decoded CID of an MMC or eMMC. `spec_vers` of the CSD chooses the layout: 0 and 1 are MMC 1.x."""
    old = spec_vers is not None and spec_vers <= _MMC_1_SPEC_VERS
    reading = read_fields(MMC_1 if old else MMC, register.raw)
    before_ext_csd = spec_vers is not None and spec_vers < _FIRST_WITH_EXT_CSD
    years = mmc_years(reading["MDT_year"], 0 if before_ext_csd else ext_csd_rev, mid=reading["MID"])
    mdt, reason, candidates = _mmc_date(years, reading["MDT_month"])
    return Cid(
        register.raw,
        reading,
        **reading.attributes,
        bus="MMC",
        mid=reading["MID"],
        oid=None if old else reading["OID"],
        oid_text="" if old else oid_text(reading["OID"], 1),
        prv=f"{reading['HWREV']}.{reading['FWREV']}" if old else revision(reading["PRV"]),
        mdt=mdt,
        mdt_reason=reason,
        mdt_candidates=candidates,
        crc=register.crc or "",
    )


def mmc_years(code: int, ext_csd_rev: int | None, *, mid: int) -> tuple[int, ...]:
    """Return the years that the code (0..15) of an MMC can mean: one if EXT_CSD_REV is known, else every candidate.

    Source: Linux drivers/mmc/core/mmc.c and its MMC_QUIRK_BROKEN_MDT for SanDisk (0x45), after JESD84-B51 and B51B.
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
