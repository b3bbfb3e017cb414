"""Parse a text of the search box, by the names of tested models besides those of the catalogue of products."""

import re
from collections.abc import Collection, Iterable

from submissions.domain.search import catalogue_names as names
from submissions.domain.search.question import Question, understand
from submissions.models import CardModel, Word

_LEAST_LETTERS_OF_A_BEGINNING = 6


def read_question(text: str) -> Question:
    """Parse a search text; two queries, and one per word, if it has words that are not in the catalogue or common."""
    question = understand(text)
    if not question.possible_names:
        return question
    is_bare = set(question.ignored_words) <= set(question.possible_names)
    known = _find_names(question.possible_names, is_bare=is_bare)
    return understand(text, known) if known else question


def _find_names(words: Collection[str], *, is_bare: bool) -> dict[str, str]:
    """Return {word: name} of words that are a brand, even with one typing error, or a word of a model's other names.

    A word without a digit may be any word of a language, so it counts as another name only in a text of nothing else.
    """
    alike = Word.objects.like(words)
    near = {word: [word, *_list_near(word, alike.get(word, ()))] for word in words}
    brands = CardModel.objects.find_brands({name for every in near.values() for name in every})
    found = {word: next((name for name in every if name in brands), "") for word, every in near.items()}
    for word in words:
        may_be_name = not found[word] and (is_bare or re.search(r"\d", word))
        if may_be_name and CardModel.objects.have_word(word, whole=not _may_go_on(word)):
            found[word] = word
    return {word: name for word, name in found.items() if name}


def _list_near(word: str, alike: Iterable[str]) -> list[str]:
    return [name for name in alike if names.correct(word, [name])]


def _may_go_on(word: str) -> bool:
    # Shops write letters for the packaging after a part number.
    return len(word) >= _LEAST_LETTERS_OF_A_BEGINNING and bool(re.search(r"\d", word))
