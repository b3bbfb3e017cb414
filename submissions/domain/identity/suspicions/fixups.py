"""A line for the kernel's table of quirks, as narrow as what was seen.

Source: Linux drivers/mmc/core/quirks.h: `_FIXUP_EXT` takes a name, maker, OEM, year and month of manufacture, the first
and the last revision, two numbers of SDIO, what to call, the quirk, and a revision of EXT_CSD.
"""

from collections.abc import Collection
from typing import NamedTuple

SOURCE = "Linux drivers/mmc/core/quirks.h, read at 7.2"
# `registers.layout.printable` writes it for what is no ASCII, and the kernel compares bytes.
_UNREADABLE = "?"


class CidName(NamedTuple):
    """Names cards by the maker and product name in their CID. `oid` is None of MMC 1.x, which has none."""

    bus: str
    mid: int
    oid: int | None
    pnm: str


def line(cards: CidName, quirk: str, *, revisions: Collection[str], months: Collection[str]) -> str:
    """`_FIXUP_EXT("SD64G", 0x9f, 0x5449, 2019, 11, …),`; "" where the kernel has no such quirk of SD cards, or compares
    a name that cannot be read. `revisions`: "8.5"; `months`: "2019-11", "" where one is not known."""
    if not quirk or cards.bus != "SD" or not cards.pnm or _UNREADABLE in cards.pnm:
        return ""
    name = cards.pnm.replace("\\", r"\\").replace('"', r"\"")
    return (
        f'\t_FIXUP_EXT("{name}", 0x{cards.mid:02x}, 0x{cards.oid or 0:04x}, {_made(months)},\n'
        f"\t\t   {_revised(revisions)}, SDIO_ANY_ID, SDIO_ANY_ID, add_quirk_sd,\n"
        f"\t\t   MMC_QUIRK_{quirk}, EXT_CSD_REV_ANY),"
    )


def _made(months: Collection[str]) -> str:
    """ "2019, 11" of one month, "2019, CID_MONTH_ANY" of one year."""
    years = {month[:4] for month in months}
    if len(years) != 1 or "" in months:
        return "CID_YEAR_ANY, CID_MONTH_ANY"
    (year,) = years
    return f"{year}, {int(next(iter(months))[5:]) if len(set(months)) == 1 else 'CID_MONTH_ANY'}"


def _revised(revisions: Collection[str]) -> str:
    """The first and the last revision, of any date; all where one is not known."""
    if not revisions or "" in revisions:
        return "0, -1ull"
    parts = sorted(tuple(map(int, revision.split("."))) for revision in revisions)
    (first_hw, first_fw), (last_hw, last_fw) = parts[0], parts[-1]
    return f"cid_rev({first_hw}, {first_fw}, 0, 0), cid_rev({last_hw}, {last_fw}, 0xffff, 12)"
