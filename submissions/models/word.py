"""Word: one of those by which models are found, with typing errors, too; and the condition that a model holds one."""

import re
from collections.abc import Iterable

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import TrigramWordDistance
from django.db import models
from django.db.models import CharField, Q, Value

MOST_ALIKE = 20
# A CID begins with what names the silicon; the rest tells one card from another.
_CID, _SILICON_DIGITS = re.compile(r"[0-9a-f]{18,32}"), 18
# Fewer letters are like too many words, and the fewest begin too many; another number is another card.
LEAST_LETTERS_TO_ERR, _MOST_LETTERS_OF_A_WHOLE_WORD = 5, 2
MAY_ERR = re.compile(rf"\D{{{LEAST_LETTERS_TO_ERR},}}")


class WordQuerySet(models.QuerySet["Word"]):
    def like(self, words: Iterable[str]) -> dict[str, list[str]]:
        """For each of these words the known ones most like it, at most `MOST_ALIKE`; one query, none without words."""
        asked = [
            self.filter(text__trigram_word_similar=word)
            .annotate(asked=Value(word, CharField()))
            .order_by(TrigramWordDistance(word, "text"), "text")
            .values_list("asked", "text")[:MOST_ALIKE]
            for word in words
        ]
        alike: dict[str, list[str]] = {}
        for word, text in asked[0].union(*asked[1:], all=True) if asked else ():
            alike.setdefault(word, []).append(text)
        return alike


class Word(models.Model):
    """One of the `words` of some models; `writing.facets` adds it with the first and drops it after the last."""

    text = models.CharField(max_length=40, unique=True)

    objects = WordQuerySet.as_manager()

    class Meta:
        indexes = [GinIndex(name="word_like", fields=["text"], opclasses=["gin_trgm_ops"])]


def holds(word: str, alike: Iterable[str]) -> Q:
    """That one of the words of a model begins so, or is one of those much like it."""
    sought = word[:_SILICON_DIGITS] if _CID.fullmatch(word) else word
    others = (one for one in alike if not one.startswith(sought))  # what begins so is found by it
    begun = f"(^|[^a-z0-9])(0x)?({'|'.join(map(re.escape, (sought, *others)))})"
    if len(word) > _MOST_LETTERS_OF_A_WHOLE_WORD:
        return Q(words__regex=begun)
    # No index knows so few letters; whether they occur at all costs a sixth.
    return Q(words__contains=sought) & Q(words__regex=f"{begun}($|[^a-z0-9])")
