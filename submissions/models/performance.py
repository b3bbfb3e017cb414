"""Define Performance (the abilities of a model in one slot) and, as SQL, the order of models for a use.

The order is that of domain/ranking/order.py, in groups: models that fail no need (requirement) of the use; models that
fail one; models that only one person without a record reports; models that a gate such as lost data excludes. In each
group, models are ordered by the leading ability of the use.
"""

import math
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, Count, F, Max, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, Sqrt
from django.db.models.lookups import LessThan

from submissions.domain.identity.products import all_products
from submissions.domain.measuring.metrics import ABILITIES, NUMBER_OF_ABILITY
from submissions.domain.ranking.advice import Advice, Place, SlotValues, make_advice
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.catalogue import base_value, log_value
from submissions.domain.ranking.facets import FACETS, THRESHOLD_UNITS
from submissions.domain.ranking.order import FALLBACK_SD, Z_CLEAR, Z_NEED, Group
from submissions.domain.ranking.proof import LEAST_FOR_PLACE, Proof
from submissions.domain.ranking.uses import Need, Use
from submissions.domain.ranking.wish import Wish
from submissions.models.card import CardModel
from submissions.models.ranking import is_offered, match_facet, match_form, match_wish

# Long columns of a model that no list shows.
_UNLISTED = tuple(f"card_model__{name}" for name in ("words", "makers", "oems", "bus_modes"))


def _array(name: str, ability: str) -> F:
    return F(f"{name}__{NUMBER_OF_ABILITY[ability]}")


def _fails(need: Need) -> Q:
    # As order.judge_need.
    least = need.log_threshold - Z_NEED * _array("card_sds", need.ability)
    return Q(**{f"means__{need.number}__lte": least, f"at_least__{need.number}": False})


def _fails_by_fallback(use: Use) -> Q:
    # As advice._judge: the leading ability was not measured, and its fallback is too slow.
    if not use.fallback:
        return Q(pk__in=[])
    sd = Sqrt(_array("card_sds", use.fallback) * _array("card_sds", use.fallback) + Value(FALLBACK_SD**2))
    leading, instead = NUMBER_OF_ABILITY[use.leading], NUMBER_OF_ABILITY[use.fallback]
    unmeasured = {f"means__{leading}__isnull": True, f"at_least__{instead}": False}
    needs = [need for need in use.needs if need.ability == use.leading]
    limits = ({f"means__{instead}__lte": need.log_threshold - Z_NEED * sd} for need in needs)
    return reduce(or_, (Q(**limit, **unmeasured) for limit in limits), Q(pk__in=[]))


def _passes(need: Need, *, z: float = Z_NEED) -> Q:
    least = need.log_threshold + z * _array("card_sds", need.ability)
    return Q(**{f"means__{need.number}__gte": least})


def _order_columns(use: Use) -> dict[str, Any]:
    mean: Any = _array("means", use.leading)
    sd: Any = _array("sds", use.leading)
    proof: Any = _array("proofs", use.leading)
    if use.fallback:
        other = _array("sds", use.fallback)
        sd = Coalesce(sd, Sqrt(other * other + Value(FALLBACK_SD**2)))
        mean = Coalesce(mean, _array("means", use.fallback))
        proof = Coalesce(proof, _array("proofs", use.fallback))
    named = {"lead_mean": mean, "lead_sd": sd, "lead_key": mean - sd / Value(2.0), "lead_proof": proof}
    return named | {"group": _group(use, proof)}


def _group(use: Use, proof: Any) -> Case:
    # As order.Group. Invented cards are all reported by strangers.
    excluded = Q(card_model__lost_data=True) | Q(card_model__capacity_gb__lt=use.min_capacity_gb)
    unproven = Q(simulated=False) & LessThan(proof, Value(int(LEAST_FOR_PLACE)))
    failed = reduce(or_, map(_fails, use.needs), _fails_by_fallback(use))
    return Case(
        When(excluded, then=Group.EXCLUDED),
        When(unproven, then=Group.UNPROVEN),
        When(failed, then=Group.FAILING),
        default=Group.PASSING,
    )


BEST_FIRST = ("group", "-lead_key", "card_model_id")
# Whatever the order, a model that a gate excludes comes last.
_GATED_LAST = Case(When(group=Group.EXCLUDED, then=1), default=0)
_UNPROVEN_LAST = Case(When(group=Group.UNPROVEN, then=1), default=0)
_PRICE = Case(When(is_offered("card_model__"), then=F("card_model__price")))
_PER_GB = _PRICE / F("card_model__capacity_gb")
_DOUBTED = Case(When(match_facet(FACETS["flagged"], True, path="card_model__"), then=1), default=0)
_LASTING = {
    (product.brand, line)
    for product in all_products()
    if product.promises_endurance
    for line in product.lines
}
_IS_LASTING = (
    Q(card_model__brand__iexact=brand, card_model__line__iexact=line) for brand, line in sorted(_LASTING)
)
_ENDURANCE = Case(When(reduce(or_, _IS_LASTING), then=0), default=1)
# Name of an order -> its columns. Models without a current price come last.
ORDERS: dict[str, tuple[Any, ...]] = {
    "": BEST_FIRST,
    "name": ("card_model__name", *BEST_FIRST),
    **{
        name: (_GATED_LAST, *columns, *BEST_FIRST)
        for name, columns in {
            "price": (_PRICE.asc(nulls_last=True),),
            "price-per-gb": (_PER_GB.asc(nulls_last=True),),
            "dearest": (_PRICE.desc(nulls_last=True),),
            "capacity": (F("card_model__capacity_gb").desc(nulls_last=True),),
            "smallest": (F("card_model__capacity_gb").asc(nulls_last=True),),
            "worst": (_UNPROVEN_LAST, "-group", "lead_key"),
            "reliable": (_DOUBTED, "-card_model__known_cards"),
            "lasting": (_ENDURANCE,),
            **{
                name: (F(f"means__{number}").desc(nulls_last=True),)
                for name, number in NUMBER_OF_ABILITY.items()
            },
        }.items()
    },
}


def _conditions(wish: Wish) -> Q:
    asked = match_wish(wish, path="card_model__")
    if "form" not in wish.chosen:
        asked &= match_form(wish.board)
    if least := wish.chosen.get("min_cards"):
        asked &= _leading_has(wish.use, cards__gte=least)
    if origin := wish.chosen.get("origin"):
        asked &= _leading_has(wish.use, origin=origin)
    for facet in FACETS.values():
        if facet.of_performance and facet.name in wish.chosen and facet.column in ABILITIES:
            asked &= _reaches(facet.column, wish.chosen[facet.name])
    return asked


def _leading_has(use: Use, **wanted: Any) -> Q:
    of_leads = [
        Q(**{f"abilities__{name}__{key}": value for key, value in wanted.items()}) for name in use.leads
    ]
    instead = Q(**{f"means__{NUMBER_OF_ABILITY[use.leading]}__isnull": True})
    return reduce(lambda first, second: first | (instead & second), of_leads)


def _reaches(ability: str, threshold: float) -> Q:
    _, factor = THRESHOLD_UNITS[ABILITIES[ability].base_unit]
    least = log_value(ability, threshold * factor) if threshold > 0 else -math.inf
    return Q(**{f"means__{NUMBER_OF_ABILITY[ability]}__gte": least})


class PerformanceQuerySet(models.QuerySet["Performance"]):
    def in_slot(self, board: Board, *, simulated: bool = False) -> Self:
        """Return the performances of models in the slot of a board."""
        return self.filter(slot=board.slot.name, simulated=simulated)

    def list_measured(self, board: Board, use: Use, *, simulated: bool = False) -> Self:
        """Return performances in a board's slot, best first, if the ability that ranks for the use was measured.

        The fallback of that ability, if the use has one, takes its place where it was not measured.
        """
        every = self.in_slot(board, simulated=simulated).annotate(**_order_columns(use))
        return every.filter(lead_mean__isnull=False).order_by(*BEST_FIRST)

    def ranking(
        self, board: Board, use: Use, *, simulated: bool = False
    ) -> "models.QuerySet[Performance, tuple[int, float, float, int]]":
        """Return (model id, mean, standard deviation, group) from `list_measured`, if the model's form fits the board.

        The best model is first; the group is a number of order.Group.
        """
        measured = self.list_measured(board, use, simulated=simulated).filter(match_form(board))
        return measured.values_list("card_model", "lead_mean", "lead_sd", "group")

    def wanted(self, wish: Wish, *, simulated: bool = False) -> Self:
        """Return performances of models that meet a wish (device, use, filters), best first.

        The models are real ones, or invented ones if `simulated`.
        """
        return self.list_measured(wish.board, wish.use, simulated=simulated).filter(_conditions(wish))

    def find_best_values(self, board: Board, abilities: Iterable[str]) -> dict[str, float]:
        """Return the best value of any model in the slot of a board, in base units, by ability; one query.

        Only models count that lost no data, and have enough evidence for a place in a ranking.
        """
        counted = self.in_slot(board).filter(match_form(board), card_model__lost_data=False)
        placed = {
            name: Q(**{f"proofs__{NUMBER_OF_ABILITY[name]}__gte": int(LEAST_FOR_PLACE)}) for name in abilities
        }
        columns = {name: Max(_array("means", name), filter=has_place) for name, has_place in placed.items()}
        found = counted.aggregate(**columns)
        return {name: base_value(name, log) for name, log in found.items() if log is not None}

    def count_tested(self, board: Board) -> tuple[int, float | None]:
        """Return the number of models that were measured in a board's slot, and the largest size in GB; one query."""
        tested = self.in_slot(board).filter(origins__contains=[Performance.Origin.HERE])
        found = tested.filter(card_model__lost_data=False).aggregate(
            count=Count("pk"), largest=Max("card_model__capacity_gb")
        )
        return found["count"], found["largest"]

    def with_models(self) -> Self:
        """Return the performances with their models loaded, without columns that no list shows."""
        return self.select_related("card_model").defer(*_UNLISTED)

    def of_products(self) -> Self:
        """Return performances of models that are known products, not flagged, and not known to be out of sale."""
        undoubted = match_facet(FACETS["flagged"], False, path="card_model__")
        known = self.filter(undoubted, card_model__product_count__gt=0)
        return known.exclude(card_model__is_sold=False)

    def passing(self, use: Use) -> Self:
        """Return the performances that pass every need (requirement) of a use."""
        return self.filter(*map(_passes, use.needs))

    def with_usual_currency(self) -> Self:
        """Return the performances of models with a current price in the most frequent currency, to compare prices."""
        priced = self.filter(is_offered("card_model__"))
        counted = priced.order_by().values("card_model__currency").annotate(count=Count("pk"))
        usual = counted.order_by("-count", "card_model__currency").values("card_model__currency")[:1]
        return priced.filter(card_model__currency=Subquery(usual))

    def placed(self) -> Self:
        """Return the performances of models that have a place in the ranking."""
        return self.filter(group__in=(Group.PASSING, Group.FAILING))

    def failing_nothing(self) -> Self:
        """Return the performances of models that have a place in the ranking and fail no need of the use."""
        return self.filter(group=Group.PASSING)

    def confirmed(self) -> Self:
        """Return performances if several people or sources, one trusted, measured the ability that ranks models."""
        return self.filter(lead_proof=int(Proof.CONFIRMED))

    def proven(self, use: Use) -> Self:
        """Return performances of models to recommend: products that shops sell, that fail no need, and are proven.

        Proven means that the leading ability (which ranks models) passes its need according to several people or
        sources, at least one of them trusted, or according to repeats of one trusted source with a clear margin.
        """
        confirmed = Q(lead_proof=Proof.CONFIRMED)
        for need in use.needs:
            if need.ability == use.leading:
                repeated = Q(lead_proof=Proof.REPEATED) & _passes(need, z=Z_CLEAR)
                confirmed = _passes(need) & (confirmed | repeated)
        sold = self.of_products().filter(card_model__is_sold=True)
        return sold.filter(confirmed, group=Group.PASSING)


class Performance(models.Model):
    """The abilities of a model in one slot: a board with hosts, or a class of buses (see domain/ranking/slots).

    The arrays are in the order of metrics.ABILITIES; null if the ability was not measured in any slot of its kind.
    Abilities with a command queue are null: the slot decides whether a card queues commands, so the plain ability
    has the value with or without a queue.
    """

    class Origin(models.IntegerChoices):
        NOT_MEASURED = 0, "not measured"
        ELSEWHERE = 1, "expected from other slots"
        HERE = 2, "measured in this slot"

    card_model = models.ForeignKey(CardModel, on_delete=models.CASCADE, related_name="performances")
    simulated = models.BooleanField(default=False, help_text="of an invented card, as its model says")
    slot = models.CharField(max_length=32)
    means = ArrayField(models.FloatField(null=True), help_text="log values, more is better, within the slot")
    sds = ArrayField(models.FloatField(null=True), help_text="one standard deviation of each mean")
    card_sds = ArrayField(models.FloatField(null=True), help_text="of a single card around each mean")
    origins = ArrayField(models.SmallIntegerField(choices=Origin))
    proofs = ArrayField(
        models.SmallIntegerField(null=True), default=list, db_default=[], help_text="domain/ranking/proof.py"
    )
    at_least = ArrayField(
        models.BooleanField(null=True),
        default=list,
        db_default=[],
        help_text="links hid how much better it is",
    )
    abilities = models.JSONField(
        default=dict,
        help_text="ability -> {value, lower, upper, origin, at_least, median, cards, people, known_people, …}",
    )

    objects = PerformanceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_performance_per_slot", fields=["card_model", "slot"])
        ]
        indexes = [models.Index(name="performance_of_slot", fields=["slot", "simulated", "card_model"])]

    def make_advice(self, board: Board, use: Use, *, place: Place | None) -> Advice:
        """Return the advice on this model (values, needs met, rank) for a board with this slot; it must be loaded."""
        values = SlotValues(self.abilities, self.means, self.card_sds)
        return make_advice(board, use, self.card_model.facts, values, place=place)
