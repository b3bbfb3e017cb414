"""Serve forms for remarks (“same here”, “wrong, because …”) on separate pages, so that other pages can be cached."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache

from submissions.models import CardModel, Submission
from submissions.models.submission import raw_fields
from submissions.pages.forms.remark_form import RemarkForm
from submissions.pages.views.parts import get_inputs, render_form
from submissions.visitors import visitor
from submissions.writing import decisions

Keep = Callable[..., None]


@never_cache
def remark_on_submission(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the form for a remark on a submission, or store the remark in place of the visitor's earlier remark."""
    subject = get_object_or_404(Submission.objects.defer(*raw_fields()), public_id=public_id)
    name = f"submission {subject.public_id}"
    return _remark(request, subject, name=name, keep=partial(decisions.store_remark, subject))


@never_cache
def remark_on_model(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form for a remark on a model, or store the remark in place of the visitor's earlier remark."""
    subject = get_object_or_404(CardModel, slug=slug)
    return _remark(request, subject, name=subject.name, keep=partial(decisions.keep_remark, slug=slug))


def _remark(request: HttpRequest, about: Any, *, name: str, keep: Keep) -> HttpResponse:
    form = RemarkForm(get_inputs(request), initial={"kind": request.GET.get("kind", "")})
    if form.is_valid():
        says = visitor.identify(request)
        with form.show_refusals():
            keep(visitor=says.submitter, account=says.account, **form.cleaned_data)
            return redirect(about)
    context = {"form": form, "about": about, "name": name}
    return render_form(request, "submissions/remark.html", context)
