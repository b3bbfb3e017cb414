"""Every text is translated: in an artificial language that adds brackets, no text is without brackets."""

import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import translation

from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards
from submissions.domain.translation import translate
from submissions.management.commands.makemessages import all_texts
from submissions.pages.content import advice_words
from submissions.pages.forms import finder_form
from submissions.writing import ingest
from tests.conftest import PROJECT
from tests.factories import body, rand_write, seq_read, specimen, uuid

# Names, and texts that users wrote, which are not translated.
_VERBATIM = ("cite", "code", "pre", "script", "style", "textarea")
_TOLD_ASIDE = ("aria-label", "title", "placeholder", "alt")
_SENTENCE = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}")
PAGES = (
    *("/", "/?q=nobody", "/?board=raspberry-pi-4", "/models/kingston-4-gb/", "/models/kingston-4-gb/why/"),
    *(
        "/compare/?m=kingston-4-gb&m=sandisk-4-gb",
        "/boards/",
        "/boards/raspberry-pi-3/",
        "/recent/",
    ),
    *(
        "/submit/",
        "/decode/",
        "/about/",
        "/privacy/",
        "/statistics/",
        "/account/log-in/",
        "/account/sign-up/",
    ),
    *("/nowhere/", "/makers/?q=nobody"),
    *("/?q=quonkel+512gb", "/good/", "/good/?m=kingston-4-gb", "/best/raspberry-pi-5/pi-root/"),
)


@pytest.fixture
def brackets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Translate every text to itself in brackets."""
    translation.gettext("x"), translation.ngettext("x", "y", 1)
    said = vars(translation)["_trans"]
    monkeypatch.setattr(said, "gettext", lambda text: f"⟦{text}⟧")
    monkeypatch.setattr(said, "ngettext", lambda one, many, number: f"⟦{one if number == 1 else many}⟧")
    # Fields of the finder and some words are cached by language.
    finder_form._draw_usual.cache_clear()
    advice_words.count_evidence.cache_clear()
    yield
    finder_form._draw_usual.cache_clear()
    advice_words.count_evidence.cache_clear()


class Untranslated(HTMLParser):
    """A parser that collects the text of a page outside the brackets."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.verbatim: list[str] = []
        self.depth = 0
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VERBATIM:
            self.verbatim.append(tag)
        for name, value in attrs:
            if name in _TOLD_ASIDE and value:
                self.handle_data(value)

    def handle_endtag(self, tag: str) -> None:
        if self.verbatim and self.verbatim[-1] == tag:
            self.verbatim.pop()

    def handle_data(self, data: str) -> None:
        if self.verbatim:
            return
        outside = ""
        for character in data:
            self.depth += {"⟦": 1, "⟧": -1}.get(character, 0)
            outside += character if self.depth == 0 else ""
        self.found.append(" ".join(outside.strip("⟧").split()))


@pytest.fixture
def cards(db: None) -> None:
    for number, brand in ((1, "Kingston"), (2, "SanDisk")):
        card = specimen(0x35338900 + number, label={"brand": brand})
        given = body(uuid=uuid(number), card=card, measurements=[rand_write(300 * number), seq_read()])
        ingest.process(ingest.receive(given, channel="api", submitter=str(number)).submission.pk)


@pytest.mark.usefixtures("cards", "brackets")
@pytest.mark.parametrize("address", PAGES)
def test_no_page_says_a_sentence_that_cannot_be_translated(client: Client, address: str) -> None:
    page = Untranslated(client.get(address).content.decode())
    titles = set(all_texts())
    left = [text for text in page.found if text in titles or _SENTENCE.search(text)]
    assert not left, "\n".join(left)
    assert page.depth == 0


def test_no_sentence_hides_where_the_catalogues_do_not_look() -> None:
    """A text inside an f-string is not translated, because xgettext does not find it."""
    files = (PROJECT / "submissions").rglob("*.py")
    hidden = [
        str(path) for path in files if re.search(r"\{(?:_|n?gettext)\(", path.read_text(encoding="utf-8"))
    ]
    assert not hidden


@pytest.mark.usefixtures("cards", "brackets")
def test_the_tables_of_the_core_are_told_in_the_language_of_the_visitor(client: Client) -> None:
    assert translate("Sequential read") == metrics.FIGURES["seq_read"].title == "⟦Sequential read⟧"
    assert boards.find("raspberry-pi-4").notes.startswith("⟦")
    assert "⟦Running the system⟧" in client.get("/").content.decode()


@pytest.mark.skipif(not shutil.which("xgettext"), reason="needs xgettext (apt install gettext)")
def test_a_catalogue_holds_what_tables_say(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOCALE_PATHS = [str(tmp_path / "locale")]
    monkeypatch.chdir(tmp_path)
    call_command("makemessages", locale=["de"], verbosity=0)
    catalogue = (tmp_path / "locale" / "de" / "LC_MESSAGES" / "django.po").read_text()
    assert 'msgid "Random write, 4 KiB, no queue"' in catalogue
    assert [path.name for path in tmp_path.iterdir()] == ["locale"]
