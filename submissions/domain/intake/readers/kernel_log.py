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
    rf"{_PREFIX}mmcblk[0-9]{{1,2}}: mmc[0-9]{{1,2}}:[0-9a-f]{{4}} (\S{{1,6}})\s{{1,6}}"
    r"([0-9]{1,8}(?:\.[0-9]{1,2})?) ?([KMGT])iB"
)
# What goes wrong between a host and a card (drivers/mmc/core/mmc.c, sd.c, core.c and block/blk-core.c).
_TROUBLE = re.compile(
    rf"{_PREFIX}(?:mmc|mmcblk)[0-9]{{1,2}}: (tuning execution failed: -[0-9]{{1,3}}|card [0-9a-f]{{4}} removed"
    r"|error -[0-9]{1,3} [a-z][ \w/()-]{3,80}|Timeout waiting for hardware [a-z ]{3,40}"
    r"|running CQE recovery|cqhci: timeout for tag [0-9]{1,2})(?:, qcnt [0-9]{1,2})?\.?\s*\Z"
)
_DISCARD = re.compile(
    rf"{_PREFIX}(I/O error), dev mmcblk[0-9]{{1,2}}, sector [0-9]{{1,20}} op 0x3:\(DISCARD\)[ \w]{{0,80}}\s*\Z"
)
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

    def new_card(self, match: re.Match[str], scene: Scene) -> None:
        """Bus mode of a new card; without a mode or a speed the kernel means one of the slow modes and names none."""
        bus = "MMC" if match[3] == "MMC" else "SD"
        mode = (match[2] or "").strip()
        if mode:
            scene.add_fact(HOST, "name", _MODES.get(mode, mode), span=scene.span(match, 2))
        elif match[1] == "high speed ":
            scene.add_fact(HOST, "name", f"{bus} high-speed", span=scene.span(match, 1))

    def size(self, match: re.Match[str], scene: Scene) -> None:
        about = round(float(match[2]) * _FACTORS[match[3]])
        scene.entitle(f"{match[1]}, {match[2]} {match[3]}iB")
        scene.add_fact(TOOL, "about_size_bytes", about, span=scene.span(match, 2))

    def disk(self, match: re.Match[str], scene: Scene) -> None:
        """The size of a disk counts once the kernel has said that it can be taken out: else it is the host's own."""
        self.sizes[match[1]] = int(match[2]) * int(match[3])

    def removable(self, match: re.Match[str], scene: Scene) -> None:
        if size_bytes := self.sizes.pop(match[1], 0):
            scene.facts.append(Fact(scene.span(match, 1), TOOL, "size_bytes", size_bytes, match[1]))

    def trouble(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(
            TOOL, "trouble", re.sub(r"card [0-9a-f]{4} ", "card ", match[1]), span=scene.span(match, 1)
        )

    def discard(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(TOOL, "trouble", "I/O error (DISCARD)", span=scene.span(match, 1))

    rows = (
        (_FOUND, new_card),
        (_SIZE, size),
        (_DISK, disk),
        (_REMOVABLE, removable),
        (_TROUBLE, trouble),
        (_DISCARD, discard),
    )
