"""No page uses certain unclear expressions, and every language has all translations."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.core.management import call_command

from tests.conftest import PROJECT

# Unclear expressions that pages once had -> plain words.
FORBIDDEN = {
    r"costs at most": "max price",
    r"as far as anybody": "too close to call",
    r"what is kept of you": "privacy",
    r"take it along": "share",
    r"speaks? against it": "say what does not fit",
    r"drawn anew": "we remove place, time and camera",
    r"held back by": "slowest part",
    r"asks? for less|what this purpose asks": "what this use needs",
    r"whoever": "who, or you",
    r"silicon\b(?!s)": "card, or maker",
    r"specimens? tell": "cards",
    r"in the way\b": "limits",
    r"stands? in every": "is in every",
    r"nobody was asked": "say who did what",
    r"answers? to that": "has these words",
    r"handed? in\b": "sent",
    r"taken? back": "delete",
    r"worked out anew": "again",
    r"counterfeit(?!”)": "suspicious, because",
    r"\bbogus\b|\bshady\b|\bscam\b": "suspicious, because",
    r"utilize|leverage|seamless|please note": "plain words",
}


class Entry(NamedTuple):
    """A message of a translation catalogue: `texts` are its English forms, `translations` those in the language."""

    texts: tuple[str, ...]
    translations: tuple[str, ...]
    is_fuzzy: bool


_QUOTED = re.compile(r'^(?:(msgid_plural|msgid|msgstr(?:\[\d\])?|msgctxt) )?"(.*)"$')


def entries(catalogue: Path) -> Iterator[Entry]:
    """Yield the messages of a .po file, without its header and obsolete messages."""
    for block in catalogue.read_text(encoding="utf-8").split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if match := _QUOTED.match(line):
                name = match[1] or name
                fields[name] = fields.get(name, "") + match[2]
        if fields.get("msgid"):
            texts = tuple(fields[name] for name in ("msgid", "msgid_plural") if name in fields)
            said = tuple(text for name, text in fields.items() if name.startswith("msgstr"))
            yield Entry(texts, said, "#, fuzzy" in block or ", fuzzy" in block.partition("msgid")[0])


def extract_texts(folder: Path, language: str) -> Path:
    """Extract the present texts of the sources into a catalogue, and return its path."""
    call_command("makemessages", locale=[language], verbosity=0)
    return folder / "locale" / language / "LC_MESSAGES" / "django.po"


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    if not shutil.which("xgettext"):
        pytest.skip("needs xgettext: apt-get install gettext")
    folder = tmp_path_factory.mktemp("catalogue")
    for room in ("submissions", "templates"):
        shutil.copytree(
            PROJECT / room, folder / room, ignore=shutil.ignore_patterns("data", "locale", "starter")
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(settings, "LOCALE_PATHS", [str(folder / "locale")])
        return list(entries(extract_texts(folder, "de")))


def test_it_works(english: list[Entry]) -> None:
    texts = {text for entry in english for text in entry.texts}
    assert {"Tested by the most people", "%(count)s card", "%(count)s cards", "Running the system"} <= texts


@pytest.mark.parametrize(("word", "better"), FORBIDDEN.items())
def test_no_page_speaks_in_riddles(word: str, better: str, english: list[Entry]) -> None:
    found = [text for entry in english for text in entry.texts if re.search(word, text, re.IGNORECASE)]
    assert not found, f"say “{better}”: {found}"


def test_no_sentence_is_glued_from_pieces(english: list[Entry]) -> None:
    """A text that begins with a comma or a full stop is only the end of a sentence, and cannot be translated."""
    glued = [text for entry in english for text in entry.texts if re.match(r"[,.;:)]", text)]
    assert not glued


LANGUAGES = sorted(
    path.parent.parent.name for path in (PROJECT / "submissions" / "locale").glob("*/*/django.po")
)
_PLACES = re.compile(r"%\(\w+\)s|%%|<[^>]+>")


_ONLY_ENGLISH: list[Any] = [pytest.param("none", marks=pytest.mark.skip("only English so far"))]


@pytest.fixture(params=LANGUAGES or _ONLY_ENGLISH)
def catalogue(request: pytest.FixtureRequest) -> list[Entry]:
    return list(entries(PROJECT / "submissions" / "locale" / request.param / "LC_MESSAGES" / "django.po"))


def test_every_language_says_everything(catalogue: list[Entry], english: list[Entry]) -> None:
    wanted = {entry.texts for entry in english}
    said = {entry.texts for entry in catalogue if all(entry.translations) and not entry.is_fuzzy}
    assert not wanted - said


def test_every_language_fills_the_same_places(catalogue: list[Entry]) -> None:
    """Every translation has the same placeholders and tags as the English text of the same grammatical number."""
    assert not [
        (entry.texts[0], text)
        for entry in catalogue
        for text in entry.translations
        if all(sorted(_PLACES.findall(text)) != sorted(_PLACES.findall(form)) for form in entry.texts)
    ]


def test_every_language_has_its_plural_forms(request: pytest.FixtureRequest, catalogue: list[Entry]) -> None:
    counts = {len(entry.translations) for entry in catalogue if len(entry.texts) == 2}
    assert len(counts) == 1, "as many as the header says, for every message"


@pytest.mark.skipif(not shutil.which("msgfmt"), reason="needs msgfmt: apt-get install gettext")
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_compiled_is_what_is_written(language: str, tmp_path: Path) -> None:
    """`make messages` compiles the catalogues; they are kept, so that a fresh clone has every language."""
    import subprocess

    folder = PROJECT / "submissions" / "locale" / language / "LC_MESSAGES"
    fresh = tmp_path / "django.mo"
    subprocess.run(["msgfmt", "--check", "-o", fresh, folder / "django.po"], check=True)
    assert fresh.read_bytes() == (folder / "django.mo").read_bytes()


def examples() -> dict[str, Any]:
    return {"good": 'msgid "a %(b)s"\nmsgstr "c %(b)s"', "bad": '#, fuzzy\nmsgid "x"\nmsgstr ""'}


@pytest.mark.parametrize(("name", "is_whole"), [("good", True), ("bad", False)])
def test_a_gap_is_seen(name: str, is_whole: bool, tmp_path: Path) -> None:
    file = tmp_path / "django.po"
    file.write_text('msgid ""\nmsgstr "Plural-Forms: nplurals=2;"\n\n' + examples()[name] + "\n")
    (entry,) = entries(file)
    assert (all(entry.translations) and not entry.is_fuzzy) is is_whole
