"""Finds places of a pasted text that identify a person, a machine or a single card, and blots them out.

Every kind of trace is one row of the table KINDS. A serial number that stands in a CID is removed wherever else it
stands, in every spelling. Doubtful places are removed: measurements are stored elsewhere. Linear in the length of the
text: quantifiers are bounded, or cannot start within a run of their own characters.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from submissions.domain.intake import commands
from submissions.domain.intake.lines import LONGEST_LINE, Line, split
from submissions.domain.intake.parsed import Parsed, Span

_HEX: Final = "[0-9A-Fa-f]"
_PAIR: Final = rf"(?:0x|\$)?{_HEX}{{2}}"
_GAP: Final = "[ ,:_-]{1,2}"
_HEADING: Final = re.compile(r"==> \S{1,200}?/([a-z_]{1,40}) <==")
_NO_DIGIT: Final = re.compile(r"0x|[^0-9A-Fa-f]")
_DIGITS: Final = re.compile(rf"{_HEX}{{5,}}")
_SHORT: Final = 200  # letters of a text worth remembering
_LONG_ENOUGH: Final = 5  # digits of a serial number that is no common number


@dataclass(frozen=True, slots=True, order=True)
class Private:
    """A place that is not published; `kind` says what stands there."""

    span: Span
    kind: str


@dataclass(frozen=True, slots=True)
class TraceKind:
    """One kind of trace. `pattern`: what goes is the group `gone` where there is one, else the whole match.

    `sign`: what a line must hold, in lower case, for the pattern to be tried; "" for none.
    """

    name: str
    sign: str
    pattern: re.Pattern[str]
    applies: Callable[[Line, re.Match[str], str], bool] = lambda line, match, heading: True


def _no_csd(line: Line, match: re.Match[str], heading: str) -> bool:
    """CSD and CID have the same length; only what is called CSD holds no serial number for certain."""
    before = line.text[: match.start()].lower()
    cid, csd = before.rfind("cid"), before.rfind("csd")
    return csd <= cid if csd >= 0 or cid >= 0 else heading != "csd"


def _no_device(line: Line, match: re.Match[str], heading: str) -> bool:
    """False for paths that every machine has."""
    path = match[0]
    named = path.startswith(("/dev/disk/by-", "/dev/mapper/"))
    return named or not path.startswith(("/dev/", "/sys/", "/proc/", "/bin/", "/sbin/", "/usr/"))


SERIAL: Final = "serial number"
HOST: Final = "user or host name"
KINDS: Final = (
    TraceKind(
        SERIAL,
        "",
        re.compile(rf"(?<!{_HEX})(?:0x)?{_HEX}{{18}}(?P<gone>{_HEX}{{12,14}})(?!{_HEX})"),
        _no_csd,
    ),
    TraceKind(
        SERIAL,
        "",
        re.compile(
            rf"(?<![0-9A-Za-z])(?:{_PAIR}{_GAP}){{9}}(?P<gone>(?:{_PAIR}{_GAP}){{5,6}}{_PAIR})(?!{_HEX})"
        ),
        _no_csd,
    ),
    TraceKind(
        SERIAL,
        "",
        re.compile(rf"(?<![0-9A-Za-z])(?:(?:0x)?{_HEX}{{8}}{_GAP}){{3}}(?:0x)?{_HEX}{{6,8}}(?!{_HEX})"),
        _no_csd,
    ),
    TraceKind(
        SERIAL,
        "s",
        re.compile(
            r"(?<![A-Za-z])(?:id_)?(?:i?serial(?:[ _-]?(?:number|num|no\.?|short))?|psn|s/n|sn)"
            r"[\"'\]}\s:=#>-]{1,12}(?:[0-9]{1,2}\s{1,4})?(?P<gone>(?=[A-Za-z_.-]{0,20}[0-9])[0-9A-Za-z._:-]{1,64})",
            re.IGNORECASE,
        ),
    ),
    TraceKind(
        "MAC address",
        "",
        re.compile(rf"(?<![0-9A-Za-z:-]){_HEX}{{2}}([:-])(?:{_HEX}{{2}}\1){{4}}{_HEX}{{2}}(?![0-9A-Za-z:-])"),
    ),
    TraceKind(
        "UUID", "-", re.compile(rf"(?<!{_HEX}){_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}(?!{_HEX})")
    ),
    TraceKind("e-mail address", "@", re.compile(r"(?<!\S)[^\s@]+@[^\s@]{1,64}?\.[A-Za-z]\S*")),
    TraceKind(
        "e-mail address",
        " at ",
        re.compile(
            r"(?<!\S)[A-Za-z0-9._+-]{1,64} at [A-Za-z][A-Za-z0-9-]{0,62}\.[A-Za-z][A-Za-z0-9.-]{1,60}"
        ),
    ),
    TraceKind(HOST, "@", re.compile(r"(?<!\S)[^\s@]+@[A-Za-z]\S*")),
    TraceKind(
        HOST,
        "",
        re.compile(
            r"(?<![A-Za-z])(?:host(?: ?name)?|node ?name|computer ?name|user(?: ?name)?|login|owner)"
            r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<gone>[^\s\"',]{1,64})",
            re.IGNORECASE,
        ),
    ),
    TraceKind(HOST, "linux ", re.compile(r"\bLinux (?!version)(?P<gone>[^\s]{1,64}) [0-9]{1,2}\.[0-9]{1,3}")),
    TraceKind(
        HOST,
        ":",
        re.compile(
            r"\s{0,9}(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2}T\S{8,22})"
            r" (?P<gone>[A-Za-z][^\s:]{0,63})(?= [a-z])"
        ),
    ),
    # bonnie++: the machine stands in the third field, before the size and at the left of the second table.
    TraceKind(HOST, "1.9", re.compile(r"\A\W{0,9}1\.9[678],[12]\.[0-9]{2}[a-z]?,(?P<gone>[^,\s]{1,80}),")),
    TraceKind(HOST, "-create--", re.compile(r"\A[\s>]{0,9}(?P<gone>[^\s-]\S{0,30})\s{1,30}-Create--")),
    TraceKind(
        HOST,
        "",
        re.compile(
            r"\A[\s>]{0,9}(?P<gone>[^\s,]{1,30})\s{1,30}[0-9]{1,6}[MGk]?(?:\s{1,9}[0-9.+kmg]{1,9}){12}\s*\Z"
        ),
    ),
    TraceKind(
        "Wi-Fi name",
        "",
        re.compile(
            r"(?<![A-Za-z])(?:e?ssid|wi-?fi(?: name)?|wlan)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<gone>[^\"',]{1,40})",
            re.I,
        ),
    ),
    TraceKind(
        "volume label",
        "label",
        re.compile(r"(?<![A-Za-z])(?:PART|FS_)?LABEL(?:_FATBOOT|_ENC)?=[\"']?(?P<gone>[^\"'\s]{1,64})"),
    ),
    TraceKind(
        "IP address", ".", re.compile(r"(?<![0-9A-Za-z.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9A-Za-z.])")
    ),
    TraceKind(
        "IP address",
        "::",
        re.compile(rf"(?<![0-9A-Za-z:])(?:{_HEX}{{1,4}}:){{1,7}}:(?:{_HEX}{{1,4}}:?){{0,7}}(?![0-9A-Za-z:])"),
    ),
    TraceKind(
        "path",
        "/",
        re.compile(r"(?<![A-Za-z0-9_./~\\])/[A-Za-z0-9._@-][^\s\"'<>|;,)/]*/[^\s\"'<>|;,)]*"),
        _no_device,
    ),
    TraceKind("path", "~", re.compile(r"(?<![^\s=\"'(])~[A-Za-z0-9_-]{0,32}/[^\s\"'<>|;,)]*")),
    TraceKind(
        "path", ":\\", re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[^\s\"<>|]{1,400}(?: [^\s\"<>|\\]{1,64}\\\S*)?")
    ),
)


def find(
    lines: Sequence[Line], *, among: Container[int] | None = None, serials: Iterable[int] = ()
) -> tuple[Private, ...]:
    """Every private place, in the order of the text; none overlaps another.

    `among`: numbers of the lines to search, all by default; `serials`: further serial numbers to look for.
    """
    searched = [line for line in _under_headings(lines) if among is None or line[0].number in among]
    places = [place for line, heading in searched for place in _by_kind(line, heading)]
    spelt = _spellings({*_serials(lines, places), *serials})
    places += [place for line, _ in searched for place in _spelt_out(line, spelt)]
    return tuple(_without_overlaps(sorted(places)))


def scrub(text: str, *, serials: Iterable[int] = ()) -> str:
    """Text for readers, with the kind of what was private in its place. `serials` as in `find`."""
    if len(text) <= _SHORT and _is_plain(text):
        return text
    lines = split(text)
    private = find(lines, serials=serials)
    return "\n".join(_replaced(lines, private)) if private else text


@lru_cache(maxsize=4096)
def _is_plain(text: str) -> bool:
    """Whether the text holds nothing private, whatever the serial number. Cached for names of boards and kernels."""
    return not _DIGITS.search(text) and not find(split(text))


def public_text(parsed: Parsed) -> str:
    """The lines in which something was understood, scrubbed; for other lines their number. "" if none is left.

    A line that was not understood may hold anything, a signature or a password, and is never published.
    """
    shown = public_lines(parsed)
    private = find(parsed.lines, among={line.number for line in shown})
    pieces, last = [], 0
    for line, text in zip(shown, _replaced(shown, private), strict=True):
        pieces += [*_gap(line.number - last - 1), text]
        last = line.number
    return "\n".join(pieces)


def public_lines(parsed: Parsed) -> list[Line]:
    """Lines in which something was understood, but for commands of programs that are none of our business."""
    understood = {span.line for span in parsed.understood}
    return [line for line in parsed.lines if line.number in understood and not _unknown_command(line)]


def _unknown_command(line: Line) -> bool:
    command = commands.parse(line.text[line.start :])
    return command is not None and not command.program


def _gap(count: int) -> list[str]:
    """Lines between those shown."""
    return [f"[… {count} line{'s' if count > 1 else ''} not published]"] if count else []


def _replaced(lines: Iterable[Line], private: Iterable[Private]) -> Iterator[str]:
    by_line: dict[int, list[Private]] = {}
    for place in private:
        by_line.setdefault(place.span.line, []).append(place)
    for line in lines:
        text, at = [], 0
        for place in by_line.get(line.number, ()):
            text += [line.text[at : place.span.start], f"[{place.kind}]"]
            at = place.span.end
        yield "".join(text) + line.text[at:]


def _under_headings(lines: Iterable[Line]) -> Iterator[tuple[Line, str]]:
    """Each line with the name of the sysfs file whose contents it is, or ""."""
    heading = ""
    for line in lines:
        yield line, heading
        named = _HEADING.match(line.text, line.start) if "==>" in line.text else None
        heading = named[1] if named else ""


def _by_kind(line: Line, heading: str) -> Iterator[Private]:
    if len(line.text) > LONGEST_LINE:
        yield Private(_whole(line), "line too long to be searched")
        return
    if heading == "serial" and line.text:
        yield Private(_whole(line), SERIAL)
    lower = line.text.lower()
    for kind in KINDS:
        if kind.sign in lower:
            yield from _matches(kind, line, heading)


def _whole(line: Line) -> Span:
    return Span(line.number, 0, len(line.text))


def _matches(kind: TraceKind, line: Line, heading: str) -> Iterator[Private]:
    for match in kind.pattern.finditer(line.text):
        if kind.applies(line, match, heading):
            group = "gone" if "gone" in match.re.groupindex else 0
            yield Private(Span(line.number, *match.span(group)), kind.name)


def _serials(lines: Sequence[Line], places: Iterable[Private]) -> set[int]:
    """Serial numbers that are called so, and those in what looks like a CID: as SD and as MMC place it, its words in
    either order.
    """
    serials: set[int] = set()
    for place in places:
        if place.kind == SERIAL:
            text = lines[place.span.line - 1].text
            serials |= _called_so(text[place.span.start : place.span.end])
            gone = _NO_DIGIT.sub("", text[place.span.start : place.span.end])
            whole = gone if len(gone) > 28 else _NO_DIGIT.sub("", text[: place.span.end])[-18 - len(gone) :]
            turned = "".join(whole[at : at + 8] for at in (24, 16, 8, 0))
            cids = (whole, turned) if len(gone) > 28 else (whole,) if len(gone) in (12, 14) else ()
            serials |= {int(cid[at : at + 8], 16) for cid in cids for at in (18, 20) if len(cid) >= 28}
    return serials


def _called_so(text: str) -> set[int]:
    """A number by itself, in hex or decimal; nothing for what has more digits than a card's."""
    digits = text.lower().removeprefix("0x")
    if not digits.isalnum() or len(digits) > 10 or not digits.isascii():
        return set()
    as_hex = {int(digits, 16)} if len(digits) <= 8 and not _NO_DIGIT.search(digits) else set()
    return as_hex | ({int(digits)} if digits.isdecimal() else set())


def _spellings(serials: Iterable[int]) -> frozenset[str]:
    """How serial numbers may be written: eight hex digits, fewer without leading zeros, decimal, binary."""
    written = {
        text
        for serial in serials
        for text in (f"{serial:08x}", f"{serial:x}", str(serial), f"0b{serial:032b}")
    }
    return frozenset(text for text in written if len(text.lstrip("0")) >= _LONG_ENOUGH)


def _spelt_out(line: Line, spelt: frozenset[str]) -> Iterator[Private]:
    """Wherever these digits stand for themselves, or eight of them within longer hex."""
    for match in _DIGITS.finditer(line.text) if spelt else ():
        digits, start = match[0].lower(), match.start()
        if digits in spelt or digits.lstrip("0") in spelt:
            yield Private(Span(line.number, *match.span()), SERIAL)
            continue
        for at in range(len(digits) - 7):
            if digits[at : at + 8] in spelt:
                yield Private(Span(line.number, start + at, start + at + 8), SERIAL)


def _without_overlaps(private: Iterable[Private]) -> Iterator[Private]:
    """Places that touch become one, of the kind that begins first."""
    last: Private | None = None
    for place in private:
        if last and last.span.line == place.span.line and place.span.start < last.span.end:
            end = max(last.span.end, place.span.end)
            last = Private(Span(last.span.line, last.span.start, end), last.kind)
            continue
        if last:
            yield last
        last = place
    if last:
        yield last
