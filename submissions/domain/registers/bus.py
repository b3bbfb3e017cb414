"""Decide whether a card is SD or MMC. No register states it, so evidence decides, in a fixed order."""

from collections.abc import Mapping
from typing import NamedTuple

from submissions.domain.errors import DecodeError
from submissions.domain.registers.csd import looks_like_sduc
from submissions.domain.registers.hexdigits import RegisterBytes
from submissions.domain.registers.maker_numbers import is_listed

# The values of /sys/block/*/device/type in Linux, and the words people use.
_NAMES = {"sd": "SD", "sdcombo": "SD", "sdhc": "SD", "sdxc": "SD", "mmc": "MMC", "emmc": "MMC"}


class BusEvidence(NamedTuple):
    """The bus of a card as far as evidence shows it.

    `bus` is "SD", "MMC", or None if the evidence does not decide; `reason` explains it in words.
    """

    bus: str | None
    reason: str


def decide(registers: Mapping[str, RegisterBytes], *, stated: str | None) -> BusEvidence:
    """Return the bus that the evidence shows. Raise DecodeError if `stated` is not the name of a bus.

    The order of evidence: the bus stated by the host, the registers that exist, the CSD, the maker table.
    """
    if stated is not None and stated != "":
        return _parse_bus(stated)
    if present := [name for name in ("scr", "ssr") if name in registers]:
        return BusEvidence("SD", f"only SD cards have an {present[0].upper()}")
    if "ext_csd" in registers:
        return BusEvidence("MMC", "only MMC and eMMC have an EXT_CSD")
    if "csd" in registers:
        return _decide_by_csd(registers["csd"].raw)
    if "cid" in registers:
        return _decide_by_maker(registers["cid"].raw)
    return BusEvidence(None, "the OCR alone does not show whether this is SD or MMC")


def _parse_bus(stated: str) -> BusEvidence:
    bus = _NAMES.get(str(stated).strip().lower())
    if bus is None:
        raise DecodeError(
            f"Bus {str(stated)[:20]!a} is unknown; use SD or MMC, or leave it out.", field="bus"
        )
    return BusEvidence(bus, "the host said so")


# SD keeps bits 125:122 at zero; MMC has its specification version there (JESD84-B51 7.3.2).
def _decide_by_csd(raw: bytes) -> BusEvidence:
    structure, spec_vers = raw[0] >> 6, raw[0] >> 2 & 15
    if spec_vers:
        return BusEvidence("MMC", f"CSD bits 125:122 are {spec_vers}: an MMC version, reserved on SD")
    if structure < 2:
        return BusEvidence("SD", f"CSD structure {structure} with bits 125:122 zero is how SD cards fill it")
    if structure == 2 and looks_like_sduc(raw):
        return BusEvidence("SD", "CSD structure 2 with more than 2 TiB is SDUC")
    return BusEvidence("MMC", f"CSD structure {structure} without an SDUC size is MMC")


# Maker numbers of the two worlds are unrelated, so an exact match in one table only is evidence.
def _decide_by_maker(raw: bytes) -> BusEvidence:
    mid, oid = raw[0], int.from_bytes(raw[1:3], "big")
    buses = [bus for bus in ("SD", "MMC") if is_listed(bus, mid, oid)]
    if len(buses) == 1:
        return BusEvidence(buses[0], f"maker 0x{mid:02x} with OEM 0x{oid:04x} is known only on {buses[0]}")
    return BusEvidence(
        None, "a CID alone does not show whether this is SD or MMC; add the CSD, or name the bus"
    )
