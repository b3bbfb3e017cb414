"""Serve one submission: everybody may read it, its owner may correct or delete it, moderators may rule on it."""

from typing import Annotated, Literal

import msgspec
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import Permitted, refuse
from api.errors import Error
from api.fresh_view import CachedView, StrictView
from api.parsers import AmendmentParser, raw_body
from api.structs import reply
from api.v1 import answers
from api.v1.openapi import AMENDMENT_SCHEMA
from submissions.domain import amendment, json_shape
from submissions.models import Submission
from submissions.models.audit import Actor, Role
from submissions.visitors import visitor
from submissions.visitors.permissions import Act
from submissions.writing import decisions

DELETE_KEY = OpenApiParameter(
    "Delete-Key",
    str,
    OpenApiParameter.HEADER,
    description="delete key from the receipt; not needed with the owner's token",
)


def identify_owner(request: Request, submission: Submission) -> Actor:
    """Return the owner of a submission as the actor. Raise Forbidden if the request is not the owner's."""
    account, key = visitor.find_account(request), request.headers.get("Delete-Key", "")
    actor = decisions.find_owner(submission, account=account, key=key)
    refuse(request, Act.CORRECT, owns=actor is not None)
    assert actor
    return actor


# Answers to a change, for the OpenAPI document.
_CHANGED = {
    200: answers.WholeSubmission,
    **{status: Error for status in (400, 401, 403, 404, 409, 413, 415)},
}
# Some visible text without control characters.
_REASON = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"


class Ruling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision of a moderator: `confirmed` counts despite all rules, `disputed` waits, `excluded` never counts."""

    ruling: Annotated[
        Literal["confirmed", "disputed", "excluded"], msgspec.Meta(extra_json_schema={"type": "string"})
    ]
    reason: Annotated[
        str, msgspec.Meta(max_length=500, pattern=_REASON, description="shown on the page of the submission")
    ]


class RulingView(StrictView):
    parser_classes = [AmendmentParser]
    permission_classes = [Permitted]

    @extend_schema(
        operation_id="rule_on_submission",
        request={"application/json": Ruling},
        responses=_CHANGED,
    )
    def post(self, request: Request, public_id: str) -> Response:
        """Confirm, dispute or exclude a submission. Only moderators may do this."""
        submission = get_object_or_404(Submission, public_id=public_id)
        order: Ruling = json_shape.decode_body(_ruling, raw_body(request))
        ruling = Submission.Ruling(order.ruling)
        by = Actor(Role.MODERATOR, visitor.find_account(request))
        decisions.store_ruling(submission, ruling, reason=order.reason, by=by)
        return SubmissionView().get(request, public_id)


_ruling = msgspec.json.Decoder(Ruling)


class SubmissionView(CachedView, StrictView):
    parser_classes = [AmendmentParser]

    @extend_schema(operation_id="submission", responses={200: answers.WholeSubmission, 404: Error})
    def get(self, request: Request, public_id: str) -> Response:
        """Return the state, reason and links of a submission."""
        submission = get_object_or_404(Submission.objects.recent(), public_id=public_id)
        return reply(answers.whole_submission(submission, request))

    @extend_schema(
        operation_id="amend_submission",
        parameters=[DELETE_KEY],
        request={"application/json": AMENDMENT_SCHEMA},
        responses=_CHANGED,
    )
    def patch(self, request: Request, public_id: str) -> Response:
        """Correct label, condition or note. A missing field stays as it is; null restores the value of the report."""
        submission = get_object_or_404(Submission, public_id=public_id)
        by = identify_owner(request, submission)
        decisions.amend(submission, amendment.parse(raw_body(request)), by=by)
        return self.get(request, public_id)

    @extend_schema(
        operation_id="delete_submission",
        parameters=[DELETE_KEY],
        responses={204: None, **{status: Error for status in (401, 403, 404)}},
    )
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete a submission, its raw report and all of its results."""
        submission = get_object_or_404(Submission, public_id=public_id)
        decisions.delete(submission, by=identify_owner(request, submission))
        return Response(status=204)
