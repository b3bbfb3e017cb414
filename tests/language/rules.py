"""Find names, docstrings and words that a newcomer would have to read twice, by pure functions on source text."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

WORDS_TO_AVOID = re.compile(
    r"\b(what|whose|whoever|told|begun|anew|nought|dear|alone|of which|left to|stands?|nobody|somebody)\b",
    re.IGNORECASE,
)


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Participles of irregular verbs that differ from the verb itself: a closed class of English.
_IRREGULAR = _split(
    """
    beaten been bent begun bitten blown bought bound broken brought built burnt caught chosen dealt done drawn driven
    dug eaten fallen fed felt flown forgotten fought found frozen given gone gotten grown had heard held hidden hung
    kept known laid learnt led left lent lit lost made meant met paid ridden risen rung said sat seen sent shown sold
    sought spent spoken spun stolen struck stuck stood sung sunk swept sworn swung taken taught thought thrown told
    torn understood woken won worn woven written
    """
)
_REGULAR = re.compile(r"[a-z]{2,}(?<!e)ed")
_NOT_PARTICIPLES = frozenset({"bed", "embed", "red", "shed"})
_PREPOSITIONS = _split(
    """
    about above after against alike along among apart around as aside at before behind below beside between beyond by
    during else for from in into near of off on onto otherwise out over per since than through to together toward
    under until up upon via with within without
    """
)
# No sentence in the imperative begins with one of these, nor with a preposition. Ruff's D401 finds wrong verbs only.
_NO_VERB = _split(
    """
    a all an and another any both each every few he here how i if it its many more most much neither no none nor not
    nothing one only or other our several she so some such that the their there these they this those too we what when
    whenever where whether which who whoever whom whose why you your
    """
)
# Usual in Python: Card.from_hex, as_view, to_json, with_unit, on_commit.
_USUAL_FIRST = frozenset({"as", "from", "on", "to", "with", "before", "after"})
# A private function needs a docstring only for one of these: a unit, a lock, a query, an error or a surprise.
_WORTH_SAYING = re.compile(
    r"\b(seconds?|milliseconds?|nanoseconds?|minutes?|hours?|days?|bytes?|sectors?|bits?|[kMG]i?B|IOPS|ratios?|percent|"
    r"log|lock(ed|s)?|quer(y|ies)|transactions?|raises?|because|so that|even|never|not|only|unless|although|but|"
    r"without|instead|formula|source|RFC|specification|section)\b|%",
    re.IGNORECASE,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Offence:
    line: int
    rule: str
    text: str


def find_offences(source: str) -> list[Offence]:
    """Return every offence of a Python source text, by line."""
    tree = ast.parse(source)
    offences = [*_check_names(tree), *_check_docstrings(tree), *_check_comments(source)]
    return sorted(offences, key=lambda offence: offence.line)


def is_vague(name: str) -> bool:
    """Return whether a function's name is made of participles and prepositions, or begins with a preposition."""
    words = [word for word in name.strip("_").lower().split("_") if word]
    if not words or name.startswith("__"):
        return False
    is_phrase = len(words) > 1 and words[0] in _PREPOSITIONS - _USUAL_FIRST
    return is_phrase or all(word in _PREPOSITIONS or is_participle(word) for word in words)


def is_participle(word: str) -> bool:
    """Return whether the word is a past participle that is not also a verb's base form."""
    return word in _IRREGULAR or (bool(_REGULAR.fullmatch(word)) and word not in _NOT_PARTICIPLES)


def find_words(text: str) -> list[str]:
    """Return the words to avoid that a text uses; code in backticks does not count."""
    return [match[0].lower() for match in WORDS_TO_AVOID.finditer(re.sub(r"`[^`]*`", "", text))]


def _check_names(tree: ast.Module) -> Iterator[Offence]:
    querysets = {
        id(method)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name.endswith(("QuerySet", "Manager"))
        for method in node.body
    }
    for node in ast.walk(tree):
        if isinstance(node, Function) and id(node) not in querysets and is_vague(node.name):
            yield Offence(
                node.lineno, "name", f"{node.name}: use a verb and its object, or a noun for a value"
            )


def _check_docstrings(tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | Function) or not (
            text := ast.get_docstring(node)
        ):
            continue
        line = node.body[0].lineno
        yield from (Offence(line, "word", f"avoid “{word}” in a docstring") for word in find_words(text))
        if (
            _must_be_imperative(node)
            and (word := text.split(maxsplit=1)[0].lower()) in _NO_VERB | _PREPOSITIONS
        ):
            yield Offence(line, "sentence", f"{node.name}: begin with a verb, not with “{word}”")
        if isinstance(node, Function) and _is_private(node.name) and not _WORTH_SAYING.search(text):
            yield Offence(line, "private", f"{node.name}: a better name instead of a docstring")


def _must_be_imperative(node: ast.AST) -> TypeGuard[Function]:
    return isinstance(node, Function) and not node.name.startswith("test")


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _check_comments(source: str) -> Iterator[Offence]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            for word in find_words(token.string):
                yield Offence(token.start[0], "word", f"avoid “{word}” in a comment")
