"""Define template filters that draw intervals, needs of a use and cards, without templates, which would be slow."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from submissions.models import CardModel
from submissions.pages.content.advice_rows import Row
from submissions.pages.content.advice_words import NeedMark

register = template.Library()

# A measured interval is filled, an expected one is outlined and dashed; the dotted line is the need.
_VALUE = (
    '<svg class="bar{}" role="img"><title>{}</title><line class="track" x1="0" x2="100%" y1="12" y2="12" />{}'
    '<rect class="interval" x="{}%" y="7" width="{}%" height="10" rx="2" />'
    '<line class="value" x1="{}%" x2="{}%" y1="6" y2="18" /></svg>'
)
_NEED_LINE = '<line class="enough" x1="{0}%" x2="{0}%" y1="2" y2="22" />'
_NEED = '<li class="{}" title="{}"><span{}>{}</span><span class="hidden">: {}</span></li>'
# Outline of a microSD card, its contacts, its print. Coloured by capacity, never by brand.
_SILHOUETTE = (
    '<svg class="silhouette {}" viewBox="0 0 67 91" role="img" aria-label="{}"><path class="body" '
    'd="M6 1h47a5 5 0 0 1 5 5v15l-4 4v9l2 2h2l8 8v41a5 5 0 0 1-5 5H6a5 5 0 0 1-5-5V6a5 5 0 0 1 5-5z" />'
    '<path class="pads" d="M9.5 7v13M16 7v13M22.5 7v13M29 7v13M35.5 7v13M42 7v13M48.5 7v13" />'
    '<text x="8" y="60">{}<tspan class="small" dx="2">{}</tspan></text><text class="small" x="8" y="72">{}</text></svg>'
)
_COLOURS = ((32, "stone"), (64, "sage"), (128, "mist"), (256, "heather"))


@register.filter
def value_bar(row: Row) -> SafeString:
    """Return an SVG of the interval of a row on the axis of its list, "" if the value was not measured."""
    if row.bar is None:
        return SafeString("")
    bar, kind = row.bar, " expected" if row.is_expected else ""
    line = format_html(_NEED_LINE, bar.needed) if bar.needed else ""
    return format_html(_VALUE, kind, row.read_aloud, line, bar.low, bar.width, bar.value, bar.value)


@register.filter
def need_marks(marks: Sequence[NeedMark], names: str = "") -> SafeString:
    """Return HTML that lists the needs (requirements) of a use as icons; with `names` passed needs have names, too."""
    if not marks:
        return SafeString("")
    passing = SafeString(' class="hidden"')
    cells = (
        (
            mark.state,
            mark.details,
            passing if mark.state == "pass" and not names else "",
            mark.title,
            mark.words,
        )
        for mark in marks
    )
    return format_html('<ul class="needs">{}</ul>', format_html_join("", _NEED, cells))


@register.filter
def silhouette(model: CardModel) -> SafeString:
    """Return an SVG of a card with its capacity and the speed classes that it declares."""
    amount, unit = _size(model.capacity_gb)
    marks = marks_declared(model)
    colour = next((name for most, name in _COLOURS if (model.capacity_gb or 0) <= most), "clay")
    label = " ".join(filter(None, (_("SD card"), amount, unit, marks)))
    return format_html(_SILHOUETTE, colour, label, amount, unit, marks)


@register.filter
def marks_declared(model: CardModel) -> str:
    """Return the speed classes that a model declares, such as "U3 V30 A2"."""
    declared = (("U", model.uhs_speed_grade), ("V", model.video_speed_class), ("A", model.app_perf_class))
    return " ".join(f"{letter}{number}" for letter, number in declared if number)


def _size(capacity_gb: float | None) -> tuple[str, str]:
    if capacity_gb is None:
        return "", ""
    return (f"{capacity_gb / 1000:.0f}", "TB") if capacity_gb >= 1000 else (f"{capacity_gb:g}", "GB")
