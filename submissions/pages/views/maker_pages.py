"""Serve the pages of the makers behind the manufacturer numbers of cards."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.identity.makers import find_by_address, products_of, search_makers
from submissions.models import CardModel, Variant
from submissions.pages.forms.makers_form import MakersForm

MOST_MODELS_OF_A_MAKER = 200


def makers(request: HttpRequest) -> HttpResponse:
    """Show the list of makers, each with its number and the number of its models in the database."""
    form = MakersForm(request.GET)
    words, bus = form.read_filter()
    counts = Variant.objects.models_per_maker()
    rows = [
        (maker, counts.get((maker.bus, maker.mid, maker.oid), 0)) for maker in search_makers(words, bus=bus)
    ]
    return render(request, "submissions/makers.html", {"form": form, "rows": rows})


def maker(request: HttpRequest, bus: str, number: str) -> HttpResponse:
    """Show the maker with one manufacturer and OEM number, and the models in the database with this number."""
    maker = find_by_address(bus, number)
    if maker is None:
        raise Http404
    models = CardModel.objects.made_by(bus=maker.bus, mid=maker.mid, oid=maker.oid)
    context = {
        "maker": maker,
        "products": products_of(maker),
        "models": models[:MOST_MODELS_OF_A_MAKER],
    }
    return render(request, "submissions/maker.html", context)
