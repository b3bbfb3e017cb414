"""Serve the list of tools with output that the site can parse."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.intake.tools import TOOLS


def formats(request: HttpRequest) -> HttpResponse:
    """Show every tool with output that the site parses, with an example, from data/formats.toml."""
    tools = sorted(TOOLS, key=lambda tool: tool.name.casefold())
    return render(request, "submissions/formats.html", {"tools": tools})
