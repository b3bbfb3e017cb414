"""manage.py makemessages: extract texts to translate as Django does, and texts in data tables of the domain, too."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

from submissions.domain import tables
from submissions.domain.findings import finding_words
from submissions.domain.identity.products import CONFIDENCE
from submissions.domain.identity.suspicions.quirks import QUEUEING
from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, interfaces, uses
from submissions.domain.ranking.facets import FACETS
from submissions.domain.search import search_answers

# Read by xgettext as any other module, and removed afterwards.
_MODULE = Path("words_of_tables.py")


class Command(makemessages.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        _MODULE.write_text("".join(f"gettext_noop({text!r})\n" for text in all_texts()), encoding="utf-8")
        try:
            super().handle(*args, **options)
        finally:
            _MODULE.unlink()


def all_texts() -> Iterator[str]:
    """Yield every English text of a data table that `domain.translation` may have to translate."""
    for table in (
        metrics.METRICS,
        metrics.WORKLOADS,
        metrics.FIGURES,
        metrics.ABILITIES,
        uses.all_uses(),
        interfaces.all_interfaces(),
        boards.all_boards(),
        FACETS,
    ):
        yield from (row.english for row in table.values())
    yield from finding_words.all_texts()
    yield from QUEUEING.values()
    yield from CONFIDENCE.values()
    yield from search_answers.all_texts()
    yield from filter(None, (board.english_notes for board in boards.all_boards().values()))
    for word in tables.document("glossary").values():
        yield from (word[name] for name in ("title", "meaning") if name in word)
