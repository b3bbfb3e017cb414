"""What pasted registers tell."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from submissions.pages.content import registers
from submissions.pages.forms.decode import DecodeForm
from submissions.pages.views.parts import render_form


def decode(request: HttpRequest) -> HttpResponse:
    """Say what pasted registers tell. Nothing is stored, and what was pasted is shown again only if it is refused."""
    example = {"text": registers.EXAMPLE} if "example" in request.GET else None
    asked = request.GET if "text" in request.GET else example
    form = DecodeForm(request.POST if request.method == "POST" else asked)
    readings: registers.Readings | None = None
    if form.is_valid():
        with form.refusals():
            readings = registers.read(
                form.cleaned_data["text"],
                label_brand=form.cleaned_data["label_brand"],
                received_on=timezone.now().date(),
            )
    context = {"form": DecodeForm() if readings else form, "readings": readings}
    return render_form(request, "submissions/decode.html", context)
