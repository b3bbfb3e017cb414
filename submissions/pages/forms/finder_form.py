"""Define the form of a search: device, use, and a field for each facet (a condition on models)."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.facets import FACETS, FLAGS, Facet
from submissions.domain.ranking.wish import Wish
from submissions.domain.search import wishes
from submissions.domain.search.question import MOST_LETTERS
from submissions.evidence.questions import read_question

_ANY, _SAME = ("", _("any")), ("", _("Same as your search"))
_MONTH = r"\A(?:19|20)[0-9]{2}(?:-(?:0[1-9]|1[0-2]))?\Z"
_CURRENCY = FACETS["price_currency"].choices[0]
# Former name of a choice -> the facet. Links that hold it go on working.
_ALIASES = {
    "profile": "use",
    "min_gb": "capacity_gb_min",
    "max_gb": "capacity_gb_max",
    "budget": "price_max",
    "currency": "price_currency",
    "app_class": "app_perf_class",
    "video_class": "video_speed_class",
    "uhs_grade": "uhs_speed_grade",
    "since": "manufactured_since",
}
_HINTS: dict[str, dict[str, Any]] = {
    "q": {"placeholder": _("SanDisk Extreme 64")},
    "manufactured_since": {"placeholder": "2023-05", "inputmode": "numeric"},
    "seen_since": {"placeholder": "2026-11-20"},
    "oem": {"placeholder": "0x544d"},
    "brand": {"list": "brands"},
}
_FLAG_WORDS = {
    "flagged": (_("without doubts"), _("with doubts only")),
    "tells_health": (_("not as far as we know"), _("yes")),
    "sold": (_("no longer"), _("yes")),
}


_READ: dict[str, Callable[[str], Any]] = {"class": int, "flag": FLAGS.__getitem__}


class _TextField(forms.CharField):
    """A text field of a facet (filter), which converts the text to values of a database column if necessary."""

    def __init__(self, facet: Facet, **options: Any) -> None:
        super().__init__(max_length=200, **options)
        self.facet = facet

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return self.facet.values(text) if text and self.facet.values else text
        except ValueError:
            raise forms.ValidationError(
                _("An OEM number has up to four hex digits, such as 0x544d.")
            ) from None


def _field(facet: Facet) -> forms.Field:
    """Return the form field of a facet (filter of a search), which is never required."""
    usual: dict[str, Any] = {"label": facet.title, "required": False}
    match facet.kind:
        case "number":
            return forms.FloatField(min_value=0, **usual)
        case "count":
            return forms.IntegerField(min_value=1, **usual)
        case "month":
            return forms.RegexField(_MONTH, strip=True, **usual)
        case "moment":
            return forms.DateTimeField(**usual)
        case "text":
            kind = "search" if facet.lookup == "matching" else "text"
            return _TextField(facet, widget=forms.TextInput({"type": kind}), **usual)
    return forms.TypedChoiceField(
        coerce=_READ.get(facet.kind, str), empty_value=None, choices=_choices(facet), **usual
    )


def _choices(facet: Facet) -> list[tuple[str, Any]]:
    match facet.kind:
        case "flag":
            no, yes = _FLAG_WORDS[facet.name]
            return [_ANY, ("no", no), ("yes", yes)]
        case "class":
            return [_ANY, *((mark[1:], _("%(mark)s or better") % {"mark": mark}) for mark in facet.choices)]
    if facet.name == "origin":
        return [_ANY, ("here", _("yes"))]
    named = [(choice, choice) for choice in facet.choices]
    return named if facet.needs else [_ANY, *named]


def _list_boards() -> list[tuple[str, Any]]:
    return [_SAME, *((board.slug, board.title) for board in boards.all_boards().values())]


def _list_uses() -> list[tuple[str, Any]]:
    return [_SAME, *((use.name, use.title) for use in uses.all_uses().values())]


class DrawnField(NamedTuple):
    """A form field as HTML: `html` has the label and the input."""

    name: str
    html: str
    errors: tuple[str, ...]


class FinderForm(forms.Form):
    """The form of a search, with an optional field for each filter. A field with an error counts as empty."""

    most_letters = MOST_LETTERS

    board = forms.ChoiceField(label=_("Device"), required=False, choices=_list_boards)
    use = forms.ChoiceField(label=_("Used for"), required=False, choices=_list_uses)

    def __init__(self, data: Any) -> None:
        self.query = _read_address(data)
        self.is_cut = len(data.get("q", "")) > MOST_LETTERS
        self.question = read_question(str(self.query.get("q", "")))
        super().__init__(self.query, label_suffix="")
        self.fields |= {name: _field(facet) for name, facet in FACETS.items()}
        for name, attributes in _HINTS.items():
            self.fields[name].widget.attrs |= attributes

    @property
    def filters(self) -> list[DrawnField]:
        """Return all fields as HTML, without the search box and the abilities of cards for other slots."""
        names = set(ABILITIES) - set(self.wish().board.slot.abilities)
        others = {facet.name for facet in FACETS.values() if facet.column in names}
        return [self._draw_field(name) for name in self.fields if name != "q" and name not in others]

    @property
    def other_choices(self) -> list[tuple[str, str]]:
        """Return the query parameters besides the search text, which the next search repeats: (name, value)."""
        return [(name, value) for name, value in self.query.items() if name in self.fields and name != "q"]

    def _draw_field(self, name: str) -> DrawnField:
        if errors := self.errors.get(name):
            return _draw(self, name, tuple(map(str, errors)))
        return _draw_usual(get_language(), name, str(self.data.get(name, "")))

    def choices(self) -> dict[str, Any]:
        """Return the values of the filled fields without the search box; fields with errors count as empty."""
        self.is_valid()
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if value not in ("", None) and name != "q"
        }

    def wish(self) -> Wish:
        """Return the search conditions: the values of the fields, completed by the search text for empty fields."""
        chosen = self.choices()
        board = boards.all_boards().get(chosen.pop("board", "")) or _find_board(self.query.get("interface"))
        use = chosen.pop("use", "")
        if "price_max" in chosen:
            chosen.setdefault("price_currency", _CURRENCY)
        else:
            chosen.pop("price_currency", None)
        return wishes.make_wish(self.question, board=board, use=use, chosen=chosen)


def _read_address(data: Any) -> dict[str, Any]:
    """Return the query parameters that are not empty, by name; a former name counts only if the new name is missing.

    The text of the search box is cut at MOST_LETTERS.
    """
    query = {name: value[:MOST_LETTERS] if name == "q" else value for name, value in data.items() if value}
    for alias, name in _ALIASES.items():
        if alias in query:
            query.setdefault(name, query.pop(alias))
    for name in _FLAG_WORDS:
        if query.get(name) in FLAGS:
            query[name] = "yes" if FLAGS[query[name]] else "no"
    return query


# A field without errors looks the same for all visitors with the same language.
@lru_cache(maxsize=1000)
def _draw_usual(_language: str | None, name: str, value: str) -> DrawnField:
    return _draw(FinderForm({name: value}), name)


def _draw(form: FinderForm, name: str, errors: tuple[str, ...] = ()) -> DrawnField:
    return DrawnField(name, form[name].label_tag() + str(form[name]), errors)


def _find_board(interface: str | None) -> boards.Board | None:
    """Return the first board with a slot of this interface class; None if no class is given, or it is not known."""
    every = boards.all_boards().values()
    return next((board for board in every if board.interface.name == interface), None)
