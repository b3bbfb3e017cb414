"""Shapes of card models: as a row of a ranking, and with everything that is known of one."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.v1.run_serializers import VariantSerializer, address
from submissions.domain.judgement.composite import Z
from submissions.domain.ranking import comparable
from submissions.evidence import summaries
from submissions.models import CardModel, Estimate, Score, VariationFlag
from submissions.models.card import Facets

_LINKS = {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}}
_NAMES = ("slug", "name", "brand", "line", "model_number", "capacity_gb")
_FACETS = (
    *(column.name for column in Facets._meta.get_fields() if column.name != "words"),
    *("simulated", "created_at"),
)


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """100 is the reference card of the profile; `lower` and `upper` hold the value with 95 %."""

    class Meta:
        model = Score
        fields = [
            *("profile", "profile_version", "interface", "value", "lower", "upper", "bound", "state"),
            *("range_low", "range_high", "cards", "runs", "submitters", "covered", "terms", "figures"),
        ]


class CardModelSerializer(serializers.ModelSerializer[CardModel]):
    class Meta:
        model = CardModel
        fields = [*_NAMES, "named_from", *_FACETS]


class RankedModelSerializer(serializers.ModelSerializer[Score]):
    """One row of a ranking: the model, its position and its score."""

    rank = serializers.IntegerField(
        source="position", allow_null=True, help_text="among what is listed; null in another order"
    )
    score = ScoreSerializer(source="*")
    links = serializers.SerializerMethodField()

    class Meta:
        model = Score
        fields = ["rank", "score", "links"]

    def get_fields(self) -> dict[str, Any]:
        """Those of the model stand beside the score, not below a name of their own."""
        own = super().get_fields()
        described = CardModelSerializer().get_fields()
        for name, field in described.items():
            field.source = f"card_model.{name}"
        return {"rank": own.pop("rank"), **described, **own}

    @extend_schema_field(_LINKS)
    def get_links(self, score: Score) -> dict[str, str]:
        return links(score.card_model, self.context["request"])


class CountedVariantSerializer(VariantSerializer):
    id = serializers.IntegerField(help_text="within this model")
    cards = serializers.IntegerField(source="card_count")

    class Meta(VariantSerializer.Meta):
        fields = ["id", *VariantSerializer.Meta.fields, "cards"]


class EstimateSerializer(serializers.ModelSerializer[Estimate]):
    """One figure on the reference host, in its base unit, with its 95 % interval."""

    variant = serializers.IntegerField(
        source="variant_id", allow_null=True, help_text="null: of the whole model"
    )
    value = serializers.SerializerMethodField("estimated")
    lower = serializers.SerializerMethodField()
    upper = serializers.SerializerMethodField()

    class Meta:
        model = Estimate
        fields = ["figure", "variant", "value", "lower", "upper", "cards", "submitters", "runs", "at_least"]

    def estimated(self, estimate: Estimate) -> float:
        return comparable.value(estimate.figure, estimate.mean)

    def get_lower(self, estimate: Estimate) -> float:
        return min(_ends(estimate))

    def get_upper(self, estimate: Estimate) -> float:
        return max(_ends(estimate))


class VariationSerializer(serializers.ModelSerializer[VariationFlag]):
    """One way in which cards of this model differ, with the evidence."""

    class Meta:
        model = VariationFlag
        fields = [
            *("kind", "figure", "ratio", "lower_ratio", "upper_ratio", "p_value"),
            *("cards", "submitters", "evidence", "since"),
        ]


class GeometryAnswerSerializer(serializers.Serializer[Any]):
    in_words = serializers.CharField(help_text="4 MiB, at least 7, cannot tell")
    cards = serializers.IntegerField(help_text="cards that say so; one card, one vote")
    confidence = serializers.FloatField(allow_null=True, help_text="of the surest; null when none told")


class ConsensusSerializer(serializers.Serializer[Any]):
    """What the cards of a model say of one quantity of their inside, the answer of most cards first."""

    quantity = serializers.CharField()
    title = serializers.CharField()
    answers = GeometryAnswerSerializer(many=True)
    wavering = serializers.IntegerField(help_text="cards whose own runs differ")


class WholeModelSerializer(CardModelSerializer):
    """Everything about one model. Cards and runs are lists of their own: see `links`."""

    variants = CountedVariantSerializer(many=True)
    scores = serializers.SerializerMethodField()
    figures = serializers.SerializerMethodField()
    geometry = serializers.SerializerMethodField()
    variation = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    class Meta(CardModelSerializer.Meta):
        fields = [
            *CardModelSerializer.Meta.fields,
            *("variants", "scores", "figures", "geometry", "variation", "links"),
        ]

    @extend_schema_field(ScoreSerializer(many=True))
    def get_scores(self, model: CardModel) -> Any:
        return ScoreSerializer(model.scores.order_by("interface", "profile"), many=True).data

    @extend_schema_field(EstimateSerializer(many=True))
    def get_figures(self, model: CardModel) -> Any:
        return EstimateSerializer(Estimate.objects.of_model(model), many=True).data

    @extend_schema_field(ConsensusSerializer(many=True))
    def get_geometry(self, model: CardModel) -> Any:
        return ConsensusSerializer(summaries.of(model).summary.inside, many=True).data

    @extend_schema_field(VariationSerializer(many=True))
    def get_variation(self, model: CardModel) -> Any:
        return VariationSerializer(model.variation_flags.order_by("kind", "figure"), many=True).data

    @extend_schema_field(_LINKS)
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


def _ends(estimate: Estimate) -> tuple[float, float]:
    half = Z * estimate.sd
    low, high = (comparable.value(estimate.figure, estimate.mean + end) for end in (-half, half))
    return low, high
