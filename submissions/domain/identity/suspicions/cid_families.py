"""A CID family: silicon of one maker and product name, whatever its revision, size and month."""

import re
from typing import NamedTuple

from submissions.domain.identity.makers import BUSES, number_in_hex

_ADDRESS = re.compile(r"([0-9a-f]{2,6})(?:-([0-9a-f]{2,4}))?")
# Any other name could be read as a path, or as two: it stands in hex.
_PLAIN = re.compile(r"[A-Za-z0-9]+")
_IN_HEX = re.compile(r"~((?:[0-9a-f]{2})*)")


class Family(NamedTuple):
    """As the CID names it. `oid` is None of MMC 1.x, which has none; `pnm` any printable ASCII, or ""."""

    bus: str
    mid: int
    oid: int | None
    pnm: str

    @property
    def address(self) -> tuple[str, str, str]:
        """("sd", "03-5344", "SD16G"): what its page is called; "~" and hex of any name with other signs."""
        name = self.pnm if _PLAIN.fullmatch(self.pnm) else f"~{self.pnm.encode('ascii', 'replace').hex()}"
        return self.bus.lower(), number_in_hex(*self[:3]), name


def at_address(bus: str, number: str, name: str) -> Family | None:
    """The family whose `address` this is, seen or not; None for no address."""
    numbers, in_hex = _ADDRESS.fullmatch(number), _IN_HEX.fullmatch(name)
    if bus.upper() not in BUSES or not numbers or not (in_hex or _PLAIN.fullmatch(name)):
        return None
    pnm = bytes.fromhex(in_hex[1]).decode("ascii", "replace") if in_hex else name
    oid = int(numbers[2], 16) if numbers[2] else None
    family = Family(bus.upper(), int(numbers[1], 16), oid, pnm)
    return family if pnm.isprintable() and family.address == (bus, number, name) else None
