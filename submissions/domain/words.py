"""What the tables of the core say to people, in their language.

The core writes English and knows no other language; whoever shows it says once how its words are translated.
"""

from collections.abc import Callable


class _Translation:
    """Of one English text, at the moment it is shown."""

    translate: Callable[[str], str] = staticmethod(str)


def translate_with(translate: Callable[[str], str]) -> None:
    """From now on titles are told by this function."""
    _Translation.translate = staticmethod(translate)


def told(english: str) -> str:
    """A text of a table for whoever is reading. Only what `all_texts` of the catalogue holds can be translated."""
    return _Translation.translate(english) if english else ""


class Titled:
    """A row that has a title for people."""

    __slots__ = ()
    english: str

    @property
    def title(self) -> str:
        return told(self.english)
