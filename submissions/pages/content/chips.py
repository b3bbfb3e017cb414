"""What the search box understood, each piece with the address that asks for everything but it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from submissions.domain.identity.words import capacity_words
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.facets import FACETS
from submissions.domain.search.question import Term
from submissions.evidence import model_search
from submissions.pages import wording
from submissions.pages.forms.finder_form import FinderForm


class Chip(NamedTuple):
    """`others`: the choices without it. `known`: False for a word that no card has."""

    label: str
    others: Mapping[str, Any]
    known: bool = True

    @property
    def address(self) -> str:
        """The query that drops it."""
        return urlencode({name: value for name, value in self.others.items() if value})


def chips(form: FinderForm, *, unknown: Collection[str] = ()) -> list[Chip]:
    """First what the text says, in its order; then what the filters ask for."""
    return [*_of_text(form, unknown), *_of_fields(form)]


def wider(chosen: Iterable[Chip]) -> list[tuple[Chip, int]]:
    """Each of them with the number of models that answer when it is dropped; those that help. A query each."""
    counted = [(chip, model_search.count(FinderForm(chip.others).wish())) for chip in chosen if chip.address]
    return [(chip, count) for chip, count in counted if count]


def _of_text(form: FinderForm, unknown: Collection[str]) -> Iterator[Chip]:
    for term in {(term.kind, term.value): term for term in form.question.terms}.values():
        if term.kind not in ("or", "noise", "fake", "bad", "log"):
            left = form.query | {"q": form.question.without(term)}
            yield Chip(_label(term, named=bool(form.question.names)), left, term.value not in unknown)


def _of_fields(form: FinderForm) -> Iterator[Chip]:
    for name, value in form.choices().items():
        if name != "price_currency":
            left = {key: asked for key, asked in form.query.items() if key != name}
            yield Chip(_field_label(form, name, value), left)


def _label(term: Term, *, named: bool) -> str:
    match term.kind, term.value:
        case "board", slug:
            return boards.all_boards()[slug].title
        case "use", name:
            return uses.all_uses()[name].title
        case "capacity", float(size_gb):
            size = wording.localized(capacity_words(size_gb))
            return size if named else _("%(size)s or more") % {"size": size}
        case "price", (amount, currency):
            return _("up to %(price)s") % {"price": wording.localized(f"{amount:g} {currency}")}
        case "mark", mark if mark[1:].isdigit():
            return _("%(mark)s or better") % {"mark": mark}
    return str(term.value)


def _field_label(form: FinderForm, name: str, value: Any) -> str:
    if name == "board":
        return boards.all_boards()[value].title
    if name == "use":
        return uses.all_uses()[value].title
    if name == "origin":
        return FACETS[name].title
    shown = (
        value if isinstance(value, float | int | str) and not isinstance(value, bool) else form.query[name]
    )
    return (
        f"{FACETS[name].title}: {shown:g}" if isinstance(shown, float) else f"{FACETS[name].title}: {shown}"
    )
