"""One run: everything it measured, as pictures and tables, and the registers of the card it ran on."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from submissions.models import Run
from submissions.pages.content import registers, tables


def run(request: HttpRequest, public_id: str) -> HttpResponse:
    """The run of a submission: measured, on what, with what."""
    found = get_object_or_404(Run.objects.with_report(), submission__public_id=public_id)
    card = found.card
    context = {
        "run": found,
        "submission": found.submission,
        "card": card,
        "model": card.variant.card_model,
        "geometry": found.geometry.by_quantity(),
        "sections": tables.sections(found.measurements.exclude(workload="geometry").order_by("position")),
        "portraits": registers.of_report(bytes(found.submission.body)),
    }
    return render(request, "submissions/run.html", context)
