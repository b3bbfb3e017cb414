"""Define Word, a word by which models are found, and the SQL condition that a model has a word."""

import re
from collections.abc import Iterable

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import TrigramWordDistance
from django.db import models
from django.db.models import CharField, Q, Value

MOST_ALIKE = 20
# A CID begins with the digits that identify the silicon; the rest identifies the card.
_CID, _SILICON_DIGITS = re.compile(r"[0-9a-f]{18,32}"), 18
_MOST_LETTERS_OF_A_WHOLE_WORD = 2


class WordQuerySet(models.QuerySet["Word"]):
    def like(self, words: Iterable[str]) -> dict[str, list[str]]:
        """Return for each word at most `MOST_ALIKE` stored words most like it; one query, none without words."""
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
    """A word in the column `words` of any model; a full fit deletes words that no model has any more."""

    text = models.CharField(max_length=40, unique=True)

    objects = WordQuerySet.as_manager()

    class Meta:
        indexes = [GinIndex(name="word_like", fields=["text"], opclasses=["gin_trgm_ops"])]


def holds(word: str, *, whole: bool = False) -> Q:
    """Return the condition that a model has a word that begins with `word`, or equals it if `whole` or short.

    A `word` of one or two letters is short.
    """
    sought = word[:_SILICON_DIGITS] if _CID.fullmatch(word) else word
    begun = f"(^|[^a-z0-9])(0x)?{re.escape(sought)}"
    end = "($|[^a-z0-9])" if whole or len(word) <= _MOST_LETTERS_OF_A_WHOLE_WORD else ""
    # No index has words of two letters. Each plain condition takes a sixth of the time of the regular expression.
    plain = Q() if end else Q(words__contains=f" {sought}")
    return Q(words__contains=sought) & (plain | Q(words__regex=f"{begun}{end}"))
