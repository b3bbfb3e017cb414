"""Words people search with, in nine languages, and what each means. Rows of data/search_words.csv.

Sources: listings and questions in English, German, French, Spanish, Italian, Dutch, Polish, Chinese and Japanese.
"""

import re
import unicodedata
from functools import cache
from itertools import groupby
from typing import Literal, NamedTuple, cast

from submissions.domain import tables

# noise: says nothing about which card. name: another spelling of a brand or a line. fake: asks whether it is genuine,
# bad: whether it is well. log: a line of the kernel. or: stands between names of which either will do.
Kind = Literal["board", "use", "form", "mark", "name", "or", "noise", "fake", "bad", "log"]
# Scripts without blanks between words.
_UNSPACED = r"\u2e80-\U0002fa1f"
_LETTERS = re.compile(r"[^\W\d_]+")
# A brand this long may have its size written onto it, “sandisk64gb”; a shorter one may be part of a product name.
_LEAST_LETTERS_BEFORE_A_DIGIT = 4


class Meaning(NamedTuple):
    kind: Kind
    value: str


def folded(text: str) -> str:
    """One spelling of letters and digits: full width and ligatures folded, lower case, the micro sign a u."""
    return unicodedata.normalize("NFKC", text).casefold().replace("μ", "u")


@cache
def phrases() -> dict[str, Meaning]:
    """Every phrase, in lower case and single-spaced, with its meaning."""
    return {
        folded(phrase): Meaning(cast(Kind, row["kind"]), row["value"])
        for row in tables.rows("search_words")
        for phrase in row["words"].split("|")
    }


def meaning(text: str) -> Meaning | None:
    """What a phrase means, however its words are joined; None for one that the table lacks."""
    return _by_letters().get(_joined(text))


@cache
def pattern() -> re.Pattern[str]:
    """Matches the longest phrase at a place that begins a word; spaces, hyphens and nothing may join its words.

    What may follow is written once for neighbours that end alike: compiling it for each phrase takes a second.
    """
    longest_first = sorted(phrases(), key=lambda phrase: (-len(_joined(phrase)), _end(phrase)))
    alike = ((end, "|".join(map(_spelled, same))) for end, same in groupby(longest_first, key=_end))
    return re.compile("|".join(f"(?:{spellings}){end}" for end, spellings in alike))


@cache
def _by_letters() -> dict[str, Meaning]:
    return {_joined(phrase): what for phrase, what in phrases().items()}


def _joined(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text)


def _spelled(phrase: str) -> str:
    return r"[\s_-]*".join(re.escape(word) for word in phrase.split())


def _end(phrase: str) -> str:
    """What may follow: no letter or digit after a Latin word, but Chinese and Japanese; anything after one of those."""
    if not phrase[-1].isascii():
        return "" if phrase[-1] > "\u2e80" else r"(?![^\W_])"
    is_long = bool(_LETTERS.fullmatch(phrase)) and len(phrase) >= _LEAST_LETTERS_BEFORE_A_DIGIT
    return (
        r"(?![a-z])"
        if is_long and phrases()[phrase].kind == "name"
        else rf"(?!(?![{_UNSPACED}])[^\W_])(?!\+)"
    )
