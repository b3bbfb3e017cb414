"""Parse the hex text of a register into bytes, in every form that hosts and tools print."""

import re
from typing import NamedTuple

from submissions.domain.errors import DecodeError
from submissions.domain.registers.crc7 import ABSENT, VALID, VALID_END_BIT_CLEARED, crc_state

LENGTHS = {"cid": 16, "csd": 16, "scr": 8, "ssr": 64, "ext_csd": 512, "ocr": 4}
_WITH_CRC = frozenset({"cid", "csd"})
_LONGEST_TEXT = 8192  # EXT_CSD with "0x" and ", " around each of its 512 bytes is 3,072 characters
_SEPARATOR = re.compile(r"(?<![0-9A-Fa-f])0[xX](?=[0-9A-Fa-f])|[\s:,;_$-]")
_STRANGER = re.compile(r"[^0-9A-Fa-f ]")
_WORD_DIGITS = 8
_TRUSTED = (VALID, VALID_END_BIT_CLEARED)


class RegisterBytes(NamedTuple):
    """A register as bytes, most significant byte first (EXT_CSD: byte 0 first).

    `crc` is a state of crc7.py, or None for a register without a checksum. `words_reversed`: the text was four words,
    the least significant first.
    """

    raw: bytes
    crc: str | None = None
    words_reversed: bool = False


def parse(register: str, text: str) -> RegisterBytes:
    """Return the bytes in the hex text of `register` ("cid", "csd", "scr", "ssr", "ext_csd" or "ocr").

    Accept upper and lower case, 0x or $ prefixes, blanks, colons, commas, dashes, underscores, 32-bit words in either
    order, and CID or CSD without their last byte (30 digits). Raise DecodeError for any other text.
    """
    digits, words = _digits(register, text)
    raw = bytes.fromhex(_full_length(register, digits))
    _refuse_blank(register, raw)
    if register not in _WITH_CRC:
        return RegisterBytes(raw)
    if len(digits) == 30:
        return RegisterBytes(raw, ABSENT)
    state = crc_state(raw)
    return _reorder_words(raw, state) if words and state not in _TRUSTED else RegisterBytes(raw, state)


def _digits(register: str, text: str) -> tuple[str, bool]:
    """Return the bare digits and whether the text had four 32-bit words."""
    if len(text) > _LONGEST_TEXT:
        raise _error(register, f"is {len(text)} characters long; paste the register alone")
    blanked = _SEPARATOR.sub(lambda match: " " * len(match[0]), text)
    if stranger := _STRANGER.search(blanked):
        at = stranger.start()
        raise _error(register, f"has {text[at]!a} at position {at + 1}, which is not a hex digit")
    tokens = blanked.split()
    return "".join(tokens), len(tokens) == 4 and all(len(token) == _WORD_DIGITS for token in tokens)


def _full_length(register: str, digits: str) -> str:
    """Return exactly as many digits as the register has; a missing last byte of CID or CSD becomes 00."""
    wanted = LENGTHS[register] * 2
    if len(digits) == wanted:
        return digits
    if register in _WITH_CRC and len(digits) == 30:
        return digits + "00"
    or_short = " (or 30, without the checksum byte)" if register in _WITH_CRC else ""
    odd = ", an odd number, so a digit is missing," if len(digits) % 2 else ""
    ends = f"it ends after digit {len(digits)}" if len(digits) < wanted else f"digit {wanted + 1} is too many"
    raise _error(register, f"needs {wanted} hex digits{or_short}; found {len(digits)}{odd} and {ends}")


def _refuse_blank(register: str, raw: bytes) -> None:
    # A host shows all zeros or all ones if the card did not answer.
    for filler, name in ((0x00, "zeros"), (0xFF, "ones")):
        if raw.count(filler) == len(raw):
            raise _error(
                register, f"is all {name} from position 1 on: the host did not read it; read the card again"
            )


def _reorder_words(raw: bytes, state: str) -> RegisterBytes:
    # Some hosts print the last of the four words first; then the checksum fits only in the other order.
    turned = b"".join(raw[at : at + 4] for at in (12, 8, 4, 0))
    turned_state = crc_state(turned)
    if turned_state in _TRUSTED:
        return RegisterBytes(turned, turned_state, words_reversed=True)
    return RegisterBytes(raw, state)


def _error(register: str, what: str) -> DecodeError:
    return DecodeError(f"{register.upper()} {what}.", field=register)
