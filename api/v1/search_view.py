"""GET /api/v1/search/?q=: the meaning of a text, the models that match it, or else similar ones."""

from typing import Any, get_args

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
from api.v1.rankings import WISH, advise_rows
from submissions.domain.errors import ReportError
from submissions.domain.ranking import boards, uses
from submissions.domain.search import wishes
from submissions.domain.search.question import MOST_LETTERS, Kind, Question, understood
from submissions.evidence import model_search

MOST = 25

_TEXT = TEXT.openapi | {"minLength": 1, "maxLength": MOST_LETTERS}
_PARAMETERS = [
    OpenApiParameter("q", _TEXT, description="as people type it", required=True),
    *map(describe_filter, WISH),
]


class UnderstoodSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    kind = serializers.ChoiceField(get_args(Kind))
    value = serializers.JSONField(help_text="GB of a capacity, [amount, currency] of a price, else a word")


class SoldSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()


class SearchSerializer(serializers.Serializer[Any]):
    """The result of a search. `models` are in order; of `untested` ones that match the leading ability is not known."""

    understood = UnderstoodSerializer(many=True)
    unknown = serializers.ListField(
        child=serializers.CharField(), help_text="words that no model has: left out"
    )
    unpriced = serializers.BooleanField(help_text="no such price is known: left out")
    board = serializers.CharField()
    use = serializers.CharField()
    models = RankedModelSerializer(many=True)
    untested = CardModelSerializer(many=True)
    nearest = CardModelSerializer(many=True, help_text="where nothing answers: of that name, or most like it")
    products = SoldSerializer(many=True, help_text="sold under these words, tested or not")
    submission = serializers.CharField(allow_null=True, help_text="with a number that is one of the words")


class SearchView(CachedView, StrictView):
    parameters = ("q", *(row.name for row in WISH))

    @extend_schema(
        operation_id="search", parameters=_PARAMETERS, responses={200: SearchSerializer, 400: Error}
    )
    def get(self, request: Request) -> Response:
        """Find models by a text with names, part numbers, speed classes, sizes, prices or boards; it may have typos."""
        query = request.query_params.dict()
        question = _question(query)
        finding = model_search.find(
            wishes.make_wish(question, board=_board(query), use=_use(query), chosen={})
        )
        answer = SearchSerializer(_answer(question, finding), context={"request": request}).data
        return Response(answer, headers=deprecation_headers(WISH, query))


def _question(query: Query) -> Question:
    text = read(TEXT, query.get("q", ""), name="q")
    if not text.strip() or len(text) > MOST_LETTERS:
        raise ReportError(
            f"“q” is 1 to {MOST_LETTERS} letters to search for.", field="q", code="wrong_parameter"
        )
    return understood(text)


def _board(query: Query) -> boards.Board | None:
    return boards.find(query["board"]) if query.get("board") else None


def _use(query: Query) -> str:
    name = query.get("use") or query.get("profile")
    return uses.find_use(name).name if name else ""


def _answer(question: Question, finding: model_search.Finding) -> dict[str, Any]:
    listed = finding.listed.select_related("card_model")[:MOST]
    return {
        "understood": question.terms,
        "unknown": finding.unknown,
        "unpriced": finding.is_unpriced,
        "board": finding.wish.board.slug,
        "use": finding.wish.use.name,
        "models": advise_rows(listed, finding.wish),
        "untested": finding.untested,
        "nearest": finding.nearest,
        "products": finding.products,
        "submission": finding.submission and finding.submission.public_id,
    }
