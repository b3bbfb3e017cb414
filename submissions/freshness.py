"""Cache responses until any row of the database changes, which a stamp (a text) of the whole database shows.

The stamp is PostgreSQL's snapshot, which says which transactions are visible. As long as the snapshot is the same, so
is every row; code that writes need not report it. The stamp is taken before the rows are read, so a response may be
newer than its stamp, never older. It includes a hash of the code, because responses also depend on tables of the code.
"""

import gzip
import hashlib
import math
import time
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date, parse_http_date_safe
from django.utils.translation import get_language

from submissions.models import Submission
from submissions.sql.snapshot import read_snapshot

Answer = Callable[[], HttpResponseBase]
_KEPT = ("Content-Type", "Deprecation", "Link", "Vary", "Content-Language", "HX-Push-Url")
_LARGEST_KEPT_BYTES = 256 * 1024
_ASKED_WITH = ("Accept", "HX-Request", "HX-History-Restore-Request")
_CODE = ("*.py", "*.toml", "*.csv", "*.txt", "*.html", "*.md", "*.mo")


def answer(request: HttpRequest, view: Answer, *, stamp: str) -> HttpResponseBase:
    """Return 304 if the client has the response already, else the response from the cache or from `view`.

    The response gets ETag and Last-Modified. Use this only for responses that depend on nothing but the URL, the
    active language, the headers of _ASKED_WITH, and `stamp`.
    """
    if request.method not in ("GET", "HEAD") or not stamp:
        return view()
    key = _key(stamp, request)
    headers = _validators(key, stamp)
    # Only the view knows whether there is anything at all, which `*` asks.
    asks_for_any = request.headers.get("If-None-Match", "").strip() == "*"
    if not asks_for_any and (same := _not_modified(request, headers)):
        return same
    kept = caches["answers"].get(key)
    response = _unpack(kept, request) if kept else _keep(key, view(), request)
    if response.status_code == 200 and not _is_personal(request):
        for name, value in headers.items():
            response.headers.setdefault(name, value)
    return response


def fresh(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponseBase]:
    """Cache a page that looks the same to all visitors who have no session; after a minute, render the page again.

    The minute is necessary because a page may say how long ago something happened. Visitors who have sent nothing may
    see the state of up to PAGES_MAY_LAG_S seconds ago, so that a page is rendered once in that time, however much is
    written and however many visitors ask. Visitors who have sent something see the present state.
    """

    @wraps(view)
    def visit(request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            response: HttpResponseBase = view(request, *args, **where)
        else:
            has_sent = settings.CSRF_COOKIE_NAME in request.COOKIES
            stamp = current_stamp() if has_sent else _recent.stamp()
            minute = f"{stamp} {time.time() // 60:.0f}" if stamp else ""
            response = answer(request, lambda: view(request, *args, **where), stamp=minute)
        patch_vary_headers(response, ["Cookie"])
        return response

    return visit


def current_stamp() -> str:
    """Return a text that changes whenever a row may have changed; one short query to the database that is read.

    Return "" within a transaction, because its snapshot does not show its own writes.
    """
    snapshot = read_snapshot(Submission)
    return snapshot and f"{snapshot} {release()}"


class _RecentStamp:
    """The stamp of the database for all threads of this process, read again after PAGES_MAY_LAG_S seconds."""

    _taken = "", -math.inf

    def stamp(self) -> str:
        now = time.monotonic()
        stamp, at = self._taken
        if not stamp or now - at >= settings.PAGES_MAY_LAG_S:
            stamp = current_stamp()
            self._taken = stamp, now
        return stamp


_recent = _RecentStamp()


@cache
def release() -> str:
    """Return a hash of the code and the data files that this process runs on."""
    digest = hashlib.sha256()
    for room in ("api", "flashdb", "submissions", "templates"):
        for pattern in _CODE:
            for path in sorted(Path(settings.BASE_DIR, room).rglob(pattern)):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(stamp: str, request: HttpRequest) -> str:
    asked = (
        stamp,
        request.build_absolute_uri(),
        *(request.headers.get(name, "") for name in _ASKED_WITH),
        get_language() or "",
    )
    return hashlib.sha256("\0".join(asked).encode()).hexdigest()[:32]


class _LastStamp:
    """The last stamp that this process used, and the time of its first use; a lock protects both."""

    _lock = Lock()
    _stamp, _since = "", 0.0

    def note_stamp(self, stamp: str, *, now: float) -> float:
        """Return the time since when this stamp is used without another in between; `now` if the stamp is new."""
        with self._lock:
            if self._stamp != stamp:
                self._stamp, self._since = stamp, now
            return self._since


_last_stamp = _LastStamp()


def _validators(key: str, stamp: str) -> dict[str, str]:
    """Return ETag, and Last-Modified only after its second is over, because two states in a second would share it."""
    now = time.time()
    modified = math.ceil(_last_stamp.note_stamp(stamp, now=now))
    dated = {"Last-Modified": http_date(modified)} if modified <= now else {}
    return {"ETag": f'W/"{key}"', "Cache-Control": "no-cache", **dated}


def _not_modified(request: HttpRequest, headers: dict[str, str]) -> HttpResponseBase | None:
    """Return 304 if the request names this ETag or a date not before the last change, otherwise None."""
    modified = parse_http_date_safe(headers["Last-Modified"]) if "Last-Modified" in headers else None
    response = get_conditional_response(request, etag=headers["ETag"], last_modified=modified)
    if response is None or response.status_code != 304:
        return None
    for name, value in headers.items():
        response.headers[name] = value
    return response


def _is_personal(request: HttpRequest) -> bool:
    # The secret of a form, or a session, is for this visitor only.
    session = getattr(request, "session", None)
    return bool(request.META.get("CSRF_COOKIE_NEEDS_UPDATE")) or bool(session and session.modified)


def _keep(key: str, response: HttpResponseBase, request: HttpRequest) -> HttpResponseBase:
    if callable(getattr(response, "render", None)):
        response = response.render()  # type: ignore[attr-defined]
    patch_vary_headers(response, ["Accept", "Accept-Encoding"])
    if not isinstance(response, HttpResponse) or response.cookies or _is_personal(request):
        return response
    if response.status_code == 200:
        body = gzip.compress(response.content, compresslevel=5, mtime=0)
        if len(body) <= _LARGEST_KEPT_BYTES:
            kept = {name: response.headers[name] for name in _KEPT if name in response.headers}
            caches["answers"].set(key, (kept, body))
    return response


def _unpack(kept: tuple[dict[str, str], bytes], request: HttpRequest) -> HttpResponse:
    headers, body = kept
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(body, headers=headers | {"Content-Encoding": "gzip"})
    return HttpResponse(gzip.decompress(body), headers=headers)
