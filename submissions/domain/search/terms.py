"""Split a text of the search box into terms in their order, each the longest known phrase at its position."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Literal, NamedTuple, get_args

from submissions.domain.search import joined_words, search_words
from submissions.domain.search.intent import is_unspaced

# Besides the kinds of the table of words: part, a part number; register, its hex digits; rate, a number that does not
# describe a card; line, a word that may be a line; near, a device that we do not know (its value: the most similar one
# that we know); other, any remaining word.
Kind = Literal["capacity", "price", "register", "part", "rate", "line", "near", "other"] | search_words.Kind
KINDS: tuple[Kind, ...] = tuple(kind for kinds in get_args(Kind) for kind in get_args(kinds))
# Kinds of terms that are searched for in the names, part numbers and registers of models.
NAMES: tuple[Kind, ...] = ("name", "part", "register")

_MOST_WORDS_OF_A_PHRASE = 4
_SEPARATORS = re.compile(r"[\s,;:!?\"'“”„«»()\[\]|/。、，：！？]+")
# 15 or 16 bytes as of a CID, or any number from 8 on, in one piece or in groups.
_REGISTER = re.compile(
    r"(?:0x)?[0-9a-f]{2}(?:(?:[\s:-]?[0-9a-f]{2}){14,15}|(?:[\s:-]?[0-9a-f]{2}){7,})(?![0-9a-z])"
)
# A number of a maker or an OEM, as the kernel prints it: 0x000003.
_NUMBER = re.compile(r"0x0*(?P<digits>[0-9a-f]{1,4})(?![0-9a-z])")
# French terabytes, “2 To”, but not “16 to 32 GB”.
_SIZE = re.compile(
    r"(?P<number>\d{1,5}(?:[.,]\d\d?)?)[\s-]?(?P<unit>tb|to(?!\s+\d)|gb|go|gib|гб|gigs?|g|ギガ|t|mb|mo)(?![a-zà-ɏ0-9])"
)
_CURRENCIES = {
    "€": "EUR",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "$": "USD",
    "usd": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "bucks": "USD",
    "£": "GBP",
} | {"gbp": "GBP", "chf": "CHF", "¥": "JPY", "円": "JPY", "jpy": "JPY"}
_MONEY = "|".join(re.escape(sign) for sign in sorted(_CURRENCIES, key=len, reverse=True))
_AMOUNT = r"(?:0|[1-9]\d*)(?:[.,]\d\d?)?"
_PRICE = re.compile(
    rf"(?:(?P<sign>{_MONEY})\s?(?P<after>{_AMOUNT})|(?P<before>{_AMOUNT})\s?(?P<unit>{_MONEY}))(?![^\W_])"
)
_PART = re.compile(r"(?=[a-z0-9/-]*\d)(?=[a-z0-9/-]*[a-z])[a-z0-9]+(?:[-/][a-z0-9]+)*")
_LEAST_PART = 6
_WORD = re.compile(r"[^\W_]+(?:['’+!.&-]*[^\W_]+)*[+!]?")
_BARE = re.compile(r"\d{1,4}(?![a-zà-ɏ0-9]|[.,]\d)")
_RATE = re.compile(r"\d{1,4}\s?(?:m[bo]/s(?:ec)?|mbps)(?![^\W_])")
_OF_NO_CARD = re.compile(r"(?:\d{1,2}|\d+[.,]\d+)(?![^\W_]|[+.,]\w)")
_GB_PER = {"t": 1000.0, "m": 0.001}
_VERSIONS = ("2", "4", "8")
_NEXT_MODEL = re.compile(r"[\s_-]?(\d{1,3}(?:[a-z]\+?)?)(?![^\W_])")
_BARE_SIZES = frozenset(2**power for power in range(2, 12)) | {1000}


class Term(NamedTuple):
    """A part of the text of the search box, and its meaning.

    `value`: a number of GB for a capacity, (amount, currency) for a price. `is_excluded`: the buyer does not want it.
    `limit`: “most”, “least” or “exact” for a size or a price.
    """

    text: str
    kind: Kind
    value: Any
    is_excluded: bool = False
    limit: str = ""


def read_terms(text: str) -> Iterator[Term]:
    """Yield every term of a folded text; words without a meaning have the kind “other”."""
    place, before = 0, ""
    while place < len(text):
        if gap := _SEPARATORS.match(text, place):
            place = gap.end()
            continue
        term = _term(text, place)
        place += len(term.text)
        if before == "board" and term.text in _VERSIONS:
            term = term._replace(kind="rate")  # “Orange Pi 4”
        before = term.kind
        if term.kind in ("other", "part") and (pieces := joined_words.split_joined(str(term.value))):
            yield from read_terms(" ".join(pieces))
        else:
            yield term


def _term(text: str, place: int) -> Term:
    for read_term in _READERS:
        if term := read_term(text, place):
            return term
    word = _WORD.match(text, place)
    end = word.end() if word else place + 1
    end = _find_end(text, place, end)
    return Term(text[place:end], "other", text[place:end])


def _find_end(text: str, place: int, end: int) -> int:
    # A word ends before another script, and in a script without blanks before the next phrase.
    scripts = [is_unspaced(letter) for letter in text[place:end]]
    end = next((place + at for at, script in enumerate(scripts) if script != scripts[0]), end)
    if not scripts[0]:
        return end
    return next((at for at in range(place + 1, end) if search_words.pattern().match(text, at)), end)


def _gb(number: float, unit: str) -> float:
    # People write 64 GiB for the size on the label; a kernel says 59.5 GiB for the same card.
    if unit == "gib" and number not in _BARE_SIZES:
        return float(round(number * 1024**3 / 1e9))
    return number * _GB_PER.get(unit[0], 1.0)


def _price(match: re.Match[str]) -> tuple[float, str]:
    amount = (match["after"] or match["before"]).replace(",", ".")
    return float(amount), _CURRENCIES[match["sign"] or match["unit"]]


def _bare_size(match: re.Match[str]) -> float | None:
    # A size in which cards are sold, without a unit: “SanDisk Ultra 64”.
    return float(match[0]) if int(match[0]) in _BARE_SIZES else None


def _part(match: re.Match[str]) -> str | None:
    return match[0] if len(re.sub(r"\W", "", match[0])) >= _LEAST_PART else None


def _phrase(text: str, place: int) -> Term | None:
    match = search_words.pattern().match(text, place)
    if match and (what := search_words.meaning(match[0])):
        term = Term(match[0], what.kind, what.value.lower() if what.kind == "name" else what.value)
        return _find_next_model(text, match.end(), term) or term
    return _match_stems(text, place)


def _find_next_model(text: str, end: int, device: Term) -> Term | None:
    # A number that is no size, price or rate continues the name of a device: “pi 6” is no Pi that we know.
    match = _NEXT_MODEL.match(text, end) if search_words.is_numbered(device.text) else None
    if not match:
        return None
    number = _term(text, match.start(1))
    is_other = number.kind in ("rate", "other") or number.text in _VERSIONS
    is_next = is_other and number.text == match[1]
    return Term(device.text + match[0], "near", device.value) if is_next else None


def _match_stems(text: str, place: int) -> Term | None:
    # The table has another inflection of the phrase: “dashcams”, “fehlerhafte”.
    words = list(islice(_WORD.finditer(text, place), _MOST_WORDS_OF_A_PHRASE))
    for count in range(len(words), 0, -1):
        some = words[:count]
        what = search_words.meaning_by_stems([word[0] for word in some])
        if what and some[0].start() == place and not _cuts_phrase(text, some):
            return Term(text[place : some[-1].end()], what.kind, what.value)
    return None


def _cuts_phrase(text: str, words: list[re.Match[str]]) -> bool:
    # A phrase begins within these words and goes on after them: “card read only”.
    phrases = (search_words.pattern().match(text, word.start()) for word in words[1:])
    return any(phrase and phrase.end() > words[-1].end() for phrase in phrases)


def _make_reader(
    pattern: re.Pattern[str], kind: Kind, find_value: Callable[[re.Match[str]], Any] = lambda match: match[0]
) -> Callable[[str, int], Term | None]:
    """Return a function that reads a term of this kind at a position of a text; it returns None without a term.

    `find_value`: returns the value of the term, None if the match is no such term.
    """

    def read_term(text: str, place: int) -> Term | None:
        match = pattern.match(text, place)
        value = find_value(match) if match else None
        return Term(match[0], kind, value) if match and value is not None else None

    return read_term


# In the order in which they are tried.
_READERS = (
    _make_reader(_REGISTER, "register", lambda match: re.sub(r"[\s:-]", "", match[0].removeprefix("0x"))),
    _make_reader(
        _NUMBER, "name", lambda match: f"0x{match['digits'].zfill(2 if len(match['digits']) < 3 else 4)}"
    ),
    _make_reader(_PRICE, "price", _price),
    _make_reader(_RATE, "rate"),
    _make_reader(
        _SIZE, "capacity", lambda match: _gb(float(match["number"].replace(",", ".")), match["unit"])
    ),
    _phrase,
    _make_reader(_PART, "part", _part),
    _make_reader(_BARE, "capacity", _bare_size),
    _make_reader(_OF_NO_CARD, "rate"),
)
