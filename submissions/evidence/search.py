"""What a search finds: models that are ranked, models that are not tested for the purpose, and what comes nearest."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F

from submissions.domain.identity import products
from submissions.domain.identity.products import Product
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score, Submission
from submissions.models.ranking import OF_NO_BRAND, ORDERS, ScoreQuerySet, of_models

MOST_UNTESTED, MOST_NEAREST = 10, 5
_PRICED = {"price_max", "price_currency"}
_SIZES = {"capacity_gb_min", "capacity_gb_max", "capacity_gb"}


@dataclass(frozen=True, slots=True)
class Finding:
    """`wish`: what was asked without words that no model has, which are `unknown`, and without a price that nobody
    told, if `is_unpriced`. `listed`: its scores, best first. `untested`: models that answer to it and have no score
    for the purpose. `nearest`: where nothing answers, models of the name it is sold under, or with names like it, or
    the largest. `products`: what is sold under the words, measured or not. `submission`: whose number is one of the
    words.
    """

    wish: Wish
    listed: ScoreQuerySet
    unknown: tuple[str, ...] = ()
    is_unpriced: bool = False
    untested: tuple[CardModel, ...] = ()
    nearest: tuple[CardModel, ...] = ()
    products: tuple[Product, ...] = ()
    submission: Submission | None = None


def find(wish: Wish) -> Finding:
    """Without words one query; with words four at most, and more where they find nothing."""
    finding = Finding(wish, Score.objects.wanted(wish))
    if not wish.is_narrowed:
        return finding
    if wish.words or "form" in wish.chosen:
        finding = replace(finding, untested=_untested(wish), products=_sold(wish))
    if finding.untested or finding.listed.exists():
        return finding
    if "price_max" in wish.chosen:
        return replace(find(_without(wish, _PRICED)), is_unpriced=True)
    return _nearest(finding) if wish.words else replace(finding, nearest=_largest(wish))


def _nearest(finding: Finding) -> Finding:
    """Of words that nothing answers: models of the name they are sold under, else names like them, else what the rest
    of what was asked finds."""
    wish = finding.wish
    words = wish.words.split()
    finding = replace(finding, submission=Submission.objects.numbered(words))
    sold = finding.products or products.of_another_size(words)
    named = tuple(CardModel.objects.called(*sold)[:MOST_NEAREST]) if sold else ()
    unknown = tuple(CardModel.objects.real().unmatched(words))
    known = " ".join(word for word in words if word not in unknown).strip(" |")
    if not finding.products and known and unknown:  # what is sold under all the words answers better
        return _of_the_rest(finding, unknown, _without(wish, {"q"}, q=known))
    sized = () if named or unknown else _largest(wish)
    nearest = named or sized or tuple(CardModel.objects.nearest(wish.words, most=MOST_NEAREST))
    if finding.products:
        return replace(finding, nearest=nearest)
    if nearest:
        return replace(finding, unknown=unknown, nearest=nearest)
    return _of_the_rest(finding, unknown, _without(wish, {"q"}))


def _of_the_rest(finding: Finding, unknown: tuple[str, ...], rest: Wish) -> Finding:
    narrower = find(rest)
    return replace(narrower, unknown=(*unknown, *narrower.unknown), submission=finding.submission)


def _without(wish: Wish, facets: set[str], **others: Any) -> Wish:
    kept = {name: value for name, value in wish.chosen.items() if name not in facets}
    return replace(wish, chosen=kept | others)


def _largest(wish: Wish) -> tuple[CardModel, ...]:
    """The models that have all of it but the size, the largest first, those of no brand last; none where no size was
    asked."""
    if not _SIZES & set(wish.chosen):
        return ()
    scores = Score.objects.wanted(_without(wish, _SIZES)).select_related("card_model")
    largest = F("card_model__capacity_gb").desc(nulls_last=True)
    ordered = scores.alias(of_no_brand=OF_NO_BRAND).order_by("of_no_brand", largest, *ORDERS[""])
    return tuple(score.card_model for score in ordered[:MOST_NEAREST])


def _sold(wish: Wish) -> tuple[Product, ...]:
    sizes = (wish.chosen.get("capacity_gb_min"), wish.chosen.get("capacity_gb_max"))
    return products.matching(wish.words.split(), least_gb=sizes[0], most_gb=sizes[1])


def count(wish: Wish) -> int:
    """Number of models that answer to the choices, tested for the purpose or not; one query."""
    return CardModel.objects.real().filter(of_models(wish.chosen)).count()


def _untested(wish: Wish) -> tuple[CardModel, ...]:
    """Models that answer to all of it and have no score in this slot."""
    scored = Score.objects.of_purpose(wish).values("card_model")
    models = CardModel.objects.real().filter(of_models(wish.chosen)).exclude(pk__in=scored)
    return tuple(models.order_by("name")[:MOST_UNTESTED])
