"""Find the words that mean reading or writing in labels and titles, in the languages of the texts that people paste."""

import re

# Beginnings of words, and single characters: English, German, Romance, Slavic, Chinese, Japanese, Korean.
_READ = r"(?<!\w)(?:read|lese|lect|lettur|leitur|lezen|чтен|odczyt)|[读讀読]|읽"
_WRITE = r"(?<!\w)(?:writ|schreib|[ée]crit|escri|scritt|schrij|запис|zapis)|[写寫書]|쓰"
_WORDS = {"read": re.compile(_READ, re.IGNORECASE), "write": re.compile(_WRITE, re.IGNORECASE)}


def find_direction(text: str) -> str:
    """Return "read" or "write" if the words of a label name exactly one of the two, else ""."""
    named = [direction for direction, words in _WORDS.items() if words.search(text)]
    return named[0] if len(named) == 1 else ""
