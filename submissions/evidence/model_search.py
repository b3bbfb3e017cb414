"""Search for models that meet a wish (device, use and filters): ranked ones, untested ones, or else the closest."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.db.models import F, Q

from submissions.domain.identity import products
from submissions.domain.identity.products import Product
from submissions.domain.ranking.facets import FACETS
from submissions.domain.ranking.order import Group
from submissions.domain.ranking.wish import Wish
from submissions.evidence.places import load_order, load_places
from submissions.models import CardModel, Performance, Submission
from submissions.models.performance import ORDERS, PerformanceQuerySet
from submissions.models.ranking import OF_NO_BRAND, match_wish

MOST_UNTESTED, MOST_NEAREST, FEW = 10, 5, 25
_PRICED = {"price_max", "price_currency"}
SIZES = {"capacity_gb_min", "capacity_gb_max", "capacity_gb"}


class Finding(NamedTuple):
    """The result of a search for models.

    wish        the wish as it was searched for: without a price if no model has such a price (`is_unpriced`)
    listed      models that match, if the ability that ranks cards for the use was measured, best first
    ids         ids of `listed`, from cached ranks; None if the wish asks for a measured value or a form
    untested    models that match, if the ability that ranks cards for the use was not measured
    nearest     if nothing matches: models of the products with these names, models of that name, or the largest models
    products    products on sale that match the names and the size, measured or not
    other_sizes  products on sale that match the names, if none has the size
    submission  the submission that has one of the words without a meaning as its id
    """

    wish: Wish
    listed: PerformanceQuerySet
    ids: tuple[int, ...] | None = None
    is_unpriced: bool = False
    untested: tuple[CardModel, ...] = ()
    nearest: tuple[CardModel, ...] = ()
    products: tuple[Product, ...] = ()
    other_sizes: tuple[Product, ...] = ()
    submission: Submission | None = None

    @property
    def is_oversized(self) -> bool:
        """Return whether the wish is for a larger card than any product in data/products.csv."""
        largest_gb = max(product.capacity_gb for product in products.all_products())
        return bool(self.wish.chosen.get("capacity_gb_min", 0) > largest_gb)


def find(wish: Wish, *, ignored: Collection[str] = ()) -> Finding:
    """Search for models that meet a wish (device, use and filters).

    One query finds the ids; there are more if the wish has names, or nothing matches. Untested models are searched for
    only if few tested models match. `ignored`: words of the search text without a meaning.
    """
    listed = Performance.objects.wanted(wish)
    if _hides_fakes(wish):
        listed = listed.filter(card_model__lost_data=False)
    finding = Finding(wish, listed, _list_ids(wish))
    if ignored:
        finding = finding._replace(submission=Submission.objects.numbered(ignored))
    if not wish.is_narrowed:
        return finding
    few = finding.ids is None or len(finding.ids) < FEW
    if wish.words or "form" in wish.chosen:
        untested = _untested_models(wish) if few else ()
        finding = finding._replace(untested=untested, products=_sold_products(wish))
    if not few or finding.ids or finding.untested or (finding.ids is None and finding.listed.exists()):
        return finding
    if "price_max" in wish.chosen:
        found = find(drop_facets(wish, _PRICED))
        return found._replace(is_unpriced=True, submission=finding.submission)
    is_unsold = wish.words and not finding.products
    other_sizes = products.search_products(wish.words.split()) if is_unsold else ()
    return finding._replace(nearest=_nearest(finding), other_sizes=other_sizes)


def _list_ids(wish: Wish) -> tuple[int, ...] | None:
    if "form" in wish.chosen or any(FACETS[name].of_performance for name in wish.chosen):
        return None
    ranked = load_places(wish.board, wish.use).listed
    if not wish.is_narrowed:
        return ranked
    matching = CardModel.objects.real().filter(match_wish(wish))
    if _hides_fakes(wish):
        matching = matching.filter(lost_data=False)
    matched = set(matching.values_list("pk", flat=True))
    return tuple(pk for pk in ranked if pk in matched)


def _hides_fakes(wish: Wish) -> bool:
    # A search for a name finds such cards, with the warning that they lost data.
    return wish.is_narrowed and not wish.words


def order_ids(finding: Finding, order: str) -> Sequence[int]:
    """Return the ids of the models that a search found, in a named order such as “price”; "" is best first."""
    ids, wish = finding.ids or (), finding.wish
    if not order:
        return ids
    wanted = set(ids)
    return [pk for pk in load_order(wish.board, wish.use, order) if pk in wanted]


def count_fitting(finding: Finding) -> int:
    """Count the models that a search lists and that no gate (a reason such as lost data) excludes.

    One query if `finding` has no ids.
    """
    if finding.ids is None:
        return finding.listed.exclude(Q(group=Group.EXCLUDED)).count()
    return len({*finding.ids} - load_places(finding.wish.board, finding.wish.use).excluded)


def load_rows(finding: Finding, ids: Sequence[int], *, whole: bool = False) -> list[Performance]:
    """Load the performances of some models that a search found, in the order of `ids`; one query.

    The models are loaded, too, but without the columns that no list shows, unless they are to be `whole`.
    """
    wish = finding.wish
    some = Performance.objects.list_measured(wish.board, wish.use).filter(card_model_id__in=ids)
    rows = some.select_related("card_model") if whole else some.with_models()
    of_model = {row.card_model_id: row for row in rows}
    return [of_model[pk] for pk in ids if pk in of_model]


def _nearest(finding: Finding) -> tuple[CardModel, ...]:
    wish = finding.wish
    sold = finding.products or products.find_other_sizes(wish.words.split())
    named = tuple(CardModel.objects.called(*sold)[:MOST_NEAREST]) if sold else ()
    return named or _largest(wish) or _find_named(wish)


def _find_named(wish: Wish) -> tuple[CardModel, ...]:
    if not wish.words:
        return ()
    models = CardModel.objects.real().filter(lost_data=False).order_by("name")
    any_word = " | ".join(wish.words.replace("|", " ").split())
    return tuple(models.matching(wish.words)[:MOST_NEAREST] or models.matching(any_word)[:MOST_NEAREST])


def drop_facets(wish: Wish, facets: set[str]) -> Wish:
    """Return a copy of a wish (search conditions) without these facets, such as the size."""
    return replace(wish, chosen={name: value for name, value in wish.chosen.items() if name not in facets})


def _largest(wish: Wish) -> tuple[CardModel, ...]:
    """Return the largest models that match a wish (search conditions) but for its size; models without a brand last.

    Return () if the wish has no size.
    """
    if not SIZES & set(wish.chosen):
        return ()
    rows = Performance.objects.wanted(drop_facets(wish, SIZES)).with_models()
    largest = F("card_model__capacity_gb").desc(nulls_last=True)
    ordered = rows.alias(of_no_brand=OF_NO_BRAND).order_by("of_no_brand", largest, *ORDERS[""])
    return tuple(row.card_model for row in ordered[:MOST_NEAREST])


def _sold_products(wish: Wish) -> tuple[Product, ...]:
    sizes = (wish.chosen.get("capacity_gb_min"), wish.chosen.get("capacity_gb_max"))
    found = products.search_products(wish.words.split(), least_gb=sizes[0], most_gb=sizes[1])
    unwanted = products.search_products(str(wish.excluded["q"]).split()) if "q" in wish.excluded else ()
    return tuple(product for product in found if product not in unwanted)


def count(wish: Wish) -> int:
    """Count the models that match a wish (search conditions), even models not tested for its use; one query."""
    return CardModel.objects.real().filter(match_wish(wish)).count()


def _untested_models(wish: Wish) -> tuple[CardModel, ...]:
    measured = Performance.objects.list_measured(wish.board, wish.use).values("card_model")
    models = CardModel.objects.real().filter(match_wish(wish)).exclude(pk__in=measured)
    return tuple(models.order_by("name")[:MOST_UNTESTED])
