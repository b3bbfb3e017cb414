"""Find oddities of readable registers, which are shown to people but are never a reason to refuse the registers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from submissions.domain.registers.cid import SD, oid_text, sd_date
from submissions.domain.registers.crc7 import WRONG
from submissions.domain.registers.csd import Csd
from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.register_layout import read_fields
from submissions.domain.registers.scr import Scr
from submissions.domain.registers.ssr import Ssr

_CLASSES = ("speed_class", "uhs_speed_grade", "video_speed_class", "app_perf_class")
_SD_ONLY = ("scr", "ssr")
_BLOCK_LENGTHS = (512, 1024, 2048)  # the lengths a CSD may name (PLSS 5.3.2)


@dataclass(frozen=True, slots=True)
class Oddity:
    """An oddity of a register of a card. `suggestion`: hex text that may be the right register instead, or ""."""

    code: str
    register: str
    detail: str
    suggestion: str = ""


def on_bytes(parsed: Mapping[str, RegisterBytes]) -> list[Oddity]:
    """Return oddities of the undecoded bytes: wrong checksum, reversed words, a byte too many at the front."""
    oddities = []
    for name, register in parsed.items():
        if register.words_reversed:
            oddities.append(
                Oddity(
                    "words_reversed", name, "the four words were in reverse order, and we turned them round"
                )
            )
        if register.crc == WRONG:
            oddities.append(Oddity("wrong_crc", name, "the checksum does not match the other 15 bytes"))
    if "cid" in parsed and _is_shifted(parsed["cid"]):
        oddities.append(_suggest_shift(parsed["cid"].raw))
    return oddities


def on_bus(bus: str, parsed: Mapping[str, RegisterBytes]) -> list[Oddity]:
    """Return an oddity for each register that a card on this bus does not have."""
    strangers = ("ext_csd",) if bus == "SD" else _SD_ONLY
    return [
        Oddity(
            "wrong_bus",
            name,
            f"{bus} cards have no {name.upper()}; one of the two is from a different card",
        )
        for name in strangers
        if name in parsed
    ]


def on_csd(csd: Csd) -> list[Oddity]:
    oddities = []
    if csd.read_block_bytes not in _BLOCK_LENGTHS:
        detail = f"READ_BL_LEN means {csd.read_block_bytes:,} bytes, which is in no specification"
        oddities.append(Oddity("reserved_code", "csd", detail))
    if csd.capacity_class == "SDUC" and csd.reading["C_SIZE"] < 0x40_0000:
        oddities.append(
            Oddity("contradiction", "csd", "the CSD belongs to an SDUC card, but the size is below 2 TiB")
        )
    return oddities


def on_scr(scr: Scr) -> list[Oddity]:
    if scr.sd_spec is None:
        return [Oddity("reserved_code", "scr", "SD_SPEC contains a code that is in no specification")]
    newer = scr.reading["SD_SPECX"] or scr.reading["SD_SPEC4"]
    if newer and not scr.reading["SD_SPEC3"]:
        return [
            Oddity(
                "contradiction",
                "scr",
                f"the card claims version {scr.sd_spec} without setting the SD_SPEC3 bit",
            )
        ]
    return []


def on_ssr(ssr: Ssr) -> list[Oddity]:
    """Return oddities of an SSR: reserved codes, and allocation units that the card's specification version lacks."""
    codes = ((name, ssr.reading[name.upper()]) for name in _CLASSES if getattr(ssr, name) is None)
    oddities = [
        Oddity("reserved_code", "ssr", f"{name} contains the reserved code {code}") for name, code in codes
    ]
    if ssr.au_size_bytes is None and 10 <= ssr.reading["AU_SIZE"] <= 15:
        detail = "AU_SIZE above 4 MiB does not exist before specification 3.00; we ignore it, as Linux does"
        oddities.append(Oddity("contradiction", "ssr", detail))
    return oddities


def _is_shifted(register: RegisterBytes) -> bool:
    """Return whether a CID looks like a line of the Raspberry Pi bootloader, which prints 00 and 15 bytes.

    Signs are a wrong checksum, no letters in the OEM field, and a valid SD card one byte further on. Manufacturer 00
    exists, too, so the other reading is never more than a suggestion.
    """
    raw = register.raw
    if (
        raw[0] != 0
        or register.crc != WRONG
        or not oid_text(int.from_bytes(raw[1:3], "big"), 2).startswith("0x")
    ):
        return False
    moved = read_fields(SD, raw[1:] + b"\0")
    letters = not oid_text(moved["OID"], 2).startswith("0x")
    return letters and sd_date(moved["MDT"]) is not None


def _suggest_shift(raw: bytes) -> Oddity:
    detail = (
        "this looks like a line from a Raspberry Pi bootloader (00 and 15 bytes); decode the last 30 digits"
    )
    return Oddity("shifted_by_a_byte", "cid", detail, suggestion=raw[1:].hex())


def on_fields(registers: Mapping[str, Any]) -> list[Oddity]:
    """Return the oddities of the fields of decoded registers, which are given by name."""
    return [
        oddity
        for name, check in _CHECKS.items()
        if registers.get(name) is not None
        for oddity in check(registers[name])
    ]


_CHECKS: dict[str, Any] = {
    "cid": lambda cid: [Oddity("undated", "cid", cid.mdt_reason)] if cid.mdt_reason else [],
    "csd": on_csd,
    "scr": on_scr,
    "ssr": on_ssr,
}
