"""The tables behind it all: profiles, boards, interface classes, metrics and makers, each row with its source."""

from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from django.urls import reverse
from msgspec import Meta, Struct
from rest_framework.request import Request

from api.listing.filters import Filter
from api.listing.kinds import TEXT, Kind, read
from api.listing.view import TableView
from api.v1 import decoded
from api.v1.answers import Address
from submissions.domain.identity import makers
from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, interfaces, profiles
from submissions.models import Variant

_BUS = Kind({"type": "string", "enum": list(makers.BUSES)}, makers.bus_named, makers.BUSES)


class Interface(Struct, frozen=True, kw_only=True):
    """What a slot can carry; null where nothing limits the card."""

    name: str
    title: str
    raw_bytes_per_second: Annotated[float | None, Meta(description="clock times width")]
    practical_bytes_per_second: Annotated[float | None, Meta(description="reached by good cards")]
    queues: Annotated[bool, Meta(description="commands may wait in the card")]
    source: str


class Board(Struct, frozen=True, kw_only=True):
    slug: str
    title: str
    interface: Annotated[str, Meta(description="class of its slot")]
    notes: str
    source: str


class Term(Struct, frozen=True, kw_only=True):
    figure: str
    share: Annotated[float, Meta(description="of the weight; all shares sum to 1")]
    reference: Annotated[float, Meta(description="value of the card that scores 100, in the base unit")]
    spread: Annotated[float, Meta(description="of the market, in natural logs")]


class Profile(Struct, frozen=True, kw_only=True):
    """What a card is used for: which figures count, and how much."""

    name: str
    title: str
    version: int
    terms: tuple[Term, ...]
    source: str


class Metric(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    base_unit: Annotated[str, Meta(description="of every stored value")]
    better: Annotated[str, Meta(description="higher, lower or neither")]
    workloads: list[str]
    figures: Annotated[list[str], Meta(description="comparable figures of it")]


class ListedMaker(decoded.Maker, frozen=True, kw_only=True):
    models: Annotated[int, Meta(description="models in the database with these numbers")]
    links: dict[str, Address]


class ProfilesView(TableView):
    """What cards are used for, with the weight of every figure."""

    operation_id, shape = "profiles", Profile

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[profiles.Profile]:
        return profiles.all_profiles().values()


class BoardsView(TableView):
    """Boards people want a card for, with the class of their slot."""

    operation_id, shape = "boards", Board

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[boards.Board]:
        return boards.all_boards().values()

    def answer(self, row: boards.Board, request: Request) -> Board:
        return Board(
            slug=row.slug, title=row.title, interface=row.interface.name, notes=row.notes, source=row.source
        )


class InterfacesView(TableView):
    """Interface classes, slowest first. Scores are kept for each."""

    operation_id, shape = "interfaces", Interface

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[interfaces.Interface]:
        return interfaces.all_interfaces().values()


class MetricsView(TableView):
    """What is measured: every metric with its unit, its workloads and the figures that are compared."""

    operation_id, shape = "metrics", Metric

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[metrics.Metric]:
        return metrics.METRICS.values()

    def answer(self, row: metrics.Metric, request: Request) -> Metric:
        return Metric(
            name=row.name,
            title=row.title,
            base_unit=row.base_unit,
            better=row.better,
            workloads=[work.name for work in metrics.WORKLOADS.values() if row.name in work.metrics],
            figures=[figure.name for figure in metrics.FIGURES.values() if figure.metric == row.name],
        )


class MakersView(TableView):
    """Who stands behind the manufacturer numbers."""

    operation_id, shape = "makers", ListedMaker
    filters = (
        Filter("bus", _BUS, "", ""),
        Filter("q", TEXT, "words in a name, a brand or a number", ""),
    )

    def table(self, request: Request, query: Mapping[str, str]) -> Iterable[tuple[makers.Maker, int]]:
        counts = Variant.objects.models_per_maker()
        bus = makers.bus_named(query.get("bus", ""))
        rows = makers.matching(read(TEXT, query.get("q", ""), name="q"), bus=bus)
        return [(row, counts.get((row.bus, row.mid, row.oid), 0)) for row in rows]

    def answer(self, row: tuple[makers.Maker, int], request: Request) -> ListedMaker:
        maker, models = row
        page = request.build_absolute_uri(reverse("maker", args=makers.address(maker)))
        fields = msgspec.structs.asdict(decoded.maker(maker))
        return ListedMaker(**fields, models=models, links={"page": page})
