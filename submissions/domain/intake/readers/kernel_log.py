"""Parse the log of the Linux kernel about a card, from dmesg or a mail (drivers/mmc/core/bus.c, mmc_add_card).

    mmc0: new ultra high speed DDR50 SDHC card at address e624
    mmcblk0: mmc0:e624 SP32G 29.7 GiB
    mmc0: tuning execution failed: -5

A host that found an SDIO device, mostly Wi-Fi, holds no card: its errors are not errors of a card.
"""

from dataclasses import replace

from submissions.domain.intake.parsed import Fact, Span
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.slots import Found, Table, row

_MODES = {"DDR": "MMC DDR52", "HS400 Enhanced strobe": "HS400"}

# Errors between a host and a card (drivers/mmc/core/block.c, mmc.c, sd.c, core.c), without numbers that vary.
_TROUBLES = (
    "tuning execution failed: -[0-9]{1,3}|cache flush error -[0-9]{1,3}|cqhci: timeout"
    "|error -?[0-9]{1,3} [a-z][ \\w/()-]{3,80}|Timeout waiting for hardware [a-z ]{3,40}"
    "|(?:timed out|response CRC error) sending [\\w/ ]{3,30}?command|r/w command failed|recovery failed"
    "|retrying because a re-tune was needed|running CQE recovery|card_busy_detect: error sending status cmd"
    "|[Cc]ard stuck (?:in wrong state|being busy)|[Cc]ard never left busy state"
    "|tried to (?:HW )?reset card, got error -[0-9]{1,3}|switch to bus width [48](?: ddr)? failed"
)


class KernelLog(Table):
    """A parser for the log of the Linux kernel.

    `disks`: host -> disk of its card, "" for a host with another device; `open`: facts of hosts without a disk so far;
    `gone`: facts of cards that went away, by host; `ailing`: whether the log has other errors; `sticks`: removable
    disks; `fixed`: other disks; `on_usb`: whether any disk is on USB.
    """

    tool = "kernel"

    def set_up(self) -> None:
        self.sizes: dict[str, int] = {}
        self.disks: dict[str, str] = {}
        self.open: dict[str, list[Fact]] = {}
        self.gone: dict[str, Fact] = {}
        self.sticks, self.fixed = set[str](), set[str]()
        self.ailing = self.on_usb = False
        self.told = set[tuple[str, object, str]]()

    def end(self) -> None:
        for fact in self.gone.values():
            self._add_once(fact)
        self.gone = {}

    def take(self) -> bool:
        """Return whether the line was understood as one of the kernel's log.

        If so, the time and the host name before the message count as understood, too. These are never published, since
        no figure is on such a line.
        """
        if taken := super().take():
            self.scene.understood.append(Span(self.scene.line.number, 0, self.scene.line.start))
        return taken

    @row(
        r"{:log}{host:mmc[0-9]{1,2}}: new {speed:ultra high speed |UHS-I speed |high speed }?"
        r"{mode:SDR12 |SDR25 |SDR50 |SDR104 |DDR50 |HS200 |HS400 (?:Enhanced strobe )?|DDR }?"
        # A mail wraps here.
        r"{bus:SDHC|SDXC|SDUC|SD|MMC}(?: card(?: at(?: address(?: [0-9a-f]{1,4})?)?)?)?(?:\s*\Z|`)…"
    )
    def new_card(self, found: Found) -> None:
        """Add the bus mode of a new card. A mode is missing in the log if it is one of the slow modes.

        A card that comes back was pulled out, unless there was an error before.
        """
        if not self.ailing:
            self.gone.pop(found["host"], None)
        mode, bus = found["mode"], "MMC" if found["bus"] == "MMC" else "SD"
        if mode or found["speed"] == "high speed":
            name = _MODES.get(mode, mode) if mode else f"{bus} high-speed"
            self._add_once(Fact(self.span(found), HOST, "name", name, found["host"]))

    # Only functions of SDIO devices have a number of their own (drivers/mmc/core/sdio_bus.c).
    @row(r"{:log}{host:mmc[0-9]{1,2}}:(?: new (?:[\w-]{1,12} ){0,5}SDIO card|[0-9a-f]{4}:[1-7]: )…")
    def no_card(self, found: Found) -> None:
        self.gone.pop(found["host"], None)
        self._assign_facts(found["host"], "")

    @row(r"{:log}{device:mmcblk[0-9]{1,2}}: {host:mmc[0-9]{1,2}}:[0-9a-f]{4} {name:\S{1,6}} {size:size}…")
    def size(self, found: Found) -> None:
        """Add the name and the rounded size of a card as facts about its disk, since a board may have two slots."""
        self.scene.entitle(f"{found['name']}, {found.text('size')}")
        self._assign_facts(found["host"], found["device"])
        self._tell("pnm", found["name"], found)
        self._tell("about_size_bytes", found["size"], found)

    @row(
        r"{:log}{device:mmcblk[0-9]{1,2}}(?:boot[01]|rpmb): mmc[0-9]{1,2}:[0-9a-f]{4} {name:\S{1,6}} "
        r"(?:partition [0-9] )?{:size}…"
    )
    def boot(self, found: Found) -> None:
        self._tell("pnm", found["name"], found)

    @row(
        r"{:log}sd [0-9:]{7,15}: \[{disk:sd[a-z]{1,2}}\] {blocks:count} {each:512|4096}-byte"
        " (?:logical blocks|hardware sectors):…"
    )
    def disk(self, found: Found) -> None:
        """Hold the size of a disk until the kernel says that it is removable: a fixed disk is part of the host."""
        self.sizes[found["disk"]] = found["blocks"] * int(found["each"])

    @row(r"{:log}sd [0-9:]{7,15}: \[{device:sd[a-z]{1,2}}\] Attached SCSI {removable:removable }?disk")
    def scsi_disk(self, found: Found) -> None:
        device = found["device"]
        (self.sticks if found["removable"] else self.fixed).add(device)
        size_bytes = self.sizes.pop(device, 0)
        if size_bytes and found["removable"]:
            self._tell("size_bytes", size_bytes, found)

    @row(
        "{:log}(?:usb-storage [0-9.:-]{3,24}: USB Mass Storage device|scsi ?(?:host)?[0-9]{1,3} ?: usb-storage)…"
    )
    def usb(self, found: Found) -> None:
        self.on_usb = True

    @row(
        r"{:log}{device:mmc(?:blk)?[0-9]{1,2}}: (?:card [0-9a-f]{4} removed|{words:"
        + _TROUBLES
        + r"})(?:[ ,.!].{0,160})?"
    )
    def trouble(self, found: Found) -> None:
        if words := found["words"]:
            self._tell("trouble", words, found)
        else:
            host = found["device"]
            self.gone[host] = Fact(self.span(found), self.tool, "trouble", "card removed", host)

    # block/blk-core.c and fs/buffer.c, also of a partition.
    @row(
        r"{:log}(?:Buffer )?{words:(?:I/O|critical medium|timeout) error}(?:,| on) dev(?:ice)?"
        r" {device:mmcblk[0-9]{1,2}|sd[a-z]{1,2}}\w{0,8}, (?:sector|logical block) [0-9]{1,20}"
        r"(?:.{0,60}?\({operation:[A-Z_]{3,20}}\)|.{0,60}? page {access:read|write})?.{0,160}"
    )
    def error(self, found: Found) -> bool:
        """Add an I/O error of a card.

        An error of a SCSI disk counts only if the disk is removable or, if that is unknown, if any disk is on USB.
        """
        device, operation = found["device"], found["operation"] or found["access"]
        counts = device[0] == "m" or device in self.sticks or (self.on_usb and device not in self.fixed)
        if counts:
            words = f"{found['words']} ({operation.upper()})" if operation else found["words"]
            self._tell("trouble", words, found)
        return counts

    def _tell(self, name: str, value: str | int, found: Found) -> None:
        self.ailing |= name == "trouble"
        self._add_once(Fact(self.span(found), self.tool, name, value, found["device"]))

    def _add_once(self, fact: Fact) -> None:
        subject = self.disks.get(fact.subject, fact.subject)
        if not subject or (key := (fact.name, fact.value, subject)) in self.told:
            return
        self.told.add(key)
        is_host = subject.removeprefix("mmc").isdecimal()
        fact = replace(fact, subject="" if is_host else subject)
        self.scene.facts.append(fact)
        if is_host:
            self.open.setdefault(subject, []).append(fact)

    # Facts of a host belong to its disk; those of a host without a card are dropped.
    def _assign_facts(self, host: str, disk: str) -> None:
        self.disks[host] = disk
        if facts := {id(fact) for fact in self.open.pop(host, ())}:
            self.scene.facts[:] = [
                replace(fact, subject=disk) if id(fact) in facts else fact
                for fact in self.scene.facts
                if disk or id(fact) not in facts
            ]
