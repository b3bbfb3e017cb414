"""The words that may be published, in lower case: words of tools in pasted texts, words of people in a report.

Any other word is replaced by a black bar; to publish a word, add it to data/words_of_*.txt.
"""

import re
from collections.abc import Iterator
from functools import cache

from submissions.domain import tables
from submissions.domain.fields import MARKS
from submissions.domain.intake.tools import KINDS, TOOLS
from submissions.domain.measuring import metrics, units

# The parts of a pattern that match no letters of their own: escapes, counts, names of groups, sets.
_NO_LETTERS = re.compile(r"\\.|\{[0-9,]*\}|\(\?(?:P<\w+>|[a-z]*:|[=!<]+)|\[[^\]]*\]")
WORD = re.compile(r"\w+")
_BRANDS = (
    ("products", ("brand", "line")),
    ("product_names", ("brand", "pnm")),
    ("makers", ("brands",)),
)


@cache
def words_of_tools() -> frozenset[str]:
    """Return the names of the programs that readers understand, and the words that these programs print."""
    names = " ".join(tool.name for tool in TOOLS)
    return frozenset({*_words_of_patterns(), *_brands(), *_small(names), *tables.words("words_of_tools")})


@cache
def words_of_people() -> frozenset[str]:
    """Return the words that may be published in a field of a report: products, metrics, hosts, everyday English."""
    known = ("words_of_hosts", "words_of_people")
    listed = (word for name in known for word in tables.words(name))
    return words_of_tools() | frozenset({*listed, *_registries()})


def _words_of_patterns() -> Iterator[str]:
    for reader in KINDS:
        for pattern, _ in reader.rows:
            yield from _small(_NO_LETTERS.sub(" ", pattern.pattern))


def _registries() -> Iterator[str]:
    readings = (_NO_LETTERS.sub(" ", row["name"]) for row in tables.rows("readings"))
    yield from _small(" ".join((*metrics.WORKLOADS, *metrics.METRICS, *units.UNITS, *MARKS, *readings)))


def _brands() -> Iterator[str]:
    for name, columns in _BRANDS:
        for row in tables.rows(name):
            yield from _small(" ".join(row[column] for column in columns))


def _small(text: str) -> Iterator[str]:
    return (word.casefold() for word in WORD.findall(text) if not word.isdecimal())
