"""Strip additions of pages, forums, mails and terminals from a text: markup, quotes, a prefix before every line."""

import html
import quopri
import re
from collections.abc import Sequence
from itertools import pairwise

_BREAK = re.compile(r"<br ?/?>\n?|</tr>\n?", re.IGNORECASE)
_CELL = re.compile(r"</t[dh]>\s{0,80}<t[dh](?: [^<>\n]{0,200})?>", re.IGNORECASE)
# A line of its own in bold, underlined or as a heading is a title, whatever the markup.
_TITLE = re.compile(
    r"^[ \t>]{0,40}(?:\[(?:b|u|h[1-6])\]|<(?:b|u|strong|h[1-6])>)([^<>\[\]\n]{1,100})"
    r"(?:\[/(?:b|u|h[1-6])\]|</(?:b|u|strong|h[1-6])>)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# Blocks begin a line where the page has put several into one.
_BLOCK = re.compile(
    r"(?<=[^\s>])(</?(?:p|pre|div|li|blockquote|table|ul|ol|details|summary)(?: [^<>\n]{0,200})?>)(?=.)", re.I
)
# Anything else in angle or square brackets belongs to the text.
_HEADING = re.compile(r"<h([1-6])(?: [^<>\n]{0,200})?>([^<>\n]{1,100})</h\1>[ \t]*(?=\S)", re.IGNORECASE)
_MARKUP = re.compile(
    r"</?(?:pre|code|p|div|span|tt|blockquote|b|i|u|em|strong|font|ul|ol|li|table|tbody|thead|tr|td|th|details"
    r"|summary|h[1-6])"
    r"(?: [^<>\n]{0,200})?>"
    r"|\[/?(?:code|quote|pre|b|i|u|size|color|font|list|spoiler|h[1-6])(?:=[^\]\[\n]{0,80})?\]",
    re.IGNORECASE,
)
# In quoted-printable (RFC 2045) an equals sign is encoded itself, or wraps a line.
_ENCODED = re.compile(r"=3D|^.{60,75}[^\s=]=\r?$", re.MULTILINE)
_NOT_ENCODED = re.compile(r"=(?![0-9A-F]{2}|\r?\n|\Z)")
_ENTITY = re.compile(r"&(?:#x?[0-9a-f]{2,5}|[a-z]{2,8});", re.IGNORECASE)
# Words that always begin a line, though a page may have put all lines into one.
_FOLDED = re.compile(
    r"(?<=\S)[ \t](?=align [0-9]{3,15}\s+pre |\$ (?:sudo )?(?:\./)?(?:cat /sys/|(?:flashbench|dd|hdparm|fio|iozone) ))"
)
# A prefix before most lines is no part of the output of a tool; a Markdown heading or a prompt begins only some.
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?"
_HOST, _TAG, _PROCESS = r"\S{0,63}[^\s:]", r"[^\s:]{1,60}: ", r"(?:kernel|\S{1,60}\[[0-9]{1,9}\]): "
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR)(?::[\w.]{1,40}:|[: ]) ?"
_PREFIXES = (
    re.compile(r"\s{0,9}[0-9]{1,6}(?:[:|.)\t] ?|\s{1,99}(?=\S)|\s*\Z)"),
    re.compile(r"\[[^\]\[\n]{5,40}\]:? ?"),
    re.compile(rf"(?:<[0-9]{{1,3}}>)?[A-Z][a-z]{{2}} [ 0-9][0-9] {_CLOCK} (?:{_HOST} (?:{_TAG})?|{_TAG})"),
    re.compile(
        rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]{_CLOCK}(?:Z|[+-][0-9:]{{4,6}})? (?:{_LEVEL}|{_HOST} {_PROCESS})?"
    ),
    re.compile(rf"{_CLOCK}(?: ->|:)? "),  # the serial monitor of Arduino
    re.compile(
        rf"[0-9]{{2}}-[0-9]{{2}} {_CLOCK}(?:\s{{1,5}}[0-9]{{1,6}}){{2}} [VDIWEF] [^:]{{1,40}}: "
    ),  # Android
    re.compile(
        rf"{_LEVEL}|[VDIWE] \([0-9]{{1,9}}\) [\w.-]{{1,24}}: |<[@+ ]?[A-Za-z][\w-]{{1,30}}> "
    ),  # ESP-IDF, a chat
    re.compile(r"[\w.-]{1,50}-[0-9]{1,3}\s{1,9}\| ?"),  # docker compose
    re.compile(r"[+*•-] ?"),
    re.compile(r"(?://|;|#) ?"),
    re.compile(r"\"(?![\w ]{1,40}\":)(?=.*\",?\s*\Z)"),
    re.compile(r"[|│┃](?!.*[|│┃]\s*\S) ?"),
)
_NUMBERED = _PREFIXES[0]
_UNMISTAKABLE = _PREFIXES[2:8]  # with a time, a level or the name of a container: also strips a single line
_MOST = 0.9  # share of the lines that are not blank
_FEWEST = 3
_LONG_ENOUGH = 20  # characters of a line that is not printed twice by chance


def strip_markup(text: str) -> str:
    """Return the text without the markup of a page or a forum, or the encoding of a mail.

    Entities become characters.
    """
    if "=" in text and _ENCODED.search(text) and not _NOT_ENCODED.search(text):
        text = quopri.decodestring(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    if "<" in text or "[" in text:
        text = _BREAK.sub("\n", _CELL.sub("\t", _TITLE.sub(r"**\1**", _HEADING.sub(r"\n**\2**\n", text))))
        text = _MARKUP.sub("", _BLOCK.sub(r"\n\1", text))
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text) if "&" in text else text
    if " align " not in text and " $ " not in text:
        return text
    return "\n".join(_unfold(line) for line in text.split("\n"))


def _unfold(line: str) -> str:
    return _FOLDED.sub("\n", line) if len(_FOLDED.findall(line)) > 1 else line


def prefix_ends(texts: Sequence[tuple[str, int]]) -> list[int] | None:
    """Return the start of each line after the prefix that most lines have; None without a prefix.

    `texts`: each line and its start after indentation and quote marks.
    """
    filled = [(text, start) for text, start in texts if text[start:]]
    for pattern in _PREFIXES if len(filled) >= _FEWEST else _UNMISTAKABLE if filled else ():
        matching = _match_most(pattern, filled)
        if matching and (pattern is not _NUMBERED or _are_line_numbers(matching)):
            return [_find_end(pattern, text, start) for text, start in texts]
    return None


def _match_most(pattern: re.Pattern[str], texts: Sequence[tuple[str, int]]) -> list[re.Match[str]]:
    """Return the matches of a pattern in the texts, but an empty list if too many texts do not match.

    Then the rest is not tried, to save time.
    """
    matching, misses = [], int((1 - _MOST) * len(texts))
    for text, start in texts:
        match = pattern.match(f"{text} ", start)
        misses -= match is None
        if misses < 0:
            return []
        matching += [match] if match else []
    return matching


# The numbers of lines increase by one, or a little more.
def _are_line_numbers(matches: Sequence[re.Match[str]]) -> bool:
    numbers = [int("".join(filter(str.isdecimal, match[0]))) for match in matches]
    return sum(0 < after - before <= 3 for before, after in pairwise(numbers)) >= _MOST * (len(numbers) - 1)


def _find_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(f"{text} ", start)  # a blank that ended an empty line is gone
    end = min(match.end(), len(text)) if match else start
    return len(text) - len(text[end:].lstrip())


def quoted_copies(texts: Sequence[tuple[str, int]]) -> set[int]:
    """Return the indices of quoted lines that also occur with fewer quote marks, since mails quote earlier mails."""
    quoted = [(text[start:], text.count(">", 0, start)) for text, start in texts]
    least: dict[str, int] = {}
    for words, depth in quoted:
        least[words] = min(depth, least.get(words, depth))
    return {
        index
        for index, (words, depth) in enumerate(quoted)
        if depth > least[words] and len(words) >= _LONG_ENOUGH
    }
