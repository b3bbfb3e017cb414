"""Define template filters and tags for numbers, cards and plots. Units come from the table of metrics."""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from submissions.domain.identity import makers
from submissions.domain.measuring import metrics, units
from submissions.domain.pasting.marking import Stretch
from submissions.domain.privacy.permission import BAR
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Measurement, Variant
from submissions.pages import wording
from submissions.pages.content import advice_rows, device_names, figure_tables, glossary
from submissions.pages.plots.figure import DataTable, Plot

register = template.Library()

_MOST_NAMES = 3

register.filter("describe_measurement", figure_tables.describe_measurement)
register.filter("price", advice_rows.write_price)
register.filter("gates", advice_rows.explain_model)
register.filter("noun", device_names.noun)
register.filter("short_name", device_names.short_name)
register.filter("money", wording.money)
register.filter("size", wording.size)
register.filter("when_measured", wording.when_measured)


@register.filter
def measured_value(measurement: Measurement) -> str:
    """Return the value of a measurement with its unit, or a dash if it has no value."""
    return "–" if measurement.value is None else wording.amount(measurement.value, measurement.base_unit)


_VERDICTS = {
    "ok": gettext_noop("plausible"),
    "at_least": gettext_noop("at least this"),
    "suspicious": gettext_noop("hardly plausible"),
    "impossible": gettext_noop("impossible"),
    "failed": gettext_noop("failed"),
}


@register.filter
def verdict_words(verdict: str) -> str:
    """Return the verdict about a measurement in words, such as "plausible" for "ok"."""
    return _(_VERDICTS.get(verdict, verdict.replace("_", " ")))


_JUDGEMENTS = {
    "nothing unusual": gettext_noop("nothing unusual in the registers"),
    "unusual": gettext_noop("unusual"),
    "suspicious": gettext_noop("suspicious"),
}


@register.filter
def judgement_words(judgement: str) -> str:
    """Return in words whether the registers of a card are unusual or suspicious."""
    return _(_JUDGEMENTS.get(judgement, judgement))


@register.filter
def options(values: Iterable[str]) -> SafeString:
    """Return the HTML of the options of a datalist."""
    return format_html_join("", '<option value="{}">', ((value,) for value in values))


# A plot has hundreds of marks and cells; a template would take ten times as long to write them.
_MARK = '<g class="mark s{}{}"><title>{}</title><use href="#{}-{}" x="{}%" y="{}" /></g>'


@register.filter
def marks(plot: Plot) -> SafeString:
    """Return the SVG of all marks of a plot, each with its tooltip."""
    name = plot.words.name
    drawn = (
        (mark.style, " faint" if mark.faint else "", mark.tip, name, mark.shape, mark.x, mark.y)
        for mark in plot.marks
    )
    return format_html_join("", _MARK, drawn)


@register.filter
def rows_of_cells(table: DataTable) -> SafeString:
    """Return the rows of a table as HTML; the first cell of each row is its heading."""
    cells = '<td class="number">{}</td>' * (len(table.columns) - 1)
    return format_html_join("", f'<tr><th scope="row">{{}}</th>{cells}</tr>', table.rows)


@register.filter
def as_marks(stretches: Iterable[Stretch], part: int) -> SafeString:
    """Return a line of a pasted text as HTML: figures link to their rows, unclear places to questions."""
    return format_html_join("", "{}", ((_mark(stretch, part),) for stretch in stretches))


def _mark(stretch: Stretch, part: int) -> str:
    match stretch.kind, stretch.about:
        case "", _:
            return stretch.text
        case "private", _:
            return format_html('<del class="stretch private">{}</del>', BAR)
        case ("measured" | "asked") as kind, int(index):
            address = f"#m{part}-{index}" if kind == "measured" else f"#q{index}"
            return format_html('<a class="stretch {}" href="{}">{}</a>', kind, address, stretch.text)
        case kind, _:
            return format_html('<span class="stretch {}">{}</span>', kind, stretch.text)


@register.filter
def each_repeat(measurement: Measurement) -> str:
    """Return every repeat of a measurement in words, for a tooltip."""
    return " · ".join(wording.amount(value, measurement.base_unit) for value in measurement.repeats)


@register.filter
def percent(ratio: float | None) -> str:
    """Return "4 %" for 0.042, "" for None."""
    return "" if ratio is None else wording.percent(ratio)


@register.filter
def names(models: Sequence[CardModel]) -> str:
    """Return the names of the first three models, and the number of further models."""
    listed = ", ".join(model.name for model in models[:_MOST_NAMES])
    if (more := len(models) - _MOST_NAMES) <= 0:
        return listed
    return ngettext("%(names)s and %(count)s more", "%(names)s and %(count)s more", more) % {
        "names": listed,
        "count": more,
    }


@register.filter
def registers_seen(model: CardModel) -> bool:
    """Return whether the registers of any card of this model are known; its variants must be prefetched."""
    return any(variant.mid is not None for variant in model.variants.all())


@register.filter
def known_defects(suspicions: Iterable[Any]) -> list[Any]:
    """Return the suspicions that are defects known to kernels, which are no sign of a fake card."""
    named = ((one, one["id"] if isinstance(one, dict) else one.id) for one in suspicions or ())
    return [one for one, rule in named if rule.startswith("Q:")]


@register.filter
def chance(probability: float | None) -> str:
    """Return a probability such as "83 %", never as certain; a dash for None."""
    if probability is None:
        return "–"
    if probability > 0.995:
        return _("over 99 %")
    return _("under 1 %") if probability < 0.01 else percent(probability)


@register.filter
def maker(variant: Variant) -> str:
    """Return the name of a variant's maker, or words that it is not known; "" if the variant has no CID."""
    maker = find_maker(variant)
    if maker is None:
        return ""
    return maker.manufacturer if maker.is_known else _("unknown maker")


@register.filter
def find_maker(variant: Variant) -> makers.Maker | None:
    """Return the row of the table of makers for a variant, or None if the variant has no CID."""
    return None if variant.mid is None else makers.find_maker(variant.bus, variant.mid, variant.oid)


@register.filter
def maker_page(maker: makers.Maker) -> str:
    """Return the URL of the page about a maker."""
    return reverse("maker", args=makers.address(maker))


@register.filter
def maker_number(maker: makers.Maker) -> str:
    """Return the numbers of a maker of cards in hex, such as "0x02 0x544d"."""
    number = makers.number_in_hex(maker.bus, maker.mid, maker.oid)
    return " ".join(f"0x{part}" for part in number.split("-"))


register.filter("letters", makers.letters)
register.filter("month", wording.month)


@register.filter
def card_size(capacity_bytes: int) -> str:
    """Return a capacity such as "3.90 GB (3,904,897,024 bytes)"."""
    return wording.localize(f"{capacity_bytes / 1e9:.2f} GB ({capacity_bytes:,} bytes)")


@register.filter
def hexadecimal(number: int | None, digits: int) -> str:
    return "" if number is None else f"0x{number:0{digits}x}"


register.filter("amount", wording.amount)
register.filter("conditions", wording.conditions)
register.filter("factorize", wording.factorize)
register.filter("volts", wording.volts)


@register.filter
def rate(bytes_per_second: float) -> str:
    """Return a rate such as "45 MB/s"."""
    return wording.amount(bytes_per_second, units.RATE)


@register.filter
def ability_amount(value: float, ability: str) -> str:
    """Return a value of an ability with its unit."""
    return wording.amount(value, metrics.ABILITIES[ability].base_unit)


@register.filter
def ability_title(ability: str) -> str:
    return metrics.ABILITIES[ability].title


@register.simple_tag
def compare_address(
    wish: Wish, models: Iterable[CardModel], more: CardModel | None = None, less: CardModel | None = None
) -> str:
    """Return the URL of a comparison of these models, with the model `more` and without the model `less`."""
    chosen = [("m", model.slug) for model in [*models, *([more] if more else [])] if model != less]
    words = urlencode([*chosen, ("board", wish.board.slug), ("use", wish.use.name)])
    return f"{reverse('compare')}?{words}"


@register.simple_block_tag
def scroll(content: str, label: str) -> SafeString:
    """Wrap HTML that may be wider than the screen, so that it scrolls by itself; screen readers read the label."""
    return format_html(
        '<div class="scroll" tabindex="0" role="region" aria-label="{}">{}</div>', label, content
    )


@register.inclusion_tag("includes/words.html")
def explain_words(*slugs: str) -> dict[str, list[glossary.Word]]:
    """Return words of the glossary to explain on a page: a click or a tap opens the meaning of a word."""
    words = glossary.list_words()
    return {"words": [words[slug] for slug in slugs]}
