"""Look up the meaning of words that people search with, in nine languages, from data/search_words.csv.

Sources: listings and questions in English, German, French, Spanish, Italian, Dutch, Polish, Chinese and Japanese.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Literal, NamedTuple, cast

from submissions.domain import tables
from submissions.domain.search.intent import find_stems, fold_text, is_unspaced

# name: another spelling of a brand or a line. symptom: of a card that fails. order: a superlative, “” for the best.
# not: before a slot that is not wanted; most, least, exact: before a size or a price; with "-before": after it.
# or: between alternatives or slots that are compared; and: between two slots. log: a line of the kernel.
# Rows of kind alias have other names of a device, for every phrase that begins with it.
_Slot = Literal["board", "use", "form", "mark", "name", "symptom", "order", "log"]
_Word = Literal["or", "and", "not", "not-before", "most", "most-before", "least", "least-before", "exact"]
Kind = _Slot | _Word
# Kinds with inflected words; a name is not inflected, and “fast” is no superlative.
_INFLECTED = ("board", "use", "form", "symptom")
_LEAST_LETTERS_OF_A_STEM = 4
# The form that people do not mention, because most cards have it.
USUAL_FORM = "microSD"
# No letter or digit follows, but of scripts without blanks between words.
WORD_END = r"(?!(?![\u2e80-\U0002fa1f])[^\W_])"
_MODEL = r"(?:model[loe]*[\s_-]*)?"
# A letter of a model behind its number: “树莓派4B”, “raspi 3b+”.
_MODEL_LETTER = r"[ab]\+?"
_LETTERS = re.compile(r"[^\W\d_]+")
# A brand this long may have its size written onto it, “sandisk64gb”; a shorter one may be part of a product name.
_LEAST_LETTERS_BEFORE_A_DIGIT = 4


class Meaning(NamedTuple):
    kind: Kind
    value: str


@cache
def phrases() -> dict[str, Meaning]:
    """Return every phrase of data/search_words.csv, in lower case and single-spaced, with its meaning."""
    rows = [(row["kind"], row["value"], row["words"].split("|")) for row in tables.rows("search_words")]
    written = {
        fold_text(phrase): Meaning(cast(Kind, kind), value)
        for kind, value, same in rows
        if kind != "alias"
        for phrase in same
    }
    aliases = [(value, alias) for kind, value, same in rows if kind == "alias" for alias in same]
    other = {
        alias + phrase.removeprefix(name): what
        for name, alias in aliases
        for phrase, what in written.items()
        if phrase == name or phrase.startswith(f"{name} ")
    }
    return other | written


@cache
def words() -> frozenset[str]:
    """Return the words of all phrases of data/search_words.csv."""
    return frozenset(word for phrase in phrases() for word in phrase.split())


def meaning(text: str) -> Meaning | None:
    """Return the meaning of a phrase, with or without blanks and hyphens between its words.

    It is None for an unknown phrase.
    """
    joined = _join_words(text)
    return _meanings_by_letters().get(joined) or _meanings_by_letters().get(
        re.sub(rf"(?<=\d){_MODEL_LETTER}$", "", joined)
    )


def is_numbered(device: str) -> bool:
    """Return whether a number after the name of this device makes it a different device: “switch”, “switch 2”."""
    return _join_words(device) in _numbered_devices()


@cache
def _numbered_devices() -> frozenset[str]:
    split = (phrase.rpartition(" ") for phrase, what in phrases().items() if what.kind == "board")
    return frozenset(_join_words(name) for name, _, number in split if number.isdigit())


@cache
def pattern() -> re.Pattern[str]:
    """Return a pattern that matches the longest known phrase at the beginning of a word.

    Spaces, hyphens and nothing may join its words. Neighbouring phrases with the same end share it in the pattern,
    because compiling it for each phrase takes a second.
    """
    longest_first = sorted(phrases(), key=lambda phrase: (-len(_join_words(phrase)), _end(phrase)))
    alike = ((end, "|".join(map(_phrase_pattern, same))) for end, same in groupby(longest_first, key=_end))
    return re.compile("|".join(f"(?:{spellings}){end}" for end, spellings in alike))


def meaning_by_stems(words: Sequence[str]) -> Meaning | None:
    """Return the meaning of a phrase if another inflection of it is known in one of the languages, else None."""
    if len(words[-1]) < _LEAST_LETTERS_OF_A_STEM or not all(map(str.isalpha, words)):
        return None
    return next(filter(None, map(_meanings_by_stems().get, enumerate(_stem(words)))), None)


@cache
def _meanings_by_stems() -> Mapping[tuple[int, tuple[str, ...]], Meaning]:
    # Keys are the number of a language and the stems of the words of a phrase.
    inflected = ((phrase.split(), what) for phrase, what in phrases().items() if what.kind in _INFLECTED)
    return {
        (language, stems): what
        for words, what in inflected
        if len(words[-1]) >= _LEAST_LETTERS_OF_A_STEM and not is_unspaced(words[-1])
        for language, stems in enumerate(_stem(words))
    }


def names_any_card(word: str) -> bool:
    """Return whether a word, or an inflection of it, is part of the names of the usual form: “card”, “memory”."""
    return not _stems_of_any_card().isdisjoint(enumerate(find_stems(word)))


@cache
def _stems_of_any_card() -> frozenset[tuple[int, str]]:
    words = {
        word for phrase, what in phrases().items() if what.value == USUAL_FORM for word in phrase.split()
    }
    return frozenset(stem for word in words for stem in enumerate(find_stems(word)))


def _stem(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*map(find_stems, words), strict=True)


@cache
def _meanings_by_letters() -> dict[str, Meaning]:
    return {_join_words(phrase): what for phrase, what in phrases().items()}


def _join_words(text: str) -> str:
    return re.sub(r"model[loe]*(?=\d)", "", re.sub(r"[\s_-]+", "", text))


def _phrase_pattern(phrase: str) -> str:
    # “Pi model 4” is “pi 4”.
    head, *rest = phrase.split()
    return re.escape(head) + "".join(
        f"[\\s_-]*{_MODEL if word[0].isdigit() else ''}{re.escape(word)}" for word in rest
    )


def _end(phrase: str) -> str:
    # No letter or digit follows a Latin word, except Chinese and Japanese; anything follows one of those.
    if not phrase[-1].isascii():
        return "" if is_unspaced(phrase[-1]) else r"(?![^\W_])"
    model = rf"(?:{_MODEL_LETTER})?" if phrases()[phrase].kind == "board" and phrase[-1].isdigit() else ""
    is_long = bool(_LETTERS.fullmatch(phrase)) and len(phrase) >= _LEAST_LETTERS_BEFORE_A_DIGIT
    return r"(?![a-z])" if is_long and phrases()[phrase].kind == "name" else rf"{model}{WORD_END}(?!\+)"
