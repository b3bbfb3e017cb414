"""Contents of registers by CID family, and one family with its figures by firmware revision."""

from typing import Annotated

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from msgspec import Meta, Struct
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import CachedView, StrictView
from api.listing.cursors import Ordering, Page
from api.listing.filters import Filter, Rows
from api.listing.kinds import TEXT, one_of
from api.listing.view import ListView
from api.structs import build_struct, reply
from api.v1.answers import Address
from submissions.domain.identity.makers import BUSES
from submissions.domain.identity.suspicions.cid_families import at_address
from submissions.evidence import families, troubles
from submissions.models import Variant


class ListedFamily(families.DescribedFamily, frozen=True, kw_only=True):
    links: dict[str, Address]


class Csd(Struct, frozen=True):
    csd: Annotated[str, Meta(description="in hex, without its checksum")]
    cards: int


class OneFamily(ListedFamily, frozen=True, kw_only=True):
    csds: list[Csd]
    figures: Annotated[
        list[families.Revision],
        Meta(description="of each revision with measured cards, as their hosts measured it"),
    ]
    candidates: Annotated[list[troubles.Candidate], Meta(description="errors that hosts logged")]


def _links(row: families.DescribedFamily, request: Request) -> dict[str, str]:
    names = {"self": "api-family", "page": "family"}
    return {
        key: request.build_absolute_uri(reverse(name, args=row.family.address)) for key, name in names.items()
    }


class FamiliesView(ListView):
    """Contents of registers, by maker and product name of the CID; never a serial number."""

    operation_id, shape = "families", ListedFamily
    filters = (
        Filter("bus", one_of(BUSES), "", "bus"),
        Filter("pnm", TEXT, "letters in the product name", "pnm__icontains"),
        Filter("model", TEXT, "slug of a model with such cards", "card_model__slug"),
    )
    orderings = (Ordering("first_seen", ("first",)),)
    order = "first_seen"

    def rows(self, query: object, **where: str) -> Rows:
        return Variant.objects.families()

    def complete_page(self, rows: Rows, ordering: Ordering, listed: Page, *, first: bool) -> None:
        listed.rows[:] = families.describe_families(listed.rows)

    def answer(self, row: families.DescribedFamily, request: Request) -> ListedFamily:
        return build_struct(ListedFamily, row, links=_links(row, request))


class FamilyView(CachedView, StrictView):
    @extend_schema(operation_id="family", responses={200: OneFamily, 404: Error})
    def get(self, request: Request, bus: str, number: str, name: str) -> Response:
        """Return one CID family, with its figures by firmware revision."""
        family = at_address(bus, number, name)
        described = families.find_family(family) if family else None
        if family is None or described is None:
            raise Http404
        answer = build_struct(
            OneFamily,
            described,
            links=_links(described, request),
            csds=[Csd(*row) for row in families.count_csds(family)],
            figures=families.list_revisions(family),
            candidates=troubles.find_candidates(family),
        )
        return reply(answer)
