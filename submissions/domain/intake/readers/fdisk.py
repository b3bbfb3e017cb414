"""fdisk -l in any language, lsblk, /proc/partitions, diskutil and factor: how large a device is, mostly to the byte.

A list of devices says of none that it was measured. Of disks only those that can be taken out count as cards.
"""

import re
from math import prod

from submissions.domain.intake.commands import disk
from submissions.domain.intake.lines import decimal
from submissions.domain.intake.parsed import Fact
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "fdisk"
_BYTES = r"(?:[Bb]ytes?|байта?|байтов|octets?|bajt\w{0,4}|字节|バイト|oktet\w{0,3})"
_DISK = re.compile(
    rf"\w{{2,12}} /dev/([0-9A-Za-z/_-]{{1,60}}) ?: ?[0-9.,]{{1,12}} ?[^\s,]{{1,6}}, ?([0-9]{{1,19}}) ?{_BYTES}"
    r"(?:, ?([0-9]{1,19}) \S{1,12})?\s*\Z"
)
# Geometry and partitions: understood, and of no further use.
_GEOMETRY = re.compile(
    r"[0-9]{1,6} (?:heads|головок|Köpfe|têtes|cabezas), [0-9]{1,6} \S{1,24}, [0-9]{1,12} [^\d\s]{1,16}"
    r"(?:, \w{1,8} [0-9]{1,12} \S{1,12})?\s*\Z"
)
_UNITS = re.compile(
    r"(?:Units|Единицы|Einheiten|Unités|Unidades)\b[^\d]{1,40}[0-9]{1,9} ?\* ?[0-9]{1,9} ?= ?[0-9]{1,9} ?\w{1,8}"
)
_PAIR = re.compile(r"[^\d:]{3,60}(?:\(|I/O)[^\d:]{1,60}: ?[0-9]{1,9} \w{1,8} / [0-9]{1,9} \w{1,8}\s*\Z")
_IDENTIFIER = re.compile(r"[^\d:]{3,40}: ?0x[0-9a-fA-F]{8}\s*\Z")
_PARTITION = re.compile(
    r"/dev/[0-9A-Za-z/_-]{3,40}(?: +\*)?(?: +[0-9]{1,14}\+?){2,3} +[0-9.]{1,14}[KMGT]? +[0-9a-f]{1,2} +\S.{0,40}\Z"
)
_FACTORS = re.compile(r"([0-9]{1,19}):((?: [0-9]{1,19}){1,64})\s*\Z")
# lsblk -J -b: a disk on one line; macOS diskutil info.
_LSBLK = re.compile(
    r'\{?"name": ?"(mmcblk[0-9]|sd[a-z])",.{0,200}"size": ?"?([0-9]{6,16})"?,.{0,200}"type": ?"disk".{0,200}\Z'
)
_LISTED = re.compile(
    r"(mmcblk[0-9]|sd[a-z](?=\s{1,20}[0-9:]{3,7}\s{1,9}1 ))\s{1,20}[0-9:]{3,7}\s{1,9}[01]\s{1,12}"
    r"([0-9]{1,16}(?:[.,][0-9]{1,2})?)([KMGT]?)\s{1,9}[01] disk\b.{0,120}\Z"
)
_PARTITIONS = re.compile(r"179\s{1,9}[0-9]{1,4}\s{1,12}([0-9]{4,13}) (mmcblk[0-9])\s*\Z")
_DISKUTIL = re.compile(r"Disk Size:\s{1,24}[0-9.,]{1,9} [KMGT]B \(()([0-9]{6,16}) Bytes\).{0,60}\Z")
_SECTOR_SIZES = (512, 4096)


class Fdisk(Reader):
    def disk(self, match: re.Match[str], scene: Scene) -> bool | None:
        size_bytes = int(match[2])
        if size_bytes == 0 or (
            match[3] and size_bytes not in [int(match[3]) * size for size in _SECTOR_SIZES]
        ):
            return False
        scene.device = disk(match[1])
        scene.add_fact(TOOL, "size_bytes", size_bytes, span=scene.span(match, 2))
        return None

    def listed(self, match: re.Match[str], scene: Scene) -> None:
        """A size with a unit is rounded to three digits, in powers of 1024."""
        unit = match[3] if match.re is _LISTED else ""
        size_bytes = round(decimal(match[2]) * 1024 ** " KMGT".index(unit)) if unit else int(match[2])
        name = "about_size_bytes" if unit else "size_bytes"
        scene.facts.append(Fact(scene.span(match, 2), TOOL, name, size_bytes, match[1] or scene.device))

    def partition(self, match: re.Match[str], scene: Scene) -> None:
        """In blocks of 1024 bytes."""
        scene.facts.append(Fact(scene.span(match, 1), TOOL, "size_bytes", int(match[1]) * 1024, match[2]))

    def factors(self, match: re.Match[str], scene: Scene) -> bool | None:
        factors = [int(factor) for factor in match[2].split()]
        if prod(factors) != int(match[1]):
            return False
        powers = (f"{factor}^{factors.count(factor)}" for factor in dict.fromkeys(factors))
        scene.add_fact("factor", "prime_factors", f"{match[1]} = {' '.join(powers)}", span=scene.span(match))
        return None

    rows = (
        (_DISK, disk),
        (_LSBLK, listed),
        (_LISTED, listed),
        (_PARTITIONS, partition),
        (_DISKUTIL, listed),
        (_GEOMETRY, skip),
        (_UNITS, skip),
        (_PAIR, skip),
        (_IDENTIFIER, skip),
        (_PARTITION, skip),
        (_FACTORS, factors),
    )
