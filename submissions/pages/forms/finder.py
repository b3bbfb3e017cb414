"""What a buyer looks for."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from submissions.domain.ranking import boards, interfaces, profiles
from submissions.domain.ranking.wish import Wish

_ANY = ("", _("any"))
_CURRENCIES = ("EUR", "USD", "GBP", "CHF", "JPY")
_BUS_MODES = ("HS", "SDR25", "DDR50", "SDR50", "SDR104")
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]{1,4})")
_MONTH = r"(?:19|20)[0-9]{2}(?:-(?:0[1-9]|1[0-2]))?"


def _at_least(letter: str, numbers: Iterable[int]) -> list[tuple[str, Any]]:
    return [
        _ANY,
        *((str(number), _("%(mark)s or better") % {"mark": f"{letter}{number}"}) for number in numbers),
    ]


def _chosen(number: str) -> int:
    return int(number)


class DrawnField(NamedTuple):
    """`html`: label and widget."""

    name: str
    html: str
    errors: tuple[str, ...]


class FinderForm(forms.Form):
    """Everything may be left out; what makes no sense counts as left out, and the form says so beside the field."""

    board = forms.ChoiceField(label=_("Best SD card for"), required=False)
    profile = forms.ChoiceField(label=_("used as"), required=False)
    q = forms.CharField(
        label=_("Search"), required=False, max_length=100, widget=forms.TextInput({"type": "search"})
    )
    min_gb = forms.FloatField(label=_("From, GB"), required=False, min_value=0)
    max_gb = forms.FloatField(label=_("To, GB"), required=False, min_value=0)
    budget = forms.FloatField(label=_("Costs at most"), required=False, min_value=0)
    currency = forms.ChoiceField(
        label=_("Currency"), required=False, choices=[(one, one) for one in _CURRENCIES]
    )
    brand = forms.CharField(label=_("Brand"), required=False, max_length=200)
    maker = forms.CharField(label=_("Maker of the silicon"), required=False, max_length=200)
    oem = forms.CharField(label=_("OEM number"), required=False, max_length=6)
    app_class = forms.TypedChoiceField(
        label=_("Application class"),
        required=False,
        coerce=_chosen,
        empty_value=None,
        choices=_at_least("A", (1, 2)),
    )
    video_class = forms.TypedChoiceField(
        label=_("Video class"),
        required=False,
        coerce=_chosen,
        empty_value=None,
        choices=_at_least("V", (10, 30, 60, 90)),
    )
    uhs_grade = forms.TypedChoiceField(
        label=_("UHS grade"), required=False, coerce=_chosen, empty_value=None, choices=_at_least("U", (1, 3))
    )
    bus_mode = forms.ChoiceField(
        label=_("Seen in bus mode"), required=False, choices=[_ANY, *((mode, mode) for mode in _BUS_MODES)]
    )
    since = forms.RegexField(_MONTH, label=_("Manufactured since"), required=False, strip=True)
    flagged = forms.TypedChoiceField(
        label=_("Flags"),
        required=False,
        coerce=lambda word: word == "yes",
        empty_value=None,
        choices=[_ANY, ("no", _("without flags")), ("yes", _("flagged only"))],
    )
    min_cards = forms.IntegerField(label=_("Cards measured, at least"), required=False, min_value=1)

    # Shown at once; the others wait behind “More”.
    FIRST = ("board", "profile", "q", "min_gb", "max_gb", "budget", "currency")

    def __init__(self, data: Any) -> None:
        self.given = {name: value for name, value in data.items() if value}
        defaults = {"board": next(iter(boards.all_boards())), "profile": profiles.DEFAULT}
        super().__init__(defaults | self.given, label_suffix="")
        self._choose("board", [(one.slug, one.title) for one in boards.all_boards().values()])
        self._choose("profile", [(one.name, one.title) for one in profiles.all_profiles().values()])
        hints = {
            "q": {"placeholder": _("SanDisk 64, SA04G, 0x544d …")},
            "since": {"placeholder": "2023-05", "inputmode": "numeric"},
            "oem": {"placeholder": "0x544d"},
            "brand": {"list": "brands"},
            "maker": {"list": "makers"},
        }
        for name, attributes in hints.items():
            self.fields[name].widget.attrs |= attributes

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean_oem(self) -> str:
        """ "544d", "0x544D" -> "0x544d"."""
        given = self.cleaned_data["oem"]
        found = _HEX.fullmatch(given)
        if given and not found:
            raise forms.ValidationError(_("An OEM number is up to four hex digits, as 0x544d."))
        return f"0x{int(found[1], 16):04x}" if found else ""

    @property
    def first_fields(self) -> list[DrawnField]:
        return [self._drawn(name) for name in self.FIRST]

    @property
    def facets(self) -> list[DrawnField]:
        """Every choice but board and purpose."""
        return [self._drawn(name) for name in self.fields if name not in ("board", "profile")]

    @property
    def more_fields(self) -> list[DrawnField]:
        return [self._drawn(name) for name in self._behind_more()]

    @property
    def has_more(self) -> bool:
        """Whether one of the fields behind “More” is filled in."""
        return any(self.given.get(name) for name in self._behind_more())

    @property
    def is_narrowed(self) -> bool:
        return self.wish().is_narrowed

    def _behind_more(self) -> list[str]:
        return [name for name in self.fields if name not in self.FIRST]

    def _drawn(self, name: str) -> DrawnField:
        if errors := self.errors.get(name):
            return _draw(self, name, tuple(map(str, errors)))
        return _usual(get_language(), name, str(self.data.get(name, "")))

    def wish(self) -> Wish:
        """The wish, with defaults where the address holds nonsense."""
        self.is_valid()
        given = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        board = boards.all_boards().get(given.pop("board", "")) or _board_of(self.given.get("interface", ""))
        profile = profiles.all_profiles()[given.pop("profile", profiles.DEFAULT)]
        currency = given.pop("currency", _CURRENCIES[0])
        words = given.pop("q", "")
        return Wish(
            board=board, profile=profile, words=words, currency=currency if "budget" in given else "", **given
        )


@lru_cache(maxsize=1000)
def _usual(_language: str | None, name: str, value: str) -> DrawnField:
    """A field without errors looks the same to everybody who reads this language."""
    return _draw(FinderForm({name: value}), name)


def _draw(form: FinderForm, name: str, errors: tuple[str, ...] = ()) -> DrawnField:
    return DrawnField(name, form[name].label_tag() + str(form[name]), errors)


def _board_of(interface: str) -> boards.Board:
    """The first board with a slot of this class, or the first of all."""
    known = list(boards.all_boards().values())
    wanted = interface or interfaces.DEFAULT
    return next((board for board in known if board.interface.name == wanted), known[0])
