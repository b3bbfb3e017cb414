"""How numbers look on a page. Values and units come from the registry of metrics."""

import math
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions import wording
from submissions.domain import limits, maker_search, makers, metrics, profiles, units
from submissions.domain.formats.marking import Stretch
from submissions.domain.identity import capacity_words
from submissions.domain.wish import Wish
from submissions.models import CardModel, Measurement, Score, Variant

register = template.Library()

# The score axis is logarithmic: a card twice as good is the same step to the right everywhere.
AXIS_LOW, AXIS_HIGH = 5, 2000
AXIS_TICKS = (10, 30, 100, 300, 1000)
# Percent of the axis: what a bar needs to be seen at all.
_THINNEST = 0.5
_KEY_FIGURES = 2

register.filter("capacity", capacity_words)
register.filter("size", wording.size)


@register.filter
def measured(measurement: Measurement) -> str:
    """The value with its unit, or a dash."""
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
    """ "ok" -> "plausible"."""
    return _(_VERDICTS.get(verdict, verdict.replace("_", " ")))


@register.filter
def as_marks(stretches: Iterable[Stretch]) -> SafeString:
    """A line of pasted text; what was measured leads to its row, what is asked to its question."""
    return format_html_join("", "{}", ((_mark(stretch),) for stretch in stretches))


def _mark(stretch: Stretch) -> str:
    match stretch.kind, stretch.about:
        case "", _:
            return stretch.text
        case "private", kind:
            return format_html('<del class="stretch private">[{}]</del>', kind)
        case ("measured" | "asked") as kind, int(index):
            address = f"#{kind[0] if kind == 'measured' else 'q'}{index}"
            return format_html('<a class="stretch {}" href="{}">{}</a>', kind, address, stretch.text)
        case kind, _:
            return format_html('<span class="stretch {}">{}</span>', kind, stretch.text)


@register.filter
def each_repeat(measurement: Measurement) -> str:
    """Every repeat in words, for a tooltip."""
    return " · ".join(wording.amount(value, measurement.base_unit) for value in measurement.repeats)


@register.filter
def percent(ratio: float | None) -> str:
    """0.042 -> "4 %"; nothing for None."""
    return "" if ratio is None else f"{100 * ratio:.0f} %"


@register.filter
def maker(variant: Variant) -> str:
    """Who made the silicon, as far as the table knows; "" without a CID."""
    found = made_by(variant)
    if found is None:
        return ""
    return found.manufacturer if found.known else _("maker not known")


@register.filter
def made_by(variant: Variant) -> makers.Maker | None:
    """The row of the table for the silicon; None without a CID."""
    return None if variant.mid is None else makers.find_maker(variant.bus, variant.mid, variant.oid)


@register.filter
def maker_page(maker: makers.Maker) -> str:
    """Address of the page about a maker."""
    return reverse("maker", args=maker_search.address(maker))


@register.filter
def maker_number(maker: makers.Maker) -> str:
    """ "0x02 0x544d"."""
    number = maker_search.number_in_hex(maker.bus, maker.mid, maker.oid)
    return " ".join(f"0x{part}" for part in number.split("-"))


register.filter("letters", maker_search.letters)


@register.filter
def card_size(capacity_bytes: int) -> str:
    """3904897024 -> "3.90 GB (3,904,897,024 bytes)"."""
    return wording.localized(f"{capacity_bytes / 1e9:.2f} GB ({capacity_bytes:,} bytes)")


register.filter("month", wording.month)


@register.filter
def hexadecimal(number: int | None, digits: int) -> str:
    return "" if number is None else f"0x{number:0{digits}x}"


@register.filter
def key_figures(score: Score) -> list[dict[str, Any]]:
    """The two measured figures that weigh most in the profile: title, value in words, number of cards."""
    profile = profiles.all_profiles().get(score.profile)
    weights = {term.figure: term.share for term in profile.terms} if profile else {}
    heaviest = sorted(score.figures, key=lambda name: -weights.get(name, 0))[:_KEY_FIGURES]
    return [_figure(name, score.figures[name]) for name in heaviest if name in metrics.FIGURES]


def _figure(name: str, found: dict[str, Any]) -> dict[str, Any]:
    figure = metrics.FIGURES[name]
    words = wording.amount(found["measured"], metrics.METRICS[figure.metric].base_unit)
    return {"title": figure.title, "value": words, "cards": found["cards"]}


@register.filter
def amount(value: float, base_unit: str) -> str:
    """ "5.19 MB/s"."""
    return wording.amount(value, base_unit)


@register.filter
def rate(bytes_per_second: float) -> str:
    """ "45 MB/s"."""
    return wording.amount(bytes_per_second, units.RATE)


@register.filter
def figure_amount(value: float, figure: str) -> str:
    """A value of this figure, with its unit."""
    return wording.amount(value, metrics.METRICS[metrics.FIGURES[figure].metric].base_unit)


@register.filter
def figure_title(figure: str) -> str:
    return metrics.FIGURES[figure].title


@register.simple_tag
def compare_address(
    wish: Wish, models: Iterable[CardModel], more: CardModel | None = None, less: CardModel | None = None
) -> str:
    """Address of a comparison of these models, with one more or one less."""
    chosen = [("m", model.slug) for model in [*models, *([more] if more else [])] if model != less]
    words = urlencode([*chosen, ("board", wish.board.slug), ("profile", wish.profile.name)])
    return f"{reverse('compare')}?{words}"


@register.simple_tag
def limit_words(score: Score, wish: Wish) -> str:
    """What keeps the model from doing better on the board that is asked about; "" when nothing is known."""
    found = limits.limit(wish.profile, wish.board.interface, score.figures)
    if found is None:
        return ""
    title = metrics.FIGURES[found.figure].title
    if found.kind == "slot":
        return _("limited by the slot: %(figure)s") % {"figure": title}
    if found.ratio >= 1:
        return _("nothing falls short of what is asked")
    return _("held back by: %(figure)s") % {"figure": title}


@register.simple_tag
def axis_ticks() -> list[dict[str, float]]:
    return [{"value": tick, "x": _x(tick)} for tick in AXIS_TICKS]


@register.inclusion_tag("includes/score_bar.html")
def score_bar(score: Score) -> dict[str, Any]:
    """The interval of a score as a bar, its value as a mark, on the axis of `axis_ticks`."""
    left = min(_x(score.lower), 100 - _THINNEST)
    width = round(max(_x(score.upper) - left, _THINNEST), 2)
    return {"score": score, "left": left, "width": width, "mark": _x(score.value)}


def _x(value: float) -> float:
    """Position on the axis in percent of its width; what lies beyond an end is drawn at the end."""
    clamped = min(max(value, AXIS_LOW), AXIS_HIGH)
    return round(100 * math.log(clamped / AXIS_LOW) / math.log(AXIS_HIGH / AXIS_LOW), 2)
