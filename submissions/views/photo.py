"""The photo of a card: shown to everybody, put there and taken away by whose submission it is."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from submissions.domain.errors import ReportError
from submissions.models import Photo, Submission
from submissions.models.audit import Actor
from submissions.pages.forms.photo import PhotoForm
from submissions.views.ownership import for_its_owner
from submissions.writing import photos


@require_safe
def photo(request: HttpRequest, public_id: str) -> HttpResponse:
    """The picture itself. Browsers ask again before they show it twice: it may have been taken away."""
    found = get_object_or_404(Photo.objects.public(), submission__public_id=public_id)
    headers = {"Cache-Control": "no-cache", "Content-Disposition": "inline; filename=card.jpg"}
    return HttpResponse(bytes(found.jpeg), content_type="image/jpeg", headers=headers)


@for_its_owner
def change_photo(request: HttpRequest, submission: Submission, actor: Actor) -> HttpResponse:
    """Put a photo there, or take it away."""
    if request.method == "POST" and "remove" in request.POST:
        photos.remove(submission)
        return redirect(submission)
    form = PhotoForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            photos.keep(submission, photos.redraw(form.body()))
        except ReportError as error:
            form.add_error("photo", error.detail)
        else:
            return redirect(submission)
    shown = Photo.objects.defer("jpeg").filter(submission=submission).first()
    context = {"form": form, "submission": submission, "photo": shown}
    return render(request, "submissions/change_photo.html", context, status=400 if form.errors else 200)
