"""Rebuild the registers that mmc-utils prints field by field.

`mmc extcsd read` names each byte of EXT_CSD in square brackets; `mmc cid read -v` names the fields of the CID. Without
`-v` the manufacturer's number is left out, so that text holds no CID. Source: mmc-utils mmc_cmds.c, lsmmc.c.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from submissions.domain.registers.cid import MMC, SD
from submissions.domain.registers.ext_csd import EXT_CSD
from submissions.domain.registers.register_layout import Layout, RegisterReading, encode

_NUMBER = r"(?:: 0x([0-9A-Fa-f]{1,16}))?"
_BRACKETED = re.compile(rf"\[(?:EXT_CSD_)?([A-Z][A-Z0-9_]*){_NUMBER}\]{_NUMBER}")
_REVISION = re.compile(r"Extended CSD rev 1\.(\d{1,2})\b")
_CACHE = re.compile(r"\[CACHE_SIZE\] is (\d{1,9}) KiB")
_CACHE_UNITS_PER_KIB = 8  # EXT_CSD counts the cache in kilobits
_OTHER_NAMES = {"CARD_TYPE": "DEVICE_TYPE", "BOOT_SIZE_MULTI": "BOOT_SIZE_MULT"}
_CID_FIELD = re.compile(r"^(MID|CBX|OID|PNM|PRV|PSN|MDT): (?:0x([0-9A-Fa-f]{1,8})|'([^']{1,8})')")
_CID_NEEDS = {"MID", "OID", "PNM", "PRV", "PSN", "MDT"}


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A register rebuilt from printed fields.

    `text`: hex digits of the register; `fields`: the names in its layout that were printed, all other fields are 0.
    """

    text: str
    fields: frozenset[str]


def rebuild_ext_csd(text: str) -> Rebuilt | None:
    """Return the EXT_CSD in the output of `mmc extcsd read`; None without its revision or its size."""
    numbers: dict[str, int] = {}
    for line in text.splitlines():
        for named in _BRACKETED.finditer(line):
            if digits := named[2] or named[3]:
                numbers[_OTHER_NAMES.get(named[1], named[1])] = int(digits, 16)
        if revision := _REVISION.search(line):
            numbers["EXT_CSD_REV"] = int(revision[1])
        if cache := _CACHE.search(line):
            numbers["CACHE_SIZE"] = int(cache[1]) * _CACHE_UNITS_PER_KIB
    rebuilt = _rebuild(EXT_CSD, numbers)
    return rebuilt if {"EXT_CSD_REV", "SEC_COUNT"} & rebuilt.fields else None


def rebuild_cid(text: str, *, bus: str) -> Rebuilt | None:
    """Return the CID in the output of `mmc cid read -v`, without its checksum; None if a field is missing.

    `bus`: "SD" or "MMC".
    """
    matches = [match for line in text.splitlines() if (match := _CID_FIELD.match(line.strip()))]
    numbers = {match[1]: int(match[2], 16) if match[2] else encode_letters(match[3]) for match in matches}
    if not numbers.keys() >= _CID_NEEDS:
        return None
    table = SD if bus == "SD" else MMC
    row = table.rows[table.positions["PNM"]]
    missing = (row.high - row.low + 1) // 8 - (numbers["PNM"].bit_length() + 7) // 8
    numbers["PNM"] <<= 8 * max(missing, 0)  # names start at the most significant byte
    if bus == "MMC":
        numbers |= {"MDT_month": numbers["MDT"] >> 4, "MDT_year": numbers["MDT"] & 15}
    return _rebuild(table, numbers)


def encode_letters(text: str) -> int:
    """Return the number that registers hold for letters, with a byte for each letter."""
    return int.from_bytes(text.encode("ascii", "replace"), "big")


def _rebuild(table: Layout, numbers: Mapping[str, int]) -> Rebuilt:
    widths = {row.name: row.high - row.low + 1 for row in table.rows}
    fitting = {
        name: number for name, number in numbers.items() if number.bit_length() <= widths.get(name, -1)
    }
    reading = RegisterReading(table, tuple(fitting.get(row.name, 0) for row in table.rows))
    return Rebuilt(encode(reading).hex(), frozenset(fitting))
