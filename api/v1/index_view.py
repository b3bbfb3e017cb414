"""GET /api/v1/: every endpoint, the rate limits, and the policy about changes."""

from typing import Annotated

from django.conf import settings
from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response

from api.fresh_view import CachedView, StrictView
from api.listing.filters import POLICY
from api.reference_pages import endpoints
from api.structs import reply
from api.v1.answers import Address
from submissions import freshness
from submissions.visitors import limits


class Endpoint(Struct, frozen=True):
    method: str
    url: Annotated[str, Meta(description="address; replace names in braces by values from a list")]
    does: str


class Limit(Struct, frozen=True):
    name: Annotated[str, Meta(description="name of the limit")]
    count: Annotated[
        int, Meta(description="number of requests from one network; with a token ten times as many")
    ]
    seconds: int


class Index(Struct, frozen=True, kw_only=True):
    version: str
    schema: Annotated[Address, Meta(description="OpenAPI 3.1")]
    policy: Annotated[Address, Meta(description="how changes are announced, and how long in advance")]
    limits: Annotated[
        list[Limit],
        Meta(description="the limits, also in the header RateLimit-Policy; empty if there are none"),
    ]
    with_token: Annotated[int, Meta(description="how many times as many requests a token allows")]
    endpoints: list[Endpoint]


class IndexView(CachedView, StrictView):
    @extend_schema(operation_id="index", responses={200: Index})
    def get(self, request: Request) -> Response:
        """List every address of the API, with its limits."""
        root = request.build_absolute_uri("/")[:-1]
        return reply(
            Index(
                version="v1",
                schema=f"{root}/api/v1/schema/",
                policy=f"{root}{POLICY}",
                limits=[Limit(name, *rate) for name, rate in settings.RATE_LIMITS.items()],
                with_token=limits.WITH_TOKEN,
                endpoints=[Endpoint(one.method, f"{root}{one.path}", one.does) for one in endpoints()],
            )
        )

    def stamp(self, request: HttpRequest) -> str:
        return f"{freshness.release()} {settings.RATE_LIMITS}"
