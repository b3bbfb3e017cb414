"""Answer all errors of the API in one shape: {"error": {"code", "detail", "field"}}."""

import logging
import sys
from typing import Annotated, Any

import msgspec
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt
from msgspec import Meta
from psycopg.errors import ReadOnlySqlTransaction
from rest_framework.exceptions import APIException, Throttled
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import exception_handler, set_rollback

from submissions import counters
from submissions.domain.errors import ReportError
from submissions.visitors import limits

logger = logging.getLogger(__name__)

# Every other error of a report is 400.
_STATUS = {
    "too_large": 413,
    "too_many": 413,
    "wrong_cursor": 404,
    "unknown_model": 404,
    "unidentified_card": 409,
    "undecided_bus": 409,
    "busy": 503,
}


_UNAVAILABLE = "The database cannot accept this at the moment. Nothing was stored: send it again in a moment."


class ErrorBody(msgspec.Struct, frozen=True):
    code: Annotated[str, Meta(description="a word for scripts that never changes")]
    detail: Annotated[str, Meta(description="a sentence for people")]
    field: Annotated[str, Meta(description="path of the field in the report, or empty")]


class Error(msgspec.Struct, frozen=True):
    error: ErrorBody


# Answers to a body that cannot be taken, for the OpenAPI document.
REFUSALS = {400: Error, 413: Error, 415: Error}


class UnsupportedMediaType(APIException):
    status_code = 415
    default_code = "unsupported_media_type"


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer an error as JSON, even if another format was asked for. DRF calls this for every exception.

    For an unexpected exception return None: then Django calls `server_error`.
    """
    request = context["request"]
    request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    if isinstance(error, ReportError):
        set_rollback()
        counters.count_event("flashdb_submissions_refused", error.code)
        return error_response(error.code, error.detail, error.field, status=http_status(error))
    if is_unavailable(error):
        logger.error("the database cannot do it now: %s", error)
        return error_response("unavailable", _UNAVAILABLE, status=503)
    if isinstance(error, Http404):
        return error_response("not_found", "There is nothing at this address.", status=404)
    response = exception_handler(error, context)  # with Retry-After for Throttled
    if response is not None:
        assert isinstance(error, APIException)
        response.data = build_error(_code(error), _detail(error))
    return response


def is_unavailable(error: BaseException | None) -> bool:
    """Return whether an error means that the database cannot be reached, or is a standby, which refuses writes."""
    is_read_only = isinstance(error and error.__cause__, ReadOnlySqlTransaction)
    return is_read_only or isinstance(error, OperationalError | InterfaceError)


def http_status(error: ReportError) -> int:
    return _STATUS.get(error.code, 400)


@csrf_exempt
def not_found(request: HttpRequest, address: str) -> JsonResponse:
    """Answer 404 for an unknown URL of the API."""
    return JsonResponse(
        build_error("not_found", f"The API has nothing at “{address}”; /api/v1/ lists what it has."),
        status=404,
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500, or 503 if the database is not available: as JSON below /api/, elsewhere as a page."""
    status = 503 if is_unavailable(sys.exc_info()[1]) else 500
    if request.path.startswith("/api/"):
        detail = "Something went wrong on our side. Nothing was lost. Try again later."
        code, detail = ("unavailable", _UNAVAILABLE) if status == 503 else ("server_error", detail)
        answer: HttpResponse = JsonResponse(build_error(code, detail))
    else:
        answer = HttpResponse(render_to_string(f"{status}.html"))
    answer.status_code = status
    for name, value in _retry_headers(status).items():
        answer.headers[name] = value
    return answer


def error_response(code: str, detail: str, field: str = "", *, status: int) -> Response:
    return Response(build_error(code, detail, field), status=status, headers=_retry_headers(status))


def _retry_headers(status: int) -> dict[str, str]:
    return {"Retry-After": "2"} if status == 503 else {}


def build_error(code: str, detail: str, field: str = "") -> dict[str, dict[str, str]]:
    answer: dict[str, dict[str, str]] = msgspec.to_builtins(Error(ErrorBody(code, detail, field)))
    return answer


def _code(error: APIException) -> str:
    codes = error.get_codes()
    return codes if isinstance(codes, str) else error.default_code


def _detail(error: APIException) -> str:
    if isinstance(error, Throttled):
        return limits.explain_refusal(getattr(error, "wait", None) or 0)
    return str(error.detail) if isinstance(error.detail, str) else str(error.default_detail)
