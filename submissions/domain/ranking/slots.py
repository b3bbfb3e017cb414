"""Slots: devices or buses in which a card runs, the hosts that count as such a slot, and the limits of the slot.

A slot is a class of interfaces (data/interfaces.csv), or a board that has hosts of its own (data/boards.toml). Values
from these hosts are measured in the slot; from values of other hosts, the values in the slot are estimated.
"""

import re
from dataclasses import dataclass
from functools import cache

from submissions.domain import tables
from submissions.domain.identity.suspicions.quirks import Silicon, queue_of
from submissions.domain.measuring import metrics
from submissions.domain.ranking import interfaces
from submissions.domain.ranking.interfaces import Interface

ALLOW_LIST = "allow-list"


@dataclass(frozen=True, slots=True)
class Slot:
    """A device or bus in which a card runs.

    `hosts`: pattern for the names of the boards that count as this slot. `queue_rule`: ALLOW_LIST, or "" if commands
    never wait in a card.
    """

    name: str
    interface: Interface
    hosts: str = ""
    queue_rule: str = ""

    def takes_host(self, board: str, interface: str) -> bool:
        """Return whether a host, given by its board and its interface, counts as this slot."""
        if self.interface.slot:
            return interface == self.interface.slot
        return bool(self.hosts) and interface == "mmc" and re.match(self.hosts, board) is not None

    def queues(self, silicon: Silicon) -> bool:
        """Return whether a card with this silicon (fields of its CID) queues commands in this slot by default."""
        queueing = queue_of(silicon) if self.queue_rule == ALLOW_LIST else None
        return queueing is not None and queueing.state == "on"

    @property
    def log_caps(self) -> tuple[float, ...]:
        """Return the natural log of the highest value that the slot allows in each ability, inf without a limit.

        Abilities are in the order of metrics.ABILITIES.
        """
        cap = self.interface.log_cap
        return tuple(cap if ability.is_linked else float("inf") for ability in metrics.ABILITIES.values())

    @property
    def abilities(self) -> tuple[str, ...]:
        """Return the names of the abilities that cards have in this kind of slot.

        An ability has one name with and without a command queue, because the slot decides whether a card queues
        commands.
        """
        return tuple(
            ability.name
            for ability in metrics.ABILITIES.values()
            if ability.slot == self.interface.slot and not ability.queue_of
        )


@cache
def all_slots() -> dict[str, Slot]:
    """Return the slots by name: the classes of interfaces, then boards that have hosts of their own."""
    classes = {name: Slot(name, interface) for name, interface in interfaces.all_interfaces().items()}
    boards = {
        slug: Slot(slug, interfaces.find(row["interface"]), row["hosts"], row.get("queue", ""))
        for slug, row in tables.document("boards").items()
        if "hosts" in row
    }
    return classes | boards


def find(name: str) -> Slot:
    """Return the slot with this name. Raise ReportError if there is none."""
    return tables.find(name, among=all_slots(), kind="slot")


def slot_of_board(slug: str) -> Slot:
    """Return the slot of a board in data/boards.toml; boards with the same hosts share a slot."""
    row = tables.document("boards")[slug]
    own = slug if "hosts" in row else row["interface"]
    return all_slots()[row.get("slot", own)]
