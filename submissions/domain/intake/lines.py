"""Pasted text -> the lines a terminal would have left standing, and the numbers in them."""

import codecs
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Final

from submissions.domain.errors import ReportError

MAX_BYTES: Final = 8_000_000
# No tool read here prints a longer line; a longer one is listed as not understood instead of searched.
LONGEST_LINE: Final = 2_000
# ECMA-48 control sequences, and the choice of a character set that `tput sgr0` writes.
_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][0-9A-Za-z]|[@-Z\\^_])?")
_CONTROL: Final = {code: " " for code in range(32) if chr(code) not in "\n\r\t\x1b"} | {0x7F: " "}
# Full-width forms of East Asian locales.
_NARROW: Final = {ord(wide): narrow for wide, narrow in zip("，、；：（）／％０", ",,;:()/%0", strict=True)}
_BLANKS: Final = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " ")
_TRANSLATION: Final = _CONTROL | _NARROW | _BLANKS
# What web pages and forums put around a text; anything else in angle or square brackets belongs to it.
_BREAK: Final = re.compile(r"<br ?/?>\n?", re.IGNORECASE)
_MARKUP: Final = re.compile(
    r"</?(?:pre|code|p|div|span|tt|blockquote|b|i|em|strong|font|ul|ol|li)(?: [^<>\n]{0,200})?>"
    r"|\[/?(?:code|quote|pre|b|i|u|size|color|font|list|spoiler)(?:=[^\]\[\n]{0,80})?\]",
    re.IGNORECASE,
)
_ENTITY: Final = re.compile(r"&(?:#x?[0-9a-f]{2,5}|[a-z]{2,8});", re.IGNORECASE)
_INDENT: Final = re.compile(r"[\s>]*")
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9_.])[0-9]+(?:[.,][0-9]+)*")


class TextError(ReportError):
    """Text that cannot be read at all."""

    code = "unreadable_text"


@dataclass(frozen=True, slots=True)
class Line:
    """`number` counts from 1; `text` without control characters; `start`: after indentation and quote marks."""

    number: int
    text: str
    start: int


def decode(body: bytes) -> str:
    """Bytes of a file -> text: UTF-16, with its mark or not, else UTF-8, else Latin-1, in which µ is one byte."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    if wide := _unmarked_utf16(body[:2000]):
        return body.decode(wide, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _unmarked_utf16(sample: bytes) -> str:
    """Name of the encoding when every other byte of much of it is zero, as text of ASCII has them; "" for none."""
    high, low = sample[::2].count(0), sample[1::2].count(0)
    if 8 * max(high, low) < len(sample) or not sample:
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def split(text: str) -> tuple[Line, ...]:
    """Raises TextError above 8 MB. Every character becomes at most one: columns hold for what is shown."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise TextError(
            f"The text has {size:,} bytes; at most {MAX_BYTES:,} are read."
            " Paste the part with the measurements, or several parts.",
            field="text",
            code="too_large",
        )
    plain = (
        _ANSI.sub("", _unmarked(text.removeprefix("\ufeff"))).translate(_TRANSLATION).replace("\r\n", "\n")
    )
    if "\n" not in plain:
        plain = plain.replace("\r", "\n")
    return tuple(_line(number, raw) for number, raw in enumerate(plain.split("\n"), start=1))


def _unmarked(text: str) -> str:
    """The text without the markup of a page or a forum, entities replaced by their characters."""
    bare = _MARKUP.sub("", _BREAK.sub("\n", text)) if "<" in text or "[" in text else text
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), bare) if "&" in bare else bare


def _line(number: int, raw: str) -> Line:
    pieces = [piece for piece in raw.split("\r") if piece.strip()]
    text = pieces[-1].rstrip() if pieces else ""  # progress that was overwritten is gone
    indent = _INDENT.match(text)
    return Line(number, text, indent.end() if indent else 0)


def numbers(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every number. Digits inside a name, such as mmcblk0, are none."""
    return (match.span() for match in _NUMBER.finditer(text))


class NotANumber(ValueError):
    """Something that looked like a number."""


def decimal(text: str) -> float:
    """A number with a decimal point or comma. Raises NotANumber for anything else, "nan" and "inf" too."""
    try:
        value = float(text.replace(",", "."))
    except ValueError as error:
        raise NotANumber(text) from error
    if not isfinite(value):
        raise NotANumber(text)
    return value
