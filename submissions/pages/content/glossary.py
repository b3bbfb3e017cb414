"""The words of the field, each in a sentence or two: for the glossary and for where a word stands."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain import tables


class Word(NamedTuple):
    title: str
    meaning: str


def list_words() -> dict[str, Word]:
    """Return the rows of data/glossary.toml by their names, in the language of the visitor."""
    rows = tables.document("glossary").items()
    return {slug: Word(row.get("name") or _(row["title"]), _(row["meaning"])) for slug, row in rows}
