"""Words that may be published, each in small letters: those of tools in pasted texts, those of people in a report.

A word that is missing here is a black bar wherever it stands; to publish it, add it to data/words_of_*.txt.
"""

import re
from collections.abc import Iterator
from functools import cache

from submissions.domain import tables
from submissions.domain.fields import MARKS
from submissions.domain.intake.tools import KINDS, TOOLS
from submissions.domain.measuring import metrics, units

# Of a pattern what is no letter to be matched: escapes, counts, names of groups, sets.
_NO_LETTERS = re.compile(r"\\.|\{[0-9,]*\}|\(\?(?:P<\w+>|[a-z]*:|[=!<]+)|\[[^\]]*\]")
WORD = re.compile(r"\w+")
_BRANDS = (
    ("products", ("brand", "line")),
    ("product_names", ("brand", "pnm")),
    ("makers", ("brands",)),
)


@cache
def of_tools() -> frozenset[str]:
    """What the programs read here print, and how they are called."""
    names = " ".join(tool.name for tool in TOOLS)
    return frozenset({*_spelled_by_readers(), *_brands(), *_small(names), *tables.words("words_of_tools")})


@cache
def of_people() -> frozenset[str]:
    """What may stand in a field of a report: names of what is measured and sold, hosts, everyday English."""
    known = ("words_of_hosts", "words_of_people")
    listed = (word for name in known for word in tables.words(name))
    return of_tools() | frozenset({*listed, *_registries()})


def _spelled_by_readers() -> Iterator[str]:
    """The letters that their patterns ask for."""
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
