"""GET /api/v1/compare/: a few models side by side, with the probabilities that one is better than another."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from rest_framework import serializers
from rest_framework.request import Request

from api.listing import kinds
from api.listing.filters import Filter, Query
from api.listing.view import TableView
from api.v1.model_serializers import RankedModelSerializer
from api.v1.rankings import WISH, read_wish
from submissions.domain.errors import ReportError
from submissions.domain.ranking.advice import Advice
from submissions.evidence import places
from submissions.evidence.places import Compared
from submissions.models import CardModel

MOST = 6
_PATTERN = rf"[-a-zA-Z0-9_]+(,[-a-zA-Z0-9_]+){{0,{MOST - 1}}}"


class ComparedSerializer(RankedModelSerializer):
    better_than = serializers.DictField(
        child=serializers.FloatField(),
        help_text="slug of a rival -> probability that this model is better than it in the leading ability",
    )


class _Compared(NamedTuple):
    model: CardModel
    advice: Advice
    better_than: dict[str, float]


def _slugs(text: str) -> tuple[str, ...]:
    if not re.fullmatch(_PATTERN, text):
        raise ValueError(f"up to {MOST} slugs of models, separated by commas")
    return tuple(dict.fromkeys(text.split(",")))


_SLUGS = kinds.Kind({"type": "string", "pattern": f"^{_PATTERN}$"}, _slugs)


class CompareView(TableView):
    """Up to six models for a use on a board, in the order in which they were named."""

    operation_id = "compare"
    shape = ComparedSerializer
    filters = (
        Filter("m", _SLUGS, f"up to {MOST} slugs, separated by commas", required=True),
        Filter("models", _SLUGS, "former name of m", deprecated=date(2026, 11, 27)),
        *WISH,
    )

    def table(self, request: Request, query: Query) -> Iterable[Any]:
        name = "models" if "models" in query and "m" not in query else "m"
        wanted = kinds.read(_SLUGS, query.get(name, ""), name=name)
        by_slug = CardModel.objects.in_bulk(wanted, field_name="slug")
        models = [_model(slug, by_slug, name) for slug in wanted]
        compared = places.load_compared(models, read_wish(query))
        return [_Compared(own.model, own.advice, _beat(own, compared)) for own in compared]


def _model(slug: str, models: Mapping[str, CardModel], parameter: str) -> CardModel:
    if slug not in models:
        raise ReportError(f"There is no model “{slug[:60]}”.", field=parameter, code="unknown_model")
    return models[slug]


def _beat(own: Compared, others: Sequence[Compared]) -> dict[str, float]:
    lead = own.lead
    if lead is None:
        return {}
    rivals = {other.model.slug: other.lead for other in others if other.lead and other.model != own.model}
    return {slug: lead.chance_against(other) for slug, other in rivals.items()}
