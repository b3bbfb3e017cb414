"""Let the owner of a submission correct or delete it, identified by the delete key or the account."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from submissions.models import Submission
from submissions.models.audit import Actor
from submissions.pages.forms import report_form
from submissions.pages.forms.ownership_forms import ChangeForm, KeyForm
from submissions.pages.views.parts import get_inputs, render_form
from submissions.visitors import visitor
from submissions.visitors.credentials import find_refusal
from submissions.visitors.permissions import Act
from submissions.writing import decisions

View = Callable[[HttpRequest, str], HttpResponse]


def require_owner(view: Callable[[HttpRequest, Submission, Actor], HttpResponse]) -> View:
    """Decorate a view to ask for the delete key first, unless the session has it or the account owns the submission."""

    @wraps(view)
    @never_cache
    def ask_first(request: HttpRequest, public_id: str) -> HttpResponse:
        subject = get_object_or_404(Submission, public_id=public_id)
        if "key" in request.POST:
            return _remember_key(request, subject)
        delete_key = request.session.get(public_id, "")
        actor = decisions.find_owner(subject, account=visitor.identify(request).account, key=delete_key)
        if actor is None or find_refusal(request, Act.CORRECT):
            return _ask(request, subject, KeyForm(), status=403 if request.method == "POST" else 200)
        return view(request, subject, actor)

    return ask_first


@require_owner
def change(request: HttpRequest, submission: Submission, actor: Actor) -> HttpResponse:
    """Correct the label, condition or note of a submission; the report itself is not changed."""
    form = ChangeForm(get_inputs(request), now=decisions.read_claims(submission))
    if form.is_valid():
        with form.show_refusals():
            decisions.amend(submission, form.make_amendment(), by=actor)
            return redirect(submission)
    context = {"form": form, "submission": submission, "suggestions": report_form.suggestions()}
    return render_form(request, "submissions/change.html", context)


@require_owner
def delete(request: HttpRequest, submission: Submission, actor: Actor) -> HttpResponse:
    """Delete a submission after a confirmation."""
    if request.method != "POST":
        return render(request, "submissions/delete.html", {"submission": submission})
    decisions.delete(submission, by=actor)
    request.session.pop(submission.public_id, None)
    return render(request, "submissions/deleted.html", {"public_id": submission.public_id})


def _remember_key(request: HttpRequest, submission: Submission) -> HttpResponse:
    form = KeyForm(request.POST)
    if form.is_valid() and decisions.find_owner(submission, account=None, key=form.cleaned_data["key"]):
        request.session[submission.public_id] = form.cleaned_data["key"]
        return redirect(request.path)
    if form.is_valid():
        form.add_error("key", _("This is not the delete key of this submission."))
    return _ask(request, submission, form, status=403)


def _ask(request: HttpRequest, submission: Submission, form: KeyForm, *, status: int) -> HttpResponse:
    return render(request, "submissions/whose.html", {"submission": submission, "form": form}, status=status)
