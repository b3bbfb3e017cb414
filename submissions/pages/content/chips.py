"""List the parts of a search, as the search box understood them, each with the URL of the search without the part."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from submissions.domain.identity.words import capacity_words
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.facets import FACETS
from submissions.domain.search.intent import is_unspaced
from submissions.domain.search.question import Question
from submissions.domain.search.terms import Term
from submissions.evidence import model_search
from submissions.pages import wording
from submissions.pages.content import sorting
from submissions.pages.forms.finder_form import FinderForm


class Chip(NamedTuple):
    """A part of a search. `others`: the query parameters without this part; None if the part has no effect."""

    label: str
    others: Mapping[str, Any] | None

    @property
    def is_used(self) -> bool:
        return self.others is not None

    @property
    def address(self) -> str:
        """Return the URL query of the search without this part."""
        return urlencode({name: value for name, value in (self.others or {}).items() if value})


# Kinds of terms that no visitor needs to see: they join others, or the answer names them.
_UNSEEN = ("or", "and", "log", "rate", "other", "symptom")


def chips(form: FinderForm) -> list[Chip]:
    """Return the parts of a search: of the text in its order, then of the filters, and last the ignored words."""
    used = [*_read_text(form), *_read_fields(form)]
    ignored = " ".join(form.question.ignored_words if used else _list_unknown(form.question))
    return [*used, *([Chip(ignored, None)] if ignored else [])]


def _list_unknown(question: Question) -> list[str]:
    # Other intents answer the whole text, and a script without blanks has no single words.
    if question.intent not in ("choose", "other_not_ours"):
        return []
    return [word for word in question.possible_names if not is_unspaced(word)]


def find_wider(chosen: Iterable[Chip]) -> list[tuple[Chip, int]]:
    """Return the parts without which a search would find models, with the number of models; one query per part."""
    dropped = ((chip, chip.others) for chip in chosen if chip.others is not None and chip.address)
    counted = [(chip, model_search.count(FinderForm(others).wish())) for chip, others in dropped]
    return [(chip, count) for chip, count in counted if count]


def _read_text(form: FinderForm) -> Iterator[Chip]:
    seen = {(term.kind, term.value): term for term in form.question.terms}
    for term in seen.values():
        is_seen = form.question.is_limit(term) if term.kind == "price" else term.kind not in _UNSEEN
        if term.value and is_seen:
            label = _label(term, is_exact=form.question.has_exact_size)
            left = form.query | {"q": form.question.text_without(term)}
            yield Chip(_("not %(label)s") % {"label": label} if term.is_excluded else label, left)


def _read_fields(form: FinderForm) -> Iterator[Chip]:
    for name, value in form.choices().items():
        if name != "price_currency":
            left = {key: asked for key, asked in form.query.items() if key != name}
            yield Chip(_field_label(form, name, value), left)


def _label(term: Term, *, is_exact: bool) -> str:
    match term.kind, term.value:
        case "board" | "use" | "order", name:
            return _title(term.kind, name)
        case "near", _board:
            return term.text
        case "capacity", float(size_gb):
            return _label_size(term, wording.localize(capacity_words(size_gb)), is_exact=is_exact)
        case "price", (amount, currency):
            return _("up to %(price)s") % {"price": wording.localize(f"{amount:g} {currency}")}
        case "mark", mark if mark[1:].isdigit() and not term.is_excluded:
            return _("%(mark)s or better") % {"mark": mark}
    return str(term.value)


def _label_size(term: Term, size: str, *, is_exact: bool) -> str:
    if term.limit == "most":
        return _("up to %(price)s") % {"price": size}
    is_least = term.limit == "least" or not (is_exact or term.limit or term.is_excluded)
    return _("%(size)s or more") % {"size": size} if is_least else size


def _title(kind: str, name: str) -> str:
    if kind == "order":
        return _(sorting.TITLES[name])
    return boards.all_boards()[name].title if kind == "board" else uses.all_uses()[name].title


def _field_label(form: FinderForm, name: str, value: Any) -> str:
    if name in ("board", "use"):
        return _title(name, value)
    if name == "origin":
        return FACETS[name].title
    shown = (
        value if isinstance(value, float | int | str) and not isinstance(value, bool) else form.query[name]
    )
    return (
        f"{FACETS[name].title}: {shown:g}" if isinstance(shown, float) else f"{FACETS[name].title}: {shown}"
    )
