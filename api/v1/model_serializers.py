"""Serialize card models: briefly as a row of a list, or with everything about one model."""

from typing import Any

from django.db.models import F
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.v1.advice_serializers import AbilitySerializer, AdviceSerializer, complete_abilities
from api.v1.run_serializers import LinksField, VariantSerializer, address
from submissions.domain.measuring.metrics import ABILITIES
from submissions.evidence import summaries
from submissions.evidence.places import Advised
from submissions.models import AbilityEstimate, CardModel, Variant, VariationFlag
from submissions.models.card import Facets

_NAMES = ("slug", "name", "brand", "line", "model_number", "capacity_gb")
_FACETS = (
    *(column.name for column in Facets._meta.get_fields() if column.name != "words"),
    *("simulated", "created_at"),
)


class CardModelSerializer(serializers.ModelSerializer[CardModel]):
    class Meta:
        model = CardModel
        fields = [*_NAMES, "named_from", *_FACETS]


class RankedModelSerializer(AdviceSerializer):
    """A row of a list of models: the model, and the advice on it for a use on a board."""

    links = LinksField()

    def get_fields(self) -> dict[str, Any]:
        """Return the fields of the model and those of the advice, on one level."""
        described = CardModelSerializer().get_fields()
        for name, field in described.items():
            field.source = f"model.{name}"
        return {**described, **super().get_fields()}

    def get_links(self, advised: Advised) -> dict[str, str]:
        return links(advised.model, self.context["request"])


class CountedVariantSerializer(VariantSerializer):
    id = serializers.IntegerField(help_text="ID of the variant within this model")
    cards = serializers.IntegerField(source="card_count")
    queue_on_pi_5 = serializers.SerializerMethodField(
        help_text='how a Raspberry Pi 5 treats the command queue of these cards: "on", "off", or "hangs"'
        " where it is off and known to hang; several where it depends on the month"
    )

    class Meta(VariantSerializer.Meta):
        fields = ["id", *VariantSerializer.Meta.fields, "cards", "queue_on_pi_5"]

    def get_queue_on_pi_5(self, variant: Variant) -> list[str]:
        return [queueing.state for queueing in variant.queueing]


class EstimateSerializer(serializers.ModelSerializer[AbilityEstimate]):
    """The estimate of an ability on the reference host, in the base unit of the ability.

    The middle of all cards of the model lies between `lower` and `upper` with 95 %, a single card between `card_lower`
    and `card_upper`.
    """

    variant = serializers.IntegerField(
        source="variant_id", allow_null=True, help_text="null for the whole model"
    )
    value = serializers.FloatField()
    lower = serializers.SerializerMethodField()
    upper = serializers.SerializerMethodField()
    card_lower = serializers.SerializerMethodField(help_text="null if fewer than two cards were measured")
    card_upper = serializers.SerializerMethodField(help_text="null if fewer than two cards were measured")
    unit = serializers.SerializerMethodField()
    at_least = serializers.SerializerMethodField(
        help_text="true if links limited all values, so the real one may be better"
    )

    class Meta:
        model = AbilityEstimate
        fields = [
            *("ability", "variant", "value", "lower", "upper", "card_lower", "card_upper"),
            *("unit", "at_least", "median", "cards", "people", "known_people", "runs"),
        ]

    def get_lower(self, estimate: AbilityEstimate) -> float:
        return estimate.find_interval(estimate.sd)[0]

    def get_upper(self, estimate: AbilityEstimate) -> float:
        return estimate.find_interval(estimate.sd)[1]

    def get_card_lower(self, estimate: AbilityEstimate) -> float | None:
        return estimate.find_interval(estimate.card_sd)[0] if estimate.cards > 1 else None

    def get_card_upper(self, estimate: AbilityEstimate) -> float | None:
        return estimate.find_interval(estimate.card_sd)[1] if estimate.cards > 1 else None

    def get_unit(self, estimate: AbilityEstimate) -> str:
        return ABILITIES[estimate.ability].base_unit

    def get_at_least(self, estimate: AbilityEstimate) -> bool:
        return not estimate.level_known


class SlotAbilitySerializer(serializers.Serializer[Any]):
    """The abilities of a model in one slot, by name."""

    slot = serializers.CharField(help_text="a board with measurements of its own, or a class of slots")
    abilities = serializers.DictField(child=AbilitySerializer())


class VariationSerializer(serializers.ModelSerializer[VariationFlag]):
    """A flag for one way in which cards of this model differ, with the evidence."""

    class Meta:
        model = VariationFlag
        fields = [
            *("kind", "figure", "ratio", "lower_ratio", "upper_ratio", "p_value"),
            *("cards", "submitters", "evidence", "since"),
        ]


class GeometryAnswerSerializer(serializers.Serializer[Any]):
    in_words = serializers.CharField(help_text="such as: 4 MiB, at least 7, cannot tell")
    cards = serializers.IntegerField(help_text="number of cards with this answer; each card counts once")
    confidence = serializers.FloatField(
        allow_null=True, help_text="confidence of the most certain card; null if none states it"
    )


class ConsensusSerializer(serializers.Serializer[Any]):
    """The values of one quantity of geometry among the cards of a model, the most frequent first."""

    quantity = serializers.CharField()
    title = serializers.CharField()
    answers = GeometryAnswerSerializer(many=True)
    wavering = serializers.IntegerField(help_text="number of cards whose runs give different results")


class WholeModelSerializer(CardModelSerializer):
    """Everything about one model, except for its cards and runs: see `links`."""

    variants = CountedVariantSerializer(many=True)
    estimates = serializers.SerializerMethodField(help_text="estimates on the reference host")
    slots = serializers.SerializerMethodField(
        help_text="performance in each slot where the model was measured or an estimate is possible"
    )
    geometry = serializers.SerializerMethodField()
    variation = serializers.SerializerMethodField()
    links = LinksField()

    class Meta(CardModelSerializer.Meta):
        fields = [
            *CardModelSerializer.Meta.fields,
            *("variants", "estimates", "slots", "geometry", "variation", "links"),
        ]

    @extend_schema_field(EstimateSerializer(many=True))
    def get_estimates(self, model: CardModel) -> Any:
        first = F("variant").asc(nulls_first=True)
        return EstimateSerializer(model.ability_estimates.order_by("ability", first), many=True).data

    @extend_schema_field(SlotAbilitySerializer(many=True))
    def get_slots(self, model: CardModel) -> list[dict[str, Any]]:
        rows = model.performances.order_by("slot").values_list("slot", "abilities")
        return [{"slot": slot, "abilities": complete_abilities(abilities)} for slot, abilities in rows]

    @extend_schema_field(ConsensusSerializer(many=True))
    def get_geometry(self, model: CardModel) -> Any:
        return ConsensusSerializer(summaries.get_summary(model).summary.inside, many=True).data

    @extend_schema_field(VariationSerializer(many=True))
    def get_variation(self, model: CardModel) -> Any:
        return VariationSerializer(model.variation_flags.order_by("kind", "figure"), many=True).data

    def get_links(self, model: CardModel) -> dict[str, str]:
        return links(model, self.context["request"])


def links(model: CardModel, request: Any) -> dict[str, str]:
    absolute = request.build_absolute_uri
    return {
        "self": address(request, "models", model.slug),
        "page": absolute(model.get_absolute_url()),
        "cards": absolute(f"/api/v1/cards/?model={model.slug}"),
        "runs": absolute(f"/api/v1/runs/?model={model.slug}"),
        "measurements": absolute(f"/api/v1/measurements/?model={model.slug}"),
    }
