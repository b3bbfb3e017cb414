"""Parse the fields of a CID as programs print them: u-boot, SdFat, hydrafw, macOS, lshw, ESP-IDF, udev, BSD, NuttX.

With the serial number the fields make a CID without checksum; without it they identify a model, not a card. Numbers
without 0x are hexadecimal, except the serial numbers of macOS and lshw. lshw and udev print no numbers of maker and
OEM.
"""

import re
from typing import Any

from submissions.domain.intake.lines import whole
from submissions.domain.intake.parsed import Span
from submissions.domain.intake.readers.mmc_ios import TOOL as HOST
from submissions.domain.intake.readers.mmc_utils import encode_letters
from submissions.domain.intake.slots import TYPES, Found, Table, fact, row, slot_names
from submissions.domain.intake.structures import drop_empty
from submissions.domain.registers.crc7 import VALID, crc_state

_MMC_NAME = 6  # letters; an SD card has five at most
_MODES = {"SD High Speed": "SD high-speed", "MMC High Speed": "MMC high-speed", "HS400ES": "HS400"}
_CARDS = {
    **dict.fromkeys(("SD", "SDHC/SDXC", "SDHC", "SDSC", "SD Card"), "SD"),
    **dict.fromkeys(("SD/MMC Device", "MMC"), "MMC"),
}


_, _from_hex = TYPES["hex"]


def _month(text: str) -> tuple[int, int]:
    first, second = map(int, re.split("[/-]", text))
    return (second, first) if "/" in text else (first, second)


# The names that programs have for a field, and its values.
_NAMES = {
    "mid": "Manufacturer ID",
    "oid": "OEM|OEM ID|OEM/Application ID",
    "pnm": "Product|Product [Nn]ame|product|Name",
    "prv": "Product revision|Revision|[Vv]ersion",
    "psn": "Serial number",
    "decimal_psn": "Serial Number|serial",
    "mdt": "Manufacturing [Dd]ate|date",
    "type": "Type|description",
}
_TYPES = TYPES | {
    "mid": ("(?:0[xX])?0{0,6}[0-9A-Fa-f]{1,2}", _from_hex),
    "oid": (r"[^'\s]{1,21}", str),
    "pnm": (r"[^'\s]{1,7}", str),
    "prv": (r"[0-9]{1,2}\.[0-9]{1,2}", lambda text: tuple(map(int, text.split(".")))),
    "psn": ("(?:0[xX])?[0-9A-Fa-f]{1,8}", _from_hex),
    "decimal_psn": ("[0-9]{1,10}|0x[0-9A-Fa-f]{1,8}", lambda text: int(text, 16 if "x" in text else 10)),
    "mdt": ("(?:1?[0-9]|0[1-9])/2[0-9]{3}|2[0-9]{3}-[01][0-9]", _month),
    "type": ("|".join(_CARDS), str),
}
_FIELDS = "|".join(f"(?:{names}) ?[:=] ?'?{{{name}:{name}}}'?" for name, names in _NAMES.items())


class CardFields(Table):
    types = _TYPES
    tool = "card-fields"

    def set_up(self) -> None:
        self.fields: dict[str, Any] = {}
        self.bus = ""
        self.seen: Span | None = None

    def end(self) -> None:
        """Add the facts of a block of fields, unless the block is only a name, which is no card."""
        fields, bus, self.fields, self.bus = self.fields, self.bus, {}, ""
        if self.seen and "pnm" in fields and (bus or "mid" in fields):
            for name, value in _facts(fields, bus).items():
                self.scene.add_fact(self.tool, name, value, span=self.seen)

    @row("E: ID_NAME={pnm:pnm}")
    def udev(self, found: Found) -> None:
        self._take("pnm", found["pnm"], found)
        self.bus = "MMC" if len(found["pnm"]) == _MMC_NAME else "SD"

    # mmc-utils, lsmmc.c. Its line on the type is also one of sysfs.
    @row("type: '{bus:SD|MMC}'")
    def kind(self, found: Found) -> bool:
        self.end()
        self.bus = found["bus"]
        return False

    @row(f"(?:{_FIELDS})")
    @row("product: '{pnm:pnm} ?' {prv:prv}")
    def field(self, found: Found) -> bool:
        return all(self._take(name, found[name], found) for name in slot_names(found))

    @row(
        r"Mode ?: (?:UHS )?{mode:(?:SD|MMC) High Speed|MMC DDR52|SDR\d{2,3}|DDR50|HS200|HS400(?:ES)?} "
        r"\([0-9]{1,3} ?MHz\)"
    )
    def mode(self, found: Found) -> None:
        mode = found["mode"]
        self.add("name", _MODES.get(mode, mode), found, HOST)

    @row("Bus Width: {width:[148]}-bit(?: DDR)?")
    def width(self, found: Found) -> None:
        self.add("width_bits", int(found["width"]), found, HOST)

    @row(r"{bus:SD|MMC} version [0-9]\.[0-9]{1,2}")
    def version(self, found: Found) -> bool:
        self.bus = found["bus"]
        return bool(self.fields)

    @row(
        r"(?:Capacity: [0-9.,]{1,9} [MGT]B \({bytes:[0-9.,]{1,20}} bytes\)|size: {size:[0-9]{8,16}}"
        "|CSD: ver=[0-9], sector_size=512, capacity={sectors:count} .{0,40})"
    )
    def size(self, found: Found) -> bool:
        text = found["bytes"] or found["size"]
        size_bytes = whole(text) if text else found["sectors"] * 512
        if not (self.fields and size_bytes):
            return False
        self.add("size_bytes", size_bytes, found)
        return True

    # A script over the attributes of sysfs.
    @row(
        "eMMC (?:name: {pnm:pnm}|date: {mdt:mdt}|oemid: {oid:oid}|manfid: {mid:mid}|serial: {decimal_psn:decimal_psn})"
    )
    def attribute(self, found: Found) -> None:
        self.field(found)
        self.bus = "MMC"

    def _take(self, name: str, value: Any, found: Found) -> bool:
        if name == "type":
            return self._type(value)
        if name == "prv" and not self.fields and not self.bus:
            return False
        name = name.removeprefix("decimal_")
        begins_anew = name == next(iter(self.fields), "")
        if begins_anew or self.fields.get(name, value) != value:
            self.end()
        self.fields[name], self.seen = value, self.span(found)
        return True

    def _type(self, value: str) -> bool:
        if value.endswith(("Card", "Device")):
            self.end()
        self.bus = _CARDS[value]
        return True

    # sys/dev/mmc/mmc.c: type, name, revision, serial number, month, and the numbers of maker and OEM.
    @row(
        r"(?:.{0,60}\s)?mmcsd[0-9]{1,2}: [0-9.]{1,6}[kMGT]?B <SD\w{0,2} {name:\S{1,5}} "
        r"{hardware:count}\.{firmware:count} SN {serial:[0-9A-F]{8}} MFG {month:count}/{year:count}"
        r" by {mid:count} {oem:\S{1,2}}>.{0,80}"
    )
    def freebsd(self, found: Found) -> bool:
        revision, made = (found["hardware"], found["firmware"]), (found["year"], found["month"])
        serial = int(found["serial"], 16)
        digits = cid_digits(found["mid"], found["oem"], found["name"], revision, serial, made)
        if digits:
            self.add("cid", digits, found)
        return bool(digits)

    # drivers/mmcsd/mmcsd_sdio.c, mmcsd_decode_cid: revision and serial number in decimal, the others in hex.
    @row(
        "{:log}mmcsd_decode_?(?:cid|CID): mid: {mid:[0-9a-f]{2}} oid: {oid:[0-9a-f]{4}} pnm: {name:.{1,5}}"
        " prv: {prv:count} psn: {psn:-?[0-9]{1,10}} mdt: {mdt:hex} crc: {crc:hex}"
    )
    def nuttx(self, found: Found) -> None:
        """Add a CID if its checksum is right.

        Old versions print the wrong bits as OEM number, beginning with the maker's.
        """
        name = _letter_digits(found["name"], 5)
        serial, crc = int(found["psn"]) % 2**32, found["crc"] << 1 | 1
        digits = (
            f"{found['mid']}{found['oid']}{name}{found['prv']:02x}{serial:08x}{found['mdt']:04x}{crc:02x}"
        )
        if len(digits) == 32 and crc_state(bytes.fromhex(digits)) == VALID:
            self.add("cid", digits, found)
            return
        self.add("pnm", found["name"], found)
        self.add("mid", int(found["mid"], 16), found)
        if found["oid"][:2] != found["mid"]:
            self.add("oid", int(found["oid"], 16), found)

    # SdFat.
    lines = (fact(r"(?:Card size|cardSize): {about_size_bytes:size} \((?:GB = 1E9|MB = 1,000,000) bytes\)"),)

    @row("{:log}mmcsd_decode_csd: Capacity: {:count}Kb, Block size: {block:count}b, nblocks: {blocks:count}")
    def capacity(self, found: Found) -> None:
        self.add("size_bytes", found["block"] * found["blocks"], found)

    # Fields that the CID does not hold, or that are rounded.
    @row(
        r"(?:(?:Tran|Bus) Speed: [0-9]{1,10}|Rd Block Len: [0-9]{1,5}|mmc clock: [0-9]{1,10}|High Capacity: \w{2,3}"
        "|(?:User |Boot |RPMB )?Capacity: .{1,30}|(?:Erase Group|HC WP Group|Boot Partition) Size: .{1,20}"
        r"|Size: [0-9]{1,9} ?MB(?: \(block: [0-9]{1,12}\))?"
        r"|physical id: \w{1,8}|Specification Version: [0-9.]{1,5}|OEM(?: ID)?:|SCR: sd_spec=.{1,40}"
        r"|Speed: .{0,20}\(?[0-9]{1,3} MHz\)?)"
    )
    def others(self, found: Found) -> bool:
        return bool(self.fields or self.bus)


def _facts(fields: dict[str, Any], bus: str) -> dict[str, Any]:
    """Return the printed fields as facts by name, with the CID only if no field is missing.

    macOS prints OEM and name without a space between them.
    """
    oem, name = fields.get("oid", ""), fields["pnm"]
    oem, name = (name[:2], name[2:]) if not oem and len(name) == 7 else (oem, name)
    hardware, firmware = fields.get("prv", (None, None))
    cid = ""
    if bus != "MMC" and len(oem) == 2 and fields.keys() >= {"mid", "prv", "psn", "mdt"}:
        cid = cid_digits(fields["mid"], oem, name, fields["prv"], fields["psn"], fields["mdt"])
    facts = {
        "pnm": name,
        "bus": bus,
        "mid": fields.get("mid"),
        "oid": _number_oem(oem),
        "hardware_revision": hardware,
        "firmware_revision": None if firmware is None else str(firmware),
        "psn": f"{fields['psn']:08x}" if "psn" in fields else None,
        "mdt": "{}-{:02d}".format(*fields["mdt"]) if "mdt" in fields else None,
        "cid": cid,
    }
    return drop_empty(facts)


def _number_oem(oem: str) -> int | None:
    if len(oem) == 2:
        return encode_letters(oem)
    return int(oem, 16) if re.fullmatch("(?:0[xX])?[0-9A-Fa-f]{1,8}", oem) else None


def _letter_digits(text: str, length_bytes: int) -> str:
    return text.encode("ascii", "replace").ljust(length_bytes, bytes(1)).hex()


def cid_digits(
    mid: int, oem: str, name: str, revision: tuple[int, int], serial: int, made: tuple[int, int]
) -> str:
    """Return the CID of these fields as hex without checksum (SD Physical Layer, 5.2); "" if a field does not fit."""
    year, month = made
    if max(revision) > 15 or not 1 <= month <= 12 or mid > 255 or len(name) > 5 or not 2000 <= year <= 2255:
        return ""
    return (
        f"{mid:02x}{_letter_digits(oem, 2)}{_letter_digits(name, 5)}{revision[0]:x}{revision[1]:x}"
        f"{serial:08x}{(year - 2000) << 4 | month:04x}"
    )
