"""Translate titles of the core's tables into the language of the reader.

The core writes English and imports no translations; the application passes the function that translates when it
starts.
"""

from collections.abc import Callable

_translate: list[Callable[[str], str]] = [str]


def translate_with(translate: Callable[[str], str]) -> None:
    """Set the function that translates every text. Call it before the first thread starts."""
    _translate[0] = translate


def translate(english: str) -> str:
    """Return a text in the language of the reader; `makemessages.all_texts` must list it. "" stays ""."""
    return _translate[0](english) if english else ""


class Titled:
    """Base class of rows of tables that have a title for people."""

    __slots__ = ()
    english: str

    @property
    def title(self) -> str:
        return translate(self.english)
