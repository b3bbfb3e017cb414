"""Search for models: ranked ones, models not tested for the use, and, if nothing matches, similar ones."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F

from submissions.domain.identity import products
from submissions.domain.identity.products import Product
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Performance, Submission
from submissions.models.performance import ORDERS, PerformanceQuerySet
from submissions.models.ranking import OF_NO_BRAND, match_models

MOST_UNTESTED, MOST_NEAREST = 10, 5
_PRICED = {"price_max", "price_currency"}
_SIZES = {"capacity_gb_min", "capacity_gb_max", "capacity_gb"}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a search.

    wish        the wish as it was searched for: without words that no model has (`unknown`), and without a price if
                no model has such a price (`is_unpriced`)
    listed      models that match, if their leading ability was measured, best first
    untested    models that match, if their leading ability was not measured
    nearest     if nothing matches: models under which a product is sold, models with similar names, or the largest
    products    products on sale that match the words, measured or not
    submission  the submission that has one of the words as its id
    """

    wish: Wish
    listed: PerformanceQuerySet
    unknown: tuple[str, ...] = ()
    is_unpriced: bool = False
    untested: tuple[CardModel, ...] = ()
    nearest: tuple[CardModel, ...] = ()
    products: tuple[Product, ...] = ()
    submission: Submission | None = None


def find(wish: Wish) -> Finding:
    """Search for the models of a wish; one query without words, four with words, and more if nothing matches."""
    finding = Finding(wish, Performance.objects.wanted(wish))
    if not wish.is_narrowed:
        return finding
    if wish.words or "form" in wish.chosen:
        finding = replace(finding, untested=_untested_models(wish), products=_sold_products(wish))
    if finding.untested or finding.listed.exists():
        return finding
    if "price_max" in wish.chosen:
        return replace(find(_drop_facets(wish, _PRICED)), is_unpriced=True)
    return _nearest(finding) if wish.words else replace(finding, nearest=_largest(wish))


def _nearest(finding: Finding) -> Finding:
    wish = finding.wish
    words = wish.words.split()
    finding = replace(finding, submission=Submission.objects.numbered(words))
    sold = finding.products or products.of_another_size(words)
    named = tuple(CardModel.objects.called(*sold)[:MOST_NEAREST]) if sold else ()
    unknown = tuple(CardModel.objects.real().unmatched(words))
    known = " ".join(word for word in words if word not in unknown).strip(" |")
    if not finding.products and known and unknown:  # products with all the words match better
        return _search_rest(finding, unknown, _drop_facets(wish, {"q"}, q=known))
    sized = () if named or unknown else _largest(wish)
    nearest = named or sized or tuple(CardModel.objects.nearest(wish.words, most=MOST_NEAREST))
    if finding.products:
        return replace(finding, nearest=nearest)
    if nearest:
        return replace(finding, unknown=unknown, nearest=nearest)
    return _search_rest(finding, unknown, _drop_facets(wish, {"q"}))


def _search_rest(finding: Finding, unknown: tuple[str, ...], rest: Wish) -> Finding:
    narrower = find(rest)
    return replace(narrower, unknown=(*unknown, *narrower.unknown), submission=finding.submission)


def _drop_facets(wish: Wish, facets: set[str], **others: Any) -> Wish:
    kept = {name: value for name, value in wish.chosen.items() if name not in facets}
    return replace(wish, chosen=kept | others)


def _largest(wish: Wish) -> tuple[CardModel, ...]:
    """Return the largest models that match except for the size, those without a brand last.

    Return none if the wish has no size.
    """
    if not _SIZES & set(wish.chosen):
        return ()
    rows = Performance.objects.wanted(_drop_facets(wish, _SIZES)).with_models()
    largest = F("card_model__capacity_gb").desc(nulls_last=True)
    ordered = rows.alias(of_no_brand=OF_NO_BRAND).order_by("of_no_brand", largest, *ORDERS[""])
    return tuple(row.card_model for row in ordered[:MOST_NEAREST])


def _sold_products(wish: Wish) -> tuple[Product, ...]:
    sizes = (wish.chosen.get("capacity_gb_min"), wish.chosen.get("capacity_gb_max"))
    return products.matching(wish.words.split(), least_gb=sizes[0], most_gb=sizes[1])


def count(wish: Wish) -> int:
    """Count the models that match a wish, even those not tested for its use; one query."""
    return CardModel.objects.real().filter(match_models(wish.chosen)).count()


def _untested_models(wish: Wish) -> tuple[CardModel, ...]:
    measured = Performance.objects.list_measured(wish.board, wish.use).values("card_model")
    models = CardModel.objects.real().filter(match_models(wish.chosen)).exclude(pk__in=measured)
    return tuple(models.order_by("name")[:MOST_UNTESTED])
