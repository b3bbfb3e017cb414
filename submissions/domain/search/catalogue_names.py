"""Recognise names of the catalogue of products in a text: brands, lines, product names in registers, part numbers.

A word is a name only in the spelling of the catalogue, or a brand with one typing error. A line that is also a word of
a language counts only after a name, or in a text without other words.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import takewhile

from submissions.domain import tables
from submissions.domain.identity import products
from submissions.domain.search import search_words
from submissions.domain.search.intent import fold_text, is_common
from submissions.domain.search.terms import Term

_WORDS = re.compile(r"[^\W_]+[!+]?")
# Brands of cards that make devices, too: “Samsung phone”, “Sony camera”; and devices that are no names.
_MAKERS_OF_DEVICES = frozenset(
    ("samsung", "sony", "lenovo", "hp", "panasonic", "toshiba", "xiaomi", "philips")
)
UNNAMED_DEVICES = ("uhs-i-camera", "uhs-i-slot")
_LEAST_LETTERS_TO_ERR = 6
_LEAST_LETTERS_OF_A_WORD = 4
_LEAST_DIGITS = 5
_LEAST_LETTERS_OF_A_NAME = 3
MOST_WORDS = 4


@cache
def brands() -> frozenset[str]:
    """Return brands in lower case, and other spellings of them."""
    # The names of lines in the table of words begin with a small letter.
    names = ((phrase, what.value) for phrase, what in search_words.phrases().items() if what.kind == "name")
    spelled = (phrase for phrase, name in names if name[0].isupper())
    return frozenset([*(fold_text(product.brand) for product in products.all_products()), *spelled])


@cache
def _lines() -> frozenset[str]:
    # Every line as boxes print it, and beginnings of it of several words: “canvas go” of “canvas go! plus”.
    lines = (line for product in products.all_products() if "" not in product.lines for line in product.lines)
    words = [[word.rstrip("!") for word in _WORDS.findall(fold_text(line))] for line in lines]
    ends = ((line, end) for line in words for end in range(2, len(line)))
    begun = (" ".join(line[:end]) for line, end in ends if len(line[end - 1]) >= _LEAST_LETTERS_OF_A_WORD)
    whole = (" ".join(line) for line in words)
    return frozenset(name for name in (*whole, *begun) if name and not _is_other(name))


@cache
def words_of_lines() -> frozenset[str]:
    """Return the words of all lines of products, except words with another meaning and short parts of lines."""
    words = {word for line in _lines() for word in line.split() if not _is_other(word)}
    return frozenset(word for word in words if word in _lines() or len(word) >= _LEAST_LETTERS_OF_A_WORD)


@cache
def _product_names() -> frozenset[str]:
    # Names that registers hold, SA04G; only those with a digit, because others are words.
    named = [row["pnm"] for row in tables.rows("product_names")]
    every = (*named, *(product.pnm for product in products.all_products()))
    return frozenset(name for name in map(fold_text, every) if re.search(r"\d", name))


def _is_other(name: str) -> bool:
    # Every word means something else: “class 10 uhs-i”, “microsd”.
    what = search_words.meaning(name)
    return bool(what and what.kind != "name") or all(
        len(word) < 3 and not word.isalpha() for word in name.split()
    )


def is_brand(phrase: str) -> bool:
    """Return whether this phrase is a brand, or another spelling of a brand."""
    return phrase in brands()


def find_brand(name: str) -> str:
    """Return the brand at the beginning of a name; "" without one."""
    words = name.split()
    ends = range(len(words), 0, -1)
    return next((brand for end in ends if is_brand(brand := " ".join(words[:end]))), "")


def repeat_brand(every: Iterable[str]) -> Iterator[str]:
    """Yield the names; a name without a brand gets the brand of the name before it.

    “SanDisk Ultra”, “Extreme” become “SanDisk Ultra”, “SanDisk Extreme”.
    """
    brand = ""
    for name in every:
        own = find_brand(name)
        brand = own or brand
        yield name if own else f"{brand} {name}".strip()


def is_line(phrase: str) -> bool:
    """Return whether boxes print this phrase as a line of products."""
    return phrase in _lines()


def is_distinctive(phrase: str) -> bool:
    """Return whether a line of products has several words or a digit, so that it is not a word of a language."""
    return " " in phrase or not phrase.isalpha()


def find_word_of_line(word: str) -> str:
    """Return the word of a product line that a word after a name matches with at most one error.

    It is "" if there is none.
    """
    is_rare = word in words_of_lines() and not is_common(word)
    return word if is_rare else correct(word, words_of_lines())


def is_of_device(brand: str, before: Term | None, following: Term | None) -> bool:
    """Return whether a brand beside a device is the brand of the device, as in “Samsung phone”.

    It is not if the name of a card follows, as in “Samsung EVO”.
    """
    is_named = following is not None and following.kind in ("name", "line")
    devices = [beside for beside in (before, following) if beside and beside.value in UNNAMED_DEVICES]
    return brand in _MAKERS_OF_DEVICES and bool(devices) and not is_named


def is_code(word: str) -> bool:
    """Return whether a word is a product name in registers, or a part number, possibly of another size."""
    if word in _product_names() or (not _is_year(word) and products.find_by_part(word)):
        return True
    return bool(re.search(r"\d", word) and products.find_other_sizes([word]))


def _is_year(word: str) -> bool:
    return word.isdigit() and len(word) < _LEAST_DIGITS


def may_be_name(word: str) -> bool:
    """Return whether a word that is not in the catalogue may be the name of a model that has been tested."""
    return len(word) >= _LEAST_LETTERS_OF_A_NAME and not _is_year(word) and not is_common(word)


def correct(word: str, known: Iterable[str] = ()) -> str:
    """Return the name that a word spells with one typing error.

    It is "" if there is none, or if it is a word with a meaning.
    """
    if len(word) < _LEAST_LETTERS_TO_ERR or is_common(word) or word in search_words.words():
        return ""
    return next((name for name in sorted(known or brands()) if is_one_error_apart(word, name)), "")


def correct_devices(text: str) -> str:
    """Return a folded text after correcting words of devices that have one typing error: “nintedo”."""
    return _WORDS.sub(lambda word: correct(word[0], _words_of_devices()) or word[0], text)


@cache
def _words_of_devices() -> frozenset[str]:
    # Only words that are long enough to be recognised with an error.
    named = (phrase for phrase, what in search_words.phrases().items() if what.kind == "board")
    return frozenset(word for name in named for word in name.split() if len(word) > _LEAST_LETTERS_TO_ERR)


def is_one_error_apart(word: str, other: str) -> bool:
    """Return whether two words differ by one letter, missing or different, or by two swapped neighbours."""
    is_long = min(len(word), len(other)) >= _LEAST_LETTERS_TO_ERR - 1
    start = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))))
    rest, other_rest = word[start:], other[start:]
    swapped = rest[1::-1] + rest[2:]
    is_one = rest == other_rest[1:] or rest[1:] in (other_rest, other_rest[1:]) or swapped == other_rest
    return is_long and word != other and is_one
