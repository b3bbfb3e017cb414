"""Find the registers in a text that prints them.

It may hold bare hex, sysfs by `head` or `grep`, `udevadm info`, mmc-utils, `cardbench identify`, JSON, and notes around
any of them: every line is cut into words, a register is named by a word and its digits are the words that follow. The
time is linear in the length of the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise

from submissions.domain.errors import DecodeError
from submissions.domain.intake.readers.mmc_utils import rebuild_cid, rebuild_ext_csd
from submissions.domain.registers.crc7 import VALID, crc_state
from submissions.domain.registers.hexdigits import LENGTHS
from submissions.domain.registers.maker_numbers import is_listed

LONGEST_TEXT = 200_000
_SECTOR_BYTES = 512
# Everything that tools put between a name and its value.
_SEPARATORS = str.maketrans(dict.fromkeys("\"'`|{}<>()[]=;:/*#\t", " "))
_DIGIT_MARKS = str.maketrans(dict.fromkeys("$_,-", ""))
_HEX = frozenset("0123456789abcdefABCDEF")
_NAMES = {
    **{name: name for name in LENGTHS},
    **{"extcsd": "ext_csd", "ext-csd": "ext_csd"},
    **{"csd_10": "csd", "csd_20": "csd", "csd_30": "csd"},
    **{"type": "bus", "mmc_type": "bus", "bus": "bus"},
    **{"size": "sectors", "size_bytes": "size_bytes"},
}
_FILLERS = frozenset({"register", "value", "raw", "hex"})
_BUSES = {"sd": "SD", "sdcombo": "SD", "mmc": "MMC", "emmc": "MMC"}
_WITH_CRC = ("cid", "csd")
_BY_DIGITS = {LENGTHS[name] * 2: name for name in ("scr", "ssr", "ext_csd")}
# Fields of a CSD at the position of the name in a CID: TRAN_SPEED of any card, READ_BL_LEN of 512 to 2048 bytes.
_CLOCK_CODES = frozenset({0x0B, 0x2B, 0x1A, 0x2A, 0x32, 0x5A})
_NOTHING_FOUND = (
    "No register was found. Paste the 32 hex digits of a CID, or the whole output of:"
    " head /sys/block/mmcblk0/device/*"
)
# Signs of a tool that could print a register, in a text without one.
_HINTS = {
    "E: ID_": " (udevadm info prints registers with -a only)",
    "manufacturer: '": " (mmc cid read prints the numbers with -v only)",
    "Manufacturer ID:": " (these are numbers from the register, not the register itself)",
}
# The offset of the bytes in a file, and characters that xxd and hexdump -C add: no part of a register.
_OFFSET = re.compile(
    r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{8}: |[0-9A-Fa-f]{6,8}  ?)(?=(?:[0-9A-Fa-f]{2,4} {1,2}){4})"
)
_LETTERS = re.compile(r"  ?\|.{1,16}\|\s*\Z|(?<=[0-9A-Fa-f])  \S.{0,15}\Z")
_SHORTEST, _LONGEST = 20, 1040  # digits of something that was meant to be a register


@dataclass(slots=True)
class RegistersDump:
    """The registers in a text.

    `registers`: hex text by name; `bus`: "SD", "MMC" or None; `size_bytes`: of the device, None if missing. `printed`:
    for a register that was printed field by field, the names of the fields that were printed.
    """

    registers: dict[str, str] = field(default_factory=dict)
    bus: str | None = None
    size_bytes: int | None = None
    printed: dict[str, frozenset[str]] = field(default_factory=dict)


def split(text: str) -> RegistersDump:
    """Return the registers of the one card in a text.

    Raise DecodeError if the text has no register, or registers of several cards.
    """
    if len(text) > LONGEST_TEXT:
        raise DecodeError(
            f"The text has {len(text):,} characters; the limit is {LONGEST_TEXT:,}.",
            field="text",
            code="too_large",
        )
    dump, lines = RegistersDump(), text.splitlines()
    for number, name, value in _facts(lines):
        _take(dump, name, value, number)
    _rebuild(dump, text)
    if not dump.registers:
        _take_misspelled(dump, lines)
    if not dump.registers:
        hint = next((hint for sign, hint in _HINTS.items() if sign in text), "")
        raise DecodeError(_NOTHING_FOUND + hint, field="text", code="no_register")
    return dump


def find_cids(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return (line number, hex digits without the checksum) of every CID in the lines."""
    return [(number, _identity(value)) for number, name, value in _facts(lines) if name == "cid"]


def _facts(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    heading: str | None = None
    for number, line in enumerate(lines, start=1):
        words = _cut_offset(line).translate(_SEPARATORS).split()
        if line.startswith("==>"):
            heading = _name(words, len(words) - 1) if words else ""
        elif heading and words:
            yield number, heading, " ".join(words)
            heading = ""  # the words after the value are not another register
        else:
            named = list(_find_named(words))
            yield from ((number, name, value) for name, value in named)
            if not named and heading is None and (bare := _bare(words)):
                yield number, *bare


def is_dumped(line: str) -> bool:
    """Return whether a line is output of xxd or hexdump: the offset in the file, then bytes."""
    return _OFFSET.search(line) is not None


def _cut_offset(line: str) -> str:
    offset = _OFFSET.search(line)
    return line[: offset.start()] + _LETTERS.sub("", line[offset.end() :]) if offset else line


def _find_named(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for at in range(len(words)):
        name = _name(words, at)
        if name in LENGTHS:
            if value := _value(words, at + 1, LENGTHS[name] * 2):
                yield name, value
        elif name and at + 1 < len(words):
            yield name, words[at + 1]
    if size := _size_in_words(words):
        yield "size_bytes", size


def _name(words: Sequence[str], at: int) -> str:
    """Return the register or property that the word at `at` names, or "".

    The word "size" counts only for a whole disk.
    """
    name = _NAMES.get(words[at].lower(), "")
    before = words[at - 1] if at else ""
    of_disk = before in ("ATTR", "ATTRS") or (before.startswith("mmcblk") and before[6:].isdecimal())
    return name if name != "sectors" or of_disk else ""


def _value(words: Sequence[str], at: int, wanted: int) -> str:
    """Return words of hex digits from `at` on, until `wanted` digits; "" if they do not start like a register."""
    while at < len(words) and words[at].lower() in _FILLERS:
        at += 1
    if at < len(words) and _nearly_hex(words[at]):
        return words[at]
    taken: list[str] = []
    digits = 0
    while at < len(words) and digits < wanted and (length := _digit_count(words[at])):
        taken.append(words[at])
        digits += length
        at += 1
        if len(taken) == 1 and length >= wanted - 2:
            break  # all but the checksum: the next word is another matter
    return " ".join(taken) if digits >= 8 else ""


def _size_in_words(words: Sequence[str]) -> str:
    of_card = words[:1] == ["Size"] or (
        words[:1] == ["Disk"] and any(word.startswith("mmcblk") for word in words)
    )
    if not of_card:
        return ""
    return next((digits for digits, unit in pairwise(words) if unit.rstrip(",") == "bytes"), "")


def _digit_count(word: str) -> int:
    digits = _digits(word)
    return len(digits) if digits and _HEX.issuperset(digits) else 0


def _digits(word: str) -> str:
    bare = word.translate(_DIGIT_MARKS)
    return bare[2:] if bare[:2] in ("0x", "0X") else bare


def _all_digits(value: str) -> str:
    return "".join(map(_digits, value.split()))


def _nearly_hex(word: str) -> bool:
    digits = _digits(word)
    strangers = sum(character not in _HEX for character in digits)
    return len(digits) >= _SHORTEST and 0 < strangers <= len(digits) // 8


def _bare(words: Sequence[str]) -> tuple[str, str] | None:
    """Return name and digits of the register in a line of only hex digits; their number shows which register it is."""
    words = words[1:] if words[:1] == ["raw"] else words
    counts = [_digit_count(word) for word in words]
    digits = sum(counts)
    if not all(counts) or digits not in (30, 32, *_BY_DIGITS):
        return None
    text = " ".join(words)
    return _BY_DIGITS.get(digits) or _cid_or_csd(_all_digits(text)), text


def _cid_or_csd(digits: str) -> str:
    raw = bytes.fromhex(digits)
    like_csd = raw[0] & 3 == 0 and raw[3] in _CLOCK_CODES and raw[5] & 15 in (9, 10, 11)
    return "csd" if like_csd else "cid"


def _is_csd(value: str) -> bool:
    digits = _all_digits(value)
    is_hex = len(digits) in (30, 32) and _HEX.issuperset(digits)
    # NSAC is 0 in every CSD, where a CID has a letter.
    return is_hex and bytes.fromhex(digits)[2] == 0 and _cid_or_csd(digits) == "csd"


def _take(dump: RegistersDump, name: str, value: str, number: int) -> None:
    if name in LENGTHS:
        _take_register(dump, name, value, number)
    elif name == "bus":
        dump.bus = dump.bus or _BUSES.get(value.lower())
    elif (digits := value.replace(",", "")).isdecimal() and len(digits) < 19:
        size = int(digits) * (_SECTOR_BYTES if name == "sectors" else 1)
        dump.size_bytes = max(dump.size_bytes or 0, size) or None  # a partition is smaller than its disk


_CBX_END = 4  # above the two bits of an MMC that state whether it is removable
# Other orders in which programs print the bytes of a register: reversed in groups of these lengths.
_TURNS = ((2,), (4,), (16,), (4, 16))


def _is_turn(value: str) -> bool:
    """Return whether the bytes of a CID make no sense in this order, but would in another order."""
    digits = _all_digits(value)
    if len(digits) != 32 or not _HEX.issuperset(digits):
        return False
    raw = bytes.fromhex(digits)
    if _is_of_known_maker(raw) or crc_state(raw) == VALID:
        return False
    named = _names_product(raw)
    turned = [reduce(_turn, widths, raw) for widths in _TURNS]
    return any(_names_product(other) and (_is_of_known_maker(other) or not named) for other in turned)


def _turn(raw: bytes, width: int) -> bytes:
    return b"".join(raw[at : at + width][::-1] for at in range(0, len(raw), width))


def _is_of_known_maker(raw: bytes) -> bool:
    sd, mmc = int.from_bytes(raw[1:3], "big"), raw[2]
    return is_listed("SD", raw[0], sd) or (raw[1] < _CBX_END and is_listed("MMC", raw[0], mmc))


def _names_product(raw: bytes) -> bool:
    name = raw[3:8].rstrip(b"\0 ")
    return len(name) > 1 and all(0x20 <= byte < 0x7F for byte in name)


def _take_register(dump: RegistersDump, name: str, value: str, number: int) -> None:
    if name == "cid" and _is_csd(value):
        raise DecodeError(
            f"Line {number} calls this a CID, but its content looks like a CSD: which register is it?",
            field="text",
            code="wrong_register",
        )
    if name == "cid" and _is_turn(value):
        raise DecodeError(
            f"The bytes of the CID in line {number} are in a different order: swapped in pairs, in words"
            " or as a whole. Paste the content of /sys/block/mmcblk0/device/cid.",
            field="text",
            code="byte_order",
        )
    first = dump.registers.setdefault(name, value)
    if name in _WITH_CRC and _identity(first) != _identity(value):
        raise DecodeError(
            f"The text contains two different {name.upper()} registers, the second in line {number}: paste"
            " one card at a time.",
            field="text",
            code="several_cards",
        )


def _identity(value: str) -> str:
    """Return the digits of a register without the checksum, which hosts replace."""
    return _all_digits(value).lower()[:30]


def _rebuild(dump: RegistersDump, text: str) -> None:
    rebuilt = {"ext_csd": rebuild_ext_csd(text), "cid": rebuild_cid(text, bus=dump.bus or "SD")}
    for name, register in rebuilt.items():
        if register and name not in dump.registers:
            dump.registers[name] = register.text
            dump.printed[name] = register.fields


def _take_misspelled(dump: RegistersDump, lines: Sequence[str]) -> None:
    for line in lines:
        for word in line.replace(",", " ").translate(_SEPARATORS).split():
            length = len(_digits(word))
            if _SHORTEST <= length <= _LONGEST and (_digit_count(word) or _nearly_hex(word)):
                dump.registers[_nearest_register(length)] = word
                return


def _nearest_register(digit_count: int) -> str:
    return min(LENGTHS, key=lambda name: abs(LENGTHS[name] * 2 - digit_count))
