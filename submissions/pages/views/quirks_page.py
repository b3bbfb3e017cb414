"""Serve the list of cards that need workarounds in the kernel, or that have a command queue that it uses."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.identity import makers
from submissions.domain.identity.suspicions.quirks import all_quirks
from submissions.evidence import troubles


def quirks(request: HttpRequest) -> HttpResponse:
    """Show every row of the kernel's table of quirks with the maker of the cards, and candidates for new rows."""
    rows = [(quirk, makers.find_maker(quirk.bus, quirk.mid, quirk.oid)) for quirk in all_quirks()]
    return render(
        request, "submissions/quirks.html", {"rows": rows, "candidates": troubles.find_candidates()}
    )
