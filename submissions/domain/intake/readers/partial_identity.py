"""Parse sbc-bench's storage lines, which describe a card by some fields of its CID.

14.8GB "SanDisk SP16G" HS SD card as /dev/mmcblk0: date 07/2015, manfid/oemid: 0x000003/0x5344, hw/fw rev: 0x8/0x0

Without a serial number they do not identify a single card. Source: ThomasKaiser/sbc-bench, sbc-bench.sh; it guesses the
vendor from manfid, and puts it before the name.
"""

from submissions.domain.intake.commands import disk
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.slots import TYPES, Found, Table, row

_TYPES = TYPES | {"month": ("[01][0-9]/[12][0-9]{3}", lambda text: "-".join(reversed(text.split("/"))))}


class PartialIdentity(Table):
    types = _TYPES
    tool = "sbc-bench"

    @row(
        r'(?:[^"]{0,60}[\s`*-])?[0-9]{1,4}(?:\.[0-9])?[MGT]B "(?:[^"]{1,40} )?{pnm:[^"\s]{1,6}}" '
        r"(?:{_speed:HS200|HS400|HS|UHS(?:-I speed)?|DDR}(?: Enhanced strobe)? ?)?"
        r"(?:{_mode:SDR12|SDR25|SDR50|SDR104|DDR50} )?"
        r"{_kind:SD|SDHC|SDXC|SDUC|eMMC|MMC}(?: [0-9.]{3})? card(?: \([^)]{0,80}\))?"
        r" as /dev/{_device:\w{1,20}}: date {mdt:month}, manfid/oemid: 0x0000{mid:hex}/{oid:hex},"
        r" hw/fw rev: {hardware_revision:hex}/0x{firmware_revision:[0-9a-f]{1,16}}`?\.?"
    )
    def card(self, found: Found) -> None:
        """Add the fields of the CID under the names of decoded fields, and the bus mode if it is printed."""
        self.scene.device = disk(found["_device"])
        bus = "MMC" if found["_kind"].endswith("MMC") else "SD"
        self.add("bus", bus, found)
        self.tell(found)
        speed = f"{bus} high-speed" if found["_speed"] == "HS" else found["_speed"]
        if mode := found["_mode"] or speed:
            self.add("name", mode, found, HOST)
