"""Score: what a model is worth for a purpose, with bounds, and what choosing models by facets asks of scores.

Positions are computed on read, never stored. ModelSummary: what the page of one model shows, kept with its scores.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Self

import msgspec
import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, F, Q, When

from submissions.domain.identity.words import NO_BRANDS
from submissions.domain.judgement.claims import CLAIM, People
from submissions.domain.judgement.composite import Z, better
from submissions.domain.ranking.boards import FITTING, Board
from submissions.domain.ranking.facets import FACETS, Facet
from submissions.domain.ranking.interfaces import all_interfaces
from submissions.domain.ranking.summary import Summary
from submissions.domain.ranking.uses import all_profiles
from submissions.domain.ranking.wish import Wish
from submissions.models.card import CardModel, Variant


def condition(facet: Facet, value: Any, *, of: str) -> Q:
    """That the facet has this value; `of` leads to the row with its column."""
    column = facet.column.removeprefix("score.")
    match facet.lookup:
        case "matching":
            return Q(**{f"{of}pk__in": CardModel.objects.matching(value)})
        case "doubted":
            flags = (("varies", True), ("lost_data", True), ("suspicious_cards__gt", 0))
            doubted = reduce(or_, (Q(**{f"{of}{flag}": value}) for flag, value in flags))
            return doubted if value else ~doubted
        case "has":
            return Q(**{f"{of}{column}__contains": [value]})
    return Q(**{f"{of}{column}__{facet.lookup}": value})


def of_models(chosen: Mapping[str, Any], *, of: str = "") -> Q:
    """What the chosen facets ask of models, or with `of` of what leads to one; facets of a score ask nothing here."""
    facets = [FACETS[name] for name in chosen if name in FACETS and not FACETS[name].of_score]
    asked = [facet for facet in facets if not facet.needs or facet.needs in chosen]
    return Q(*(condition(facet, chosen[facet.name], of=of) for facet in asked))


def of_scores(chosen: Mapping[str, Any]) -> Q:
    """What the chosen facets ask of scores and of their models. Claims stand in no order: only who asks for this state
    gets them."""
    facets = [FACETS[name] for name in chosen if name in FACETS and FACETS[name].of_score]
    asked = Q(*(condition(facet, chosen[facet.name], of="") for facet in facets))
    asked &= Q() if "state" in chosen else ~Q(state=CLAIM)
    return asked & of_models(chosen, of="card_model__")


def conditions(wish: Wish) -> Q:
    """On scores of real models, for the purpose and the slot of the board."""
    asked = Q(profile=wish.profile.name, interface=wish.board.interface.name, simulated=False)
    return asked & of_scores(wish.chosen) & (Q() if "form" in wish.chosen else fitting(wish.board))


def fitting(board: Board | None) -> Q:
    """On scores: of models that go into the slot of a board; of every model without one."""
    has_form = board and board.form
    return ~Q(card_model__in=CardModel.objects.exclude(form__in=FITTING)) if has_form else Q()


# On scores: of models that nobody could look for in a shop.
OF_NO_BRAND = reduce(or_, (Q(card_model__brand__iexact=name) for name in NO_BRANDS))


def _sound(scores: "ScoreQuerySet") -> "ScoreQuerySet":
    """Of products, as `CardModel.is_product`, without a flag."""
    nameless = Q(card_model__line="", card_model__model_number="", card_model__capacity_gb=None)
    sound = condition(FACETS["flagged"], False, of="card_model__")
    return scores.filter(sound, ~OF_NO_BRAND, ~nameless)


# What a ranking shows of a score, and of its model.
_LISTED = (
    *("card_model_id", "profile", "interface", "value", "lower", "upper", "bound", "state"),
    *("cards", "submitters", "trusted", "vouched", "covered", "terms", "figures"),
)
_NAMED = (
    *(
        "slug",
        "name",
        "brand",
        "line",
        "model_number",
        "suspicious_cards",
        "varies",
        "price",
        "currency",
        "capacity_gb",
    ),
    *("app_perf_class", "video_speed_class", "uhs_speed_grade"),
)


# Share of the weight that was not measured, and how sure two guesses can be of each other.
_MOST, _SUREST_GUESS = 0.5, 0.9


# Name of an order -> its columns. What has no price comes last.
_PRICE, _PER_GB = F("card_model__price"), F("card_model__price") / F("card_model__capacity_gb")
_BEST_FIRST = ("-bound", "card_model_id")
ORDERS: dict[str, tuple[Any, ...]] = {
    "": _BEST_FIRST,
    "price": (_PRICE.asc(nulls_last=True), *_BEST_FIRST),
    "price-per-gb": (_PER_GB.asc(nulls_last=True), *_BEST_FIRST),
    "name": ("card_model__name", *_BEST_FIRST),
}


class ScoreQuerySet(models.QuerySet["Score"]):
    def wanted(self, wish: Wish) -> Self:
        """What a buyer asks for, best bound first; one query."""
        return self.filter(conditions(wish)).order_by(*_BEST_FIRST)

    def in_full(self, some: Self, wish: Wish, *, order: str = "") -> Self:
        """A slice of `wanted`, each with its model at hand; one query, which reads no other row whole."""
        listed = self._listed(self.of_purpose(wish).filter(card_model__in=some.values("card_model")))
        return listed.order_by(*ORDERS[order])

    def cheapest(self, *, least: float) -> "Score | None":
        """The cheapest of `wanted` without a flag that is sure to reach this score; None without prices. One query."""
        enough = self.filter(bound__gte=least, card_model__price__isnull=False)
        return _sound(self._listed(enough)).order_by("card_model__price", "-bound").first()

    def best_proven(self, *, least: float) -> "Score | None":
        """The best of `wanted` without a flag that likely reaches this score: one that surely does before all others,
        then the one with most evidence; one query."""
        proven = Case(When(state="solid", then=2), When(state="ranked", then=1), default=0)
        sure = Case(When(bound__gte=least, then=1), default=0)
        backed = self._listed(self.filter(value__gte=least, state__in=("solid", "ranked")))
        ordered = _sound(backed).alias(proven=proven, sure=sure)
        return ordered.order_by("-sure", "-proven", "-bound", "card_model_id").first()

    def of_purpose(self, wish: Wish) -> Self:
        return self.filter(profile=wish.profile.name, interface=wish.board.interface.name)

    def _listed(self, scores: Self) -> Self:
        """Each with its model at hand; of both what a ranking shows."""
        listed = scores.select_related("card_model").only(
            *_LISTED, *(f"card_model__{name}" for name in _NAMED)
        )
        return listed.order_by(*_BEST_FIRST)


class Score(models.Model):
    """One number with bounds per model, profile and interface class; 100 is the profile's reference card."""

    card_model = models.ForeignKey(CardModel, on_delete=models.CASCADE, related_name="scores")
    simulated = models.BooleanField(
        default=False,
        help_text="of an invented card, as its model says: so that a ranking reads scores alone",
    )
    profile = models.CharField(max_length=64)
    profile_version = models.PositiveSmallIntegerField()
    interface = models.CharField(
        max_length=16, help_text="class of slot the reader has, not what it was measured in"
    )
    value = models.FloatField()
    lower = models.FloatField()
    upper = models.FloatField()
    bound = models.FloatField(
        help_text="what it is ranked by: the lower end, and cautious about what nobody measured"
    )
    range_low = models.FloatField(
        null=True, help_text="of a model whose cards differ: the score of its worst variant that counts"
    )
    range_high = models.FloatField(null=True, help_text="the score of its best variant that counts")
    ranked_by = models.ForeignKey(
        Variant, on_delete=models.SET_NULL, null=True, related_name="+", help_text="that worst variant"
    )
    cards = models.PositiveIntegerField()
    runs = models.PositiveIntegerField()
    submitters = models.PositiveIntegerField()
    trusted = models.PositiveIntegerField(default=0, db_default=0, help_text="trusted submitters")
    vouched = models.PositiveIntegerField(
        default=0, db_default=0, help_text="of these, sources the operator vouches for"
    )
    covered = models.PositiveSmallIntegerField(help_text="figures of the profile that were measured")
    terms = models.PositiveSmallIntegerField(help_text="figures the profile has")
    figures = models.JSONField(
        default=dict,
        help_text="figure -> {value, lower, upper, measured, cards, at_least}, as domain/scores.py has it",
    )
    state = models.CharField(
        max_length=8, help_text="claim, early, ranked or solid; as domain/claims.py has it"
    )

    # Set by lists that show it.
    position: int | None

    objects = ScoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_score_per_purpose", fields=["card_model", "profile", "interface"]
            ),
            models.CheckConstraint(
                name="bounds_hold_the_value",
                condition=models.Q(lower__lte=F("value")) & models.Q(value__lte=F("upper")),
            ),
            models.CheckConstraint(name="the_bound_is_cautious", condition=models.Q(bound__lte=F("lower"))),
            models.CheckConstraint(
                name="a_range_has_two_ends",
                condition=models.Q(range_low=None, range_high=None)
                | models.Q(range_low__lte=F("range_high")),
            ),
        ]
        indexes = [
            models.Index(
                name="score_place", fields=["profile", "interface", "simulated", "-bound", "card_model"]
            )
        ]

    @property
    def people(self) -> People:
        """Who stands behind it."""
        return People(self.submitters, self.trusted, self.vouched)

    def chances_against(self, others: "Sequence[Score]") -> list[float]:
        """Probability of being better than each of the others, for the same purpose and slot.

        Where most of the weight was measured of neither, both are guesses of one market: nothing is surer than 90 %.
        """
        rows = [(score.value, score.lower, score.upper) for score in (self, *others)]
        value, lower, upper = np.log(np.array(rows)).T
        sd = (upper - lower) / (2 * Z)
        chances: list[float] = better(value[0], sd[0], other_mean=value[1:], other_sd=sd[1:]).tolist()
        if not self.is_mostly_estimated:
            return chances
        surest = [_SUREST_GUESS if score.is_mostly_estimated else 1.0 for score in others]
        return [min(max(chance, 1 - most), most) for chance, most in zip(chances, surest, strict=True)]

    @property
    def is_mostly_estimated(self) -> bool:
        """Whether figures with more than half of the weight were not measured."""
        profile, slot = all_profiles().get(self.profile), all_interfaces().get(self.interface)
        terms = profile.on(slot) if profile and slot else ()
        return sum(term.share for term in terms if term.figure not in self.figures) > _MOST


class ModelSummary(models.Model):
    """The summary of one model, worked out from its measurements soon after they change."""

    card_model = models.OneToOneField(CardModel, on_delete=models.CASCADE, related_name="summary")
    judged_at = models.DateTimeField(null=True, help_text="when its rows were read")
    told = models.JSONField(help_text="a Summary, as domain/summary.py has it")
    newest_runs = ArrayField(models.BigIntegerField(), help_text="ids, the newest first")
    left_out = ArrayField(models.BigIntegerField(), help_text="ids of measurements that count for nothing")

    @property
    def summary(self) -> Summary:
        return msgspec.convert(self.told, Summary)
