"""Compute the CRC7 in the last byte of CID and CSD, and judge how far a stored checksum can be trusted.

Source: SD Physical Layer Simplified Specification, section 4.5: generator x^7 + x^3 + 1, start value 0,
first bit first.
"""

VALID = "valid"
VALID_END_BIT_CLEARED = "valid_end_bit_cleared"  # STM32 SDMMC, ARM PL180: the host clears bit 0
ABSENT = "absent"
WRONG = "wrong"
# The register was published with zeros in place of its serial number: the checksum is that of the original bytes.
SERIAL_REMOVED = "serial_removed"

# Hosts that do not pass bits 7:0 on fill them with these. 00: SDHCI; 01: bcm2835, rtsx_pci_sdmmc;
# 08: seen in the Wiren Board logs; ff: seen on two unrelated cards. None of them comes from the card.
_FILLERS = frozenset({0x00, 0x01, 0x08, 0xFF})


def _advance(byte: int) -> int:
    """Return the state of seven bits, left-aligned in a byte, after one byte is shifted through it."""
    for _ in range(8):
        byte = (byte << 1) ^ (0x12 if byte & 0x80 else 0)
        byte &= 0xFF
    return byte


def crc7(message: bytes) -> int:
    """Return the checksum (0..127) of any number of bytes."""
    state = 0
    for byte in message:
        state = _advance(state ^ byte)
    return state >> 1


def crc_state(register: bytes) -> str:
    """Return the state of the checksum in the last byte of a 16-byte register.

    It is "valid", "valid_end_bit_cleared", "absent" or "wrong".
    """
    last = register[15]
    expected = crc7(register[:15]) << 1
    if last == expected | 1:
        return VALID
    if last in _FILLERS:
        return ABSENT
    return VALID_END_BIT_CLEARED if last == expected else WRONG
