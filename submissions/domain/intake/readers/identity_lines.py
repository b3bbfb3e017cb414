"""Find the registers of a card among other text, and the lines that hold them.

Only lines that name a register, or that are hex, are parsed by registers_dump.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from submissions.domain.errors import DecodeError
from submissions.domain.intake import commands
from submissions.domain.intake.lines import LONGEST_LINE, Line
from submissions.domain.intake.parsed import Fact, RegistersInText, Span
from submissions.domain.intake.readers import registers_dump
from submissions.domain.intake.readers.health_lines import TOOL as HEALTH
from submissions.domain.intake.readers.health_lines import find_levels
from submissions.domain.intake.readers.registers_dump import RegistersDump
from submissions.domain.intake.scene import any_of
from submissions.domain.registers import decode
from submissions.domain.registers.crc7 import WRONG, crc_state
from submissions.domain.registers.hexdigits import parse

_REGISTER_WORD = re.compile(
    r"\b(?:cid|csd|scr|ssr|ocr|ext_?csd|mmc_type|attrs?\{(?:size|type)\}|type)\b|\[[A-Z_]{3,40}(?:: 0x[0-9a-fA-F]+)?\]"
    r"|^(?:MID|CBX|OID|PNM|PRV|PSN|MDT): |Extended CSD rev",
    re.IGNORECASE,
)
_HEX_ALONE = re.compile(r"[0-9A-Fa-f]{16,128}\n?\Z")
_NAMED = re.compile(r"\b(?:cid|csd)\b", re.IGNORECASE)
_BARE = re.compile(r"[0-9A-Fa-f]{32}\s*\Z")
_HEAD = re.compile(r"==> \S{1,200}?/([a-z_]{1,40}) <==\s*\Z")
_CAT = re.compile(r".{0,120}?\bcat((?: {1,4}[\w/.:\\-]{1,200}){1,8})[\"']?\s*\Z")
_BASE = re.compile(r"(?:.{0,200}/)?([a-z_]{1,40})\Z")
_DISK = re.compile(r"(?:/dev|/block)/(mmcblk[0-9]{1,2}|sd[a-z]{1,2}(?![a-z]))")
_CD = re.compile(r"\bcd\s")
_UDEV = re.compile(r'ATTRS?\{([a-z_]{1,40})\}=="([^"]{0,1100})"\s*\Z')
_GREP = re.compile(r"/sys/\S{1,200}?/([a-z_]{1,40}):(\S.{0,1100})\Z")
# Attributes as Armbian's hardware monitor and other programs list them; only unambiguous names.
_LISTED = re.compile(
    r"(?:.{0,80}[\s/])?(preferred_erase_size|erase_size|manfid|oemid|hwrev|fwrev|life_time|pre_eol_info)"
    r"\s{0,9}[:=]\s{0,9}(0x[0-9a-fA-F]{1,16}(?: 0x[0-9a-fA-F]{1,2})?|[0-9]{1,18})\s*\Z"
)
_FORMS = (_UDEV, _GREP, _LISTED)
_ENVIRONMENT = re.compile(r"(MMC_NAME|MMC_TYPE|DRIVER|MODALIAS|DEVTYPE|DISKSEQ|MAJOR|MINOR)=(\S{0,80})\Z")
_ANY_ATTRIBUTE = any_of((_HEAD, _ENVIRONMENT, *_FORMS))
# Attributes of an MMC device (Linux Documentation/driver-api/mmc/mmc-dev-attrs.rst).
_NAMES = (
    "block cid csd scr ssr ocr ext_csd rca dsr date driver erase_size fwrev hwrev manfid name oemid power prv"
    " serial preferred_erase_size subsystem type uevent size ro enhanced_area_offset enhanced_area_size"
    " rel_sectors raw_rpmb_size_mult life_time pre_eol_info cmdq_en ffu_capable removable range ext_range"
    " alignment_offset discard_alignment capability inflight stat"
)
_ATTRIBUTES = frozenset(_NAMES.split())
_TWO = "The text contains two different registers of the same kind: paste one card at a time."
_SERIAL = re.compile(r"0x[0-9a-f]{8}\Z")
_SIZES = {"preferred_erase_size": "preferred_erase_size_bytes", "erase_size": "erase_size_bytes"}


def find_registers(lines: Sequence[Line], understood: Iterable[Span], facts: list[Fact]) -> RegistersInText:
    """Return the registers in lines that no reader understood, and add attributes of sysfs to `facts`."""
    taken = {span.line for span in understood}
    rest = [
        line for line in lines if line.text and line.number not in taken and len(line.text) <= LONGEST_LINE
    ]
    disks = dict(_disks(lines, taken))
    spans = _attributes(lines, {line.number for line in rest}, facts, disks)
    several_cards = RegistersInText(problem=_TWO, several_cids=True, understood=tuple(spans))
    serials = {str(fact.value) for fact in facts if fact.name == "psn"}
    if len(serials) > 1:
        return several_cards
    if not any(_NAMED.search(line.text) for line in lines):
        rest = [line for line in rest if not _is_other_hex(line)]
    relevant = _relevant(rest)
    rebuilt = [f"cid {fact.value}" for fact in facts if fact.name == "cid"]
    if not relevant and not rebuilt:
        return RegistersInText(understood=tuple(spans))
    text = "\n".join([*(line.text[line.start :] for line in relevant), *rebuilt])
    try:
        dump = registers_dump.split(text[: registers_dump.LONGEST_TEXT])
    except DecodeError as error:
        if error.code == "several_cards":
            return several_cards
        problem = "" if error.code == "no_register" else error.detail
        return RegistersInText(problem=problem, understood=tuple(spans))
    cid = dump.registers.get("cid", "").lower()
    if cid and any(serial not in cid for serial in serials):
        return several_cards
    numbers = {span.line for span in spans}
    held = [line for line in relevant if _holds(line, dump)]
    spans += [_whole(line) for line in held if line.number not in numbers]
    subjects = {disks[line.number] for line in held}
    return replace(_check(dump, tuple(spans)), subject=subjects.pop() if len(subjects) == 1 else "")


def is_identity(line: Line) -> bool:
    """Return whether a line may name a register or an attribute of sysfs."""
    return _names_register(line.text) or _ANY_ATTRIBUTE.match(line.text, line.start) is not None


def cid_lines(lines: Sequence[Line]) -> list[tuple[int, str]]:
    """Return (line number, hex digits without the checksum) of every CID in the lines."""
    return registers_dump.find_cids([line.text[line.start :] for line in lines])


def _is_other_hex(line: Line) -> bool:
    """Return whether the line is hex as long as a register but with the wrong checksum, such as a hash of a file."""
    bare = _BARE.match(line.text, line.start)
    return bare is not None and crc_state(bytes.fromhex(bare[0].strip())) == WRONG


def _relevant(lines: Iterable[Line]) -> list[Line]:
    relevant, below = [], False
    for line in lines:
        heading = _HEAD.match(line.text, line.start)
        if heading or below or _names_register(line.text):
            relevant.append(line)
        below = heading is not None or '"reg":' in line.text
    return relevant


def _names_register(text: str) -> bool:
    return bool(_REGISTER_WORD.search(text) or _HEX_ALONE.match(text) or registers_dump.is_dumped(text))


def _disks(lines: Iterable[Line], taken: Container[int]) -> Iterator[tuple[int, str]]:
    # The disk of a path in the line, else of the command or heading above, else of the folder that the prompt names or
    # the shell went to.
    disk = folder = ""
    for line in lines:
        named = _find_disk(line.text)
        is_command = line.number in taken and commands.parse(line.text) is not None
        if is_command and named and _CD.search(line.text):
            folder = named
        if is_command or "cat " in line.text or _HEAD.match(line.text, line.start):
            disk = named or folder
        yield line.number, named or disk


def _attributes(
    lines: Iterable[Line], open_lines: Container[int], facts: list[Fact], disks: Mapping[int, str]
) -> list[Span]:
    """Return the spans of attributes of sysfs in the lines, and add the attributes to `facts`.

    `open_lines`: numbers of lines that no reader understood; other lines are only searched for a command with `cat`.
    """
    spans, (name, disk), *awaited = list[Span](), ("", "")
    for line in lines:
        if not line.text:
            continue
        of_card = "mmc" in line.text or disks[line.number].startswith("mmc")
        shown = (
            _list_shown_attributes(line.text, disks[line.number]) if of_card and "cat " in line.text else []
        )
        if shown or line.number not in open_lines:
            (name, disk), *awaited = *shown, ("", "")
        elif not name and not _ANY_ATTRIBUTE.match(line.text, line.start):
            continue
        elif heading := _HEAD.match(line.text, line.start):
            name, disk = heading[1] if heading[1] in _ATTRIBUTES else "", disks[line.number]
            spans += [_whole(line)] if name else []
        else:
            environment = _ENVIRONMENT.match(line.text, line.start)
            attribute, value = _pair(line) or (name, line.text[line.start :].strip())
            if attribute in _ATTRIBUTES or environment:
                spans.append(_whole(line))
                _tell(facts, attribute, value, spans[-1], disk if attribute == name else disks[line.number])
            if name != "uevent" or not environment:
                (name, disk), *awaited = *awaited, ("", "")
    return spans


# A command such as cat shows the values of these attributes below it.
def _list_shown_attributes(text: str, disk: str) -> list[tuple[str, str]]:
    match = _CAT.match(text)
    files = match[1].split() if match else []
    names = [base[1] for path in files if (base := _BASE.match(path))]
    known = len(names) == len(files) and _ATTRIBUTES.issuperset(names)
    return list(zip(names, (_find_disk(path) or disk for path in files), strict=True)) if known else []


def _find_disk(text: str) -> str:
    return next(reversed(_DISK.findall(text)), "")


def _pair(line: Line) -> tuple[str, str] | None:
    matches = (form.match(line.text, line.start) for form in _FORMS)
    return next(((match[1], match[2]) for match in matches if match), None)


def _tell(facts: list[Fact], attribute: str, value: str, span: Span, disk: str) -> None:
    if attribute in _SIZES and value.isdecimal() and len(value) < 19 and int(value):
        facts.append(Fact(span, "sysfs", _SIZES[attribute], int(value), disk))
    facts += [Fact(span, HEALTH, name, level, disk) for name, level in find_levels(attribute, value)]
    if attribute == "serial" and _SERIAL.match(value):
        facts.append(Fact(span, "sysfs", "psn", value[2:], disk))


def _whole(line: Line) -> Span:
    return Span(line.number, 0, len(line.text))


def _holds(line: Line, dump: RegistersDump) -> bool:
    digits = re.sub(r"[^0-9A-Fa-f]", "", line.text).lower()
    values = (re.sub(r"[^0-9A-Fa-f]", "", value).lower() for value in dump.registers.values())
    return any(value and value in digits for value in values) or any("[" in line.text for _ in dump.printed)


def _check(dump: RegistersDump, spans: tuple[Span, ...]) -> RegistersInText:
    """Return registers in plain hex; an EXT_CSD with only some of its fields is left out, but its size is kept."""
    readable, problems = _plain(dump.registers)
    try:
        decoded = decode(readable, bus=dump.bus)
    except DecodeError as error:
        return RegistersInText(problem=" ".join(problems) or error.detail, understood=spans)
    whole = {name: text for name, text in readable.items() if name != "ext_csd" or name not in dump.printed}
    size_bytes = dump.size_bytes or (decoded.capacity_bytes if len(whole) < len(readable) else None)
    return RegistersInText(whole, decoded.bus, size_bytes, " ".join(problems), understood=spans)


def _plain(registers: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    readable, problems = {}, []
    for name, text in registers.items():
        try:
            readable[name] = parse(name, text).raw.hex()
        except DecodeError as error:
            problems.append(error.detail)
    return readable, problems
