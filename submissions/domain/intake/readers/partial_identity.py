"""Cards described by some fields of their CID: sbc-bench's storage lines. Without a serial number they name no card.

14.8GB "SanDisk SP16G" HS SD card as /dev/mmcblk0: date 07/2015, manfid/oemid: 0x000003/0x5344, hw/fw rev: 0x8/0x0
(ThomasKaiser/sbc-bench, sbc-bench.sh; its vendor is a guess from manfid, so the name is not taken from it.)
"""

import re

from submissions.domain.intake.commands import disk
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.scene import Reader, Scene

TOOL = "sbc-bench"
_LINE = re.compile(
    r"(?:[^\"]{0,60}[\s`*-])?[0-9]{1,4}(?:\.[0-9])?[MGT]B \"([^\"]{1,60})\" "
    r"(?:(HS200|HS400|HS|UHS|DDR)(?: Enhanced strobe)? ?)?(SDR12 |SDR25 |SDR50 |SDR104 |DDR50 )?"
    r"(SD|SDHC|SDXC|SDUC|eMMC|MMC)(?: [0-9.]{3})? card(?: \([^)]{0,80}\))?"
    r" as /dev/(\w{1,20}): date ([01][0-9]/[12][0-9]{3}), manfid/oemid: 0x([0-9a-f]{6})/0x([0-9a-f]{4}),"
    r" hw/fw rev: 0x([0-9a-f]{1,2})/0x([0-9a-f]{1,16})`?\.?\s*\Z"
)


class PartialIdentity(Reader):
    def described(self, match: re.Match[str], scene: Scene) -> None:
        """Facts under the names of the decoded fields; the bus mode where it is printed."""
        scene.device = disk(match[5])
        is_sd = not match[4].endswith("MMC")
        fields = {
            "bus": "SD" if is_sd else "MMC",
            "mid": int(match[7], 16) & 0xFF,
            "oid": int(match[8], 16),
            "mdt": "-".join(reversed(match[6].split("/"))),
            "hardware_revision": int(match[9], 16),
            "firmware_revision": match[10],
        }
        for name, value in fields.items():
            scene.add_fact(TOOL, name, value, span=scene.span(match))
        mode = (match[3] or "").strip() or (match[2] if match[2] in ("HS200", "HS400") else "")
        if mode or match[2] == "HS":
            slow = "SD high-speed" if is_sd else "MMC high-speed"
            scene.add_fact(HOST, "name", mode or slow, span=scene.span(match))

    rows = ((_LINE, described),)
