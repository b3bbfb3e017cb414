"""Score: what a model is worth for a purpose, with bounds, and what choosing models by facets asks of scores.

Positions are computed on read, never stored. ModelSummary: what the page of one model shows, kept with its scores.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import msgspec
import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, F, Func, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from submissions.domain.judgement.composite import Z, better
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.facets import FACETS, Facet
from submissions.domain.ranking.profiles import Profile, all_profiles
from submissions.domain.ranking.summary import Summary
from submissions.domain.ranking.wish import Wish
from submissions.models.card import CardModel, Variant


def condition(facet: Facet, value: Any, *, of: str) -> Q:
    """That the facet has this value; `of` leads to the row with its column."""
    column = facet.column.removeprefix("score.")
    match facet.lookup:
        case "matching":
            return Q(**{f"{of}pk__in": CardModel.objects.matching(value)})
        case "doubted":
            doubted = Q(**{f"{of}varies": True}) | Q(**{f"{of}suspicious_cards__gt": 0})
            return doubted if value else ~doubted
        case "has":
            return Q(**{f"{of}{column}__contains": [value]})
    return Q(**{f"{of}{column}__{facet.lookup}": value})


def of_models(chosen: Mapping[str, Any], *, of: str = "") -> Q:
    """What the chosen facets ask of models, or with `of` of what leads to one; facets of a score ask nothing here."""
    facets = [FACETS[name] for name in chosen if not FACETS[name].of_score]
    asked = [facet for facet in facets if not facet.needs or facet.needs in chosen]
    return Q(*(condition(facet, chosen[facet.name], of=of) for facet in asked))


def of_scores(chosen: Mapping[str, Any]) -> Q:
    """What the chosen facets ask of scores and of their models."""
    facets = [FACETS[name] for name in chosen if FACETS[name].of_score]
    asked = Q(*(condition(facet, chosen[facet.name], of="") for facet in facets))
    return asked & of_models(chosen, of="card_model__")


def conditions(wish: Wish) -> Q:
    """On scores of real models, for the purpose and the slot of the board."""
    asked = Q(profile=wish.profile.name, interface=wish.board.interface.name, simulated=False)
    return asked & of_scores(wish.chosen)


def _count(rows: models.QuerySet["Score"]) -> Coalesce:
    """Number of rows of a correlated query."""
    counted = rows.order_by().annotate(all=Func(Value(1), function="COUNT")).values("all")
    return Coalesce(Subquery(counted), 0)


# What a ranking shows of a score, and of its model.
_LISTED = (
    *("card_model_id", "profile", "interface", "value", "lower", "upper", "bound", "state"),
    *("cards", "submitters", "covered", "terms", "figures"),
)
_NAMED = ("slug", "name", "suspicious_cards", "varies", "price", "currency")


class ScoreQuerySet(models.QuerySet["Score"]):
    def wanted(self, wish: Wish) -> Self:
        """What a buyer asks for, best bound first; one query."""
        return self.filter(conditions(wish)).order_by("-bound", "card_model_id")

    def in_full(self, some: Self, wish: Wish) -> Self:
        """A slice of `wanted`, each with its model at hand; one query, which reads no other row whole."""
        return self._listed(self.of_purpose(wish).filter(card_model__in=some.values("card_model")))

    def simulated(self, wish: Wish) -> Self:
        """Invented cards for the purpose and the slot of a wish, best bound first; one query."""
        return self._listed(self.of_purpose(wish).filter(simulated=True))

    def of_purpose(self, wish: Wish) -> Self:
        return self.filter(profile=wish.profile.name, interface=wish.board.interface.name)

    def _listed(self, scores: Self) -> Self:
        """Each with its model at hand; of both what a ranking shows."""
        listed = scores.select_related("card_model").only(
            *_LISTED, *(f"card_model__{name}" for name in _NAMED)
        )
        return listed.order_by("-bound", "card_model_id")

    def best_of_each(
        self, board: Board, profiles: Sequence[Profile], *, most: int
    ) -> "list[tuple[Profile, list[Score]]]":
        """For each purpose the best models on a board; one query."""
        first, *others = (self.wanted(Wish(board, profile)).values("pk")[:most] for profile in profiles)
        scores = self.filter(pk__in=first.union(*others, all=True)).select_related("card_model")
        rows = list(scores.order_by("-bound", "card_model_id"))
        return [(profile, [row for row in rows if row.profile == profile.name]) for profile in profiles]

    def standings(self, model: CardModel, asked: Q) -> list["Score"]:
        """Every score of a model; those asked for say their `.position` and how many are `.listed`; one query."""
        rivals = Score.objects.filter(
            profile=OuterRef("profile"), interface=OuterRef("interface"), simulated=model.simulated
        )
        # Written so that it is one stretch of the index `score_place`.
        ahead = rivals.filter(bound__gte=OuterRef("bound")).exclude(
            bound=OuterRef("bound"), card_model_id__gte=OuterRef("card_model_id")
        )
        placed = self.filter(card_model=model).annotate(
            position=Case(When(asked, then=1 + _count(ahead))), listed=Case(When(asked, then=_count(rivals)))
        )
        return list(placed.order_by("profile"))

    def matching(self, words: str) -> Self:
        """Scores of models whose name or product names contain every word."""
        return self.filter(card_model__in=CardModel.objects.matching(words)) if words else self


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
    covered = models.PositiveSmallIntegerField(help_text="figures of the profile that were measured")
    terms = models.PositiveSmallIntegerField(help_text="figures the profile has")
    figures = models.JSONField(
        default=dict,
        help_text="figure -> {value, lower, upper, measured, cards, at_least}, as domain/scores.py has it",
    )
    state = models.CharField(max_length=8)

    # Among all scores for the purpose and slot; set by `standings` alone, None for those not asked for.
    position: int | None
    listed: int | None

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

    def __str__(self) -> str:
        return f"{self.profile}: {self.value:.0f}"

    @property
    def log_value(self) -> float:
        return math.log(self.value / 100)

    @property
    def log_sd(self) -> float:
        """One standard deviation of the natural log of the value."""
        return math.log(self.upper / self.lower) / (2 * Z)

    def chances_against(self, others: "Sequence[Score]") -> list[float]:
        """Probability of being better than each of the others, for the same purpose and slot."""
        means, sds = (
            np.array([getattr(score, name) for score in others]) for name in ("log_value", "log_sd")
        )
        chances: list[float] = better(self.log_value, self.log_sd, other_mean=means, other_sd=sds).tolist()
        return chances

    @property
    def profile_title(self) -> str:
        """Title in the table of profiles; a profile that is gone keeps its name."""
        profile = all_profiles().get(self.profile)
        return profile.title if profile else self.profile


class ModelSummary(models.Model):
    """The summary of one model, worked out from its measurements whenever they change."""

    card_model = models.OneToOneField(CardModel, on_delete=models.CASCADE, related_name="summary")
    judged_at = models.DateTimeField(null=True, help_text="that of the model when it was worked out")
    told = models.JSONField(help_text="a Summary, as domain/summary.py has it")
    newest_runs = ArrayField(models.BigIntegerField(), help_text="ids, the newest first")
    left_out = ArrayField(models.BigIntegerField(), help_text="ids of measurements that count for nothing")

    def __str__(self) -> str:
        return f"{self.told['runs']} runs"

    @property
    def is_current(self) -> bool:
        """Whether the model was not touched since."""
        return self.judged_at == self.card_model.judged_at

    @property
    def summary(self) -> Summary:
        return msgspec.convert(self.told, Summary)
