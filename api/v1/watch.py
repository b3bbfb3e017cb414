"""PUT /api/v1/watch/{name}/: how far a run is, for the page on which its owner watches it."""

import msgspec
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import Error
from submissions.domain.errors import ReportError
from submissions.visitors import watched
from submissions.visitors.watched import Progress


class WatchView(APIView):
    limit = "watch"

    @extend_schema(operation_id="tell_progress", request=Progress, responses={204: None, 400: Error})
    def put(self, request: Request, name: str) -> Response:
        """Tell how far a run is. `name` is random and made by the client; /watch/{name}/ shows it for an hour."""
        try:
            watched.keep(name, msgspec.convert(request.data, Progress))
        except msgspec.ValidationError as error:
            raise ReportError(f"This is no progress of a run: {error}.", code="wrong_shape") from error
        return Response(status=204)
