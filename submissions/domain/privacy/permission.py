"""Find the parts of a line that may not be published: all but numbers, units, and words of a vocabulary.

Each such part is replaced by a black bar. A line is split into chunks at blanks, commas, brackets and quotes. A chunk
is barred from its first word or sign on that is not permitted; as a whole if it is a path, an address or the name of a
user or a file; and together with the whole quotation that it is part of.

Numbers beside a bar are barred as well, and so are long numbers without a unit: telephones, addresses, parts of serial
numbers.

The time is linear in the length of the line.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

BAR = "███"
Place = tuple[int, int]

_CHUNK = re.compile(r"(?:\\[ ]|[^\s,;|()\[\]{}<>\"'`“”„‘’«»]|(?<=\w)['’](?=\w{1,2}\b))+")
_TOKEN = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:%|\w*)|\w+(?:['’]\w{1,2}\b)?|[^\w\s]")
_QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|`[^`]*`|“[^”]*”|«[^»]*»")
_UNIT = r"(?:%|[kKMGTm]i?[bB](?:/s)?|[kKMGTwmgs]|[nuµμm]s|[mun]?sec|[kMG]?Hz|m?[VW]|mA|x|th|st|nd|rd)"
# At most six digits before a B: seven digits and a B may be hex.
_NUMBER = re.compile(
    rf"(?P<digits>[0-9]{{1,19}}(?:\.[0-9]{{1,9}})?)(?P<unit>{_UNIT})?\Z|(?P<bytes>[1-9][0-9]{{0,5}})B\Z"
)
_VERSION = re.compile(r"[0-9]{1,2}\.[0-9]{1,3}\.[0-9]{1,3}\Z")
_DATE = re.compile(
    r"(?:(?:19|20)[0-9]{2}-[01][0-9](?:-[0-3][0-9])?|[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?)\Z"
)
_SHORT = re.compile(r"[0-9]{0,3}\Z")
_HEX = re.compile(r"0x[0-9A-Fa-f]{1,6}\Z")
_DEVICE = re.compile(
    r"(?:mmcblk|nvme|loop|nbd|md|sd|vd|xvd|hd|zram|ram|dm|mmc|r?disk)(?:[a-z]{1,2}|[0-9]{1,3})(?:[np]?[0-9]{1,3}){0,2}\Z"
)
_ENDINGS = (re.compile(r"['’](?:s|t|re|ve|ll|d|m)\Z"), re.compile(r"n['’]t\Z"))
# A path except those that every machine has, a user on a machine, a name with a dot: file, host or address.
_PLACE = re.compile(
    r"://|\\|//|\.\./|/\.\.|\w@\w|~[^0-9]|[^\W\d]{2,}\.[^\W\d]{2,}|(?:\A|[=:@])/(?!(?:dev|sys|proc|bin|sbin|usr)/|\w+\Z)"
)
_SIGNS = frozenset("!#$%&*+-./:=?@^_~°±×·µ–—…≈≤≥→•│─¹²³")
_UNIT_WORDS = frozenset(
    ["b", "byte", "bytes", "kb", "mb", "gb", "kib", "mib", "gib", "sectors", "iops", "ns", "us", "µs", "ms"]
)
_MOST_DIGITS = 7


class _Chunk(NamedTuple):
    """A part of a line between two separators.

    `bar`: start of its bar, None without a bar. `number`: start of its first number without a unit, None without a
    number; `digits`: total digits of its numbers. `has_words`: whether it has words, too.
    """

    start: int
    end: int
    bar: int | None = None
    number: int | None = None
    digits: int = 0
    has_words: bool = False
    is_unit: bool = False


def bars(text: str, words: Collection[str], *, measured: Sequence[Place] = ()) -> list[Place]:
    """Return the parts of a line that may not be published, as (start, end).

    `measured`: parts with numbers that were understood.
    """
    chunks = [_chunk(match, words) for match in _CHUNK.finditer(text)]
    places = [(chunk.bar, chunk.end) for chunk in chunks if chunk.bar is not None]
    places += [place for place in _long_numbers(chunks, text) if not _is_within(place, measured)]
    places += [
        quoted
        for quoted in map(re.Match.span, _QUOTED.finditer(text))
        if any(_is_within(place, [quoted]) for place in places)
    ]
    return list(merge_places(places, text))


def with_bars(text: str, places: Iterable[Place]) -> str:
    """Return the text with a bar, always of the same length, in place of each of these parts."""
    pieces, at = [], 0
    for start, end in places:
        pieces += [text[at:start], BAR]
        at = end
    return "".join(pieces) + text[at:]


def merge_places(places: Iterable[Place], text: str) -> Iterator[Place]:
    """Yield the parts of a text in order; parts that overlap or have only blanks and signs between them become one."""
    last: Place | None = None
    for place in sorted(places):
        if last and (place[0] <= last[1] or not any(map(str.isalnum, text[last[1] : place[0]]))):
            last = last[0], max(last[1], place[1])
            continue
        if last:
            yield last
        last = place
    if last:
        yield last


def _chunk(match: re.Match[str], words: Collection[str]) -> _Chunk:
    text, (start, end) = match[0], match.span()
    if _DATE.match(text):
        return _Chunk(start, end)
    if _PLACE.search(text):
        return _Chunk(start, end, bar=start, has_words=True)
    number, digits, has_words = None, 0, False
    for token in _TOKEN.finditer(text):
        count = _count_digits(token[0])
        if count is None and not _is_permitted(token[0], words):
            return _Chunk(start, end, bar=start + token.start(), has_words=True)
        if count:
            number = start + token.start() if number is None else number
        digits += count or 0
        has_words |= count is None and token[0][0].isalnum()
    is_unit = text.casefold().strip(".:") in _UNIT_WORDS
    return _Chunk(start, end, None, number, digits, has_words, is_unit)


def _count_digits(token: str) -> int | None:
    """Return the number of digits of a token, None if the token is not a number.

    It is 0 for a version or a number with a unit, because these may be published.
    """
    number = _NUMBER.match(token)
    if number:
        return (
            0
            if number["unit"] or number["bytes"]
            else max(1, len(number["digits"].replace(".", "").lstrip("0")))
        )
    return 0 if _VERSION.match(token) else 3 if _HEX.match(token) else None


def _is_permitted(token: str, words: Collection[str]) -> bool:
    if not token[0].isalnum() and token[0] != "_":
        return token in _SIGNS
    small = token.casefold()
    if small in words or _DEVICE.match(token) or any(base in words for base in _bases(small)):
        return True
    return "_" in small and all(part in words or _SHORT.match(part) for part in small.split("_"))


# isn't -> is, isn; card's -> card.
def _bases(word: str) -> Iterator[str]:
    return (re.sub(ending, "", word) for ending in _ENDINGS if "'" in word or "’" in word)


def _long_numbers(chunks: Sequence[_Chunk], text: str) -> Iterator[Place]:
    """Yield the numbers to hide, unless a unit follows: those beside a bar, and rows with too many digits.

    A row of so many digits is no measurement.
    """
    for before, row, after in _number_rows(chunks, text):
        digits = sum(chunk.digits for chunk in row)
        beside = any(other and other.bar is not None for other in (before, after))
        has_unit = after and after.is_unit and len(row) == 1
        if row[0].number is not None and (digits > _MOST_DIGITS or beside) and not has_unit:
            yield row[0].number, row[-1].end


def _number_rows(
    chunks: Sequence[_Chunk], text: str
) -> Iterator[tuple[_Chunk | None, list[_Chunk], _Chunk | None]]:
    """Yield each row of numbers that only blanks separate, with the chunk before the row and the chunk after it.

    A chunk is None if more than blanks lie between it and the row. Words may precede the first number.
    """
    before, row = None, list[_Chunk]()
    for last, chunk in pairwise((None, *chunks, None)):
        beside = last if last and chunk and not text[last.end : chunk.start].strip() else None
        if row and (beside is None or chunk is None or chunk.number is None or chunk.has_words):
            yield before, row, chunk if beside else None
            row = []
        if chunk and chunk.number is not None:
            before = before if row else beside
            row.append(chunk)


def _is_within(place: Place, outer: Iterable[Place]) -> bool:
    return any(start <= place[0] and place[1] <= end for start, end in outer)
