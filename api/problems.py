"""Answer errors as problem details (RFC 9457) for clients that accept `application/problem+json`."""

import json
from http import HTTPStatus
from typing import Annotated

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from msgspec import Meta

MEDIA_TYPE = "application/problem+json"


class ProblemDetails(msgspec.Struct, frozen=True):
    status: int
    title: Annotated[str, Meta(description="what the status means; `code` distinguishes problems")]
    code: Annotated[str, Meta(description="a word for scripts that never changes")]
    detail: Annotated[str, Meta(description="a sentence for people")]
    field: Annotated[str, Meta(description="path of the field in the report, or empty")]
    type: str = "about:blank"


def render(request: HttpRequest, response: HttpResponse) -> None:
    """Rewrite an error as problem details if the client accepts those; every response of the API passes here."""
    if response.status_code < 400 or response.headers["Content-Type"] != "application/json":
        return
    patch_vary_headers(response, ["Accept"])
    if MEDIA_TYPE not in request.headers.get("Accept", ""):
        return
    status = HTTPStatus(response.status_code)
    problem = ProblemDetails(status, status.phrase, **json.loads(response.content)["error"])
    response.content = msgspec.json.encode(problem)
    response.headers["Content-Type"] = MEDIA_TYPE
