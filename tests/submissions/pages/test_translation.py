"""Every text in a template is marked for translation."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.conftest import PROJECT

TEMPLATES = sorted((PROJECT / "templates").rglob("*.html"))
# Matches marked texts, comments and values; the rest of a template is unmarked text.
_MARKED = re.compile(
    r"{%\s*blocktranslate\b.*?{%\s*endblocktranslate\s*%}|{%\s*comment\b.*?{%\s*endcomment\s*%}"
    r"|{%.*?%}|{{.*?}}|{#.*?#}",
    re.DOTALL,
)
_LETTERS = re.compile(r"[^\W\d_]")
# Names, units and letters printed on cards are the same in every language.
SAME_EVERYWHERE = {"flashdb", "CC BY 4.0", "GB", "MB/s", "UTC", "A", "V", "U"}
SAME_EVERYWHERE |= {"Markdown", "BBCode", "SVG", "JSON", "CSV"}
READ_ALOUD = {"alt", "aria-label", "data-label", "placeholder", "title"}


class _Text(HTMLParser):
    """A parser of HTML that collects texts, and attributes that screen readers speak, outside of code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag == "code"
        self.found += [value for name, value in attrs if name in READ_ALOUD and value]

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag == "code"

    def handle_data(self, data: str) -> None:
        if not self._code:
            self.found.append(data)


def find_unmarked(template: str) -> list[str]:
    """Return the texts of a template that are not marked for translation."""
    parser = _Text()
    parser.feed(_MARKED.sub(" ", template))
    words = (" ".join(text.split()).strip("·:×–-() ") for text in parser.found)
    return [text for text in words if _LETTERS.search(text) and text not in SAME_EVERYWHERE]


@pytest.mark.parametrize(
    "template",
    [
        "<p>Bare</p>",
        '<img alt="A card">',
        "{% if cards %}cards{% endif %}",
        "{% block title %}Makers{% endblock %}",
        '<p>{% translate "Marked" %} and not</p>',
        "{{ count }} card{{ count|pluralize }}",
    ],
)
def test_bare_text_is_found(template: str) -> None:
    assert find_unmarked(template)


@pytest.mark.parametrize(
    "template",
    [
        '<p>{% translate "Marked" %}: {{ value }} GB</p>',
        "{% blocktranslate %}a <a href='x'>b</a>{% endblocktranslate %}",
        "<code>cardbench list</code>",
        "<a title=\"{% translate 'Newer' %}\">›</a>",
    ],
)
def test_marked_text_is_not(template: str) -> None:
    assert not find_unmarked(template)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(PROJECT / "templates")))
def test_every_template_is_marked(path: Path) -> None:
    assert find_unmarked(path.read_text(encoding="utf-8")) == []
