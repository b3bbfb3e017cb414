"""GET /api/v1/search/?q=: the meaning of a search text, the models that match it, or else similar models."""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import CachedView, StrictView
from api.listing.filters import Query, deprecation_headers
from api.listing.kinds import TEXT, read
from api.listing.list_schema import describe_filter
from api.v1.model_serializers import CardModelSerializer, RankedModelSerializer
from api.v1.rankings import WISH
from submissions.domain.errors import ReportError
from submissions.domain.ranking import boards, uses
from submissions.domain.search import intent, wishes
from submissions.domain.search.question import MOST_LETTERS, Question
from submissions.domain.search.search_answers import find_answer
from submissions.domain.search.terms import KINDS
from submissions.evidence import model_search, picks, places
from submissions.evidence.questions import read_question
from submissions.models import Performance
from submissions.models.performance import ORDERS

MOST = 25

_TEXT = TEXT.openapi | {"minLength": 1, "maxLength": MOST_LETTERS}
_PARAMETERS = [
    OpenApiParameter("q", _TEXT, description="the search text, as people type it", required=True),
    *map(describe_filter, WISH),
]


class UnderstoodSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    kind = serializers.ChoiceField(KINDS)
    value = serializers.JSONField(
        help_text="GB for a capacity, [amount, currency] for a price, otherwise a word"
    )
    limit = serializers.ChoiceField(
        ("most", "least", "exact", ""),
        help_text="whether a capacity or price is a maximum, a minimum or exact",
    )

    def get_fields(self) -> dict[str, Any]:
        return super().get_fields() | {
            "not": serializers.BooleanField(source="is_excluded", help_text="true if the text excludes this")
        }


class SoldSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()


class SearchSerializer(serializers.Serializer[Any]):
    """The result of a search. `models` match and are ranked; `untested` match, but lack the ability that ranks them."""

    intent = serializers.ChoiceField(
        intent.NAMES, source="question.intent", help_text="what the text asks for"
    )
    understood = UnderstoodSerializer(many=True)
    ignored = serializers.ListField(
        source="question.ignored_words",
        child=serializers.CharField(),
        help_text="words that say nothing about a card",
    )
    answer = serializers.CharField(help_text="the first sentence of the page that answers")
    url = serializers.URLField(help_text="address of that page")
    unpriced = serializers.BooleanField(
        source="finding.is_unpriced",
        help_text="true if no such price is known, so that the search ignored it",
    )
    board = serializers.CharField(
        source="finding.wish.board.slug",
        help_text="board that the figures are for; any slot if the text names no device",
    )
    has_device = serializers.BooleanField(
        source="finding.wish.has_device", help_text="true if the text names the board"
    )
    use = serializers.CharField(source="finding.wish.use.name")
    models = RankedModelSerializer(many=True)
    untested = CardModelSerializer(source="finding.untested", many=True)
    nearest = CardModelSerializer(
        source="finding.nearest",
        many=True,
        help_text="if no model matches: models with that name, or the most similar ones",
    )
    products = SoldSerializer(many=True, help_text="products sold under these words, whether tested or not")
    submission = serializers.CharField(
        source="finding.submission.public_id",
        allow_null=True,
        help_text="the submission whose ID is one of the words",
    )


class SearchView(CachedView, StrictView):
    parameters = ("q", *(row.name for row in WISH))

    @extend_schema(
        operation_id="search", parameters=_PARAMETERS, responses={200: SearchSerializer, 400: Error}
    )
    def get(self, request: Request) -> Response:
        """Find models by a text with names, part numbers, speed classes, sizes, prices or boards; it may have typos."""
        query = request.query_params.dict()
        question = _question(query)
        board = boards.find(query["board"]) if query.get("board") else None
        name = query.get("use") or query.get("profile")
        use = uses.find_use(name).name if name else ""
        wish = wishes.make_wish(question, board=board, use=use, chosen={})
        finding = model_search.find(wish, ignored=question.possible_names)
        page = request.build_absolute_uri(f"{reverse('finder')}?{urlencode(query)}")
        answer = _answer(question, finding) | {"url": page}
        told = SearchSerializer(answer, context={"request": request}).data
        return Response(told, headers=deprecation_headers(WISH, query))


def _question(query: Query) -> Question:
    text = read(TEXT, query.get("q", ""), name="q")
    if not text.strip() or len(text) > MOST_LETTERS:
        raise ReportError(
            f"“q” is 1 to {MOST_LETTERS} characters to search for.", field="q", code="wrong_parameter"
        )
    return read_question(text)


def _answer(question: Question, finding: model_search.Finding) -> dict[str, Any]:
    models = places.advise(_list(question, finding), finding.wish)
    return {
        "question": question,
        "finding": finding,
        "understood": [term for term in question.terms if term.kind != "other"],
        "answer": _say_first(question, finding, models),
        "models": models,
        "products": finding.products or finding.other_sizes,
    }


def _list(question: Question, finding: model_search.Finding) -> Iterable[Performance]:
    order = wishes.name_order(question.order, finding.wish.use)
    if finding.ids is not None:
        return model_search.load_rows(finding, model_search.order_ids(finding, order)[:MOST], whole=True)
    return finding.listed.order_by(*ORDERS[order]).select_related("card_model")[:MOST]


def _say_first(question: Question, finding: model_search.Finding, models: Sequence[Any]) -> str:
    if answer := find_answer(question, has_device=finding.wish.has_device):
        return answer.sentence
    wish = finding.wish
    picked = picks.choose_picks(wish) if models and not question.order else picks.Picks({})
    listed = [row.card_model for row in (*picked.named.values(), *picked.candidates)]
    named = [model.name for model in (*listed, *(row.model for row in models), *finding.nearest)]
    return f"{wish.board.title}, {wish.use.title}: {named[0] if named else 'no match'}"
