"""Words by which models may be sought: few and short, so that a typing error may be compared with all of them."""

from collections.abc import Iterable

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import TrigramWordDistance
from django.db import models
from django.db.models import CharField, Value

MOST_ALIKE = 20


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
        found: dict[str, list[str]] = {}
        for word, text in asked[0].union(*asked[1:], all=True) if asked else ():
            found.setdefault(word, []).append(text)
        return found


class Word(models.Model):
    """One of the `words` of some models. `facets` adds it with the first of them and drops it after the last."""

    text = models.CharField(max_length=40, unique=True)

    objects = WordQuerySet.as_manager()

    class Meta:
        indexes = [GinIndex(name="word_like", fields=["text"], opclasses=["gin_trgm_ops"])]

    def __str__(self) -> str:
        return self.text
