"""/cardbench.pyz: the client packed into one file, and the view that sends it."""

import hashlib
import io
import platform
import zipfile
from functools import cache, lru_cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition

CLIENT = Path(settings.BASE_DIR) / "client"
# Engines of `make release` go along, and that of `make engine` for machines like this one.
_PARTS = ("cardbench/**/*.py", "engine/*.[ch]", "engine/build/*/cardbench-engine")
_OWN_ENGINE = "engine/build/cardbench-engine"
_FIRST, _LICENSE, _HOME = "cardbench/__main__.py", "LICENSE", "cardbench/server/home.py"
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the same sources make the same file, wherever and whenever


def site_of(request: HttpRequest) -> str:
    """Return the address of this site, as its visitor typed it."""
    return f"{request.scheme}://{request.get_host()}"


@lru_cache(maxsize=4)
def pack(site: str) -> bytes:
    """Return the client that submits to a site: a zip archive after the line by which a shell finds Python."""
    written = io.BytesIO(_pack_sources())
    with zipfile.ZipFile(written, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(_HOME, _MOMENT), f"URL = {site!r}\n")
    return written.getvalue()


@cache
def _pack_sources() -> bytes:
    written = io.BytesIO(b"#!/usr/bin/env python3\n")
    written.seek(0, io.SEEK_END)
    with zipfile.ZipFile(written, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, path in _list_members().items():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return written.getvalue()


@lru_cache(maxsize=4)
def digest(site: str) -> str:
    """Return the SHA-256 of the file, in hexadecimal."""
    return hashlib.sha256(pack(site)).hexdigest()


def _list_members() -> dict[str, Path]:
    members = {"__main__.py": CLIENT / _FIRST, _LICENSE: CLIENT.parent / _LICENSE}
    if (own := CLIENT / _OWN_ENGINE).is_file():
        members[f"engine/build/{platform.machine()}/cardbench-engine"] = own
    for path in sorted(path for part in _PARTS for path in CLIENT.glob(part)):
        members[path.relative_to(CLIENT).as_posix()] = path
    del members[_HOME]
    return members


@cache_control(public=True, max_age=3600)
@condition(etag_func=lambda request: f'"{digest(site_of(request))}"')
def client(request: HttpRequest) -> HttpResponse:
    """Send cardbench.pyz: one file for Python."""
    return HttpResponse(
        pack(site_of(request)),
        content_type="application/zip",
        headers={"Content-Disposition": 'attachment; filename="cardbench.pyz"'},
    )
