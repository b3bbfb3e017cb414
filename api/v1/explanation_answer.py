"""GET /api/v1/models/{slug}/explanation/: the measured values behind an ability of a model, and the advice on it."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import CachedView, StrictView
from api.listing.filters import Query, deprecation_headers
from api.listing.list_schema import describe_filter
from api.v1.advice_serializers import AdviceSerializer
from api.v1.rankings import WISH, read_wish
from submissions.domain import tables
from submissions.domain.measuring.metrics import ABILITIES
from submissions.evidence import flag_words, places
from submissions.evidence.reasons import list_reasons
from submissions.models import CardModel


class ValueSerializer(serializers.Serializer[Any]):
    """A value of one run, in the base unit of the ability."""

    run = serializers.CharField(source="run.submission.public_id")
    card = serializers.CharField(source="run.card.key")
    host = serializers.CharField(source="run.host")
    figure = serializers.CharField(help_text="the figure that the value measures")
    value = serializers.FloatField()
    unit = serializers.CharField()
    ratio = serializers.FloatField(
        help_text="factor by which this method and host make the card faster than the reference ones"
    )
    weight = serializers.FloatField(help_text="1 for a usual value, less for a value far from all others")
    at_least = serializers.BooleanField(help_text="true if the link was the limit")
    counts = serializers.BooleanField(
        help_text="false if the value is faster than the link, so that it came from a page cache"
    )


class UnrankedSerializer(serializers.Serializer[Any]):
    """A measurement that is not ranked, with the reason."""

    run = serializers.CharField(source="run.submission.public_id")
    figure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    verdict = serializers.CharField()
    reason = serializers.CharField()
    not_ranked = serializers.CharField(
        source="run.excluded", help_text="why we do not rank the run; empty if we do"
    )


class FlagSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    heading = serializers.CharField()
    sentence = serializers.CharField()
    meaning = serializers.CharField()


class ExplanationSerializer(serializers.Serializer[Any]):
    """The advice on a model, and the values behind one of its abilities, the values of most weight first."""

    advice = AdviceSerializer()
    ability = serializers.ChoiceField(list(ABILITIES))
    values = ValueSerializer(source="reasons.values", many=True)
    values_in_all = serializers.IntegerField(
        source="reasons.values_in_all", help_text="number of values, including those that are not listed"
    )
    unranked = UnrankedSerializer(source="reasons.unranked", many=True)
    fitted = serializers.BooleanField(source="reasons.is_fitted", help_text="false before the first full fit")
    flags = FlagSerializer(many=True)


class ExplanationView(CachedView, StrictView):
    parameters = (*(row.name for row in WISH), "ability")

    @extend_schema(
        operation_id="explanation",
        parameters=[
            *map(describe_filter, WISH),
            OpenApiParameter(
                "ability",
                str,
                enum=list(ABILITIES),
                description="the ability to explain; the default is the leading ability of the use",
            ),
        ],
        responses={200: ExplanationSerializer, 400: Error, 404: Error},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Explain an ability of a model: the values behind it, their weights, and values that do not count."""
        query = request.query_params.dict()
        model = get_object_or_404(CardModel, slug=slug)
        wish = read_wish(query)
        advice = places.load_advice(model, wish)
        ability = _read_ability(query) or (advice.leading.ability if advice.leading else wish.use.leading)
        explained = {
            "advice": places.Advised(model, advice),
            "ability": ability,
            "reasons": list_reasons(model, ability),
            "flags": [
                flag_words.describe_flag(flag) for flag in model.variation_flags.order_by("kind", "figure")
            ],
        }
        return Response(ExplanationSerializer(explained).data, headers=deprecation_headers(WISH, query))


def _read_ability(query: Query) -> str:
    name = query.get("ability", "")
    return name and tables.find(name, among=ABILITIES, kind="ability").name
