"""Write a line for the kernel's table of quirks that fits no more cards than those that were seen.

Source: Linux drivers/mmc/core/quirks.h: `_FIXUP_EXT` takes a name, maker, OEM, year and month of manufacture, the first
and the last revision, two numbers of SDIO, a function, the quirk, and a revision of EXT_CSD.
"""

from collections.abc import Collection
from typing import NamedTuple

SOURCE = "Linux drivers/mmc/core/quirks.h, read at 7.2"
# `register_layout.printable` writes "?" instead of bytes that are not ASCII, but the kernel compares the bytes.
_UNREADABLE = "?"


class CidName(NamedTuple):
    """The bus, maker and product name in the CID of cards. `oid` is None for MMC 1.x, which has no OEM number."""

    bus: str
    mid: int
    oid: int | None
    pnm: str


def line(cards: CidName, quirk: str, *, revisions: Collection[str], months: Collection[str]) -> str:
    """Return a line such as `_FIXUP_EXT("SD64G", 0x9f, 0x5449, 2019, 11, …),` for cards with a quirk.

    Return "" if the kernel has no such quirk of SD cards, or if a byte of the name is unknown. `revisions`: such as
    "8.5"; `months`: such as "2019-11"; either contains "" if one of the cards does not state it.
    """
    if not quirk or cards.bus != "SD" or not cards.pnm or _UNREADABLE in cards.pnm:
        return ""
    name = cards.pnm.replace("\\", r"\\").replace('"', r"\"")
    return (
        f'\t_FIXUP_EXT("{name}", 0x{cards.mid:02x}, 0x{cards.oid or 0:04x}, {_date_arguments(months)},\n'
        f"\t\t   {_revision_arguments(revisions)}, SDIO_ANY_ID, SDIO_ANY_ID, add_quirk_sd,\n"
        f"\t\t   MMC_QUIRK_{quirk}, EXT_CSD_REV_ANY),"
    )


def _date_arguments(months: Collection[str]) -> str:
    # "2019, 11" for one month, "2019, CID_MONTH_ANY" for one year.
    years = {month[:4] for month in months}
    if len(years) != 1 or "" in months:
        return "CID_YEAR_ANY, CID_MONTH_ANY"
    (year,) = years
    return f"{year}, {int(next(iter(months))[5:]) if len(set(months)) == 1 else 'CID_MONTH_ANY'}"


def _revision_arguments(revisions: Collection[str]) -> str:
    # The first and the last revision, of any date; all if one is unknown.
    if not revisions or "" in revisions:
        return "0, -1ull"
    parts = sorted(tuple(map(int, revision.split("."))) for revision in revisions)
    (first_hw, first_fw), (last_hw, last_fw) = parts[0], parts[-1]
    return f"cid_rev({first_hw}, {first_fw}, 0, 0), cid_rev({last_hw}, {last_fw}, 0xffff, 12)"
