"""Serve files for download: redirect to the newest version, and send files if no server in front of the site does."""

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_safe

from submissions.dumps import store
from submissions.models import Publication


@require_safe
def newest(request: HttpRequest, kind: str, name: str) -> HttpResponseBase:
    """Redirect to a file of the newest publication of a kind (mirror or client). Raise Http404 if there is none."""
    row = store.newest(kind)
    if row is None or name not in row.files:
        raise Http404
    return redirect(row.url(name))


@require_safe
def send(request: HttpRequest, kind: str, version: str, name: str) -> HttpResponseBase:
    """Send a file of a publication, which never changes. If nginx is in front of the site, nginx sends the file."""
    row = get_object_or_404(Publication, kind=kind, version=version)
    if name not in row.files:
        raise Http404
    response = FileResponse(default_storage.open(row.path(name)), filename=name)
    response.headers["Cache-Control"] = "public, max-age=604800, immutable"
    response.headers["Content-Encoding"] = "identity"  # packed already; GZipMiddleware would pack it again
    return response
