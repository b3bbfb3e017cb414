"""Rows of a ranking, written out here: a page has many, and a template takes four times as long for each."""

from collections.abc import Sequence

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from submissions.models import CardModel
from submissions.pages.content.finder_rows import Row
from submissions.templatetags.drawings import medal, score_bar

register = template.Library()

_NOTHING = SafeString("")
_ROW = (
    '<tr{}><td class="place">{}</td><th scope="row"><span class="title"><a href="{}">{}</a>{}</span>'
    '<span class="meta">{}<span>{}</span></span></th><td class="plot">{}</td>'
    '<td class="least"><b>{}</b></td>{}{}{}</tr>\n'
)
_PICK = '<td class="wide"><input type="checkbox" name="m" value="{}" form="compare" aria-label="{}"></td>'
_FIGURE = '<td class="figures wide">{} <span class="quiet line">{}</span></td>'
_PRICE = '<td class="price">{} <span class="quiet line wide">{}</span></td>'


@register.simple_tag
def ranked_rows(
    rows: Sequence[Row], *, first: int, pick: bool = False, own: CardModel | None = None, order: str = ""
) -> SafeString:
    """Table rows with places from `first` on, which another order than the usual has not; with `pick` each can be
    ticked to be compared. The row of the model `own` stands out."""
    has_figures = bool(rows and rows[0].figure)
    cells = (
        (
            SafeString(' class="own"') if row.model == own else _NOTHING,
            _NOTHING if order else place,
            *_cells(row),
            _figure(row) if has_figures else _NOTHING,
            format_html(_PRICE, row.price or "–", row.price_per_gb),
            format_html(_PICK, row.model.slug, row.pick) if pick else _NOTHING,
        )
        for place, row in enumerate(rows, first)
    )
    return format_html_join("", _ROW, cells)


def _cells(row: Row) -> tuple[object, ...]:
    return row.address, row.title, _flags(row), medal(row.state), row.evidence, score_bar(row), row.least


def _flags(row: Row) -> SafeString:
    if not (row.model.suspicious_cards or row.model.varies):
        return _NOTHING
    return render_to_string("includes/flags.html", {"model": row.model})


def _figure(row: Row) -> SafeString:
    return format_html(_FIGURE, *(row.figure or ("–", "")))
