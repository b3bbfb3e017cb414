"""The log of Linux about a card, by dmesg or from a mail (drivers/mmc/core/bus.c, mmc_add_card).

mmc0: new ultra high speed DDR50 SDHC card at address e624
mmcblk0: mmc0:e624 SP32G 29.7 GiB
mmc0: tuning execution failed: -5
"""

from submissions.domain.intake.parsed import Fact, Span
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.scene import Scene
from submissions.domain.intake.slots import Found, Table, row

_MODES = {"DDR": "MMC DDR52", "HS400 Enhanced strobe": "HS400"}

# Troubles between a host and a card (drivers/mmc/core/block.c, mmc.c, sd.c, core.c), without numbers that vary.
_TROUBLES = (
    *("tuning execution failed: -[0-9]{1,3}", "cache flush error -[0-9]{1,3}", "cqhci: timeout"),
    *("error -?[0-9]{1,3} [a-z][ \\w/()-]{3,80}", "Timeout waiting for hardware [a-z ]{3,40}"),
    *(
        "(?:timed out|response CRC error) sending [\\w/ ]{3,30}?command",
        "r/w command failed",
        "recovery failed",
    ),
    *(
        "retrying because a re-tune was needed",
        "running CQE recovery",
        "card_busy_detect: error sending status cmd",
    ),
    *("[Cc]ard stuck (?:in wrong state|being busy)", "[Cc]ard never left busy state"),
    *("tried to (?:HW )?reset card, got error -[0-9]{1,3}", "switch to bus width [48](?: ddr)? failed"),
)


class KernelLog(Table):
    tool = "kernel"

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.told: set[tuple[str, str | int, str]] = set()

    def take(self, scene: Scene) -> bool:
        """Understand time and host before a message, too: no figure shares its line, so they publish nothing."""
        if taken := super().take(scene):
            scene.understood.append(Span(scene.line.number, 0, scene.line.start))
        return taken

    @row(
        r"{:log}mmc[0-9]{1,2}: new {speed:ultra high speed |UHS-I speed |high speed }?"
        r"{mode:SDR12 |SDR25 |SDR50 |SDR104 |DDR50 |HS200 |HS400 (?:Enhanced strobe )?|DDR }?"
        # A mail wraps here.
        r"{bus:SDHC|SDXC|SDUC|SD|MMC}(?: card(?: at(?: address(?: [0-9a-f]{1,4})?)?)?)?(?:\s*\Z|`)…"
    )
    def new_card(self, found: Found, scene: Scene) -> None:
        """Bus mode of a new card; without a mode or a speed the kernel means one of the slow modes and names none."""
        mode, bus = found["mode"], "MMC" if found["bus"] == "MMC" else "SD"
        if mode or found["speed"] == "high speed":
            name = _MODES.get(mode, mode) if mode else f"{bus} high-speed"
            scene.add_fact(HOST, "name", name, span=scene.span(found))

    @row(r"{:log}{device:mmcblk[0-9]{1,2}}: mmc[0-9]{1,2}:[0-9a-f]{4} {name:\S{1,6}} {size:size}…")
    def size(self, found: Found, scene: Scene) -> None:
        """Add the name and the rounded size of a card, of its slot, for a board may have two."""
        scene.entitle(f"{found['name']}, {found.text('size')}")
        self._tell_once("pnm", found["name"], found, scene, device=found["device"])
        self._tell_once("about_size_bytes", found["size"], found, scene, device=found["device"])

    @row(
        r"{:log}{device:mmcblk[0-9]{1,2}}(?:boot[01]|rpmb): mmc[0-9]{1,2}:[0-9a-f]{4} {name:\S{1,6}} "
        r"(?:partition [0-9] )?{:size}…"
    )
    def boot(self, found: Found, scene: Scene) -> None:
        self._tell_once("pnm", found["name"], found, scene, device=found["device"])

    @row(
        r"{:log}sd [0-9:]{7,15}: \[{disk:sd[a-z]{1,2}}\] {blocks:count} {each:512|4096}-byte"
        " (?:logical blocks|hardware sectors):…"
    )
    def disk(self, found: Found, scene: Scene) -> None:
        """Hold the size of a disk until the kernel says that it can be taken out: else it is the host's own."""
        self.sizes[found["disk"]] = found["blocks"] * int(found["each"])

    @row(r"{:log}sd [0-9:]{7,15}: \[{subject:sd[a-z]{1,2}}\] Attached SCSI removable disk")
    def removable(self, found: Found, scene: Scene) -> None:
        if size_bytes := self.sizes.pop(found["subject"], 0):
            self.add("size_bytes", size_bytes, found, scene)

    @row(
        r"{:log}mmc(?:blk)?[0-9]{1,2}: (?:card [0-9a-f]{4} removed|{words:"
        + "|".join(_TROUBLES)
        + r"})(?:[ ,.!].{0,160})?"
    )
    def trouble(self, found: Found, scene: Scene) -> None:
        self._tell_once("trouble", found["words"] or "card removed", found, scene)

    # block/blk-core.c and fs/buffer.c, also of a partition.
    @row(
        r"{:log}(?:Buffer )?I/O error(?:,| on) dev(?:ice)? {device:mmcblk[0-9]{1,2}}\w{0,8},"
        r" (?:sector|logical block) [0-9]{1,20}"
        r"(?:.{0,60}?\({operation:[A-Z_]{3,20}}\)|.{0,60}? page {access:read|write})?.{0,160}"
    )
    def error(self, found: Found, scene: Scene) -> None:
        operation = found["operation"] or found["access"]
        words = f"I/O error ({operation.upper()})" if operation else "I/O error"
        self._tell_once("trouble", words, found, scene, device=found["device"])

    def _tell_once(
        self, name: str, value: str | int, found: Found, scene: Scene, *, device: str = ""
    ) -> None:
        if (name, value, device) not in self.told:
            scene.facts.append(Fact(scene.span(found), self.tool, name, value, device))
        self.told.add((name, value, device))
