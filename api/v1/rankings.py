"""GET /api/v1/models/, /api/v1/picks/ and /api/v1/models/{slug}/: card models, ranked for a use or one by one."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from django.http import Http404
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import redirect
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import CachedView, StrictView
from api.listing.cursors import Ordering
from api.listing.filters import Filter, Query, Rows
from api.listing.kinds import COUNT, FLAG, MOMENT, NUMBER, TEXT, Kind, one_of, read
from api.listing.row_columns import Row
from api.listing.view import ListView, TableView
from api.v1.model_serializers import RankedModelSerializer, WholeModelSerializer
from submissions.domain.errors import ReportError
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.advice import Advice
from submissions.domain.ranking.facets import FACETS, FLAGS, Facet
from submissions.domain.ranking.wish import Wish
from submissions.evidence import picks, places
from submissions.models import CardModel, Performance
from submissions.models.performance import BEST_FIRST

_FIRST_BOARD = next(iter(boards.all_boards()))


_USE = Kind({"type": "string", "enum": list(uses.all_uses())}, lambda text: uses.find_use(text).name)
_BOARD = Kind(
    {"type": "string", "enum": list(boards.all_boards()), "default": _FIRST_BOARD},
    lambda text: boards.find(text).slug,
)
_SINCE = date(2026, 11, 22)
WISH = (
    Filter("board", _BOARD, "device that the card is for"),
    Filter("use", _USE, "use of the card; each board has a usual one"),
    Filter("profile", _USE, "former name of use", deprecated=date(2026, 11, 27)),
)


def read_wish(query: Query, chosen: Mapping[str, Any] | None = None) -> Wish:
    """Return the board and the use that a query asks for. Raise ReportError if one is unknown, or they do not fit.

    The default is the usual use of the board, as on pages. A use of cards for another kind of slot is an error.
    """
    board = boards.find(query.get("board") or _FIRST_BOARD)
    name = query.get("use") or query.get("profile")
    use = uses.find_use(name) if name else board.use
    if use.slot != board.interface.slot:
        fitting = ", ".join(uses.uses_in(board.interface))
        raise ReportError(
            f"The use “{use.name}” is for a different kind of slot than “{board.slug}” has. Its uses are {fitting}.",
            field="use",
            code="wrong_parameter",
        )
    return Wish(board, use, chosen or {})


_OEM = "^((0x)?[0-9a-fA-F]{1,4}|[ -~]{2})$"
_KINDS = {
    "text": TEXT,
    "number": NUMBER,
    "count": COUNT,
    "class": COUNT,
    "choice": TEXT,
    "month": TEXT,
    "moment": MOMENT,
    "flag": FLAG,
}


def _kind(facet: Facet) -> Kind:
    if facet.name == "origin":
        return one_of(facet.choices)
    kind, values = _KINDS[facet.kind], facet.values
    if values is None:
        return kind
    openapi = kind.openapi | ({"pattern": _OEM} if facet.name == "oem" else {})
    return Kind(openapi, lambda text: kind.read(text) and values(text))


_KIND_OF = {name: _kind(facet) for name, facet in FACETS.items()}
_FACETS = tuple(Filter(name, _KIND_OF[name], facet.meaning) for name, facet in FACETS.items())
# Former name of a parameter -> its facet, so that older scripts still work.
_ALIASES = {"app_class": "app_perf_class", "since": "seen_since"}
_FORMER = (
    *(
        Filter(alias, _KIND_OF[name], f"former name of {name}", deprecated=_SINCE)
        for alias, name in _ALIASES.items()
    ),
    Filter(
        "currency",
        TEXT,
        "that of the price, also without price_max; price_currency concerns only price_max",
        "card_model__currency__iexact",
        deprecated=_SINCE,
    ),
)


def read_facets(query: Query) -> dict[str, Any]:
    """Return the values of the facets (filters of models) in the query by name. Raise ReportError for a wrong value."""
    former = {alias: name for alias, name in _ALIASES.items() if name not in query}
    asked = {name: former.get(name, name) for name in query}
    values = {
        facet: read(_KIND_OF[facet], query[name], name=name)
        for name, facet in asked.items()
        if facet in _KIND_OF
    }
    return {facet: value for facet, value in values.items() if value != ""}


class ModelsView(ListView):
    """Card models for a use on a board, best first. Give a `board`; without `use` it is the usual one of the board."""

    operation_id = "models"
    shape = RankedModelSerializer
    filters = (
        *WISH,
        Filter("simulated", FLAG, "rank the simulated cards instead of the real ones"),
        *_FACETS,
        *_FORMER,
    )
    orderings = (
        Ordering("place", BEST_FIRST),
        Ordering("name", ("card_model__name", "card_model_id")),
        Ordering("created_at", ("card_model__created_at", "card_model_id")),
    )
    order = "place"

    def table(self, request: Request, query: Query) -> Rows:
        simulated = FLAGS.get(query.get("simulated", "").lower(), False)
        wish = read_wish(query, read_facets(query))
        return Performance.objects.wanted(wish, simulated=simulated).select_related("card_model")

    def shape_rows(self, rows: Iterable[Performance], request: Request) -> Iterable[Row]:
        wish = read_wish(request.query_params.dict())
        return super().shape_rows(places.advise(rows, wish), request)


_TITLES = ("best", "cheapest", "tested")


class PickSerializer(RankedModelSerializer):
    """A picked model with all titles that it was picked for."""

    titles = serializers.ListField(
        child=serializers.ChoiceField(_TITLES),
        help_text="the best card, the cheapest that passes every need, and the one of these tested by the most people",
    )


class PicksView(TableView):
    """Up to three picks for a use on a board; none if no card is proven to pass.

    A pick is sold today, without doubts, and passes the need of the leading ability (which ranks models) according to
    two independent people or sources, or to repeats of one known source with a clear margin.
    """

    operation_id, shape = "picks", PickSerializer
    filters = WISH

    def table(self, request: Request, query: Query) -> Iterable[Any]:
        wish = read_wish(query)
        titles: dict[int, list[str]] = {}
        for title, row in picks.choose_picks(wish).named.items():
            titles.setdefault(row.pk, []).append(title)
        # Once more, with all columns of their models, in one query.
        whole = Performance.objects.select_related("card_model").in_bulk(list(titles))
        advised = places.advise([whole[pk] for pk in titles], wish)
        return [_Pick(*one, own) for one, own in zip(advised, titles.values(), strict=True)]


class _Pick(NamedTuple):
    model: CardModel
    advice: Advice
    titles: list[str]


class ModelView(CachedView, StrictView):
    @extend_schema(operation_id="model", responses={200: WholeModelSerializer, 301: None, 404: Error})
    def get(self, request: Request, slug: str) -> Response | HttpResponseRedirectBase:
        """Return everything about one model; a former slug of a merged or renamed model redirects to the new one."""
        model = CardModel.objects.with_variants().filter(slug=slug).first()
        if model:
            return Response(WholeModelSerializer(model, context={"request": request}).data)
        if successor := CardModel.objects.successor(slug):
            return redirect("api-model", slug=successor.slug, permanent=True)
        raise Http404
