"""Titles of the core's tables in the language of the reader.

The core writes English and imports no catalogue of translations; the application says once, when it starts, which
function translates.
"""

from collections.abc import Callable

_translate: list[Callable[[str], str]] = [str]


def translate_with(translate: Callable[[str], str]) -> None:
    """Translate every text by this function from now on; called before the first thread starts."""
    _translate[0] = translate


def translated(english: str) -> str:
    """Return a text that `makemessages.all_texts` lists in the language of the reader; "" stays ""."""
    return _translate[0](english) if english else ""


class Titled:
    """A row of a table with a title for people."""

    __slots__ = ()
    english: str

    @property
    def title(self) -> str:
        return translated(self.english)
