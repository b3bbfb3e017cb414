"""Give each log line the id of its request or task.

LOG_FORMAT=line is for people; LOG_FORMAT=json writes one JSON object per line for a log collector.
No line contains addresses of visitors, query strings or other private input.
"""

import json
import logging
import re
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from random import getrandbits
from typing import Any

from celery import current_task
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

HEADER = "X-Request-ID"
_request_id: ContextVar[str] = ContextVar("request_id", default="")
_PLAUSIBLE = re.compile(r"[A-Za-z0-9_.-]{8,64}")
# Fields that `logger.info(…, extra={"submission": …})` may add to a record.
_EXTRA = ("submission", "method", "path", "status", "duration_ms")
logger = logging.getLogger("flashdb.requests")


class RequestId(MiddlewareMixin):
    """Middleware that takes the id of a request from a proxy, or makes one, and adds it to the answer."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> HttpResponse:
        proposed = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = proposed if _PLAUSIBLE.fullmatch(proposed) else f"{getrandbits(128):032x}"
        token = _request_id.set(request_id)
        began = time.perf_counter()
        try:
            response = self.get_response(request)
            response.headers[HEADER] = request_id
            _log_request(request, response, duration_ms=(time.perf_counter() - began) * 1000)
        finally:
            _request_id.reset(token)
        return response


def _log_request(request: HttpRequest, response: HttpResponse, *, duration_ms: float) -> None:
    # Without the query: searches of visitors are private.
    if not logger.isEnabledFor(logging.INFO):
        return
    noted = {
        "method": request.method,
        "path": request.path,
        "status": response.status_code,
        "duration_ms": round(duration_ms, 1),
    }
    logger.info("%(method)s %(path)s %(status)d in %(duration_ms).1f ms", noted, extra=noted)


class Context(logging.Filter):
    """A filter that adds to every log record the ids of its request and its task; "" if there is none."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _request_id.get()
        record.task_id = (current_task.request.id or "") if current_task else ""
        return True


class JsonLines(logging.Formatter):
    """A formatter that writes a record as a line of JSON: time, level, logger, message, ids and extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        context = {name: getattr(record, name, None) for name in ("request_id", "task_id", *_EXTRA)}
        line |= {name: value for name, value in context.items() if value not in (None, "")}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)
