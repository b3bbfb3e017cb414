"""Serve the page that decodes pasted registers."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from submissions.pages.content import register_rows
from submissions.pages.forms.decode_form import DecodeForm
from submissions.pages.views.parts import render_form


def decode(request: HttpRequest) -> HttpResponse:
    """Explain pasted registers and store nothing. The form shows the text again only after an error."""
    example = {"text": register_rows.EXAMPLE} if "example" in request.GET else None
    asked = request.GET if "text" in request.GET else example
    form = DecodeForm(request.POST if request.method == "POST" else asked)
    readings: register_rows.Readings | None = None
    if form.is_valid():
        with form.show_refusals():
            readings = register_rows.read_registers(
                form.cleaned_data["text"],
                label_brand=form.cleaned_data["label_brand"],
                received_on=timezone.now().date(),
            )
    context = {"form": DecodeForm() if readings else form, "readings": readings}
    return render_form(request, "submissions/decode.html", context)
