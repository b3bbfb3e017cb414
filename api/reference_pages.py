"""Serve the pages /api/, with the recipes of RECIPES.md and all endpoints, and /api/reference/, with Swagger UI."""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

_FILE = Path(__file__).parent / "v1" / "RECIPES.md"
_FENCE = re.compile(r"```(\w+)\n(.*?)```\n?", re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_PLACE = "https://YOUR-SERVER"
_FILL_IN = f"Replace `{_PLACE}` with the address of the site. "
# The policy of flashdb/headers.py, but with data: URLs for the small pictures in Swagger UI's style sheet.
_POLICY = (
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)


class Endpoint(NamedTuple):
    method: str
    path: str
    does: str


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Serve the page that introduces the API, with commands to copy."""
    server = request.build_absolute_uri("/").rstrip("/")
    introduction, *rest = recipes(server)
    context = {"introduction": introduction, "recipes": rest, "endpoints": endpoints()}
    return render(request, "api/index.html", context)


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Serve the page with Swagger UI, which loads all files from this site."""
    response = render(request, "api/reference.html")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@cache
def endpoints() -> tuple[Endpoint, ...]:
    """Return every endpoint of the API, with the first line of its description in the OpenAPI document."""
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    return tuple(
        Endpoint(method.upper(), path, operation.get("description", "").partition("\n")[0])
        for path, methods in paths.items()
        for method, operation in methods.items()
    )


class Part(NamedTuple):
    """A part of a recipe: a paragraph (`prose`), or a block of code in a `language`."""

    language: str = ""
    code: str = ""
    prose: str = ""


class Recipe(NamedTuple):
    title: str
    slug: str
    parts: tuple[Part, ...]


@lru_cache(maxsize=8)
def recipes(server: str = _PLACE) -> tuple[Recipe, ...]:
    """Return every section of RECIPES.md, the introduction first, with the URL `server` in the commands."""
    text = _FILE.read_text(encoding="utf-8")
    if server != _PLACE:
        text = text.replace(_FILL_IN, "").replace(_PLACE, server)
    return tuple(_parse_recipe(section) for section in re.split(r"^##? ", text, flags=re.MULTILINE)[1:])


def _parse_recipe(section: str) -> Recipe:
    title, _, rest = section.partition("\n")
    pieces = _FENCE.split(rest)
    parts: list[Part] = []
    for prose, language, code in zip(pieces[::3], [*pieces[1::3], ""], [*pieces[2::3], ""], strict=True):
        parts += [
            Part(prose=_format_prose(paragraph)) for paragraph in prose.strip().split("\n\n") if paragraph
        ]
        parts += [Part(language, code=code)] if code else []
    return Recipe(title, re.sub(r"\W+", "-", title.lower()).strip("-"), tuple(parts))


def _format_prose(paragraph: str) -> str:
    pieces = enumerate(_CODE.split(" ".join(paragraph.split())))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", text) if at % 2 else text,) for at, text in pieces)
    )
