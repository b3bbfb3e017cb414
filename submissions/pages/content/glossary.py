"""Read the glossary of technical terms, with a meaning of one or two sentences each."""

import re
from functools import cache
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain import tables
from submissions.domain.search.search_words import WORD_END

# Almost every question has this word.
FORM = "form"


class Word(NamedTuple):
    title: str
    meaning: str


def list_words() -> dict[str, Word]:
    """Return the words of data/glossary.toml by their keys, in the language of the visitor."""
    rows = tables.document("glossary").items()
    return {slug: Word(row.get("name") or _(row["title"]), _(row["meaning"])) for slug, row in rows}


def list_fitting() -> set[str]:
    """Return the keys of the words that also explain whether a card works in a device."""
    return {slug for slug, row in tables.document("glossary").items() if row.get("fits")}


def find_words(text: str) -> list[tuple[str, Word]]:
    """Return the (key, word) pairs of the glossary that occur in a text in lower case, in the order of the text."""
    held = (
        (slug == FORM, match.start(), -len(match[0]), slug)
        for slug, pattern in _patterns().items()
        if (match := pattern.search(text))
    )
    words = list_words()
    return [(slug, words[slug]) for *_, slug in sorted(held)]


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    # The names between the commas of an English title, and others with the same meaning.
    rows = tables.document("glossary").items()
    return {
        slug: _match_names(f"{row.get('name') or row['title']}, {row.get('also', '')}") for slug, row in rows
    }


def _match_names(title: str) -> re.Pattern[str]:
    names = (re.split(r"[\s-]+", name.strip()) for name in re.split(r"[,()]", title.casefold()))
    either = "|".join(r"[\s-]*".join(map(re.escape, name)) for name in names if any(name))
    return re.compile(rf"(?<![^\W_])(?:{either}){WORD_END}")
