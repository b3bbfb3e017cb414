"""Apply “not” and words for a limit to the terms that they belong to."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from submissions.domain.search import catalogue_names as names
from submissions.domain.search.terms import NAMES, Term

_EXCLUDED = ("board", "use", "form", "mark", "capacity", *NAMES)
_LIMITS = ("most", "least", "exact")
_LIMITED = ("capacity", "price")
# As long as an article or “from” between “not” and the thing.
_SHORT = 4
# The greatest distance between two sizes of a range: one word between them.
_NEAR = 2


def apply_modifiers(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms, marked by the words around them: which are excluded, and which are a limit."""
    return tuple(_limit_range(list(_limit(list(_exclude(terms))))))


def _exclude(terms: Sequence[Term]) -> Iterator[Term]:
    # The slots of one kind after a “not”; in Chinese and Japanese also the slot before one.
    excluded: str | None = None  # the kind; "" right after the “not”
    for slot, following in zip(terms, (*terms[1:], None), strict=False):
        is_before = following is not None and following.kind == "not-before"
        is_brand = (is_before or excluded == "") and _is_brand_beside_board(slot, terms)
        term = slot._replace(kind="name", value=slot.text) if is_brand else slot
        is_slot = term.kind in _EXCLUDED
        if term.kind == "not":
            excluded = ""
        elif is_slot and excluded in ("", term.kind):
            excluded = term.kind
        elif term.kind not in ("or", "and") and not (excluded == "" and len(term.text) <= _SHORT):
            excluded = None
        yield term._replace(is_excluded=is_slot and (excluded == term.kind or is_before))


def _is_brand_beside_board(term: Term, terms: Iterable[Term]) -> bool:
    # With another device beside it a device is rather a brand: “other than Raspberry Pi for a Pi 5”.
    boards = [other.text for other in terms if other.kind == "board"]
    return term.kind == "board" and len(boards) > 1 and names.is_brand(term.text)


def _limit(terms: Sequence[Term]) -> Iterator[Term]:
    # Sizes and prices are the most or the least by the word before or after them.
    kinds = [term.kind.removesuffix("-before") for term in terms]
    limits = {find_modified(terms, at): kind for at, kind in enumerate(kinds) if kind in _LIMITS}
    for at, term in enumerate(terms):
        yield term._replace(limit=limits[at]) if term.kind in _LIMITED and at in limits else term


def find_modified(terms: Sequence[Term], at: int) -> int:
    """Return the position of the only term to which the “not” or the limit at position `at` belongs; -1 without one."""
    kinds = ["", *(term.kind for term in terms), "", ""]
    before, kind, following = kinds[at : at + 3]
    # “20 € max for a card”, “64 GB minimum”: a limit may follow a price, and at the end a size.
    is_last = before == "price" or (before == "capacity" and not following)
    if kind.endswith("-before") or (kind in _LIMITS and is_last and following not in _LIMITED):
        return at - 1
    if kind in _LIMITS:
        return at + 1
    behind = [place for place in range(at + 1, len(terms)) if terms[place].kind != "other"]
    further = [terms[place] for place in behind[1:2]]
    goes_on = any(term.is_excluded or term.kind in ("or", "and") for term in further)
    return behind[0] if kind == "not" and behind and not goes_on else -1


def _limit_range(terms: Sequence[Term]) -> Iterator[Term]:
    # “32 to 128 GB”: ascending sizes with at most one word between them are the ends of a range, but not with an “or”.
    places = [at for at, term in enumerate(terms) if term.kind == "capacity" and not term.is_excluded]
    values = [terms[at].value for at in places]
    ends = {min(values): "least", max(values): "most"} if len(set(values)) > 1 else {}
    are_neighbours = all(second - first <= _NEAR for first, second in pairwise(places))
    is_range = are_neighbours and values == sorted(values) and not any(term.kind == "or" for term in terms)
    for term in terms:
        is_end = is_range and term.kind == "capacity" and not (term.is_excluded or term.limit)
        yield term._replace(limit=ends.get(term.value, "")) if is_end else term
