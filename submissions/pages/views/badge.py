"""Serve a badge with the verdict on a model, for a forum signature."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import cache_control

from submissions.domain.ranking.advice import Advice
from submissions.evidence.places import load_advice
from submissions.models import CardModel
from submissions.pages.content.advice_words import describe_leading, write_headline
from submissions.pages.forms.finder_form import FinderForm

# Verdana of 11 pixels, as wide as its letters are on average.
_LETTER, _MARGIN = 6.6, 12


@cache_control(public=True, max_age=3600)
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Return an SVG badge with the model, the use and the verdict."""
    model = get_object_or_404(CardModel, slug=slug)
    wish = FinderForm(request.GET).wish()
    left = f"{model.name}: {wish.use.title}"
    advice = load_advice(model, wish)
    right = _words(advice)
    widths = [round(len(words) * _LETTER + _MARGIN) for words in (left, right)]
    context = {
        "model": model,
        "is_bad": advice.is_excluded or advice.fails_need or advice.is_doubted,
        "left": left,
        "right": right,
        "left_width": widths[0],
        "right_width": widths[1],
        "width": sum(widths),
        "left_middle": widths[0] / 2,
        "right_middle": widths[0] + widths[1] / 2,
    }
    response = render(request, "submissions/badge.svg", context, content_type="image/svg+xml")
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # it is made for pages of others
    return response


def _words(advice: Advice) -> str:
    """Return the verdict on a model, with the value that ranks it unless the verdict has a value."""
    headline = write_headline(advice)
    if advice.leading is None or advice.is_excluded or advice.fails_need or not advice.needs:
        return headline
    return f"{headline} {describe_leading(advice.leading)}"
