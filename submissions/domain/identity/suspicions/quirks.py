"""Defects of genuine cards that Linux works around, from data/quirks.csv."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from submissions.domain import tables
from submissions.domain.identity.suspicions.rules import INFORMATION, Suspicion
from submissions.domain.registers import Cid, Decoded

_COMMAND_QUEUE_CLASS: Final = 1


@dataclass(frozen=True, slots=True)
class Quirk:
    """One row: which cards, by name, month and a feature they declare, and what goes wrong; empty is any."""

    bus: str
    mid: int
    oid: int | None
    pnm: re.Pattern[str]
    first_month: str
    last_month: str
    ext_csd_rev: int | None
    only_with: str
    quirk: str
    effect: str
    source: str


def known_defects(decoded: Decoded) -> tuple[Suspicion, ...]:
    """Every quirk of the table that fits the card, with weight "I": it says nothing against the identity."""
    cid = decoded.cid
    if cid is None:
        return ()
    fitting = [quirk for quirk in all_quirks() if _names(quirk, cid) and _applies(quirk, decoded, cid)]
    return tuple(
        Suspicion(f"Q:{quirk.quirk}", INFORMATION, f"known defect: {quirk.effect}", "", quirk.source)
        for quirk in fitting
    )


def _names(quirk: Quirk, cid: Cid) -> bool:
    same_maker = (quirk.bus, quirk.mid) == (cid.bus, cid.mid) and quirk.oid in (None, cid.oid)
    return same_maker and quirk.pnm.fullmatch(cid.pnm) is not None


def _applies(quirk: Quirk, decoded: Decoded, cid: Cid) -> bool:
    if quirk.first_month and not (cid.mdt and quirk.first_month <= cid.mdt <= quirk.last_month):
        return False
    revision = decoded.ext_csd.ext_csd_rev if decoded.ext_csd else None
    if quirk.ext_csd_rev is not None and quirk.ext_csd_rev != revision:
        return False
    return not quirk.only_with or _declares(quirk.only_with, decoded)


def _declares(feature: str, decoded: Decoded) -> bool:
    """Whether the card itself announces "queue" (CSD class 1 or SSR) or "discard" (SSR)."""
    csd, ssr = decoded.csd, decoded.ssr
    if feature == "queue":
        return bool((csd and _COMMAND_QUEUE_CLASS in csd.command_classes) or (ssr and ssr.queue_depth))
    return bool(ssr and ssr.discard)


@cache
def all_quirks() -> tuple[Quirk, ...]:
    """Every row, in the order of the file."""
    return tuple(_quirk(row) for row in tables.rows("quirks"))


def _quirk(row: Mapping[str, str]) -> Quirk:
    return Quirk(
        bus=row["bus"],
        mid=int(row["mid"], 16),
        oid=int(row["oid"], 16) if row["oid"] else None,
        pnm=re.compile(row["pnm"]),
        first_month=row["first_month"],
        last_month=row["last_month"],
        ext_csd_rev=int(row["ext_csd_rev"]) if row["ext_csd_rev"] else None,
        only_with=row["only_with"],
        quirk=row["quirk"],
        effect=row["effect"],
        source=row["source"],
    )
