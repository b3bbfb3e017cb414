"""Look up the manufacturer and OEM numbers that data/makers.csv lists for each bus."""

from functools import cache

from submissions.domain import tables


def is_listed(bus: str, mid: int, oid: int) -> bool:
    """Return whether data/makers.csv has exactly this manufacturer and OEM number; `bus` is "SD" or "MMC"."""
    return (bus, mid, comparable_oid(bus, oid)) in _listed_numbers()


def comparable_oid(bus: str | None, oid: int | None) -> int | None:
    """Return the OEM number as data/makers.csv writes it: for an MMC card only the low 8 bits.

    Linux printed 16 bits of the 8-bit MMC OID until 6.7 (commit 84ee19bffc93); the high bits are not OID.
    """
    return oid & 0xFF if bus == "MMC" and oid is not None else oid


def oid_hex(bus: str | None, oid: int | None) -> str | None:
    """Return the OEM number as sysfs and lists write it, "0x544d"; None without an OEM number."""
    return None if oid is None else f"0x{oid:0{4 if bus == 'SD' else 2}x}"


@cache
def _listed_numbers() -> frozenset[tuple[str, int, int]]:
    rows = (row for row in tables.rows("makers") if row["oid"])
    return frozenset((row["bus"], int(row["mid"], 16), int(row["oid"], 16)) for row in rows)
