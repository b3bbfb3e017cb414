"""The collection of registers by CID family, and one family with its figures by firmware revision."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.identity.makers import find_maker
from submissions.domain.identity.suspicions.cid_families import Family, at_address
from submissions.evidence import families as evidence
from submissions.evidence import troubles
from submissions.models import Variant
from submissions.pages.content import revision_rows
from submissions.pages.forms.makers_form import FamiliesForm

ROWS_PER_PAGE = 100


def families(request: HttpRequest) -> HttpResponse:
    """Every family, by maker and name; chosen by bus and letters of the product name."""
    form = FamiliesForm(request.GET)
    words, bus = form.wanted()
    rows = Variant.objects.families().filter(pnm__icontains=words.replace("\x00", ""))
    ordered = (rows.filter(bus=bus) if bus else rows).order_by(*Family._fields)
    page = Paginator(ordered, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "page": page,
        "rows": evidence.describe_families(page),
        "query": query.urlencode(),
    }
    return render(request, "submissions/families.html", context)


def family(request: HttpRequest, bus: str, number: str, name: str) -> HttpResponse:
    """Return the page of a family: its registers, medians by revision, and known trouble; no serial numbers."""
    asked = at_address(bus, number, name)
    told = evidence.find_family(asked) if asked else None
    if asked is None or told is None:
        raise Http404
    context = {
        "family": told,
        "maker": find_maker(*asked[:3]),
        "variants": Variant.objects.of_family(asked),
        "csds": evidence.count_csds(asked),
        "figures": revision_rows.rows(evidence.list_revisions(asked)),
        "candidates": troubles.find_candidates(asked),
    }
    return render(request, "submissions/family.html", context)
