"""What a search finds: models that are ranked, models that are not tested for the purpose, and what comes nearest."""

from dataclasses import dataclass, replace

from submissions.domain.identity import products
from submissions.domain.identity.products import Product
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel, Score, Submission
from submissions.models.ranking import ScoreQuerySet, of_models

MOST_UNTESTED, MOST_NEAREST = 10, 5
_PRICED = {"price_max", "price_currency"}


@dataclass(frozen=True, slots=True)
class Finding:
    """`wish`: what was asked without words that no model has, which are `unknown`. `listed`: its scores, best first.
    `untested`: models that answer to it and have no score for the purpose. `nearest`: where nothing answers, models
    with names like it, or else those that have most of what was asked. `products`: what is sold under the words,
    measured or not. `submission`: whose number is one of the words.
    """

    wish: Wish
    listed: ScoreQuerySet
    unknown: tuple[str, ...] = ()
    untested: tuple[CardModel, ...] = ()
    nearest: tuple[CardModel, ...] = ()
    products: tuple[Product, ...] = ()
    submission: Submission | None = None


def find(wish: Wish) -> Finding:
    """Without words one query; with words four at most, and more where they find nothing."""
    finding = Finding(wish, Score.objects.wanted(wish))
    if not wish.is_narrowed:
        return finding
    if wish.words:
        finding = replace(finding, untested=_untested(wish), products=_sold(wish))
    if finding.untested or finding.listed.exists():
        return finding
    return _nearest(finding) if wish.words else replace(finding, nearest=_with_less(wish))


def _nearest(finding: Finding) -> Finding:
    """Of words that nothing answers: what the known ones find, else names like them, else what the rest finds."""
    wish = finding.wish
    words = wish.words.split()
    finding = replace(finding, submission=Submission.objects.numbered(words))
    unknown = CardModel.objects.real().unmatched(words)
    known = [word for word in words if word not in unknown]
    if known and unknown and not finding.products:  # what is sold under all the words answers better
        narrower = find(replace(wish, chosen={**wish.chosen, "q": " ".join(known)}))
        return replace(narrower, unknown=(*unknown, *narrower.unknown), submission=finding.submission)
    nearest = tuple(CardModel.objects.nearest(wish.words, most=MOST_NEAREST))
    rest = {name: value for name, value in wish.chosen.items() if name != "q"}
    if rest and not nearest and not finding.products:
        narrower = find(replace(wish, chosen=rest))
        return replace(narrower, unknown=tuple(unknown), submission=finding.submission)
    return replace(finding, unknown=tuple(unknown), nearest=nearest or _with_less(wish))


def _with_less(wish: Wish) -> tuple[CardModel, ...]:
    """The best models without the price that was asked, or without anything that was."""
    without_price = {name: value for name, value in wish.chosen.items() if name not in _PRICED | {"q"}}
    for chosen in (without_price, {}):
        scores = Score.objects.wanted(replace(wish, chosen=chosen)).select_related("card_model")
        if listed := list(scores[:MOST_NEAREST]):
            return tuple(score.card_model for score in listed)
    return ()


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
