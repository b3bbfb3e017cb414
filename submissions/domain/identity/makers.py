"""Look up makers and product names by the numbers in a CID, from data/makers.csv and data/product_names.csv.

Every row names its source. Sources that disagree are shown side by side, never averaged. A manufacturer number without
an OEM number never names a brand: one factory produces for many brands.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from submissions.domain import tables
from submissions.domain.errors import ReportError
from submissions.domain.registers.cid import oid_text
from submissions.domain.registers.maker_numbers import comparable_oid, oid_hex

UNKNOWN = "unknown"
_OTHER_OEM = "we know this manufacturer number, but only with other OEM numbers"
_NOT_LISTED = "none of our sources lists this manufacturer number"


@dataclass(frozen=True, slots=True)
class Maker:
    """A row of data/makers.csv: the maker that owns the numbers in a CID.

    `oid` is None if the row is about a manufacturer number with any OEM number. `confidence` is "high", "medium", "low"
    or "none" (not in the table); `irregular` marks numbers that no company is known to own; `conflicts` holds the
    different statements of other sources.
    """

    bus: str
    mid: int
    oid: int | None
    manufacturer: str
    brands: tuple[str, ...]
    confidence: str
    irregular: bool
    note: str
    conflicts: tuple[str, ...]
    source: str

    @property
    def is_known(self) -> bool:
        return self.manufacturer != UNKNOWN

    @property
    def mid_hex(self) -> str:
        """Return the manufacturer number as sysfs and lists write it, "0x03"."""
        return f"0x{self.mid:02x}"

    @property
    def oid_hex(self) -> str | None:
        return oid_hex(self.bus, self.oid)

    @property
    def short_name(self) -> str:
        """Return the manufacturer for a heading, without the remark in brackets."""
        return self.manufacturer.split(" (")[0] if self.is_known else "an unknown maker"


@dataclass(frozen=True, slots=True)
class ProductName:
    """The brand and line under which cards with one product name in their CID were sold.

    `pnm` is a regular expression for the whole product name without blanks at its ends.
    """

    bus: str
    mid: int
    oid: int | None
    pnm: str
    brand: str
    line: str
    capacity: str
    confidence: str
    note: str
    source: str


def find_maker(bus: str | None, mid: int, oid: int | None) -> Maker:
    """Return the maker with these numbers; `bus` is "SD" or "MMC".

    Of an MMC OID only the low 8 bits count. Without a row of the exact pair of numbers, the rows of the manufacturer
    number give a maker without brands and with low confidence. For a number that data/makers.csv lacks, a maker is
    returned with `is_known` False, never an error.
    """
    oid = comparable_oid(bus, oid)
    exact = _makers().get((bus, mid, oid))
    return exact if exact else _find_by_mid(bus, mid, oid)


def all_makers() -> tuple[Maker, ...]:
    """Return every maker in the order of data/makers.csv: by bus, then number."""
    return tuple(_makers().values())


@lru_cache(maxsize=4096)  # of one product there are many cards
def find_product(bus: str | None, mid: int, oid: int | None, pnm: str) -> tuple[ProductName, ...]:
    """Return every product that is known to have this name from this maker, in the order of data/product_names.csv."""
    wanted = (bus, mid, comparable_oid(bus, oid))
    candidates = _products().get(wanted, ())
    return tuple(product for product in candidates if re.fullmatch(product.pnm, pnm))


def all_products() -> tuple[ProductName, ...]:
    """Return every product name in the order of data/product_names.csv."""
    return tuple(product for products in _products().values() for product in products)


def _find_by_mid(bus: str | None, mid: int, oid: int | None) -> Maker:
    same_mid = [maker for maker in _makers().values() if (maker.bus, maker.mid) == (bus, mid)]
    if general := next((maker for maker in same_mid if maker.oid is None), None):
        return replace(general, oid=oid, brands=(), confidence="low")
    names = sorted({maker.manufacturer for maker in same_mid if maker.is_known})
    return Maker(
        bus=bus or "",
        mid=mid,
        oid=oid,
        manufacturer=names[0] if len(names) == 1 else UNKNOWN,
        brands=(),
        confidence="low" if same_mid else "none",
        irregular=False,
        note=_OTHER_OEM if same_mid else _NOT_LISTED,
        conflicts=tuple(names) if len(names) > 1 else (),
        source="; ".join(sorted({maker.source for maker in same_mid})),
    )


def brands() -> frozenset[str]:
    """Return every brand in the tables of makers and of product names."""
    of_makers = {brand for maker in _makers().values() for brand in maker.brands}
    of_products = {product.brand for products in _products().values() for product in products}
    return frozenset((of_makers | of_products) - {""})


@cache
def _makers() -> dict[tuple[str | None, int, int | None], Maker]:
    rows = [_maker(row) for row in tables.rows("makers")]
    return {(maker.bus, maker.mid, maker.oid): maker for maker in rows}


@cache
def _products() -> dict[tuple[str | None, int, int | None], tuple[ProductName, ...]]:
    table: dict[tuple[str | None, int, int | None], tuple[ProductName, ...]] = {}
    for row in tables.rows("product_names"):
        product = ProductName(**{**row, **_numbers(row)})
        key = (product.bus, product.mid, product.oid)
        table[key] = (*table.get(key, ()), product)
    return table


def _maker(row: Mapping[str, str]) -> Maker:
    read = _numbers(row) | {
        name: tuple(filter(None, map(str.strip, row[name].split("|")))) for name in ("brands", "conflicts")
    }
    return Maker(**{**row, **read, "irregular": row["irregular"] == "yes"})


def _numbers(row: Mapping[str, str]) -> dict[str, Any]:
    return {"mid": int(row["mid"], 16), "oid": int(row["oid"], 16) if row["oid"] else None}


BUSES = ("SD", "MMC")
_NUMBER = re.compile(r"([0-9a-f]{2,6})(?:-([0-9a-f]{1,4}))?")


def search_makers(words: str = "", *, bus: str = "") -> tuple[Maker, ...]:
    """Return makers that contain every word in a name, a brand or a number (0x02, 544d, TM).

    `bus`: "SD", "MMC", or "" for both.
    """
    wanted = words.casefold().split()
    return tuple(
        maker
        for maker in all_makers()
        if bus in ("", maker.bus) and all(word in _words_of(maker) for word in wanted)
    )


def parse_bus(name: str) -> str:
    """Return "SD" or "MMC" for a name in any case, "" for both. Raise ReportError for any other word."""
    if name and name.upper() not in BUSES:
        raise ReportError(f"Bus “{name[:20]}” is unknown; use SD or MMC.", field="bus", code="unknown_bus")
    return name.upper()


def letters(maker: Maker) -> str:
    """Return the OEM number of a maker as letters, "TM"; "" if it is missing or not made of letters."""
    if maker.oid is None:
        return ""
    text = oid_text(maker.oid, 2 if maker.bus == "SD" else 1)
    return "" if text.startswith("0x") else text


def address(maker: Maker) -> tuple[str, str]:
    """Return the two parts of the path of a maker's page: ("sd", "02-544d")."""
    return maker.bus.lower(), number_in_hex(maker.bus, maker.mid, maker.oid)


def number_in_hex(bus: str, mid: int, oid: int | None) -> str:
    """Return manufacturer and OEM number in hex, "02-544d", or "08" without an OEM number."""
    parts = (f"{mid:02x}", oid_hex(bus, oid))
    return "-".join(part.removeprefix("0x") for part in parts if part)


def find_by_address(bus: str, number: str) -> Maker | None:
    """Return the maker with the page at this path (see `address`), None for a path that no page of a maker can have.

    The maker may be missing in data/makers.csv.
    """
    match = _NUMBER.fullmatch(number)
    if match is None or bus.upper() not in BUSES:
        return None
    return find_maker(bus.upper(), int(match[1], 16), int(match[2], 16) if match[2] else None)


def products_of(maker: Maker) -> tuple[ProductName, ...]:
    """Return every product name that is known under the numbers of a maker, in the order of data/product_names.csv."""
    return tuple(
        product
        for product in all_products()
        if (product.bus, product.mid) == (maker.bus, maker.mid) and maker.oid in (None, product.oid)
    )


def _words_of(maker: Maker) -> str:
    number = number_in_hex(maker.bus, maker.mid, maker.oid).replace("-", "/0x")
    parts = (maker.manufacturer, *maker.brands, f"0x{number}", letters(maker), *maker.conflicts)
    return " ".join(parts).casefold()
