"""/cardbench.pyz: the client packed into one file, and the view that sends it."""

import hashlib
import io
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition

CLIENT = Path(settings.BASE_DIR) / "client"
# Engines of `make release` go along if there are any; everybody else compiles the sources when it runs.
_PARTS = ("cardbench/**/*.py", "engine/*.[ch]", "engine/build/*/cardbench-engine")
_FIRST, _LICENSE = "cardbench/__main__.py", "LICENSE"
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the same sources make the same file, wherever and whenever


@cache
def packed() -> bytes:
    """A zip archive with a `__main__.py`, after the line by which a shell finds Python."""
    written = io.BytesIO(b"#!/usr/bin/env python3\n")
    written.seek(0, io.SEEK_END)
    with zipfile.ZipFile(written, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, path in _members():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return written.getvalue()


@cache
def digest() -> str:
    """SHA-256 of the file, in hexadecimal."""
    return hashlib.sha256(packed()).hexdigest()


def _members() -> Iterator[tuple[str, Path]]:
    yield "__main__.py", CLIENT / _FIRST
    yield _LICENSE, CLIENT.parent / _LICENSE
    for path in sorted(path for part in _PARTS for path in CLIENT.glob(part)):
        yield path.relative_to(CLIENT).as_posix(), path


@cache_control(public=True, max_age=3600)
@condition(etag_func=lambda _request: f'"{digest()}"')
def client(_request: HttpRequest) -> HttpResponse:
    """cardbench.pyz: one file for Python."""
    return HttpResponse(
        packed(),
        content_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="cardbench.pyz"'},
    )
