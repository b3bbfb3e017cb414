"""Strip additions of people from the line of a tool: bullets, labels, bold type, notes, separators in numbers.

Readers try the unchanged line first, and its other forms only if no reader takes the line.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from submissions.domain.intake.lines import Line

_LONGEST_BY_HAND = 400  # characters of a line to which people still add something
_MOST_LABELS = 2
AROUND = " \t*_#•–—~=-/^<>|→←↑»«"  # characters around words
_BULLET = re.compile(r"(?:[*•·‣◦▪+-]|[0-9]{1,2}[.)])\s{1,9}(?=\S)")
_EMPHASIS = re.compile(r"\*\*|__|`{1,3}")
# A label ends in a colon, in bold type or with its cell: "Result: ", "Pi 4: ", "**SanDisk** ", "| SanDisk | ".
_LABEL = re.compile(r"(?=.{0,60}[^\W\d_])[^=]{1,60}?(?::|\*\*|\|)\s{1,20}(?=\S)")
# The sign that begins a note behind a line, and the stop that ends a sentence.
_NOTE = re.compile(r"\s{1,20}(?=<[-=]|[←⇐]|[-=]{1,3}>|[→⇒]|//|#|\||\(\D)")
_STOP = re.compile(r"(?<=[\w)\]%])[.;,!]\s*\Z")
_NUMBER = re.compile(r"(?<![\w.,])[0-9]+(?:[.,'’][0-9]+)+(?![\w.,'’]?[0-9])")
_GROUPS = re.compile(r"[0-9]{1,3}(?:([.,'’])[0-9]{3})(?:\1[0-9]{3})*(?:(?!\1)[.,][0-9]+)?\Z")


@dataclass(frozen=True, slots=True)
class DecimalMarks:
    """The decimal marks that a text is sure to use: a comma as in 4,6, a point as in 4.6, both, or neither."""

    comma: bool
    point: bool


# A mark separates thousands if a text begins decimals only with the other mark.
_MARKS_OF_DECIMALS = {
    ",": DecimalMarks(comma=False, point=True),
    ".": DecimalMarks(comma=True, point=False),
}
_SURE_COMMA = re.compile(r"(?<![\w.,])[0-9]+,[0-9]{1,2}(?![\w.,]?[0-9])")
_SURE_POINT = re.compile(r"(?<![\w.,])[0-9]+\.[0-9]{1,2}(?![\w.,]?[0-9])")


def find_decimal_marks(lines: Iterable[Line]) -> DecimalMarks:
    """Return the decimal marks of a text, by numbers with one or two digits after a mark."""
    texts = [line.text for line in lines]
    return DecimalMarks(*(any(map(mark.search, texts)) for mark in (_SURE_COMMA, _SURE_POINT)))


def undress(line: Line, marks: DecimalMarks) -> Iterator[Line]:
    """Yield forms of a line without additions of people, such as bullets, bold type or separators in numbers.

    Each form differs from the line and from the forms before it.
    """
    if len(line.text) > _LONGEST_BY_HAND:
        return
    seen = {line.text[line.start :]}
    for bare in (line, *_strip_additions(line)):
        for form in (bare, _with_points(bare, marks)):
            if (text := form.text[form.start :]) not in seen:
                seen.add(text)
                yield form


def _strip_additions(line: Line) -> Iterator[Line]:
    if match := _LABEL.match(line.text, line.start) if "**" in line.text else None:
        yield _strip_marks(line._replace(start=match.end()))
    for bare in _strip_ending(_strip_marks(line)):
        yield bare
        for _ in range(_MOST_LABELS):
            if match := _LABEL.match(bare.text, bare.start):
                yield (bare := bare._replace(start=match.end()))


def _strip_marks(line: Line) -> Line:
    if match := _BULLET.match(line.text, line.start):
        line = line._replace(start=match.end())
    for match in reversed(list(_EMPHASIS.finditer(line.text, line.start))):
        line = line.replace_range(*match.span(), "")
    return line


def _strip_ending(line: Line) -> Iterator[Line]:
    yield line
    for ending in (_STOP, _NOTE):
        if found := list(ending.finditer(line.text, line.start)):
            yield line.replace_range(found[-1].start(), len(line.text), "")


def find_words_around(line: Line, form: Line) -> str:
    """Return the words that were stripped from a line to get this form of it."""
    begin, end = form.column_range(form.start, len(form.text))
    return f"{line.text[line.start : begin]} {line.text[end:]}".strip(f"{AROUND}.:")


def join_lines(upper: Line, lower: Line) -> Line:
    """Return one line made of two, which were one line before a mail or a terminal wrapped it.

    It has the number of the upper line.
    """
    text = f"{upper.text} {lower.text[lower.start :]}"
    columns = upper.columns or tuple(range(len(upper.text)))
    return Line(upper.number, text, upper.start, (*columns, *columns[-1:] * (len(text) - len(upper.text))))


def _with_points(line: Line, marks: DecimalMarks) -> Line:
    # The numbers as most tools print them: 1.234,5 and 1,234.5 become 1234.5.
    for match in reversed(list(_NUMBER.finditer(line.text, line.start))):
        line = line.replace_range(*match.span(), _plain_number(match[0], marks))
    return line


def _plain_number(text: str, marks: DecimalMarks) -> str:
    # One mark with three digits after it may separate thousands or begin decimals; the rest of the text decides.
    signs = set(text) - set("0123456789")
    sign = text[-4:-3]
    if _GROUPS.match(text) and (
        len(signs) > 1 or text.count(sign) > 1 or sign in "'’" or _MARKS_OF_DECIMALS.get(sign) == marks
    ):
        decimals = max(text.rfind("."), text.rfind(",")) if len(signs) > 1 else len(text)
        whole = re.sub(r"\D", "", text[:decimals])
        return f"{whole}.{text[decimals + 1 :]}" if text[decimals:] else whole
    if signs == {","} and text.count(",") == 1 and (len(text) - text.index(",") != 4 or marks.comma):
        return text.replace(",", ".")
    return text
