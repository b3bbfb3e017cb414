"""What is kept of whom, and for how long."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.privacy.published_text import KINDS


def privacy(request: HttpRequest) -> HttpResponse:
    """The kinds come from the table that removes them, the days from the settings."""
    context = {
        "kinds": list(dict.fromkeys(kind.name for kind in KINDS)),
        "session_days": settings.SESSION_COOKIE_AGE // 86_400,
    }
    return render(request, "submissions/privacy.html", context)
