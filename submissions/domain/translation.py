"""Titles of the core's tables in the language of the reader.

The core writes English and imports no catalogue of translations; the application says once, when it starts, which
function translates.
"""

from collections.abc import Callable


class Translator:
    """Translates a text when it is shown. English as it is until `use` is called."""

    __slots__ = ("_translate",)

    def __init__(self) -> None:
        self._translate: Callable[[str], str] = str

    def use(self, translate: Callable[[str], str]) -> None:
        """Every text is translated by this function from now on; called before the first thread starts."""
        self._translate = translate

    def translated(self, english: str) -> str:
        """Only texts that `makemessages.all_texts` lists can be translated; "" stays ""."""
        return self._translate(english) if english else ""


_translator = Translator()
translate_with, translated = _translator.use, _translator.translated


class Titled:
    """A row of a table with a title for people."""

    __slots__ = ()
    english: str

    @property
    def title(self) -> str:
        return translated(self.english)
