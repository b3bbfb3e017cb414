"""Define the tag that writes the rows of a ranking, without a template, which would take four times as long."""

from collections.abc import Sequence

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from submissions.models import CardModel
from submissions.pages.content.advice_rows import Row
from submissions.templatetags.drawings import need_marks, value_bar

register = template.Library()

_NOTHING = SafeString("")
_ROW = (
    '<tr{}><td class="place">{}</td><th scope="row"><span class="title"><a href="{}">{}</a>{}</span>'
    '<span class="meta"><span>{}</span>{}</span></th><td class="amount">{}</td><td class="plot">{}</td>'
    '<td class="needs">{}</td>{}{}</tr>\n'
)
_AMOUNT = '<b>{}</b> <span class="quiet line">{}</span>'
_NOTE = '<span class="note">{}</span>'
_PICK = '<td class="wide"><input type="checkbox" name="m" value="{}" form="compare" aria-label="{}"></td>'
_PRICE = '<td class="price">{} <span class="quiet line wide">{}</span></td>'


@register.simple_tag
def advice_rows(
    rows: Sequence[Row], *, pick: bool = False, own: CardModel | None = None, sort: str = ""
) -> SafeString:
    """Return the table rows of a ranking; with `pick` each row has a checkbox for the comparison.

    Places (ranks) are shown only if `sort` is "", which means best first. The row of the model `own` is highlighted.
    """
    return format_html_join("", _ROW, (_cells(row, pick, own, sort) for row in rows))


def _cells(row: Row, pick: bool, own: CardModel | None, sort: str) -> tuple[object, ...]:
    kinds = [name for name, holds in (("own", row.model == own), ("expected", row.is_expected)) if holds]
    evidence = ", ".join(filter(None, (row.evidence, row.origin if row.is_expected else "")))
    return (
        format_html(' class="{}"', " ".join(kinds)) if kinds else _NOTHING,
        _NOTHING if sort else row.place,
        row.address,
        row.title,
        _flags(row.model),
        evidence or row.origin,
        format_html(_NOTE, row.notes) if row.notes else _NOTHING,
        format_html(_AMOUNT, row.amount, row.ability),
        value_bar(row),
        need_marks(row.needs),
        format_html(_PRICE, row.price or "–", row.price_per_gb),
        format_html(_PICK, row.model.slug, row.pick) if pick else _NOTHING,
    )


def _flags(model: CardModel) -> SafeString:
    if not (model.suspicious_cards or model.varies):
        return _NOTHING
    return render_to_string("includes/flags.html", {"model": model})
