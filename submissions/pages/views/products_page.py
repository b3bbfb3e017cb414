"""What is sold: one product, measured or not."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain.identity import products
from submissions.domain.translation import translated
from submissions.models import CardModel


def product(request: HttpRequest, slug: str) -> HttpResponse:
    """One product: what its maker promises, and the measured models that carry its name."""
    sold = products.by_slug().get(slug)
    if sold is None:
        raise Http404
    context = {
        "product": sold,
        "confidence": translated(products.CONFIDENCE[sold.confidence]),
        "models": CardModel.objects.called(sold),
        "others": [
            other for other in products.named(sold.brand, sold.lines[-1], sold.capacity_gb) if other != sold
        ],
    }
    return render(request, "submissions/product.html", context)
