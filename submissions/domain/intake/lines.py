"""Split a pasted text into lines as a terminal would show them, and find the numbers in the lines."""

import codecs
import re
from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

from submissions.domain.errors import ReportError
from submissions.domain.intake import wrappings

MAX_BYTES = 8_000_000
# No supported tool prints a longer line; a longer line is listed as not understood instead of searched.
LONGEST_LINE = 2_000
# The longest log seen in public, a night of flashbench, has 16,691. Each line costs some 20 µs.
MOST_LINES = 20_000
# ECMA-48 control sequences, and the choice of a character set that `tput sgr0` writes.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][0-9A-Za-z]|[@-Z\\^_])?")
_CONTROL = {code: " " for code in range(32) if chr(code) not in "\n\r\t\x1b"} | {0x7F: " "}
# Full-width forms of East Asian locales (Unicode, "Halfwidth and Fullwidth Forms").
_NARROW = {0xFF01 + at: chr(0x21 + at) for at in range(94)} | {ord("、"): ","}
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " ")
_TRANSLATION = _CONTROL | _NARROW | _BLANKS
# Writing programs turn the hyphens before an option into a dash, and some people put a blank before "/s".
_DASH = re.compile(r"(?<=\s)[–—](?=([A-Za-z][\w-]{0,30})(?:[\s=]|\Z))")
_SPACED_UNIT = re.compile(r"(?<=B) (?=/s(?:ec)?\b)")
_MOST_PREFIXES = 3  # a line number, a time and a bar, say
_ENDS_OF_FRAMES = dict.fromkeys("|│┃", " |│┃") | {'"': '",'}
_INDENT = re.compile(r"[\s>]*")
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[0-9]+(?:[.,][0-9]+)*")


class TextError(ReportError):
    """Raised for text that cannot be read at all."""

    code = "unreadable_text"


class Line(NamedTuple):
    """A line of a text. `number` counts from 1; `text` has no control characters.

    `start`: position after indentation and quote marks. `columns`: for each character of a changed line its column in
    the original line; () if the line is unchanged.
    """

    number: int
    text: str
    start: int
    columns: tuple[int, ...] = ()

    def column_range(self, start: int, end: int) -> tuple[int, int]:
        """Return start and end of these characters in the original line."""
        if not self.columns or start >= end:
            return start, end
        return self.columns[start], self.columns[end - 1] + 1

    def replace_range(self, start: int, end: int, text: str) -> "Line":
        """Return the line with another text from `start` to `end`.

        The new characters keep the columns of the old characters.
        """
        columns = self.columns or tuple(range(len(self.text)))
        old = columns[start:end]
        last = len(old) - 1
        new = (*(old[min(at, last)] for at in range(len(text) - 1)), old[last]) if text else ()
        return self._replace(
            text=self.text[:start] + text + self.text[end:],
            columns=(*columns[:start], *new, *columns[end:]),
        )


def decode(body: bytes) -> str:
    """Return the text of a file: UTF-16, with its mark or not, else UTF-8, else Latin-1, in which µ is one byte."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    if wide := _unmarked_utf16(body[:2000]):
        return body.decode(wide, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _unmarked_utf16(sample: bytes) -> str:
    """Return "utf-16-be" or "utf-16-le" if many of every second byte are zero, as in ASCII text; "" for other bytes."""
    high, low = sample[::2].count(0), sample[1::2].count(0)
    if 8 * max(high, low) < len(sample) or not sample:
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def split(text: str) -> tuple[Line, ...]:
    """Return the lines of a text. Raise TextError if the text is too large.

    No character becomes more than one, so that columns are valid for the text that is shown.
    """
    _refuse_above(MAX_BYTES, len(text.encode("utf-8", "surrogatepass")), "bytes")
    _refuse_above(MOST_LINES, max(map(text.count, "\n\r")), "lines")
    plain = (
        _ANSI.sub("", wrappings.strip_markup(text.removeprefix("\ufeff")))
        .translate(_TRANSLATION)
        .replace("\r\n", "\n")
    )
    if "\n" not in plain:
        plain = plain.replace("\r", "\n")
    plain = _SPACED_UNIT.sub("", _DASH.sub(_hyphens, plain))
    _refuse_above(MOST_LINES, max(map(plain.count, "\n\r")), "lines")
    return _strip_prefixes([_line(number, raw) for number, raw in enumerate(plain.split("\n"), start=1)])


def _hyphens(dash: re.Match[str]) -> str:
    return "--" if len(dash[1]) > 1 else "-"


def _refuse_above(most: int, count: int, what: str) -> None:
    if count > most:
        raise TextError(
            f"The text has {count:,} {what}; at most {most:,} are read."
            " Paste the part with the measurements, or several parts.",
            field="text",
            code="too_large",
        )


# Strips a prefix that most lines have. A quote that only repeats another line becomes blank.
def _strip_prefixes(lines: list[Line]) -> tuple[Line, ...]:
    for index in wrappings.quoted_copies([(line.text, line.start) for line in lines]):
        lines[index] = Line(lines[index].number, "", 0)
    for _ in range(_MOST_PREFIXES):
        starts = wrappings.prefix_ends([(line.text, line.start) for line in lines])
        if not starts:
            break
        lines = [_strip_prefix(line, start) for line, start in zip(lines, starts, strict=True)]
    return tuple(lines)


# A line between bars or in quotation marks also loses its last bar or quotation mark.
def _strip_prefix(line: Line, start: int) -> Line:
    frame = line.text[:start].rstrip()[-1:]
    return Line(line.number, line.text.rstrip(_ENDS_OF_FRAMES.get(frame, "")), start)


def _line(number: int, raw: str) -> Line:
    text = _last_written(raw) if "\r" in raw else raw.rstrip()
    indent = _INDENT.match(text) if text[:1].isspace() or text[:1] == ">" else None
    return Line(number, text, indent.end() if indent else 0)


# A carriage return overwrites the progress before it.
def _last_written(raw: str) -> str:
    pieces = (piece.rstrip() for piece in reversed(raw.split("\r")))
    return next(filter(None, pieces), "")


def numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of every number in a text. Digits inside a name, such as mmcblk0, are no number."""
    return (match.span() for match in _NUMBER.finditer(text))


def count_numbers(text: str) -> int:
    """Return how many numbers `numbers` would yield."""
    return len(_NUMBER.findall(text))


class NotANumber(ValueError):
    """Raised for text that looked like a number and is none."""


def decimal(text: str) -> float:
    """Return a number with a decimal point or comma. Raise NotANumber for any other text, "nan" and "inf" too.

    With both marks, the first separates thousands: 1,093.127 and 1.093,127. A single comma is a decimal comma: only the
    tool knows how many decimals it prints, so patterns require that number of decimals.
    """
    last = max(text.rfind("."), text.rfind(","))
    mark = text[last : last + 1]
    first = "," if mark == "." else "."
    plain = text.replace(first, "") if first in text[:last] else text
    try:
        value = float(plain.replace(",", "."))
    except ValueError as error:
        raise NotANumber(text) from error
    if not isfinite(value):
        raise NotANumber(text)
    return value


def whole(text: str) -> int:
    """Return a whole number, perhaps with separators: 2,732, 2.732, 2 732. Raise NotANumber for any other text."""
    digits = re.sub(r"[,. ]", "", text)
    if not (digits.isascii() and digits.isdecimal()):
        raise NotANumber(text)
    return int(digits)
