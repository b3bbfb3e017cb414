"""The tables behind it all: profiles, boards, interface classes, metrics and makers, each row with its source."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from django.urls import reverse
from rest_framework.request import Request

from api.listing.filters import Filter
from api.listing.kinds import TEXT, Kind, read
from api.listing.view import TableView
from api.v1.serializers import (
    BoardSerializer,
    InterfaceSerializer,
    ListedMakerSerializer,
    MetricSerializer,
    ProfileSerializer,
)
from submissions.domain.identity import identification, makers
from submissions.domain.measuring.metrics import FIGURES, METRICS, WORKLOADS, Metric
from submissions.domain.ranking import boards, interfaces, profiles
from submissions.models import Variant

_BUS = Kind({"type": "string", "enum": list(makers.BUSES)}, makers.bus_named, makers.BUSES)


class KnownView(TableView):
    """Every row of a table of the pure core. `known`: all of them by name."""

    known: ClassVar[Callable[[], Mapping[str, Any]]]

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[Any]:
        return type(self).known().values()


class ProfilesView(KnownView):
    """What cards are used for, with the weight of every figure."""

    operation_id, shape, known = "profiles", ProfileSerializer, profiles.all_profiles


class BoardsView(KnownView):
    """Boards people want a card for, with the class of their slot."""

    operation_id, shape, known = "boards", BoardSerializer, boards.all_boards


class InterfacesView(KnownView):
    """Interface classes, slowest first. Scores are kept for each."""

    operation_id, shape, known = "interfaces", InterfaceSerializer, interfaces.all_interfaces


class MetricsView(TableView):
    """What is measured: every metric with its unit, its workloads and the figures that are compared."""

    operation_id = "metrics"
    shape = MetricSerializer

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[Any]:
        return [_metric(metric) for metric in METRICS.values()]


class MakersView(TableView):
    """Who stands behind the manufacturer numbers."""

    operation_id = "makers"
    shape = ListedMakerSerializer
    filters = (
        Filter("bus", _BUS, "", ""),
        Filter("q", TEXT, "words in a name, a brand or a number", ""),
    )

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[Any]:
        counts = Variant.objects.models_per_maker()
        bus = makers.bus_named(query.get("bus", ""))
        return [
            identification.maker_as_dict(maker)
            | {
                "models": counts.get((maker.bus, maker.mid, maker.oid), 0),
                "links": {"page": request.build_absolute_uri(reverse("maker", args=makers.address(maker)))},
            }
            for maker in makers.matching(read(TEXT, query.get("q", ""), name="q"), bus=bus)
        ]


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "title": metric.title,
        "base_unit": metric.base_unit,
        "better": metric.better,
        "workloads": [one.name for one in WORKLOADS.values() if metric.name in one.metrics],
        "figures": [one.name for one in FIGURES.values() if one.metric == metric.name],
    }
