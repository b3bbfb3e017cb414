"""Where moderators bring in tables and threads that others have published."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.errors import ReportError
from submissions.pages.content import importing
from submissions.pages.forms.importing import ImportForm
from submissions.visitors import admitting


def bring_in(request: HttpRequest) -> HttpResponse:
    """Show what of it would be understood, or keep it. Raises Http404 for who may not add submissions."""
    if not request.user.has_perm("submissions.add_submission"):
        raise Http404
    form = ImportForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        try:
            context |= _done(request, form)
        except ReportError as error:
            form.refuse(error)
    return render(request, "submissions/import.html", context, status=400 if form.errors else 200)


def _done(request: HttpRequest, form: ImportForm) -> dict[str, Any]:
    is_kept = "look" not in request.POST
    outcome = importing.keep(form) if is_kept else importing.look(form)
    if is_kept:
        admitting.admit_stored()
    else:
        form.keep_file_as_text()
    kind = "entries" if isinstance(outcome, list) else "table"
    return {kind: outcome, "is_kept": is_kept}
