"""Find the defects of genuine cards for which Linux has workarounds, from data/quirks.csv."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from submissions.domain import tables
from submissions.domain.identity.makers import Maker, find_maker
from submissions.domain.identity.suspicions.rules import INFORMATION, Suspicion
from submissions.domain.registers import Cid, Decoded
from submissions.domain.translation import translate

_COMMAND_QUEUE_CLASS = 1
WORKING_QUEUE = "WORKING_SD_CQ"
_BROKEN_CACHE = "BROKEN_SD_CACHE"
_ALLOW_LIST = "raspberrypi/linux pull request 6591: off unless the card is on the list; sd_cqe=2 forces it"


class Quirk(NamedTuple):
    """A row of data/quirks.csv: cards with a defect, its name in the kernel and its effect.

    Cards are selected by name, month of manufacture and a feature that they declare; empty cells fit any card. With a
    `first_revision`, revision and month are compared as one number: a later revision of any month fits, too.
    """

    bus: str
    mid: int
    oid: int | None
    pnm: re.Pattern[str]
    first_revision: str
    first_month: str
    last_month: str
    ext_csd_rev: int | None
    only_with: str
    quirk: str
    effect: str
    source: str

    @property
    def names(self) -> str:
        """Return the product names that fit, such as "SD64G, SD128" for SD(64G|128); "" if every name fits."""
        pattern = self.pnm.pattern
        if pattern == ".*":
            return ""
        head, _, rest = pattern.partition("(")
        inside, _, tail = rest.partition(")")
        whole = (f"{head}{name}{tail}" for name in inside.split("|")) if rest else head.split("|")
        return ", ".join(whole)

    @property
    def quirks(self) -> tuple[str, ...]:
        return tuple(self.quirk.split(", "))


def known_defects(decoded: Decoded) -> tuple[Suspicion, ...]:
    """Return every defect in data/quirks.csv that fits the card.

    The weight of each is "I" (information), because a defect does not speak against the identity of a card.
    """
    first: dict[str, Quirk] = {}
    for quirk in fitting_quirks(decoded):
        if quirk.quirk != WORKING_QUEUE:
            first.setdefault(quirk.quirk, quirk)
    return tuple(
        Suspicion(f"Q:{quirk.quirk}", INFORMATION, f"known defect: {quirk.effect}", "", quirk.source)
        for quirk in first.values()
    )


def fitting_quirks(decoded: Decoded) -> list[Quirk]:
    """Return every row of data/quirks.csv that fits the card: its defects, and its command queue if that works."""
    of_silicon = _find_quirks(decoded.cid) if decoded.cid else ()
    return [quirk for quirk in of_silicon if _applies(quirk, decoded)]


def _find_quirks(silicon: "Cid | Silicon") -> list[Quirk]:
    return [quirk for quirk in all_quirks() if _names(quirk, silicon) and _made_then(quirk, silicon)]


def _names(quirk: Quirk, cid: "Cid | Silicon") -> bool:
    same_maker = (quirk.mid, quirk.bus) == (cid.mid, cid.bus) and quirk.oid in (None, cid.oid)
    return same_maker and quirk.pnm.fullmatch(cid.pnm) is not None


def _applies(quirk: Quirk, decoded: Decoded) -> bool:
    revision = decoded.ext_csd.ext_csd_rev if decoded.ext_csd else None
    if quirk.ext_csd_rev is not None and quirk.ext_csd_rev != revision:
        return False
    return not quirk.only_with or _declares(quirk.only_with, decoded)


def _made_then(quirk: Quirk, cid: "Cid | Silicon") -> bool:
    made = cid.mdt or ""
    if quirk.first_revision:
        return (cid.prv, made) >= (quirk.first_revision, quirk.first_month)
    return not quirk.first_month or quirk.first_month <= made <= quirk.last_month


def _declares(feature: str, decoded: Decoded) -> bool:
    # "queue" is in the CSD (class 1) or the SSR, "discard" in the SSR.
    csd, ssr = decoded.csd, decoded.ssr
    if feature == "queue":
        return bool((csd and _COMMAND_QUEUE_CLASS in csd.command_classes) or (ssr and ssr.queue_depth))
    return bool(ssr and ssr.discard)


@cache
def all_quirks() -> tuple[Quirk, ...]:
    """Return every quirk in the order of data/quirks.csv."""
    return tuple(_quirk(row) for row in tables.rows("quirks"))


def trusted_cards() -> tuple[tuple[Maker, Quirk], ...]:
    """Return the maker and the row of each kind of card with a command queue that Raspberry Pi's kernel uses."""
    rows = (quirk for quirk in all_quirks() if quirk.quirk == WORKING_QUEUE)
    return tuple((find_maker(quirk.bus, quirk.mid, quirk.oid), quirk) for quirk in rows)


def _quirk(row: Mapping[str, str]) -> Quirk:
    read: dict[str, Any] = {
        "mid": int(row["mid"], 16),
        "oid": int(row["oid"], 16) if row["oid"] else None,
        "pnm": re.compile(row["pnm"]),
        "ext_csd_rev": int(row["ext_csd_rev"]) if row["ext_csd_rev"] else None,
    }
    return Quirk(**{**row, **read})


QUEUEING = {
    "on": "On a Raspberry Pi 5, this card runs with its command queue on, because it is on the kernel's list.",
    "hangs": "On a Raspberry Pi 5, this card runs with its command queue off. Its known defect when the queue is on:",
    "off": (
        "On a Raspberry Pi 5, this card runs with its command queue off, because it is not on the kernel's"
        " list."
    ),
}


class Queueing(NamedTuple):
    """Whether a Raspberry Pi 5 uses the command queue of a card.

    `state`: "on", "off", or "hangs" if the queue is off and the card is known to hang when it is forced on. `sentence`:
    the state in words for people; `source`: the source of the sentence.
    """

    state: str
    sentence: str
    source: str


class Silicon(NamedTuple):
    """The fields of a CID that identify the silicon (the chips) of a card.

    The month of manufacture, `mdt`, may be unknown.
    """

    bus: str | None
    mid: int | None
    oid: int | None
    pnm: str
    prv: str
    mdt: str | None


def known_quirks(silicon: Silicon) -> tuple[str, ...]:
    """Return the names of all quirks in data/quirks.csv that fit cards with this silicon (these fields of the CID).

    A command queue that works counts as a quirk, too.
    """
    return tuple(dict.fromkeys(quirk.quirk for quirk in _find_quirks(silicon)))


def queue_on_pi_5(decoded: Decoded) -> Queueing | None:
    """Return how a Raspberry Pi 5 uses the command queue of a card, by its kernel's default (sd_cqe=1).

    It is None without the CID of an SD card.
    """
    return queue_of(decoded.cid, may_queue=_may_queue(decoded)) if decoded.cid else None


def queue_of(silicon: Cid | Silicon, *, may_queue: bool = True) -> Queueing | None:
    """Return how a Raspberry Pi 5 uses the command queue of cards with this silicon (these fields of the CID).

    It is None unless they are SD cards. `may_queue`: no register says that the card has no queue.
    """
    if silicon.bus != "SD" or silicon.mid is None:
        return None
    by_name = {name: quirk for quirk in _find_quirks(silicon) for name in quirk.quirks}
    if trusted := by_name.get(WORKING_QUEUE):
        return Queueing("on", translate(QUEUEING["on"]), trusted.source)
    if (broken := by_name.get(_BROKEN_CACHE)) and may_queue:
        return Queueing("hangs", f"{translate(QUEUEING['hangs'])} {broken.effect}.", broken.source)
    return Queueing("off", translate(QUEUEING["off"]), _ALLOW_LIST)


def _may_queue(decoded: Decoded) -> bool:
    return (decoded.csd is None and decoded.ssr is None) or _declares("queue", decoded)
