"""What Linux logs when it finds a card, by dmesg or from a mail (drivers/mmc/core/bus.c, mmc_add_card).

mmc0: new ultra high speed DDR50 SDHC card at address e624
mmcblk0: mmc0:e624 SP32G 29.7 GiB
mmc0: tuning execution failed: -5
"""

import re

from submissions.domain.intake.parsed import Fact
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.scene import Reader, Scene

TOOL = "kernel"
_PREFIX = r"(?:.{0,80}[\s`])?"  # time, host and program of a log
_FOUND = re.compile(
    rf"{_PREFIX}mmc[0-9]{{1,2}}: new (ultra high speed |UHS-I speed |high speed )?"
    r"(SDR12 |SDR25 |SDR50 |SDR104 |DDR50 |HS200 |HS400 (?:Enhanced strobe )?|DDR )?"
    r"(SDHC|SDXC|SDUC|SD|MMC)(?: card(?: at(?: address(?: [0-9a-f]{1,4})?)?)?)?(?:\s*\Z|`)"  # a mail wraps here
)
_SIZE = re.compile(
    rf"{_PREFIX}(mmcblk[0-9]{{1,2}}): mmc[0-9]{{1,2}}:[0-9a-f]{{4}} (\S{{1,6}})\s{{1,6}}"
    r"([0-9]{1,8}(?:\.[0-9]{1,2})?) ?([KMGT])iB"
)
# What goes wrong between a host and a card (drivers/mmc/core/block.c, mmc.c, sd.c, core.c), without what varies.
_TROUBLE = re.compile(
    rf"{_PREFIX}mmc(?:blk)?[0-9]{{1,2}}: (tuning execution failed: -[0-9]{{1,3}}|card(?= [0-9a-f]{{4}} removed)"
    r"|error -[0-9]{1,3} [a-z][ \w/()-]{3,80}|Timeout waiting for hardware [a-z ]{3,40}|running CQE recovery"
    r"|cqhci: timeout|cache flush error -[0-9]{1,3}|timed out sending [\w/ ]{3,30}?command|r/w command failed"
    r"|retrying because a re-tune was needed|recovery failed)(?:[ ,.!].{0,160})?\s*\Z"
)
# block/blk-core.c and fs/buffer.c, also of a partition.
_ERROR = re.compile(
    rf"{_PREFIX}(?:Buffer )?I/O error(?:,| on) dev(?:ice)? (mmcblk[0-9]{{1,2}})\w{{0,8}},"
    r" (?:sector|logical block) [0-9]{1,20}(.{0,160})\Z"
)
_OPERATION = re.compile(r"\(([A-Z_]{3,20})\)|page (read|write)")
_DISK = re.compile(
    rf"{_PREFIX}sd [0-9:]{{7,15}}: \[(sd[a-z]{{1,2}})\] ([0-9]{{4,12}}) (512|4096)-byte"
    r" (?:logical blocks|hardware sectors):"
)
_REMOVABLE = re.compile(
    rf"{_PREFIX}sd [0-9:]{{7,15}}: \[(sd[a-z]{{1,2}})\] Attached SCSI removable disk\s*\Z"
)
_FACTORS = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_MODES = {"DDR": "MMC DDR52", "HS400 Enhanced strobe": "HS400"}


class KernelLog(Reader):
    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.told: set[tuple[str, str | int, str]] = set()

    def new_card(self, match: re.Match[str], scene: Scene) -> None:
        """Bus mode of a new card; without a mode or a speed the kernel means one of the slow modes and names none."""
        bus = "MMC" if match[3] == "MMC" else "SD"
        mode = (match[2] or "").strip()
        if mode:
            scene.add_fact(HOST, "name", _MODES.get(mode, mode), span=scene.span(match, 2))
        elif match[1] == "high speed ":
            scene.add_fact(HOST, "name", f"{bus} high-speed", span=scene.span(match, 1))

    def size(self, match: re.Match[str], scene: Scene) -> None:
        """The name and the rounded size of a card: of the slot that it sits in, for a board may have two."""
        device, name, size, prefix = match.groups()
        scene.entitle(f"{name}, {size} {prefix}iB")
        self._tell("pnm", name, match, scene, device=device)
        self._tell("about_size_bytes", round(float(size) * _FACTORS[prefix]), match, scene, device=device)

    def disk(self, match: re.Match[str], scene: Scene) -> None:
        """The size of a disk counts once the kernel has said that it can be taken out: else it is the host's own."""
        self.sizes[match[1]] = int(match[2]) * int(match[3])

    def removable(self, match: re.Match[str], scene: Scene) -> None:
        if size_bytes := self.sizes.pop(match[1], 0):
            scene.facts.append(Fact(scene.span(match, 1), TOOL, "size_bytes", size_bytes, match[1]))

    def trouble(self, match: re.Match[str], scene: Scene) -> None:
        self._tell("trouble", match[1] if match[1] != "card" else "card removed", match, scene)

    def error(self, match: re.Match[str], scene: Scene) -> None:
        operation = _OPERATION.search(match[2])
        kind = f" ({(operation[1] or operation[2]).upper()})" if operation else ""
        self._tell("trouble", f"I/O error{kind}", match, scene, device=match[1])

    def _tell(
        self, name: str, value: str | int, match: re.Match[str], scene: Scene, *, device: str = ""
    ) -> None:
        """Adds a fact once, however often the kernel repeats it."""
        fact = Fact(scene.span(match), TOOL, name, value, device)
        if (name, value, device) not in self.told:
            scene.facts.append(fact)
        self.told.add((name, value, device))

    rows = (
        (_FOUND, new_card),
        (_SIZE, size),
        (_DISK, disk),
        (_REMOVABLE, removable),
        (_TROUBLE, trouble),
        (_ERROR, error),
    )
