"""Find the intent of a text by a multinomial logistic regression on its letters, words and stems.

`python -m tests.training` computes the weights in data/intent.npz from our own texts in eleven languages.
"""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from threading import Lock
from typing import Literal, NamedTuple, get_args

import numpy as np
import snowballstemmer

Name = Literal[
    "choose",
    "compare",
    "mine_good",
    "genuine",
    "broken",
    "how_to_test",
    "what_is",
    "health",
    "compatibility",
    "other_not_ours",
]
NAMES: tuple[Name, ...] = get_args(Name)
LANGUAGES = (
    *("english", "german", "french", "spanish", "italian"),
    *("portuguese", "dutch", "russian", "polish"),
)
FEATURES = 2**15
_WORD = re.compile(r"[^\W_]+|[!?]")
_DIGIT = re.compile(r"\d")
# Letters from here on are of scripts without blanks between words.
_FIRST_UNSPACED = "\u2e80"
_LENGTHS, _UNSPACED_LENGTHS = (3, 4, 5), (1, 2, 3, 4)
_STEMMING = Lock()


class Intent(NamedTuple):
    """The intent of a text and its probability."""

    name: Name
    probability: float


class Weights(NamedTuple):
    """The weights of the regression that finds the intent of a text.

    `of_features`: a row per feature, a column per name of an intent; `words`: CRC-32 of words that occur in several
    texts.
    """

    of_features: np.ndarray
    bias: np.ndarray
    words: frozenset[int]


def fold_text(text: str) -> str:
    """Return a text in lower case, with full width letters and ligatures folded and the micro sign as “u”."""
    return unicodedata.normalize("NFKC", text).casefold().replace("μ", "u")


def is_unspaced(text: str) -> bool:
    """Return whether a text has letters of a script without blanks between words."""
    return max(text, default="") >= _FIRST_UNSPACED


@lru_cache(maxsize=1000)
def find_intent(text: str) -> Intent:
    """Return the most probable intent of a text of any language."""
    weights = load_weights()
    scores = weights.bias.copy()
    for number, value in weigh_features(text).items():
        scores += value * weights.of_features[number]
    chances = np.exp(scores - scores.max())
    best = int(chances.argmax())
    return Intent(NAMES[best], float(chances[best] / chances.sum()))


def is_common(word: str) -> bool:
    """Return whether people use this word in questions, so that it does not name a card by itself."""
    parts = _WORD.findall(word)
    return bool(parts) and all(hash_feature(part) in load_weights().words for part in parts)


@cache
def load_weights() -> Weights:
    """Load the weights of the regression, which are stored as whole numbers with a scale for each name of an intent."""
    with np.load(str(files("submissions.domain") / "data" / "intent.npz")) as stored:
        weights = stored["weights"] * stored["scale"]
        return Weights(weights, stored["bias"], frozenset(stored["words"].tolist()))


def weigh_features(text: str) -> Mapping[int, float]:
    """Return the weight of each feature (letters, word, stem) of a text, by number of the feature.

    Words count most, pairs of words least. The length of the text makes no difference.
    """
    words = _WORD.findall(_DIGIT.sub("0", fold_text(text)))
    weighed: Counter[int] = Counter()
    for block, share in ((_list_letters(words), 1.0), (_list_words(words), 1.5), (_list_pairs(words), 0.5)):
        counted = Counter(hash_feature(feature) % FEATURES for feature in block)
        values = {number: 1 + np.log(count) for number, count in counted.items()}
        length = float(np.sqrt(sum(value**2 for value in values.values()))) or 1.0
        weighed.update({number: share * value / length for number, value in values.items()})
    return weighed


def hash_feature(feature: str) -> int:
    return zlib.crc32(feature.encode())


def _list_letters(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        framed = f"<{word}>"
        for length in _UNSPACED_LENGTHS if is_unspaced(word) else _LENGTHS:
            yield from (framed[at : at + length] for at in range(len(framed) - length + 1))


def _list_words(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if is_unspaced(word):
            yield from (f"w:{word[at : at + 2]}" for at in range(len(word) - 1))
        else:
            yield f"w:{word}"
            yield from {f"s:{stem}" for stem in find_stems(word)}


def _list_pairs(words: Sequence[str]) -> Iterator[str]:
    # Neighbours, words around another one, and the first and the last word.
    yield from (f"b:{first} {second}" for first, second in pairwise(words))
    yield from (f"b:{first} * {second}" for first, second in zip(words, words[2:], strict=False))
    yield from (f"f:{word}" for word in words[:1])
    yield from (f"l:{word}" for word in words[-1:])


@lru_cache(maxsize=10_000)
def find_stems(word: str) -> tuple[str, ...]:
    """Return the stem of a word in each of the `LANGUAGES`, under a lock, because stemmers are not thread-safe."""
    with _STEMMING:
        return tuple(stemmer.stemWord(word) for stemmer in _stemmers())


@cache
def _stemmers() -> tuple[snowballstemmer.stemmer, ...]:
    return tuple(map(snowballstemmer.stemmer, LANGUAGES))
