"""Correcting and deleting a submission and its photo: asks for the delete key or the account of its owner. Anybody may
look at a published photo.
"""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from submissions.domain.errors import ReportError
from submissions.models import Photo, Submission
from submissions.models.audit import Actor
from submissions.pages.forms import report
from submissions.pages.forms.ownership import ChangeForm, KeyForm
from submissions.pages.forms.photo import PhotoForm
from submissions.visitors import visitor
from submissions.writing import decisions, photos

View = Callable[[HttpRequest, str], HttpResponse]


def for_its_owner(view: Callable[[HttpRequest, Submission, Actor], HttpResponse]) -> View:
    """Ask for the delete key first, unless it is known already or the account is the owner's."""

    @wraps(view)
    @never_cache
    def ask_first(request: HttpRequest, public_id: str) -> HttpResponse:
        subject = get_object_or_404(Submission, public_id=public_id)
        if "key" in request.POST:
            return _take_key(request, subject)
        delete_key = request.session.get(public_id, "")
        actor = decisions.owner(subject, account=visitor.of(request).account, key=delete_key)
        if actor is None:
            return _ask(request, subject, KeyForm(), status=403 if request.method == "POST" else 200)
        return view(request, subject, actor)

    return ask_first


@for_its_owner
def change(request: HttpRequest, submission: Submission, actor: Actor) -> HttpResponse:
    """Correct the label, the condition or the note; the report itself stays as it is."""
    data = request.POST if request.method == "POST" else None
    form = ChangeForm(data, now=decisions.claims(submission))
    if form.is_valid():
        try:
            decisions.amend(submission, form.amendment(), by=actor)
        except ReportError as error:
            form.refuse(error)
        else:
            return redirect(submission)
    context = {"form": form, "submission": submission, "suggestions": report.suggestions()}
    return render(request, "submissions/change.html", context, status=400 if form.errors else 200)


@for_its_owner
def delete(request: HttpRequest, submission: Submission, actor: Actor) -> HttpResponse:
    """Take a submission back, after a question."""
    if request.method != "POST":
        return render(request, "submissions/delete.html", {"submission": submission})
    decisions.delete(submission, by=actor)
    request.session.pop(submission.public_id, None)
    return render(request, "submissions/deleted.html", {"public_id": submission.public_id})


def _take_key(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Remember the key in this browser, if it is the right one."""
    form = KeyForm(request.POST)
    if form.is_valid() and decisions.owner(submission, account=None, key=form.cleaned_data["key"]):
        request.session[submission.public_id] = form.cleaned_data["key"]
        return redirect(request.path)
    if form.is_valid():
        form.add_error("key", _("This is not the delete key of this submission."))
    return _ask(request, submission, form, status=403)


def _ask(request: HttpRequest, submission: Submission, form: KeyForm, *, status: int) -> HttpResponse:
    return render(request, "submissions/whose.html", {"submission": submission, "form": form}, status=status)


@require_safe
def photo(request: HttpRequest, public_id: str) -> HttpResponse:
    """The picture itself. Browsers ask again before they show it twice: it may have been taken away."""
    subject = get_object_or_404(Photo.objects.public(), submission__public_id=public_id)
    headers = {"Cache-Control": "no-cache", "Content-Disposition": "inline; filename=card.jpg"}
    return HttpResponse(bytes(subject.jpeg), content_type="image/jpeg", headers=headers)


@for_its_owner
def change_photo(request: HttpRequest, submission: Submission, actor: Actor) -> HttpResponse:
    """Put a photo there, or take it away."""
    if request.method == "POST" and "remove" in request.POST:
        photos.remove(submission)
        return redirect(submission)
    form = PhotoForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            photos.keep(submission, photos.redraw(form.body()))
        except ReportError as error:
            form.add_error("photo", error.detail)
        else:
            return redirect(submission)
    shown = Photo.objects.defer("jpeg").filter(submission=submission).first()
    context = {"form": form, "submission": submission, "photo": shown}
    return render(request, "submissions/change_photo.html", context, status=400 if form.errors else 200)
