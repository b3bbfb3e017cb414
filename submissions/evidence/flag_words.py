"""Flags of variation in words a buyer understands, with the counts they rest on."""

from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from submissions.models import VariationFlag

_HEADINGS = {
    "varies": _("Same name, different cards"),
    "suspected": _("Cards that look alike differ"),
    "geometry_differs": _("Different flash under one name"),
    "changed": _("It changed while it was sold"),
}
_MEANINGS = {
    "varies": _(
        "Which one you get, you learn after you bought it. So the model is ranked by its worst kind of card."
    ),
    "suspected": _(
        "Nothing is proven: bad cards, bad readers or a hidden change may be behind it. More runs would tell."
    ),
    "geometry_differs": _("Cards that are organised differently inside may differ in speed and life, too."),
    "changed": _("A newer card need not be like the one that was reviewed."),
}


@dataclass(frozen=True, slots=True)
class Said:
    """`sentence`: what was seen, with its numbers; `meaning`: what follows from it for whoever wants to buy."""

    kind: str
    heading: str
    sentence: str
    meaning: str
    flag: VariationFlag


def said(flag: VariationFlag) -> Said:
    """One flag in words."""
    return Said(flag.kind, gettext(_HEADINGS[flag.kind]), flag.in_words, gettext(_MEANINGS[flag.kind]), flag)
