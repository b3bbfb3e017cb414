"""Find tested models of the same line as a product that was not tested itself."""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from django.db.models import F, Q
from django.db.models.functions import Abs

from submissions.domain.identity.products import Product
from submissions.domain.ranking.wish import Wish
from submissions.models import Performance
from submissions.models.performance import BEST_FIRST
from submissions.models.ranking import match_form

_MOST = 3


def find_same_line(product: Product, wish: Wish) -> Sequence[Performance]:
    """Return ranked models of a product's brand and line for a device and use, the nearest size first; one query."""
    of_line = reduce(or_, (Q(card_model__line__iexact=line) for line in product.lines))
    of_brand = Q(card_model__brand__iexact=product.brand)
    listed = (
        Performance.objects.list_measured(wish.board, wish.use)
        .placed()
        .filter(of_line, of_brand, match_form(wish.board))
    )
    distance = Abs(F("card_model__capacity_gb") - product.capacity_gb).asc(nulls_last=True)
    return list(listed.with_models().order_by(distance, *BEST_FIRST)[:_MOST])
