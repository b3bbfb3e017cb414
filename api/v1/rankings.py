"""Card models: ranked for a purpose, and one by one."""

import re
from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.http import Http404
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import redirect
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import Error
from api.fresh_view import Fresh
from api.listing.cursors import Ordering, Page, ahead
from api.listing.filters import Filter, Rows
from api.listing.kinds import COUNT, FLAG, MOMENT, NUMBER, TEXT, Kind, one_of
from api.listing.view import ListView
from api.v1.model_serializers import RankedModelSerializer, WholeModelSerializer
from submissions.domain.identity import makers
from submissions.domain.ranking import boards, interfaces, profiles
from submissions.models import CardModel, Score

STATES = ("early", "ranked", "solid")
_OEM = "0x[0-9a-f]{1,4}|[ -~]{2}"


def _names(table: Mapping[str, object], default: str = "") -> dict[str, Any]:
    names: dict[str, Any] = {"type": "string", "enum": list(table)}
    return names | ({"default": default} if default else {})


def _oem(text: str) -> str:
    """ "0x544d", or its letters, "TM", as the facet has it."""
    if not re.fullmatch(_OEM, text):
        raise ValueError("an OEM number such as 0x544d, or its two letters")
    number = int(text, 16) if text.startswith("0x") else int.from_bytes(text.encode("ascii"), "big")
    return f"0x{number:04x}"


def _already(rows: Rows, value: object) -> Rows:
    """Chosen when the ranking was."""
    return rows


def _matching(scores: Rows, words: str) -> Rows:
    return scores.filter(card_model__in=CardModel.objects.matching(words))


def _made_by(scores: Rows, name: str) -> Rows:
    """By words in the name of who made the silicon."""
    known = {maker.short_name for maker in makers.all_makers() if name.lower() in maker.short_name.lower()}
    return scores.filter(card_model__makers__overlap=sorted(known))


def _seen_in(scores: Rows, mode: str) -> Rows:
    return scores.filter(card_model__bus_modes__contains=[mode])


def _with_oem(scores: Rows, number: str) -> Rows:
    return scores.filter(card_model__oems__contains=[number])


def _flagged(scores: Rows, wanted: bool) -> Rows:
    doubted = Q(card_model__varies=True) | Q(card_model__suspicious_cards__gt=0)
    return scores.filter(doubted) if wanted else scores.exclude(doubted)


_PROFILE = Kind(_names(profiles.all_profiles(), profiles.DEFAULT), lambda text: profiles.find(text).name)
_INTERFACE = Kind(
    _names(interfaces.all_interfaces(), interfaces.DEFAULT), lambda text: interfaces.find(text).name
)
_BOARD = Kind(_names(boards.all_boards()), lambda text: boards.find(text).interface.name)


PURPOSE = (
    Filter("profile", _PROFILE, "what the card is for", _already),
    Filter("interface", _INTERFACE, "class of the slot it will be in; a board has one", _already),
    Filter("board", _BOARD, "what it will be in", _already),
)


def purpose(query: Mapping[str, str]) -> dict[str, str]:
    """Profile and interface class that scores are wanted for. Raises ReportError."""
    board = query.get("board")
    slot = query.get("interface") or interfaces.DEFAULT
    interface = boards.find(board).interface if board else interfaces.find(slot)
    profile = profiles.find(query.get("profile") or profiles.DEFAULT)
    return {"profile": profile.name, "interface": interface.name}


class ModelsView(ListView):
    """Card models ranked for a purpose, best bound first. Give a `board`, or the class of its slot as `interface`."""

    operation_id = "models"
    shape = RankedModelSerializer
    filters = (
        *PURPOSE,
        Filter("simulated", FLAG, "rank the invented cards instead", _already),
        Filter("q", TEXT, "words in a name, a maker, a product name, a register in hex", _matching),
        Filter("brand", TEXT, "as the label has it", "card_model__brand__iexact"),
        Filter("maker", TEXT, "words in the name of who made the silicon", _made_by),
        Filter(
            "oem",
            Kind({"type": "string", "pattern": f"^({_OEM})$"}, _oem),
            "OEM number, 0x544d or TM",
            _with_oem,
        ),
        Filter("capacity_gb", NUMBER, "as sold", "card_model__capacity_gb"),
        Filter("capacity_gb_min", NUMBER, "", "card_model__capacity_gb__gte"),
        Filter("capacity_gb_max", NUMBER, "", "card_model__capacity_gb__lte"),
        Filter("speed_class", COUNT, "C2 to C10, or better", "card_model__speed_class__gte"),
        Filter("uhs_speed_grade", COUNT, "U1 or U3, or better", "card_model__uhs_speed_grade__gte"),
        Filter("video_speed_class", COUNT, "V6 to V90, or better", "card_model__video_speed_class__gte"),
        Filter("app_class", COUNT, "A1 or A2, or better", "card_model__app_perf_class__gte"),
        Filter("bus_mode", TEXT, "a mode it was seen in, e.g. SDR104", _seen_in),
        Filter("min_cards", COUNT, "cards behind the score", "cards__gte"),
        Filter("state", one_of(STATES), "how much stands behind the score", "state"),
        Filter("flagged", FLAG, "its cards differ, or some are suspicious", _flagged),
        Filter("manufactured_since", TEXT, "YYYY-MM", "card_model__manufactured_last__gte"),
        Filter("price_max", NUMBER, "median of what was paid", "card_model__price__lte"),
        Filter("currency", TEXT, "of that price, e.g. EUR", "card_model__currency__iexact"),
        Filter("since", MOMENT, "first seen then or later", "card_model__created_at__gte"),
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
        simulated = query.get("simulated", "").lower() in ("1", "true")
        return Score.objects.filter(**purpose(query), simulated=simulated).select_related("card_model")

    def finish(self, rows: Rows, ordering: Ordering, found: Page, *, first: bool) -> None:
        """Counts who stands before this page, in the order of the ranking; one query, none on the first page."""
        in_order = ordering == self.orderings[0]
        before = 0
        if in_order and found.rows and not first:
            before = rows.filter(ahead(ordering, found.rows[0])).count()
        for position, score in enumerate(found.rows, start=before + 1):
            score.position = position if in_order else None


class ModelView(Fresh, APIView):
    @extend_schema(operation_id="model", responses={200: WholeModelSerializer, 301: None, 404: Error})
    def get(self, request: Request, slug: str) -> Response | HttpResponseRedirectBase:
        """Everything about one model. The address of a model that was merged or renamed leads to its cards."""
        model = CardModel.objects.with_variants().filter(slug=slug).first()
        if model is None:
            return _moved(slug)
        return Response(WholeModelSerializer(model, context={"request": request}).data)


def _moved(slug: str) -> HttpResponseRedirectBase:
    successor = CardModel.objects.successor(slug)
    if successor is None:
        raise Http404
    return redirect("api-model", slug=successor.slug, permanent=True)
