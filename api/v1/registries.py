"""Serve lists of reference data: uses, boards, interface classes, metrics, makers, products, quirks and sources."""

from collections.abc import Iterable
from datetime import date
from typing import Annotated

from django.urls import reverse
from msgspec import Meta, Struct
from rest_framework.request import Request

from api.listing.filters import Filter, Query
from api.listing.kinds import TEXT, Kind, read
from api.listing.view import TableView
from api.structs import build_struct
from api.v1 import decode_answer
from api.v1.answers import Address
from submissions.domain.identity import makers, products
from submissions.domain.identity.suspicions import quirks
from submissions.domain.intake.structures import group_by
from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, interfaces, uses
from submissions.domain.registers.maker_numbers import oid_hex
from submissions.evidence import credits, troubles
from submissions.models import Variant

_BUS = Kind({"type": "string", "enum": list(makers.BUSES)}, makers.parse_bus)


class Interface(Struct, frozen=True, kw_only=True):
    """A class of card slots and its limits; null means that the slot does not limit the card."""

    name: str
    title: str
    raw_bytes_per_second: Annotated[float | None, Meta(description="clock times width")]
    practical_bytes_per_second: Annotated[float | None, Meta(description="what good cards reach in practice")]
    slot: Annotated[str, Meta(description="spi or express: only measurements in such slots count")]
    source: str


class Board(Struct, frozen=True, kw_only=True):
    slug: str
    title: str
    interface: Annotated[str, Meta(description="class of the board's slot")]
    slot: Annotated[
        str,
        Meta(
            description="values measured in this slot count as measured on this board; boards may share a slot"
        ),
    ]
    queue_rule: Annotated[
        str,
        Meta(
            description="allow-list: the kernel queues commands only for cards that it trusts; empty: for no card"
        ),
    ]
    use: Annotated[str, Meta(description="usual use of a card in this board")]
    form: Annotated[str, Meta(description="the only form of card that fits; empty if every form fits")]
    notes: str
    source: str


class Threshold(Struct, frozen=True, kw_only=True):
    """A need of a use: the least that an ability must reach, in its base unit; of a latency the most."""

    ability: str
    threshold: float
    unit: str
    source: str


class Use(Struct, frozen=True, kw_only=True):
    """A use of cards: the ability that orders them, and the needs that a card must pass."""

    name: str
    title: str
    version: int
    leading: Annotated[str, Meta(description="ability that ranks cards")]
    fallback: Annotated[
        str,
        Meta(description="ability that ranks cards whose leading ability was not measured; empty for none"),
    ]
    needs: list[Threshold]
    source: str


class MeasuredAbility(Struct, frozen=True, kw_only=True):
    """A quantity of a card, and the figures of a metric that measure it."""

    name: str
    title: str
    base_unit: str
    queue_of: Annotated[str, Meta(description="the same ability without a command queue")]
    slot: Annotated[
        str, Meta(description="spi or express: the only kind of slot where this ability is measured")
    ]
    methods: list[str]


class Metric(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    base_unit: Annotated[str, Meta(description="unit of every stored value")]
    better: Annotated[str, Meta(description="higher, lower or neither")]
    workloads: list[str]
    figures: Annotated[list[str], Meta(description="figures of this metric that can be compared")]
    abilities: Annotated[
        list[MeasuredAbility], Meta(description="abilities of cards that these figures measure")
    ]


class ListedMaker(decode_answer.Maker, frozen=True, kw_only=True):
    models: Annotated[int, Meta(description="models in the database with these numbers")]
    links: dict[str, Address]


class Product(Struct, frozen=True, kw_only=True):
    """A product on sale, even if it was never measured. Rates are those that its maker promises, in MB/s."""

    slug: str
    name: str
    brand: str
    line: str
    generation: str
    part_number: Annotated[str, Meta(description="the beginning of the number; * stands for any characters")]
    capacity_gb: float
    form: str
    marks: tuple[str, ...]
    read_mb_s: float | None
    write_mb_s: float | None
    confidence: Annotated[
        str,
        Meta(description="log, maker, shop or forum: the kind of source, and so how far to trust the row"),
    ]
    source: str
    links: dict[str, Address]


class ListedQuirk(Struct, frozen=True, kw_only=True):
    """Cards that a kernel treats in a special way: by a workaround, or by using their command queue (WORKING_SD_CQ)."""

    bus: str
    mid: str
    oid: str | None
    pnm: Annotated[str, Meta(description="regular expression for the product name")]
    first_revision: str
    first_month: str
    last_month: str
    quirk: str
    effect: str
    source: str


class ListedCandidate(troubles.Candidate, frozen=True, kw_only=True):
    links: dict[str, Address]


class ListedSource(credits.Credit, frozen=True, kw_only=True):
    """A source of published results, and how many of its results are stored here."""

    links: dict[str, Address]


class UsesView(TableView):
    """Uses of cards, with the ability that orders cards and the needs of each."""

    operation_id, shape = "uses", Use
    everything = staticmethod(lambda: uses.all_uses().values())

    def answer(self, row: uses.Use, request: Request) -> Use:
        return build_struct(Use, row, needs=[_describe_need(need) for need in row.needs])


def _describe_need(need: uses.Need) -> Threshold:
    return build_struct(Threshold, need, unit=metrics.ABILITIES[need.ability].base_unit)


class ProfilesView(UsesView):
    """The former URL of the list of uses."""

    operation_id, deprecated = "profiles", date(2026, 11, 27)


class BoardsView(TableView):
    """Boards people want a card for, each with its slot and its usual use."""

    operation_id, shape = "boards", Board
    everything = staticmethod(lambda: boards.all_boards().values())

    def answer(self, row: boards.Board, request: Request) -> Board:
        names = {"interface": row.interface.name, "slot": row.slot.name, "use": row.use.name}
        return build_struct(Board, row, queue_rule=row.slot.queue_rule, **names)


class InterfacesView(TableView):
    """Interface classes of slots, slowest first."""

    operation_id, shape = "interfaces", Interface
    everything = staticmethod(lambda: interfaces.all_interfaces().values())


class MetricsView(TableView):
    """Every metric, with its unit, its workloads, and the abilities that its figures measure."""

    operation_id, shape = "metrics", Metric
    everything = metrics.METRICS.values

    def answer(self, row: metrics.Metric, request: Request) -> Metric:
        return build_struct(
            Metric,
            row,
            workloads=[work.name for work in metrics.WORKLOADS.values() if row.name in work.metrics],
            figures=[figure.name for figure in metrics.FIGURES.values() if figure.metric == row.name],
            abilities=_measured_abilities(row.name),
        )


def _measured_abilities(metric: str) -> list[MeasuredAbility]:
    figures = [figure for figure in metrics.FIGURES.values() if figure.metric == metric]
    return [
        build_struct(MeasuredAbility, metrics.ABILITIES[name], methods=[figure.name for figure in some])
        for name, some in group_by(figures, lambda figure: figure.ability).items()
    ]


class MakersView(TableView):
    """Companies behind the manufacturer numbers of cards."""

    operation_id, shape = "makers", ListedMaker
    filters = (Filter("bus", _BUS, ""), Filter("q", TEXT, "words in a name, a brand or a number"))

    def table(self, request: Request, query: Query) -> Iterable[tuple[makers.Maker, int]]:
        counts = Variant.objects.models_per_maker()
        bus = makers.parse_bus(query.get("bus", ""))
        rows = makers.search_makers(read(TEXT, query.get("q", ""), name="q"), bus=bus)
        return [(row, counts.get((row.bus, row.mid, row.oid), 0)) for row in rows]

    def answer(self, row: tuple[makers.Maker, int], request: Request) -> ListedMaker:
        maker, models = row
        page = request.build_absolute_uri(reverse("maker", args=makers.address(maker)))
        return build_struct(ListedMaker, maker, models=models, links={"page": page})


class ProductsView(TableView):
    """Products on sale, even if they were never measured."""

    operation_id, shape = "products", Product
    filters = (Filter("q", TEXT, "words in a name, or a part number"),)

    def table(self, request: Request, query: Query) -> Iterable[products.Product]:
        words = read(TEXT, query.get("q", ""), name="q").split()
        return products.search_products(words) if words else products.all_products()

    def answer(self, row: products.Product, request: Request) -> Product:
        page = request.build_absolute_uri(reverse("product", args=[row.slug]))
        return build_struct(Product, row, part_number=row.part, links={"page": page})


class QuirksView(TableView):
    """Cards that Linux treats by a workaround, and cards with which Raspberry Pi's kernel uses the command queue."""

    operation_id, shape = "quirks", ListedQuirk
    everything = quirks.all_quirks

    def answer(self, row: quirks.Quirk, request: Request) -> ListedQuirk:
        oid = oid_hex(row.bus, row.oid)
        return build_struct(ListedQuirk, row, mid=f"0x{row.mid:02x}", oid=oid, pnm=row.pnm.pattern)


class CandidatesView(TableView):
    """Cards, by CID, with errors in the logs of hosts: candidates for the Linux kernel's table of quirks."""

    operation_id, shape = "quirk-candidates", ListedCandidate
    everything = troubles.find_candidates

    def answer(self, row: troubles.Candidate, request: Request) -> ListedCandidate:
        links = {"run": request.build_absolute_uri(reverse("run", args=[row.run]))}
        return build_struct(ListedCandidate, row, links=links)


class SourcesView(TableView):
    """Sources of published results."""

    operation_id, shape = "sources", ListedSource
    everything = credits.list_credits

    def answer(self, row: credits.Credit, request: Request) -> ListedSource:
        links = {
            "page": request.build_absolute_uri(reverse("source", args=[row.id])),
            "runs": request.build_absolute_uri(f"/api/v1/runs/?source={row.id}"),
            "measurements": request.build_absolute_uri(f"/api/v1/measurements/?source={row.id}"),
        }
        return build_struct(ListedSource, row, links=links)
