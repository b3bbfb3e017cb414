"""Card models: ranked for a purpose, and one by one."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import redirect
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import CachedView, StrictView
from api.listing.cursors import Ordering, Page, rows_before
from api.listing.filters import Filter, Rows
from api.listing.kinds import COUNT, FLAG, MOMENT, NUMBER, TEXT, Kind, one_of, read
from api.listing.view import ListView, TableView
from api.v1.model_serializers import (
    CardModelSerializer,
    RankedModelSerializer,
    ScoreSerializer,
    WholeModelSerializer,
)
from submissions.domain.judgement.claims import CLAIM
from submissions.domain.ranking import boards, interfaces, uses
from submissions.domain.ranking.facets import FACETS, FLAGS, Facet
from submissions.domain.ranking.wish import Wish
from submissions.evidence import picks
from submissions.models import CardModel, Score
from submissions.models.ranking import fitting, of_scores


def _names(table: Mapping[str, object], default: str = "") -> dict[str, Any]:
    names: dict[str, Any] = {"type": "string", "enum": list(table)}
    return names | ({"default": default} if default else {})


def _keep_all(rows: Rows, value: object) -> Rows:
    # The query of the ranking has applied this filter already.
    return rows


_PROFILE = Kind(_names(uses.all_profiles(), uses.DEFAULT), lambda text: uses.find(text).name)
_INTERFACE = Kind(
    _names(interfaces.all_interfaces(), interfaces.DEFAULT), lambda text: interfaces.find(text).name
)
_BOARD = Kind(_names(boards.all_boards()), lambda text: boards.find(text).interface.name)


PURPOSE = (
    Filter("profile", _PROFILE, "purpose of the card", _keep_all),
    Filter("interface", _INTERFACE, "class of the slot it will be in; a board has one", _keep_all),
    Filter("board", _BOARD, "device that it is for", _keep_all),
)


def read_purpose(query: Mapping[str, str]) -> dict[str, str]:
    """Return the profile and the interface class that a query asks for. Raise ReportError for unknown ones.

    The default profile is the first one for that kind of slot.
    """
    board = query.get("board")
    slot = query.get("interface") or interfaces.DEFAULT
    interface = boards.find(board).interface if board else interfaces.find(slot)
    profile = uses.find(query.get("profile") or next(iter(uses.on(interface))))
    return {"profile": profile.name, "interface": interface.name}


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
    if facet.name == "state":
        return one_of(facet.choices)
    kind, values = _KINDS[facet.kind], facet.values
    if values is None:
        return kind
    openapi = kind.openapi | ({"pattern": _OEM} if facet.name == "oem" else {})
    return Kind(openapi, lambda text: kind.read(text) and values(text))


_KIND_OF = {name: _kind(facet) for name, facet in FACETS.items()}
_FACETS = tuple(Filter(name, _KIND_OF[name], facet.meaning, _keep_all) for name, facet in FACETS.items())
# Former name of a parameter -> its facet, so that older scripts still work.
_ALIASES = {"app_class": "app_perf_class", "since": "seen_since"}
_SINCE = date(2026, 11, 22)
_FORMER = (
    *(
        Filter(alias, _KIND_OF[name], f"former name of {name}", _keep_all, deprecated=_SINCE)
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


def read_facets(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the facets in the query by name. Raise ReportError for a wrong value."""
    former = {alias: name for alias, name in _ALIASES.items() if name not in query}
    asked = {name: former.get(name, name) for name in query}
    values = {
        facet: read(_KIND_OF[facet], query[name], name=name)
        for name, facet in asked.items()
        if facet in _KIND_OF
    }
    return {facet: value for facet, value in values.items() if value != ""}


class ModelsView(ListView):
    """Card models ranked for a purpose by the lower bound of their score. Give a `board`, or an `interface` class."""

    operation_id = "models"
    shape = RankedModelSerializer
    filters = (
        *PURPOSE,
        Filter("simulated", FLAG, "rank the invented cards instead", _keep_all),
        *_FACETS,
        *_FORMER,
    )
    orderings = (
        Ordering("rank", ("-bound", "card_model_id")),
        Ordering("value", ("value", "card_model_id")),
        Ordering("cards", ("cards", "card_model_id")),
        Ordering("name", ("card_model__name", "card_model_id")),
        Ordering("created_at", ("card_model__created_at", "card_model_id")),
    )
    order = "rank"

    def rows(self, query: Mapping[str, str], **where: str) -> Rows:
        simulated = FLAGS.get(query.get("simulated", "").lower(), False)
        facets = read_facets(query)
        board = boards.find(query["board"]) if query.get("board") and "form" not in facets else None
        asked = of_scores(facets) & fitting(board)
        return Score.objects.filter(asked, **read_purpose(query), simulated=simulated).select_related(
            "card_model"
        )

    def complete_page(self, rows: Rows, ordering: Ordering, shown: Page, *, first: bool) -> None:
        """Set the positions of rows if they are in the order of the ranking; one query after the first page."""
        in_order = ordering == self.orderings[0]
        before = 0
        if in_order and shown.rows and not first:
            before = rows.filter(rows_before(ordering, shown.rows[0])).count()
        for position, score in enumerate(shown.rows, start=before + 1):
            score.position = position if in_order and score.state != CLAIM else None


_TITLES = ("best", "cheapest", "proven")
_FIRST = 25


class PickSerializer(serializers.Serializer[Any]):
    """A model with all of its titles. Models with suspicious or differing cards get none."""

    titles = serializers.ListField(
        child=serializers.ChoiceField(_TITLES),
        help_text="best; cheapest that is enough; the best of those that are tested by enough people",
    )
    model = CardModelSerializer(source="score.card_model")
    score = ScoreSerializer()


class PicksView(TableView):
    """Three picks for a board and a purpose: the best card, the cheapest sufficient one, the best well-tested one."""

    operation_id, shape = "picks", PickSerializer
    filters = (PURPOSE[0], PURPOSE[2])

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[dict[str, Any]]:
        board = boards.find(query.get("board") or next(iter(boards.all_boards())))
        profile = uses.find(query.get("profile") or board.profile)
        wish = Wish(board, profile)
        listed = Score.objects.wanted(wish)
        picked: dict[Score, list[str]] = {}
        for title, score in picks.find_picks(Score.objects.in_full(listed[:_FIRST], wish), listed):
            picked.setdefault(score, []).append(title)
        return [{"titles": titles, "score": score} for score, titles in picked.items()]


class ModelView(CachedView, StrictView):
    @extend_schema(operation_id="model", responses={200: WholeModelSerializer, 301: None, 404: Error})
    def get(self, request: Request, slug: str) -> Response | HttpResponseRedirectBase:
        """Return everything about one model; a former slug of a merged or renamed model redirects to the new one."""
        model = CardModel.objects.with_variants().filter(slug=slug).first()
        if model is None:
            return _redirect_to_successor(slug)
        return Response(WholeModelSerializer(model, context={"request": request}).data)


def _redirect_to_successor(slug: str) -> HttpResponseRedirectBase:
    successor = CardModel.objects.successor(slug)
    if successor is None:
        raise Http404
    return redirect("api-model", slug=successor.slug, permanent=True)
