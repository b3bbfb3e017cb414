"""Fields of a CID as programs print them one by one: u-boot, SdFat, hydrafw, macOS, lshw, ESP-IDF, udev.

With the serial number they make a CID, but for its checksum; without it they tell a model, not a card. Numbers without
0x are hexadecimal, but for the serial numbers of macOS and lshw. lshw and udev print no numbers of maker and OEM.
"""

import re
from typing import Any

from submissions.domain.intake.lines import whole
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.scene import Reader, Scene

TOOL = "card-fields"
_FIELD = re.compile(
    r"(Manufacturer ID|OEM(?: ID|/Application ID)?|Product(?: [Nn]ame)?|product|Product revision"
    r"|Revision|Version|version"
    r"|Serial [Nn]umber|serial|Manufacturing [Dd]ate|date|Name|Type"
    r"|description)\s{0,24}[:=]\s{0,24}'?([^'\s]\S{0,20}?(?: Card| Device)?)'?\s*\Z"
)
# mmc-utils, lsmmc.c. Its line on the type is also one of sysfs.
_KIND = re.compile(r"type: '(SD|MMC)'\s*\Z")
_PRODUCT = re.compile(r"product: '([^'\s]{1,6})\s{0,6}' ([0-9]{1,2}\.[0-9]{1,2})\s*\Z")
_UDEV = re.compile(r"E: ID_(NAME|SERIAL)=(\S{1,20})\s*\Z")
_MODE = re.compile(
    r"Mode ?: (?:UHS )?((?:SD|MMC) High Speed|MMC DDR52|SDR\d{2,3}|DDR50|HS200|HS400(?:ES)?) \([0-9]{1,3} ?MHz\)\s*\Z"
)
_WIDTH = re.compile(r"Bus Width: ([148])-bit(?: DDR)?\s*\Z")
_BUS = re.compile(r"(SD|MMC) version ([0-9]\.[0-9]{1,2})\s*\Z")
_SIZE = re.compile(
    r"(?:Capacity:\s{1,20}[0-9.,]{1,9} [MGT]B \(([0-9.,]{1,20}) bytes\)|size: ([0-9]{8,16})"
    r"|CSD: ver=[0-9], sector_size=512, capacity=([0-9]{1,12}) .{0,40})\s*\Z"
)
_KNOWN = re.compile(
    r"(?:(?:Tran|Bus) Speed: [0-9]{1,10}|Rd Block Len: [0-9]{1,5}|High Capacity: \w{2,3}|(?:User "
    r"|Boot |RPMB )?Capacity: .{1,30}"
    r"|(?:Erase Group|HC WP Group|Boot Partition) Size: .{1,20}|Size: [0-9]{1,9} ?MB(?: \(block: [0-9]{1,12}\))?"
    r"|Card size:\s{1,6}[0-9.]{1,9} GB \(GB = 1E9 bytes\)|physical id: \w{1,8}|Specification Version:\s{1,9}[0-9.]{1,5}"
    r"|OEM(?: ID)?:|mmc clock: [0-9]{1,10}|Speed: .{0,20}\(?[0-9]{1,3} MHz\)?|SCR: sd_spec=.{1,40})\s*\Z"
)
_NAMES = {
    "Manufacturer ID": "mid",
    "OEM": "oid",
    "OEM ID": "oid",
    "OEM/Application ID": "oid",
    "Product": "pnm",
    "Product name": "pnm",
    "Product Name": "pnm",
    "product": "pnm",
    "Name": "pnm",
    "NAME": "pnm",
    "Product revision": "prv",
    "Revision": "prv",
    "Version": "prv",
    "version": "prv",
    "Serial number": "psn",
    "Serial Number": "decimal psn",
    "serial": "decimal psn",
    "Manufacturing date": "mdt",
    "Manufacturing Date": "mdt",
    "date": "mdt",
    "Type": "type",
    "description": "type",
}
_MODES = {"SD High Speed": "SD high-speed", "MMC High Speed": "MMC high-speed", "HS400ES": "HS400"}
_MMC_NAME = 6  # letters; an SD card has five at most
_HEX = re.compile(r"(?:0[xX])?([0-9A-Fa-f]{1,8})\Z")
_MONTH = re.compile(r"(?:(1?[0-9]|0[1-9])/(2[0-9]{3})|(2[0-9]{3})-([01][0-9]))\Z")
_REVISION = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\Z")
_CARDS = {
    "SD": "SD",
    "SDHC/SDXC": "SD",
    "SDHC": "SD",
    "SDSC": "SD",
    "SD Card": "SD",
    "SD/MMC Device": "MMC",
    "MMC": "MMC",
}


class CardFields(Reader):
    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.bus = ""
        self.span: Span | None = None

    def end(self, scene: Scene) -> None:
        """Adds what a block of fields says; a name alone, of anything, is no card."""
        fields, self.fields = self.fields, {}
        bus, self.bus = self.bus, ""
        if self.span and "pnm" in fields and (bus or "mid" in fields):
            for name, value in _facts(fields, bus):
                scene.add_fact(TOOL, name, value, span=self.span)
            if bus in ("", "SD") and (cid := _cid(fields)):
                scene.add_fact(TOOL, "cid", cid, span=self.span)

    def field(self, match: re.Match[str], scene: Scene) -> bool | None:
        name, value = _NAMES[match[1]], match[2]
        if name == "type":
            return self._type(value, scene)
        if name.endswith("psn") and name != "psn":
            decimal = value.isdecimal() and len(value) < 11
            name, value = "psn", f"{int(value):x}" if decimal else value if value.startswith("0x") else ""
        return self._take(name, value, match, scene)

    def udev(self, match: re.Match[str], scene: Scene) -> bool | None:
        if match[1] == "SERIAL":
            return None if value_of(match[2]) is not None else False
        taken = self._take("pnm", match[2], match, scene)
        self.bus = "MMC" if len(match[2]) == _MMC_NAME else "SD"
        return taken

    def kind(self, match: re.Match[str], scene: Scene) -> bool:
        self.end(scene)
        self.bus = match[1]
        return False

    def product(self, match: re.Match[str], scene: Scene) -> bool | None:
        taken = self._take("pnm", match[1], match, scene)
        return False if taken is False else self._take("prv", match[2], match, scene)

    def _take(self, name: str, value: str, match: re.Match[str], scene: Scene) -> bool | None:
        if not _fits(name, value) or (name == "prv" and not self.fields and not self.bus):
            return False
        begins_anew = name == next(iter(self.fields), "")
        if begins_anew or self.fields.get(name, value) != value:
            self.end(scene)
        self.fields[name], self.span = value, scene.span(match)
        return None

    def _type(self, value: str, scene: Scene) -> bool | None:
        if value not in _CARDS:
            return False
        if value.endswith(("Card", "Device")):
            self.end(scene)
        self.bus = _CARDS[value]
        return None

    def version(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.bus = match[1]
        return None if self.fields else False

    def mode(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(HOST, "name", _MODES.get(match[1], match[1]), span=scene.span(match, 1))

    def width(self, match: re.Match[str], scene: Scene) -> None:
        scene.add_fact(HOST, "width_bits", int(match[1]), span=scene.span(match, 1))

    def size(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.fields:
            return False
        size_bytes = whole(match[1]) if match[1] else int(match[2] or 0) or int(match[3]) * 512
        scene.add_fact(TOOL, "size_bytes", size_bytes, span=scene.span(match))
        return None

    def skip(self, match: re.Match[str], scene: Scene) -> bool | None:
        """What the register does not hold, or rounded."""
        return None if self.fields or self.bus else False

    rows = (
        (_UDEV, udev),
        (_KIND, kind),
        (_PRODUCT, product),
        (_MODE, mode),
        (_WIDTH, width),
        (_BUS, version),
        (_SIZE, size),
        (_FIELD, field),
        (_KNOWN, skip),
    )


def value_of(text: str) -> int | None:
    match = _HEX.match(text)
    return int(match[1], 16) if match else None


def _fits(name: str, value: str) -> bool:
    if name in ("mid", "psn"):
        return (value_of(value) is not None) and (name == "psn" or (value_of(value) or 0) < 256)
    patterns = {"mdt": _MONTH, "prv": _REVISION}
    return bool(patterns[name].match(value)) if name in patterns else len(value) <= 7 or name == "oid"


def _month(text: str) -> tuple[int, int]:
    match = _MONTH.match(text)
    assert match
    return (int(match[2]), int(match[1])) if match[1] else (int(match[3]), int(match[4]))


def _letters(fields: dict[str, str]) -> tuple[str, str]:
    """OEM and product name as letters; macOS writes both in one."""
    name, oem = fields["pnm"], fields.get("oid", "")
    return (name[:2], name[2:]) if not oem and len(name) == 7 else (oem, name)


def _facts(fields: dict[str, str], bus: str) -> list[tuple[str, Any]]:
    oem, name = _letters(fields)
    facts: list[tuple[str, Any]] = [("pnm", name), ("bus", bus)]
    if "mid" in fields:
        facts += [("mid", value_of(fields["mid"]))]
    if oem:
        digits = value_of(oem) if len(oem) != 2 else int.from_bytes(oem.encode("ascii", "replace"), "big")
        facts += [("oid", digits)]
    if revision := _REVISION.match(fields.get("prv", "")):
        facts += [("hardware_revision", int(revision[1])), ("firmware_revision", revision[2])]
    if "psn" in fields:
        facts += [("psn", f"{value_of(fields['psn']):08x}")]
    if "mdt" in fields:
        facts += [("mdt", "{}-{:02d}".format(*_month(fields["mdt"])))]
    return [(name, value) for name, value in facts if value not in ("", None)]


def _cid(fields: dict[str, str]) -> str:
    """Hex digits without the checksum; "" where a field is missing."""
    oem, name = _letters(fields)
    if not {"mid", "prv", "psn", "mdt"} <= fields.keys() or len(oem) != 2:
        return ""
    revision, (year, month) = _REVISION.match(fields["prv"]), _month(fields["mdt"])
    assert revision
    return cid_digits(
        value_of(fields["mid"]) or 0,
        oem,
        name,
        (int(revision[1]), int(revision[2])),
        value_of(fields["psn"]) or 0,
        (year, month),
    )


def cid_digits(
    mid: int, oem: str, name: str, revision: tuple[int, int], serial: int, made: tuple[int, int]
) -> str:
    """Fields in the order of the register (SD Physical Layer, 5.2), without the checksum; "" for what none has."""
    year, month = made
    if max(revision) > 15 or not 1 <= month <= 12 or mid > 255 or len(name) > 5 or not 2000 <= year <= 2255:
        return ""
    letters, named = oem.encode("ascii", "replace"), name.encode("ascii", "replace")
    return (
        f"{mid:02x}{letters.ljust(2, bytes(1)).hex()}{named.ljust(5, bytes(1)).hex()}{revision[0]:x}{revision[1]:x}"
        f"{serial:08x}{(year - 2000) << 4 | month:04x}"
    )
