"""Serializers of card models: as a row of a ranking, and with everything about one model."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.v1.run_serializers import LinksField, VariantSerializer, address
from submissions.domain.judgement.composite import Z
from submissions.domain.ranking import comparable
from submissions.evidence import claim_words, summaries
from submissions.models import CardModel, Estimate, Score, Variant, VariationFlag
from submissions.models.card import Facets

_NAMES = ("slug", "name", "brand", "line", "model_number", "capacity_gb")
_FACETS = (
    *(column.name for column in Facets._meta.get_fields() if column.name != "words"),
    *("simulated", "created_at"),
)


class ScoreSerializer(serializers.ModelSerializer[Score]):
    """A score; 100 is the reference card of the profile.

    The value lies between `lower` and `upper` with 95 %. A score with the state `claim` has no place in the ranking
    yet: see `reason`.
    """

    reason = serializers.SerializerMethodField()

    def get_reason(self, score: Score) -> str | None:
        return claim_words.explain_claim(score.state, score.people) or None

    class Meta:
        model = Score
        fields = [
            *(
                "profile",
                "profile_version",
                "interface",
                "value",
                "lower",
                "upper",
                "bound",
                "state",
                "reason",
            ),
            *("range_low", "range_high", "cards", "runs", "submitters", "trusted", "vouched"),
            *("covered", "terms", "figures"),
        ]


class CardModelSerializer(serializers.ModelSerializer[CardModel]):
    class Meta:
        model = CardModel
        fields = [*_NAMES, "named_from", *_FACETS]


class RankedModelSerializer(serializers.ModelSerializer[Score]):
    """One row of a ranking: the model, its position and its score."""

    rank = serializers.IntegerField(
        source="position", allow_null=True, help_text="in this list; null in another order"
    )
    score = ScoreSerializer(source="*")
    links = LinksField()

    class Meta:
        model = Score
        fields = ["rank", "score", "links"]

    def get_fields(self) -> dict[str, Any]:
        """Add the fields of the model on the same level as `score`."""
        own = super().get_fields()
        described = CardModelSerializer().get_fields()
        for name, field in described.items():
            field.source = f"card_model.{name}"
        return {"rank": own.pop("rank"), **described, **own}

    def get_links(self, score: Score) -> dict[str, str]:
        return links(score.card_model, self.context["request"])


class CountedVariantSerializer(VariantSerializer):
    id = serializers.IntegerField(help_text="within this model")
    cards = serializers.IntegerField(source="card_count")
    queue_on_pi_5 = serializers.SerializerMethodField(
        help_text='how a Raspberry Pi 5 treats the command queue of these cards: "on", "off", or "hangs"'
        " where it is off and known to hang; several where it depends on the month"
    )

    class Meta(VariantSerializer.Meta):
        fields = ["id", *VariantSerializer.Meta.fields, "cards", "queue_on_pi_5"]

    def get_queue_on_pi_5(self, variant: Variant) -> list[str]:
        return [queueing.state for queueing in variant.queueing]


class PredictedCardSerializer(serializers.Serializer[Any]):
    """A prediction for one card that you buy, in the base unit of the figure."""

    lower = serializers.FloatField(help_text="95 of 100 cards lie between this …")
    upper = serializers.FloatField(help_text="… and this")
    slow_share = serializers.FloatField(help_text="share of cards that do less than 4/5 of the mean")


class EstimateSerializer(serializers.ModelSerializer[Estimate]):
    """One figure on the reference host, in its base unit.

    The mean of all cards of the model lies between `lower` and `upper` with 95 %. `card` predicts a card that you buy.
    """

    variant = serializers.IntegerField(
        source="variant_id", allow_null=True, help_text="null: of the whole model"
    )
    value = serializers.SerializerMethodField("estimate_value")
    lower = serializers.SerializerMethodField()
    upper = serializers.SerializerMethodField()
    card = serializers.SerializerMethodField(help_text="null where it was not worked out yet")

    class Meta:
        model = Estimate
        fields = [
            *("figure", "variant", "value", "lower", "upper", "card"),
            *("cards", "submitters", "runs", "at_least"),
        ]

    def estimate_value(self, estimate: Estimate) -> float:
        return comparable.value(estimate.figure, estimate.mean)

    def get_lower(self, estimate: Estimate) -> float:
        return min(_ends(estimate))

    def get_upper(self, estimate: Estimate) -> float:
        return max(_ends(estimate))

    @extend_schema_field(PredictedCardSerializer(allow_null=True))
    def get_card(self, estimate: Estimate) -> dict[str, float] | None:
        ends = estimate.card_ends
        return ends and {"lower": ends[0], "upper": ends[1], "slow_share": estimate.slow_share or 0.0}


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
    confidence = serializers.FloatField(allow_null=True, help_text="of the surest; null when none says")


class ConsensusSerializer(serializers.Serializer[Any]):
    """The values of one quantity of geometry among the cards of a model, the most frequent first."""

    quantity = serializers.CharField()
    title = serializers.CharField()
    answers = GeometryAnswerSerializer(many=True)
    wavering = serializers.IntegerField(help_text="cards with runs that differ")


class WholeModelSerializer(CardModelSerializer):
    """Everything about one model, except for its cards and runs: see `links`."""

    variants = CountedVariantSerializer(many=True)
    scores = serializers.SerializerMethodField()
    figures = serializers.SerializerMethodField()
    geometry = serializers.SerializerMethodField()
    variation = serializers.SerializerMethodField()
    links = LinksField()

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


def _ends(estimate: Estimate) -> tuple[float, float]:
    half = Z * estimate.sd
    low, high = (comparable.value(estimate.figure, estimate.mean + end) for end in (-half, half))
    return low, high
