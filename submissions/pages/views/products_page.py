"""Serve the page of a product on sale, tested or not."""

from datetime import date
from itertools import chain

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.identity import products
from submissions.domain.identity.endurance import find_endurance
from submissions.domain.ranking import offers
from submissions.domain.ranking.offers import match_offers
from submissions.domain.translation import translate
from submissions.models import CardModel, Offer
from submissions.models.offer import name_key
from submissions.pages.content.advice_words import describe_endurance


def product(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one product: the promises of its maker, its offers, and the tested models with its name."""
    sold = products.products_by_slug().get(slug)
    if sold is None:
        raise Http404
    promised = find_endurance([sold])
    keys = [name_key(sold.brand, line, sold.capacity_gb) for line in sold.lines]
    of_name = chain.from_iterable(Offer.objects.load_by_name(keys).values())
    context = {
        "product": sold,
        "confidence": translate(products.CONFIDENCE[sold.confidence]),
        "endurance": describe_endurance(promised) if promised else "",
        "offers": sorted(match_offers(of_name, part=sold.part, form=sold.form), key=_get_day, reverse=True),
        "models": CardModel.objects.called(sold),
        "others": [
            other
            for other in products.find_by_name(sold.brand, sold.lines[-1], sold.capacity_gb)
            if other != sold
        ],
    }
    return render(request, "submissions/product.html", context)


def _get_day(offer: offers.Offer) -> date:
    return offer.seen_on or date.min
