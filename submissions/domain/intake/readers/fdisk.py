"""Parse the output of fdisk -l in any language, lsblk, /proc/partitions, diskutil and factor: the size of a device.

Sizes are mostly exact to the byte. A list of devices does not say which of them was measured. Only removable disks
count as cards.
"""

from math import prod

from submissions.domain.intake.commands import disk
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import PARTITION_START
from submissions.domain.intake.slots import TYPES, Found, Table, count_bytes, fact, noise, row

_TYPES = TYPES | {
    "bytes": (r"[0-9]{1,19} ?(?:[Bb]ytes?|байта?|байтов|octets?|bajt\w{0,4}|字节|バイト|oktet\w{0,3})", str),
    "rounded": (
        r"[0-9]{1,6}(?:[.,][0-9]{1,2})?[KMGT]",
        lambda text: count_bytes(decimal(text[:-1]), text[-1]),
    ),
    "card": (r"mmcblk[0-9]|sd[a-z](?= {1,20}[0-9:]{3,7} {1,9}1 )", str),
    "blocks": ("[0-9]{4,13}", lambda text: int(text) * 1024),
    "sectors": ("[0-9]{4,13}", lambda text: int(text) * 512),
}
_SECTOR_SIZES = (512, 4096)


class Fdisk(Table):
    types = _TYPES
    tool = "fdisk"

    @row(
        r"\w{2,12} /dev/{device:[0-9A-Za-z/_-]{1,60}} ?: ?[0-9.,]{1,12} ?[^\s,]{1,6}, ?{bytes:bytes}"
        r"(?:, ?{sectors:count} \S{1,12})?"
    )
    def disk(self, found: Found) -> bool:
        size_bytes = int("".join(filter(str.isdecimal, found["bytes"])))
        fitting = [(found["sectors"] or 0) * size for size in _SECTOR_SIZES]
        if size_bytes == 0 or (found["sectors"] and size_bytes not in fitting):
            return False
        self.scene.device = disk(found["device"])
        self.add("size_bytes", size_bytes, found)
        return True

    @row(
        r"(?:Units|Единицы|Einheiten|Unités|Unidades)\b[^\d]{1,40}"
        r"[0-9]{1,9} ?\* ?[0-9]{1,9} ?= ?{unit:count} ?\w{1,8}…"
    )
    def units(self, found: Found) -> None:
        self.stated["unit_bytes"] = found["unit"]

    @row(
        r"/dev/{subject:\w{3,40}}(?: \*)? {start:count}\+?(?: [0-9]{1,14}\+?){1,2} [0-9.]{1,14}[KMGT]?"
        r" [0-9a-f]{1,2} \S.{0,40}"
    )
    @row(r"/dev/{subject:\w{3,40}} ?: ?start= ?{start:count}, ?size= ?[0-9]{1,14}.{0,80}")
    def partition(self, found: Found) -> None:
        """Add the start of a partition that fdisk lists.

        Old versions count in cylinders, which state it only roughly and are ignored.
        """
        unit_bytes = self.stated.get("unit_bytes", _SECTOR_SIZES[0])
        if unit_bytes in _SECTOR_SIZES:
            self.add(PARTITION_START, found["start"] * unit_bytes, found)

    @row("{number:count}:{factors:(?: [0-9]{1,19}){1,64}}")
    def factors(self, found: Found) -> bool:
        factors = [int(factor) for factor in found["factors"].split()]
        powers = (f"{factor}^{factors.count(factor)}" for factor in dict.fromkeys(factors))
        words, span = f"{found['number']} = {' '.join(powers)}", self.span(found)
        if agrees := prod(factors) == found["number"]:
            self.scene.add_fact("factor", "prime_factors", words, span=span)
        return agrees

    lines = (
        # lsblk -J -b: a disk on one line; lsblk, in powers of 1024 unless asked for bytes; /proc/partitions; macOS.
        fact(
            r'\{?"name": ?"{subject:mmcblk[0-9]|sd[a-z]}",.{0,200}"size": ?"?{size_bytes:count}"?,.{0,200}'
            '"type": ?"disk".{0,200}'
        ),
        fact(
            "{subject:card} [0-9:]{3,7} [01] (?:{about_size_bytes:rounded}|{size_bytes:count}) [01] disk.{0,120}"
        ),
        fact("179 [0-9]{1,4} {size_bytes:blocks} {subject:mmcblk[0-9]}"),
        # BusyBox, in which the number of bytes overflows, and sgdisk; parted.
        fact(r"Disk /dev/{subject:mmcblk[0-9]}: {size_bytes:sectors} sectors, [0-9.]{1,7} ?[KMGT](?:iB)?"),
        fact(r"Model: (?:SD|MMC) {pnm:\S{1,6}} \(sd/mmc\)"),
        fact(r"Disk Size: [0-9.,]{1,9} [KMGT]B \({size_bytes:count} Bytes\).{0,60}"),
        # Geometry: understood, and of no further use.
        *noise(
            r"[0-9]{1,6} (?:heads|головок|Köpfe|têtes|cabezas), [0-9]{1,6} \S{1,24}, [0-9]{1,12} [^\d\s]{1,16}"
            r"(?:, \w{1,8} [0-9]{1,12} \S{1,12})?",
            r"[^\d:]{3,60}(?:\(|I/O)[^\d:]{1,60}: ?[0-9]{1,9} \w{1,8} / [0-9]{1,9} \w{1,8}",
            "[^\\d:]{3,40}: ?0x[0-9a-fA-F]{8}",
        ),
    )
