"""A badge with the score of a model, for a forum signature."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from submissions.models import CardModel, Score
from submissions.pages import wording
from submissions.pages.content import finder_rows
from submissions.pages.forms.finder_form import FinderForm

# Verdana of 11 pixels, as wide as its letters are on average.
_LETTER, _MARGIN = 6.6, 12


@cache_control(public=True, max_age=3600)
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """SVG: what it is asked for, and the score with its interval."""
    model = get_object_or_404(CardModel, slug=slug)
    wish = FinderForm(request.GET).wish()
    score = Score.objects.of_purpose(wish).filter(card_model=model).first()
    left, right = f"{model.name}, {wish.board.title}: {wish.profile.title}", _words(score)
    widths = [round(len(words) * _LETTER + _MARGIN) for words in (left, right)]
    context = {
        "model": model,
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


def _words(score: Score | None) -> str:
    if score is None:
        return _("not tested yet")
    words = {"least": finder_rows.times(score.bound), "state": wording.state(score.state)}
    return _("at least %(least)s what it needs (%(state)s)") % words
