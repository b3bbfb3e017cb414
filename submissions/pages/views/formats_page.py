"""Serve the list of tools with readable output."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.intake.tools import TOOLS


def formats(request: HttpRequest) -> HttpResponse:
    """Show every tool with an example, in the words of data/formats.toml."""
    tools = sorted(TOOLS, key=lambda tool: tool.name.casefold())
    return render(request, "submissions/formats.html", {"tools": tools})
