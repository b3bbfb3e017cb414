"""GET /api/v1/compare/: a few models side by side, with the probabilities that one is better than another."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from api.listing import kinds
from api.listing.filters import Filter
from api.listing.view import TableView
from api.v1.model_serializers import ScoreSerializer
from api.v1.rankings import PURPOSE, read_purpose
from submissions.domain.errors import ReportError
from submissions.models import CardModel, Score

MOST = 6
_PATTERN = rf"[-a-zA-Z0-9_]+(,[-a-zA-Z0-9_]+){{0,{MOST - 1}}}"


class ComparedSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    score = ScoreSerializer(
        allow_null=True, help_text="for this purpose; null when nothing of it was measured"
    )
    better_than = serializers.DictField(
        child=serializers.FloatField(), help_text="slug of another one -> probability of being better"
    )


def _slugs(text: str) -> tuple[str, ...]:
    if not re.fullmatch(_PATTERN, text):
        raise ValueError(f"up to {MOST} slugs of models, with commas between")
    return tuple(dict.fromkeys(text.split(",")))


_SLUGS = kinds.Kind({"type": "string", "pattern": f"^{_PATTERN}$"}, _slugs)


class CompareView(TableView):
    """Up to six models for a purpose, in the order in which they were named."""

    operation_id = "compare"
    shape = ComparedSerializer
    filters = (
        Filter("models", _SLUGS, f"up to {MOST} slugs, with commas between", "", required=True),
        *PURPOSE,
    )

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[Any]:
        wanted = kinds.read(_SLUGS, query.get("models", ""), name="models")
        by_slug = CardModel.objects.in_bulk(wanted, field_name="slug")
        models = [_model(slug, by_slug) for slug in wanted]
        of_model = {score.card_model_id: score for score in _scores(models, query)}
        return [_compare(model, of_model, models) for model in models]


def _scores(models: Sequence[CardModel], query: Mapping[str, str]) -> Iterable[Score]:
    return Score.objects.filter(card_model__in=models, **read_purpose(query))


def _model(slug: str, models: Mapping[str, CardModel]) -> CardModel:
    if slug not in models:
        raise ReportError(f"There is no model “{slug[:60]}”.", field="models", code="unknown_model")
    return models[slug]


def _compare(model: CardModel, scores: Mapping[int, Score], models: Sequence[CardModel]) -> dict[str, Any]:
    own = scores.get(model.pk)
    rivals = [rival for rival in models if rival != model and rival.pk in scores]
    chances = own.chances_against([scores[rival.pk] for rival in rivals]) if own else []
    return {
        "slug": model.slug,
        "name": model.name,
        "score": own,
        "better_than": {rival.slug: chance for rival, chance in zip(rivals, chances, strict=False)},
    }
