"""Decode the name of a card from its CID, and compose valid registers for the simulated card.

Layouts: SD Physical Layer Simplified Specification, 5.2 (CID), 5.3.3 (CSD version 2), 4.10.2 (SSR); JEDEC JESD84-B51,
7.2 (CID of an eMMC). The server decodes all other fields.
"""

from __future__ import annotations

from dataclasses import dataclass


def crc7(message: bytes) -> int:
    """Return the CRC7 of a register: x^7 + x^3 + 1, initial value 0, most significant bit first (PLSS 4.5)."""
    remainder = 0
    for byte in message:
        remainder ^= byte
        for _ in range(8):
            remainder = (remainder << 1) ^ (0x12 if remainder & 0x80 else 0)
        remainder &= 0xFF
    return remainder >> 1


def seal(message: bytes) -> str:
    """Return a register of 15 bytes with its checksum and end bit added, as 32 hex digits."""
    return (message + bytes([crc7(message) << 1 | 1])).hex()


@dataclass(frozen=True)
class CardName:
    """The fields of a CID that name a card, without its serial number."""

    mid: int
    oid: str
    pnm: str
    prv: str
    mdt: str  # YYYY-MM


def name_of(bus: str | None, cid: str) -> CardName | None:
    """Return the name of an SD card or eMMC from the hex digits of its CID; None if they are no CID.

    The checksum is not verified, because many hosts drop it.
    """
    try:
        raw = bytes.fromhex(cid)
    except ValueError:
        return None
    readers = {"SD": _sd_name, "MMC": _emmc_name}
    if len(raw) not in (15, 16) or not any(raw) or bus not in readers:
        return None
    return readers[bus](raw)


def _sd_name(raw: bytes) -> CardName:
    return CardName(
        mid=raw[0],
        oid=_printable(raw[1:3]),
        pnm=_printable(raw[3:8]),
        prv=f"{raw[8] >> 4}.{raw[8] & 0x0F}",
        mdt=f"{2000 + ((raw[13] & 0x0F) << 4 | raw[14] >> 4)}-{raw[14] & 0x0F:02}",
    )


def _emmc_name(raw: bytes) -> CardName:
    year = 1997 + (raw[14] & 0x0F)  # four bits, which count again from 0 since 2013
    return CardName(
        mid=raw[0],
        oid=f"0x{raw[2]:02x}",
        pnm=_printable(raw[3:9]),
        prv=f"{raw[9] >> 4}.{raw[9] & 0x0F}",
        mdt=f"{year + 16 if year < 2010 else year}-{raw[14] >> 4:02}",
    )


def _printable(raw: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in raw.rstrip(b"\0 "))


def compose_cid(pnm: str, serial: int) -> str:
    """Return the CID of a card of an invented maker, revision 1.0, made in January 2026, as hex digits."""
    return seal(b"\xeeZZ" + pnm.encode() + b"\x10" + serial.to_bytes(4, "big") + b"\x01\xa1")


def compose_csd_v2(size_bytes: int) -> str:
    """Return the CSD of an SDHC or SDXC card as hex digits; `size_bytes` is a multiple of 512 KiB."""
    c_size = size_bytes // (512 * 1024) - 1
    return seal(bytes.fromhex("400e00325b59") + c_size.to_bytes(4, "big") + bytes.fromhex("7f800a4000"))


AU_SIZES_MIB = (1, 2, 4, 8, 12, 16, 24, 32, 64)  # of the codes 7 to 15


def compose_ssr(au_mib: int) -> str:
    """Return the SD status of a card of speed class 10, U1 and A1, with this AU size, as hex digits."""
    code = f"{AU_SIZES_MIB.index(au_mib) + 7:x}"
    # Of its 64 bytes: 0 is a bus of 4 bit; 8 to 14 speed class 10, size of an AU, ERASE_SIZE, ERASE_TIMEOUT and
    # ERASE_OFFSET, UHS speed grade 1 and size of an AU; 21 application performance class A1.
    return f"80{'00' * 7}0400{code}0000f051{code}{'00' * 6}01{'00' * 42}"
