"""Rows of a ranking, written out here: a page has many, and a template takes four times as long for each."""

from collections.abc import Iterable

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from submissions.pages import wording
from submissions.pages.content.rows import Row

register = template.Library()

_NOTHING = SafeString("")
_ROW = (
    '<tr><td class="number place">{}</td>{}<th scope="row"><a href="{}">{}</a>{} <span class="quiet evidence">'
    '<span class="state {}" title="{}">{}</span> {}{}</span></th><td class="number score"><strong>{}</strong>'
    ' <span class="quiet range">{}–{}</span></td><td class="plot">{}</td>{}</tr>\n'
)
_PICK = '<td class="pick"><input type="checkbox" name="m" value="{}" form="compare" aria-label="{}"></td>'
_FIGURE = '<span>{} <span class="quiet">{}</span></span>'
_BAR = (
    '<svg class="bar" role="img"><title>{}</title><rect class="track" x="0" y="6" width="100%" height="2" />'
    '<rect class="interval" x="{}%" y="2" width="{}%" height="10" rx="2" />'
    '<rect class="mark" x="{}%" y="0" width="3" height="14" /></svg>'
)


@register.simple_tag
def ranked_rows(rows: Iterable[Row], *, first: int, pick: bool = False) -> SafeString:
    """Table rows with places from `first` on; with `pick` each can be ticked to be compared."""
    paid = _("paid:")
    return format_html_join(
        "", _ROW, (_cells(row, place, pick, paid) for place, row in enumerate(rows, first))
    )


def _cells(row: Row, place: int, pick: bool, paid: str) -> tuple[object, ...]:
    price = row.price
    return (
        place,
        format_html(_PICK, row.model.slug, row.pick) if pick else _NOTHING,
        row.address,
        row.title,
        _flags(row),
        row.state,
        wording.state_told(row.state),
        wording.state(row.state),
        row.evidence,
        f", {paid} {price}" if price else "",
        row.value,
        row.lower,
        row.upper,
        score_bar(row),
        _figures(row),
    )


def _flags(row: Row) -> SafeString:
    if not (row.model.suspicious_cards or row.model.varies):
        return _NOTHING
    return render_to_string("includes/flags.html", {"model": row.model})


def _figures(row: Row) -> SafeString:
    if not row.figures:
        return _NOTHING
    limit = format_html('<span class="quiet limit">{}</span>', row.limit) if row.limit else _NOTHING
    return format_html('<td class="figures">{}{}</td>', format_html_join("", _FIGURE, row.figures), limit)


@register.filter
def score_bar(row: Row) -> SafeString:
    """The interval of a score on its axis."""
    return format_html(_BAR, row.read_aloud, row.bar.left, row.bar.width, row.bar.mark)
