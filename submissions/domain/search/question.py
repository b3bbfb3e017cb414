"""Understand a text of the search box as a question with an intent and terms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple

from submissions.domain.ranking.wish import TERABYTE
from submissions.domain.search import catalogue_names as names
from submissions.domain.search import intent, modifiers, search_words
from submissions.domain.search.terms import NAMES, Kind, Term, read_terms

_COMPARED = ("mark", "form")
_OF_ONE_CARD = ("broken", "genuine", "compatibility")
# After these a line rather belongs to the device: “Orange Pi 4 Pro”.
_OF_DEVICE = ("board", "near", "rate")
# A less probable intent gives way to a symptom; so does the intent to choose a card if the text names a card.
_SURE = 0.5
# A limit -> the end of a range of sizes.
_ENDS = {"most": "max", "least": "min"}
MOST_LETTERS = 200
# First letter of a mark -> the facet that asks for at least its number.
_CLASSES = {"A": "app_perf_class", "V": "video_speed_class", "U": "uhs_speed_grade", "C": "speed_class"}


class Side(NamedTuple):
    """A side of a comparison: a name of cards, and the wanted sizes in GB; () for any size."""

    name: str
    sizes_gb: tuple[float, ...]


@dataclass(frozen=True)
class Question:
    terms: tuple[Term, ...]
    text: str = ""

    @cached_property
    def intent(self) -> intent.Name:
        """Return the intent of the question; a text that only describes cards asks to choose one, or to compare two."""
        if self.registers:
            return "what_is"
        if self.is_log:
            return "broken"
        found = intent.find_intent(self.text)
        is_unsure = found.probability < _SURE
        is_name = self._is_name_alone and is_unsure
        is_bare = self._kinds.isdisjoint(("other", "symptom"))
        if is_bare or is_name or self._is_any_card:
            return "compare" if self._is_comparison else "choose"
        if self._is_comparison and found.name not in _OF_ONE_CARD:
            return "compare"
        if self._shows_less and (is_unsure or found.name == "choose"):
            return "genuine"
        is_broken = self.symptom and (is_unsure or (found.name == "choose" and self.names))
        return "broken" if is_broken else found.name

    @cached_property
    def _kinds(self) -> frozenset[Kind]:
        return frozenset(term.kind for term in self.terms)

    @cached_property
    def _is_name_alone(self) -> bool:
        # Besides slots, one word that no question has, such as the name of an unknown card.
        is_alone = len(self.ignored_words) == len(self.possible_names) == 1 and not self.symptom
        return is_alone and not intent.is_unspaced(self.text)

    @cached_property
    def _shows_less(self) -> bool:
        # A size and a smaller one, of no device: “my 64 GB card shows 8 GB”.
        unlimited = [size.value for size in self._sizes if not size.limit]
        return len(unlimited) == 2 and unlimited[0] > unlimited[1] and not self.board

    @cached_property
    def _is_any_card(self) -> bool:
        # Besides slots only words for a card: “CM4 card”, “slowest sd card”.
        is_plain = self._kinds != {"other"} and self._kinds.isdisjoint(("symptom", "or"))
        return is_plain and all(map(search_words.names_any_card, self.ignored_words))

    @cached_property
    def _is_comparison(self) -> bool:
        return "or" in self._kinds and bool(self.alternatives or self.sides)

    @cached_property
    def alternatives(self) -> tuple[Term, ...]:
        """Return the marks and forms on both sides of each “or” or “and”."""
        parts = [{term.text: term for term in part if term.kind in _COMPARED} for part in self._parts]
        every = {text: term for part in parts for text, term in part.items()}
        return tuple(every.values()) if sum(map(bool, parts)) > 1 and len(every) > 1 else ()

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """Return the cards that are compared: names and sizes on both sides of “or”, “and” or another brand.

        A side without a size has all sizes of the text. It is () if nothing is compared, or if no card is named.
        """
        parts = [part for part in map(_make_side, self._parts) if any(part)]
        sides: list[Side] = []
        for part in parts:
            # “Ultra 64 or 128 GB”: one name, two sizes.
            is_one = sides and not (sides[-1].name and part.name)
            before = sides.pop() if is_one else Side("", ())
            sides.append(Side(before.name or part.name, (*before.sizes_gb, *part.sizes_gb)))
        if len(parts) < 2 or not sides[0].name:
            return ()
        every = tuple(size.value for size in self._sizes)
        named = zip(names.repeat_brand(side.name for side in sides), sides, strict=True)
        return tuple(Side(name, side.sizes_gb or every) for name, side in named)

    @cached_property
    def _parts(self) -> list[list[Term]]:
        # A card has one brand: “SanDisk Ultra, Samsung EVO” are two.
        parts: list[list[Term]] = [[]]
        for term in self.wanted_terms:
            brands = [names.is_brand(str(one.value)) for one in (*parts[-1], term) if one.kind == "name"]
            if term.kind in ("or", "and") or (term.kind == "name" and brands[-1] and sum(brands) > 1):
                parts.append([])
            parts[-1].append(term)
        return parts

    @cached_property
    def wanted_terms(self) -> tuple[Term, ...]:
        """Return the terms without excluded terms, such as those after “not”."""
        return tuple(term for term in self.terms if not term.is_excluded)

    def _values(self, kind: Kind) -> list[str]:
        return [str(term.value) for term in self.terms if term.kind == kind]

    @cached_property
    def board(self) -> str:
        """Return the slug of the last board, "" without a board.

        A board with a name takes precedence over an unnamed device, such as a camera.
        """
        slugs = [str(term.value) for term in self._devices]
        named = [slug for slug in slugs if slug not in names.UNNAMED_DEVICES]
        return next(reversed(named or slugs), "")

    @cached_property
    def unknown_device(self) -> str:
        """Return the last device that we do not know, as it is written; "" if a device that we know is named, too."""
        return self._devices[-1].text if {term.kind for term in self._devices} == {"near"} else ""

    @cached_property
    def _devices(self) -> list[Term]:
        return [term for term in self.wanted_terms if term.kind in ("board", "near")]

    @cached_property
    def use(self) -> str:
        return next((str(term.value) for term in reversed(self.wanted_terms) if term.kind == "use"), "")

    @cached_property
    def symptom(self) -> str:
        return next(iter(self._values("symptom")), "")

    @cached_property
    def order(self) -> str:
        """Return the last superlative of the text as the name of an order, such as “price”.

        It is "" for “best”, and if the text has no superlative.
        """
        return next(filter(None, reversed(self._values("order"))), "")

    @cached_property
    def registers(self) -> str:
        """Return the hex digits of registers in the text, joined by blanks; "" without registers."""
        return " ".join(self._values("register"))

    @cached_property
    def is_log(self) -> bool:
        """Return whether the text is from the log of a kernel."""
        return "log" in self._kinds

    @cached_property
    def names(self) -> tuple[Term, ...]:
        """Return the terms that are searched for in the names, part numbers and registers of models."""
        return tuple(term for term in self.wanted_terms if term.kind in NAMES)

    @cached_property
    def ignored_words(self) -> tuple[str, ...]:
        """Return the words of the text without a meaning."""
        return tuple(term.text for term in self.terms if term.kind == "other")

    @cached_property
    def possible_names(self) -> tuple[str, ...]:
        """Return the ignored words that may name a model: no words of questions, and no year."""
        return tuple(dict.fromkeys(filter(names.may_be_name, self._values("other"))))

    @cached_property
    def words(self) -> str:
        """Return the names, with “|” between alternatives such as “Ultra vs Extreme”."""
        return " | ".join(side.name for side in map(_make_side, self._parts) if side.name)

    @cached_property
    def chosen_facets(self) -> dict[str, Any]:
        """Return the value of each facet (filter) that the text asks for, except the names."""
        chosen: dict[str, Any] = {}
        for term in self.wanted_terms:
            chosen |= {} if term.kind == "price" and not self.is_limit(term) else _facets(term)
        return chosen | _sizes(self._sizes, is_exact=self.has_exact_size)

    @cached_property
    def _sizes(self) -> list[Term]:
        return [term for term in self.wanted_terms if term.kind == "capacity"]

    @cached_property
    def has_exact_size(self) -> bool:
        """Return whether a size without a limit means exactly this size, and not at least this size.

        It does for a card with a name, for a card that the asker has, and if there are several sizes.
        """
        return bool(self.names) or self.intent not in ("choose", "compare") or len(self._sizes) > 1

    @cached_property
    def largest_gb(self) -> float:
        """Return the largest size in GB, a little more for “more than 2 TB”; 0 without a size."""
        return max(
            (term.value * (TERABYTE if term.limit == "least" else 1) for term in self._sizes), default=0
        )

    def is_limit(self, price: Term) -> bool:
        """Return whether a price is the most that a card may cost.

        A price without “most” is, if it is the only price of a text that asks to choose a card.
        """
        is_only = sum(term.kind == "price" for term in self.terms) == 1
        return price.limit == "most" or (not price.limit and is_only and self.intent == "choose")

    @cached_property
    def excluded_facets(self) -> dict[str, Any]:
        """Return the value of each facet (filter) that the text excludes.

        Excluded names are the value of the facet `q`.
        """
        terms = [term for term in self.terms if term.is_excluded]
        excluded: dict[str, Any] = {}
        for term in terms:
            excluded |= {"capacity_gb": term.value} if term.kind == "capacity" else _facets(term)
        # Names in a row belong together, but a brand begins another alternative.
        words = [term.value for term in terms if term.kind in NAMES]
        apart = " ".join(f"| {word}" if names.is_brand(word) else word for word in words).strip("| ")
        return excluded | ({"q": apart} if apart else {})

    def text_without(self, term: Term) -> str:
        """Return the text without a term, and without a “not” or a limit that belongs only to this term."""
        same = (term.kind, term.value)
        meant = {at for at, other in enumerate(self.terms) if (other.kind, other.value) == same}
        own = {at for at in range(len(self.terms)) if modifiers.find_modified(self.terms, at) in meant}
        return " ".join(other.text for at, other in enumerate(self.terms) if at not in meant | own)


def _make_side(part: Sequence[Term]) -> Side:
    name = " ".join(str(term.value) for term in part if term.kind in NAMES)
    return Side(name, tuple(term.value for term in part if term.kind == "capacity"))


def understand(text: str, known: Mapping[str, str] | None = None) -> Question:
    """Return the question in the first `MOST_LETTERS` of a text of any language; words without a meaning are ignored.

    `known`: further names, by the word that people use for each.
    """
    folded = names.correct_devices(intent.fold_text(text)[:MOST_LETTERS])
    named = _earn_names(list(read_terms(folded)), known or {})
    return Question(modifiers.apply_modifiers(named), folded)


def _earn_names(terms: list[Term], known: Mapping[str, str]) -> list[Term]:
    # First words that are names by themselves; then lines after a name, or in a text without other words.
    named, place = [], 0
    while place < len(terms):
        run = list(takewhile(_may_be_name, terms[place : place + names.MOST_WORDS]))
        ways = ((count, _name(run[:count], known)) for count in range(len(run), 0, -1))
        count, term = next((way for way in ways if way[1]), (1, None))
        named.append(term or terms[place])
        place += count
    is_bare = not any(term.kind in ("other", "symptom") for term in named)
    return list(_settle_lines(named, is_bare=is_bare))


def _may_be_name(term: Term) -> bool:
    return term.kind in ("other", "part", "name")


def _name(run: Sequence[Term], known: Mapping[str, str]) -> Term | None:
    text = " ".join(term.text for term in run)
    phrase = " ".join(str(term.value).rstrip("!") for term in run)
    if names.is_brand(phrase) or names.is_line(phrase):
        is_sure = names.is_brand(phrase) or names.is_distinctive(phrase)
        return Term(text, "name" if is_sure else "line", phrase)
    if len(run) > 1 or run[0].kind == "name":
        return None
    if names.is_code(phrase):
        return Term(text, "part" if run[0].kind == "part" else "name", phrase)
    if name := known.get(phrase) or names.correct(phrase):
        return Term(text, "name", name)
    return None


def _settle_lines(terms: Sequence[Term], *, is_bare: bool) -> Iterator[Term]:
    is_behind_name, before = False, ""
    for at, term in enumerate(terms):
        following = next(iter(terms[at + 1 :]), None)
        beside = (terms[at - 1] if at else None, following)
        is_of_device = term.kind == "name" and names.is_of_device(str(term.value), *beside)
        is_line = is_behind_name or _is_paired(terms, at) or (is_bare and before not in _OF_DEVICE)
        settled = term._replace(kind="other") if is_of_device else _settle(term, is_line=is_line)
        if settled.kind == "other" and is_behind_name and (word := names.find_word_of_line(str(term.value))):
            settled = term._replace(kind="name", value=word)
        yield settled
        # “SanDisk but not Ultra”: a word before a “not” changes nothing.
        goes_on = settled.kind in ("or", "and", "not") or (following is not None and following.kind == "not")
        is_behind_name = settled.kind == "name" or (is_behind_name and goes_on)
        before = settled.kind


def _is_paired(terms: Sequence[Term], at: int) -> bool:
    # “or” or “and” between a line and another name: “ultra or extreme pro”.
    kinds = [term.kind for term in terms[at : at + 3]]
    return len(kinds) == 3 and kinds[1] in ("or", "and") and kinds[2] in ("name", "line")


def _settle(term: Term, *, is_line: bool) -> Term:
    if term.kind == "line":
        return term._replace(kind="name" if is_line else "other")
    is_part = term.kind != "part" or names.is_code(str(term.value))
    return term if is_part else term._replace(kind="other")


def _facets(term: Term) -> dict[str, Any]:
    match term.kind, term.value:
        case "price", (amount, currency):
            return {"price_max": amount, "price_currency": currency}
        case "mark", str(mark) if mark[1:].isdigit():
            return {_CLASSES[mark[0]]: int(mark[1:])}
        case "mark", mode:
            return {"bus_mode": mode}
        case "form", form if form != search_words.USUAL_FORM:
            return {"form": form}
    return {}


def _sizes(sizes: Sequence[Term], *, is_exact: bool) -> dict[str, float]:
    # One size without a limit is exact or the least; several are the least and the most.
    limits = {f"capacity_gb_{_ENDS[term.limit]}": term.value for term in sizes if term.limit in _ENDS}
    if limits or not sizes:
        return limits
    values = {term.value for term in sizes}
    is_one = is_exact or len(values) > 1 or sizes[0].limit
    return {"capacity_gb_min": min(values)} | ({"capacity_gb_max": max(values) * TERABYTE} if is_one else {})


def match_size(size_gb: float) -> dict[str, float]:
    """Return the facets (filters) that match only cards of this size."""
    return {"capacity_gb_min": size_gb, "capacity_gb_max": size_gb * TERABYTE}
