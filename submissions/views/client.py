"""The client, to be taken away."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition

from submissions import client_file


def _etag(_request: HttpRequest) -> str:
    return f'"{client_file.digest()}"'


@cache_control(public=True, max_age=3600)
@condition(etag_func=_etag)
def client(_request: HttpRequest) -> HttpResponse:
    """cardbench.pyz: one file for Python."""
    return HttpResponse(
        client_file.packed(),
        content_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="cardbench.pyz"'},
    )
