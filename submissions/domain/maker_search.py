"""Finding a row in the table of makers, and the address of its page."""

import re
from typing import Final

from submissions.domain.errors import ReportError
from submissions.domain.makers import Maker, ProductName, all_makers, all_products, find_maker
from submissions.domain.registers.cid import oid_text

BUSES: Final = ("SD", "MMC")
_NUMBER: Final = re.compile(r"([0-9a-f]{2,6})(?:-([0-9a-f]{1,4}))?")


def matching(words: str = "", *, bus: str = "") -> tuple[Maker, ...]:
    """Rows that contain every word in a name, a brand or a number (0x02, 544d, TM); `bus` "" is both."""
    wanted = words.casefold().split()
    return tuple(
        maker
        for maker in all_makers()
        if bus in ("", maker.bus) and all(word in _words_of(maker) for word in wanted)
    )


def bus_named(name: str) -> str:
    """ "sd" -> "SD"; "" stays "", for both. Raises ReportError for any other word."""
    if name and name.upper() not in BUSES:
        raise ReportError(f"Bus “{name[:20]}” is not known; give SD or MMC.", field="bus", code="unknown_bus")
    return name.upper()


def letters(maker: Maker) -> str:
    """The OEM number as letters, "TM"; "" when it has none."""
    if maker.oid is None:
        return ""
    text = oid_text(maker.oid, 2 if maker.bus == "SD" else 1)
    return "" if text.startswith("0x") else text


def address(maker: Maker) -> tuple[str, str]:
    """("sd", "02-544d"): what the page of a maker is called."""
    return maker.bus.lower(), number_in_hex(maker.bus, maker.mid, maker.oid)


def number_in_hex(bus: str, mid: int, oid: int | None) -> str:
    """ "02-544d", or "08" for the manufacturer number alone."""
    return f"{mid:02x}" if oid is None else f"{mid:02x}-{oid:0{4 if bus == 'SD' else 2}x}"


def at_address(bus: str, number: str) -> Maker | None:
    """The maker whose `address` this is, described by the table or not; None for no address."""
    found = _NUMBER.fullmatch(number)
    if found is None or bus.upper() not in BUSES:
        return None
    return find_maker(bus.upper(), int(found[1], 16), int(found[2], 16) if found[2] else None)


def products_of(maker: Maker) -> tuple[ProductName, ...]:
    """Every product known under these numbers, in the order of the file."""
    return tuple(
        product
        for product in all_products()
        if (product.bus, product.mid) == (maker.bus, maker.mid) and maker.oid in (None, product.oid)
    )


def _words_of(maker: Maker) -> str:
    number = number_in_hex(maker.bus, maker.mid, maker.oid).replace("-", "/0x")
    parts = (maker.manufacturer, *maker.brands, f"0x{number}", letters(maker), *maker.conflicts)
    return " ".join(parts).casefold()
