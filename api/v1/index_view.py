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
    url: Annotated[str, Meta(description="with names in braces where something of a list is to be filled in")]
    does: str


class Limit(Struct, frozen=True):
    name: Annotated[str, Meta(description="under which it is counted")]
    count: Annotated[int, Meta(description="of one network; with a token ten times as many")]
    seconds: int


class Index(Struct, frozen=True, kw_only=True):
    version: str
    schema: Annotated[Address, Meta(description="OpenAPI 3.1")]
    policy: Annotated[Address, Meta(description="about changes, and how long before they are announced")]
    limits: Annotated[list[Limit], Meta(description="also in the header RateLimit-Policy; empty for none")]
    with_token: Annotated[int, Meta(description="how many times as often with a token")]
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
