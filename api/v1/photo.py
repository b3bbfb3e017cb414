"""The photo of a submission: sent and removed by whose it is."""

from typing import Annotated

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import Known
from api.parsers import PhotoParser, body_of
from api.structs import reply
from api.v1.answers import Address
from api.v1.submission import DELETE_KEY, owner
from submissions.models import Submission
from submissions.writing import photos

_REFUSALS = {status: Error for status in (400, 401, 403, 404, 413, 415)}


class Photo(Struct, frozen=True):
    url: Annotated[Address, Meta(description="answers once the submission is worked out")]
    width: int
    height: int


class PhotoView(Known):
    parser_classes = [PhotoParser]
    scope = "correct"

    @extend_schema(
        operation_id="put_photo",
        parameters=[DELETE_KEY],
        request={name: {"type": "string", "format": "binary"} for name in PhotoParser.media_types},
        responses={200: Photo, **_REFUSALS},
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Show a photo of the card in place of any other. It is drawn anew, without what else was in the file."""
        submission = get_object_or_404(Submission, public_id=public_id)
        owner(request, submission)
        picture = photos.redraw(body_of(request))
        photos.keep(submission, picture)
        url = request.build_absolute_uri(reverse("photo", args=[public_id]))
        return reply(Photo(url, picture.width, picture.height))

    @extend_schema(operation_id="delete_photo", parameters=[DELETE_KEY], responses={204: None, **_REFUSALS})
    def delete(self, request: Request, public_id: str) -> HttpResponse:
        """Show no photo any more."""
        submission = get_object_or_404(Submission, public_id=public_id)
        owner(request, submission)
        photos.remove(submission)
        return Response(status=204)
