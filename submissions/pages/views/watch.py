"""A run under way: how far it is, by polling or by reload, until it leads to its submission."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from submissions.pages.views.parts import is_part, varies
from submissions.visitors import watched


@varies
def watch(request: HttpRequest, name: str) -> HttpResponse:
    """The page; for htmx only the part that changes, and an order to go on once there is a submission."""
    progress = watched.find(name)
    if progress is None:
        raise Http404
    if progress.submission and not is_part(request):
        return redirect("submission", progress.submission)
    template = "submissions/_watched.html" if is_part(request) else "submissions/watch.html"
    response = render(request, template, {"name": name, "progress": progress})
    if progress.submission:
        response.headers["HX-Redirect"] = f"/submissions/{progress.submission}/"
    response.headers["Cache-Control"] = "no-store"
    return response
