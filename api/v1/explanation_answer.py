"""GET /api/v1/models/{slug}/explanation/: why a model has its score."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import CachedView, StrictView
from submissions.domain.errors import ReportError
from submissions.domain.ranking import interfaces, uses
from submissions.evidence import claim_words, explanation, flag_words
from submissions.models import CardModel, Score


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


class RunLineSerializer(serializers.Serializer[Any]):
    run = serializers.CharField(source="run.submission.public_id")
    host = serializers.CharField(source="run.host")
    measured = serializers.CharField()
    host_ratio = serializers.FloatField(
        allow_null=True, help_text="how many times as fast this host makes it; null for no difference"
    )


class CardLineSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    value = serializers.CharField(help_text="as on the reference host")
    percent = serializers.FloatField(help_text="of the vote of all cards")
    capped = serializers.BooleanField(help_text="counts less: its submitter has brought several cards")
    at_least = serializers.BooleanField()
    runs = RunLineSerializer(many=True)


class FigureLineSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    percent = serializers.FloatField(help_text="weight in the profile")
    reference = serializers.CharField()
    factor = serializers.FloatField(help_text="100 times all factors is the score")
    value = serializers.CharField(help_text="empty when it was not measured")
    lower = serializers.CharField()
    upper = serializers.CharField()
    at_least = serializers.BooleanField()
    cards = CardLineSerializer(many=True)
    more_cards = serializers.IntegerField(help_text="cards of less weight that are not listed")


class LeftOutSerializer(serializers.Serializer[Any]):
    run = serializers.CharField(source="run.submission.public_id")
    figure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    verdict = serializers.CharField()
    reason = serializers.CharField()
    not_ranked = serializers.CharField(source="run.excluded", help_text="why nothing of the run is ranked")


class AskedSerializer(serializers.Serializer[Any]):
    """A value that is excluded because its unit is probably wrong."""

    figure = serializers.CharField()
    run = serializers.CharField(source="line.run.submission.public_id")
    measured = serializers.CharField(source="line.measured")


class FlagSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    heading = serializers.CharField()
    sentence = serializers.CharField()
    meaning = serializers.CharField()


class ExplanationSerializer(serializers.Serializer[Any]):
    score = ScoreSerializer()
    measured = FigureLineSerializer(many=True)
    missing = FigureLineSerializer(many=True)
    left_out = LeftOutSerializer(many=True)
    asked = AskedSerializer(many=True)
    one_more = serializers.ListField(
        child=serializers.FloatField(), help_text="lower and upper end with one more card as expected"
    )
    flags = FlagSerializer(many=True, default=())


class ExplanationView(CachedView, StrictView):
    parameters = ("profile", "interface")

    @extend_schema(
        operation_id="explanation",
        parameters=[
            OpenApiParameter("profile", str, enum=list(uses.all_profiles()), default=uses.DEFAULT),
            OpenApiParameter(
                "interface", str, enum=list(interfaces.all_interfaces()), default=interfaces.DEFAULT
            ),
        ],
        responses={200: ExplanationSerializer, 400: Error, 404: Error},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Explain a score: its cards, runs and weights, excluded values, and the effect of one more card."""
        model = get_object_or_404(CardModel, slug=slug)
        explained = explanation.explain(
            model,
            profile=uses.find(request.query_params.get("profile", uses.DEFAULT)),
            interface=interfaces.find(request.query_params.get("interface", interfaces.DEFAULT)),
        )
        if explained is None:
            raise ReportError(
                "Nothing this profile asks for has been measured of this model.",
                field="profile",
                code="no_score",
            )
        flags = [flag_words.describe_flag(flag) for flag in model.variation_flags.order_by("kind", "figure")]
        return Response(
            ExplanationSerializer(explained).data | {"flags": FlagSerializer(flags, many=True).data}
        )
