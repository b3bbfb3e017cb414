"""Text from the search box -> what it asks for. Reads left to right, takes the longest phrase at each place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from submissions.domain.search import joined_words, search_words

# Besides what the table of words knows: part, a part number or another name with digits in it; register, hex of one. A
# name is any word left over, too.
Kind = Literal["capacity", "price", "register", "part", search_words.Kind]
_NAMES = ("name", "part", "register")
MOST_LETTERS = 200

_SEPARATORS = re.compile(r"[\s,;:!?\"'“”„«»()\[\]|/。、，：！？]+")
# 15 or 16 bytes as of a CID, or any number from 8 on, in one piece or in groups.
_REGISTER = re.compile(
    r"(?:0x)?[0-9a-f]{2}(?:(?:[\s:-]?[0-9a-f]{2}){14,15}|(?:[\s:-]?[0-9a-f]{2}){7,})(?![0-9a-z])"
)
# A number of a maker or an OEM, as the kernel prints it: 0x000003.
_NUMBER = re.compile(r"0x0*(?P<digits>[0-9a-f]{1,4})(?![0-9a-z])")
_SIZE = re.compile(
    r"(?P<number>\d{1,5}(?:[.,]\d\d?)?)[\s-]?(?P<unit>tb|to|gb|go|gib|гб|gigs?|g|ギガ|t|mb|mo)(?![a-zà-ɏ0-9])"
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
_PRICE = re.compile(
    rf"(?:(?P<sign>{_MONEY})\s?(?P<after>[1-9]\d*(?:[.,]\d\d?)?)|(?P<before>[1-9]\d*(?:[.,]\d\d?)?)\s?(?P<unit>{_MONEY}))(?![^\W_])"
)
_PART = re.compile(r"(?=[a-z0-9/-]*\d)(?=[a-z0-9/-]*[a-z])[a-z0-9]+(?:[-/][a-z0-9]+)*")
_LEAST_PART = 6
_WORD = re.compile(r"[^\W_]+(?:['’+!.&-]*[^\W_]+)*[+!]?")
_BARE = re.compile(r"\d{1,4}(?![a-zà-ɏ0-9]|[.,]\d)")
_RATE = re.compile(r"\d{1,4}\s?(?:m[bo]/s(?:ec)?|mbps)(?![^\W_])")
_OF_NO_CARD = re.compile(r"(?:\d{1,2}|\d+[.,]\d+)(?![^\W_]|[+.,]\w)")
_GB_PER = {"t": 1000.0, "m": 0.001}
# “1 TB” is 1,000 or 1,024 GB on labels.
_TERABYTE = 1.024
_BARE_SIZES = frozenset(2**power for power in range(2, 12)) | {1000}
# First letter of a mark -> the facet that asks for at least its number.
_CLASSES = {"A": "app_perf_class", "V": "video_speed_class", "U": "uhs_speed_grade", "C": "speed_class"}


class Term(NamedTuple):
    """A stretch of the text and its meaning. `value`: a number of GB for a capacity, (amount, currency) for a price."""

    text: str
    kind: Kind
    value: Any


@dataclass(frozen=True)
class Question:
    terms: tuple[Term, ...]

    @cached_property
    def board(self) -> str:
        """Slug of the board; "" when the text names none. The last one counts."""
        return next((str(term.value) for term in reversed(self.terms) if term.kind == "board"), "")

    @cached_property
    def use(self) -> str:
        return next((str(term.value) for term in reversed(self.terms) if term.kind == "use"), "")

    @cached_property
    def about(self) -> frozenset[Kind]:
        """Kinds of all terms: with "fake" it asks whether a card is genuine, with "bad" whether it is well; "log" is a
        word that the kernel writes."""
        return frozenset(term.kind for term in self.terms)

    @cached_property
    def registers(self) -> str:
        """What of it is hex of registers, to be decoded; "" where nothing is."""
        return " ".join(str(term.value) for term in self.terms if term.kind == "register")

    @cached_property
    def names(self) -> tuple[Term, ...]:
        """What is to be found in the names, part numbers and registers of models."""
        return tuple(term for term in self.terms if term.kind in _NAMES)

    @cached_property
    def words(self) -> str:
        """The names; “|” stands between those of which either will do, as in “Ultra vs Extreme”."""
        said = " ".join(str(term.value) for term in self.terms if term.kind in (*_NAMES, "or"))
        return " | ".join(filter(None, map(str.strip, said.split("|"))))

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """Facet -> value, of all but the names."""
        chosen: dict[str, Any] = {}
        for term in self.terms:
            chosen |= _facets(term)
        return chosen | _sizes(
            [term.value for term in self.terms if term.kind == "capacity"], named=bool(self.names)
        )

    def without(self, term: Term) -> str:
        """The text that asks for everything but this, however often it is said."""
        meant = (term.kind, term.value)
        return " ".join(other.text for other in self.terms if (other.kind, other.value) != meant)


def understood(text: str) -> Question:
    """The first `MOST_LETTERS` of a text of any language, understood. Never fails; what has no meaning is a name."""
    return Question(tuple(_terms(search_words.folded(text)[:MOST_LETTERS])))


def _terms(text: str) -> Iterator[Term]:
    place = 0
    while place < len(text):
        if gap := _SEPARATORS.match(text, place):
            place = gap.end()
            continue
        term = _term(text, place)
        place += len(term.text)
        if term.kind in ("name", "part") and (pieces := joined_words.apart(str(term.value))):
            yield from _terms(" ".join(pieces))
        else:
            yield term


def _term(text: str, place: int) -> Term:
    for read in (_register, _number, _price, _rate, _size, _phrase, _part, _bare_size, _other_number):
        if term := read(text, place):
            return term
    word = _WORD.match(text, place)
    end = word.end() if word else place + 1
    end = _before_phrase(text, place, end)
    is_name = word and (end - place > 1 or not text[place].isascii())
    return Term(text[place:end], "name" if is_name else "noise", text[place:end])


def _before_phrase(text: str, place: int, end: int) -> int:
    """Where a word ends: in a script without spaces, at the next phrase."""
    if text[place] < "\u2e80":
        return end
    return next((at for at in range(place + 1, end) if search_words.pattern().match(text, at)), end)


def _register(text: str, place: int) -> Term | None:
    if match := _REGISTER.match(text, place):
        return Term(match[0], "register", re.sub(r"[\s:-]", "", match[0].removeprefix("0x")))
    return None


def _number(text: str, place: int) -> Term | None:
    if match := _NUMBER.match(text, place):
        digits = match["digits"]
        return Term(match[0], "name", f"0x{digits.zfill(2 if len(digits) < 3 else 4)}")
    return None


def _price(text: str, place: int) -> Term | None:
    if match := _PRICE.match(text, place):
        amount = (match["after"] or match["before"]).replace(",", ".")
        return Term(match[0], "price", (float(amount), _CURRENCIES[match["sign"] or match["unit"]]))
    return None


def _rate(text: str, place: int) -> Term | None:
    """What a box promises says nothing of its size."""
    return _noise(_RATE.match(text, place))


def _noise(match: re.Match[str] | None) -> Term | None:
    return Term(match[0], "noise", match[0]) if match else None


def _size(text: str, place: int) -> Term | None:
    if match := _SIZE.match(text, place):
        return Term(match[0], "capacity", _gb(float(match["number"].replace(",", ".")), match["unit"]))
    return None


def _gb(number: float, unit: str) -> float:
    """Who writes 64 GiB means the label; a kernel says 59.5 GiB of the same card."""
    if unit == "gib" and number not in _BARE_SIZES:
        return float(round(number * 1024**3 / 1e9))
    return number * _GB_PER.get(unit[0], 1.0)


def _bare_size(text: str, place: int) -> Term | None:
    """A number alone that cards are sold in, as in “SanDisk Ultra 64”."""
    match = _BARE.match(text, place)
    if match and int(match[0]) in _BARE_SIZES:
        return Term(match[0], "capacity", float(match[0]))
    return None


def _other_number(text: str, place: int) -> Term | None:
    """A small number is of no card: “Pi 5”."""
    return _noise(_OF_NO_CARD.match(text, place))


def _phrase(text: str, place: int) -> Term | None:
    match = search_words.pattern().match(text, place)
    if match and (what := search_words.meaning(match[0])):
        return Term(match[0], what.kind, what.value.lower() if what.kind == "name" else what.value)
    return None


def _part(text: str, place: int) -> Term | None:
    match = _PART.match(text, place)
    if match and len(re.sub(r"\W", "", match[0])) >= _LEAST_PART:
        return Term(match[0], "part", match[0])
    return None


def _facets(term: Term) -> dict[str, Any]:
    match term.kind, term.value:
        case "price", (amount, currency):
            return {"price_max": amount, "price_currency": currency}
        case "mark", str(mark) if mark[1:].isdigit():
            return {_CLASSES[mark[0]]: int(mark[1:])}
        case "mark", mode:
            return {"bus_mode": mode}
        case "form", form if form != "microSD":  # of most cards nobody says that they are one
            return {"form": form}
    return {}


def _sizes(sizes_gb: list[float], *, named: bool) -> dict[str, float]:
    """One size beside a name is that size; without a name it is the least; of several the least and the most."""
    if not sizes_gb:
        return {}
    if len(sizes_gb) > 1:
        return {"capacity_gb_min": min(sizes_gb), "capacity_gb_max": max(sizes_gb)}
    size_gb = sizes_gb[0]
    return {"capacity_gb_min": size_gb} | ({"capacity_gb_max": size_gb * _TERABYTE} if named else {})
