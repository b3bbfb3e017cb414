"""Serve the data behind rankings: lists of cards, runs and measurements, and single cards and runs."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Error
from api.fresh_view import CachedView, StrictView
from api.listing.cursors import Ordering
from api.listing.filters import Filter, Rows
from api.listing.kinds import FLAG, MOMENT, NUMBER, TEXT, one_of
from api.listing.view import ListView
from api.v1.run_serializers import (
    CardSerializer,
    HealthSerializer,
    MeasurementSerializer,
    RunSerializer,
    WholeRunSerializer,
)
from submissions.domain.measuring.metrics import FIGURES, METRICS, WORKLOADS
from submissions.models import Card, Measurement, Run
from submissions.models.measurement import INTERFACES

_SHARED = (
    Filter("model", TEXT, "slug of the model", "card__variant__card_model__slug"),
    Filter("card", TEXT, "key of the card", "card__key"),
    Filter("interface", one_of(INTERFACES), "how the host reached the card", "host__interface"),
    Filter("source", TEXT, "ID of the source that first published the run", "source_slug"),
    Filter(
        "simulated",
        FLAG,
        "true: only simulated cards; false: only real ones",
        "card__variant__card_model__simulated",
    ),
    Filter("since", MOMENT, "received at this time or later", "submission__received_at__gte"),
)


def _select_filters(*names: str, to_run: str = "") -> tuple[Filter, ...]:
    return tuple(row._replace(choose=f"{to_run}{row.choose}") for row in _SHARED if row.name in names)


IDENTITY_VERDICTS = ("nothing unusual", "unusual", "suspicious")


def _filter_ranked(runs: Rows, ranked: bool) -> Rows:
    return runs.filter(excluded="") if ranked else runs.exclude(excluded="")


class CardsView(ListView):
    """Single cards, the newest first."""

    operation_id = "cards"
    shape = CardSerializer
    filters = (
        Filter("model", TEXT, "slug of the model", "variant__card_model__slug"),
        Filter("verdict", one_of(IDENTITY_VERDICTS), "verdict on the card's identity", "verdict"),
        Filter(
            "manufactured", TEXT, "month or year of manufacture, YYYY-MM or YYYY", "manufactured__startswith"
        ),
        Filter(
            "simulated",
            FLAG,
            "true: only simulated cards; false: only real ones",
            "variant__card_model__simulated",
        ),
        Filter("since", MOMENT, "first seen at this time or later", "created_at__gte"),
    )
    orderings = (Ordering("created_at", ("pk",)),)  # ids ascend in this order
    order = "-created_at"
    everything = Card.objects.listed


class CardView(CachedView, StrictView):
    @extend_schema(operation_id="card", responses={200: CardSerializer, 404: Error})
    def get(self, request: Request, key: str) -> Response:
        """Return one card."""
        card = get_object_or_404(Card.objects.listed(), key=key)
        return Response(CardSerializer(card, context={"request": request}).data)


class RunsView(ListView):
    """Runs of a test suite on a card in a host. To follow new ones, use ordering=filed_at and filed_since."""

    operation_id = "runs"
    shape = RunSerializer
    filters = (
        *_select_filters("model", "card", "interface", "source", "simulated", "since"),
        Filter("board", TEXT, "words in the name of the board", "host__board__icontains"),
        Filter("bus_mode", TEXT, "bus mode as the host named it, such as SDR104", "host__bus_mode__iexact"),
        Filter("suite", TEXT, "", "suite"),
        Filter("tool", TEXT, "the program that measured", "tool"),
        Filter("condition", TEXT, "condition of the card before the run", "condition"),
        Filter("ranked", FLAG, "false: only runs that are not ranked", _filter_ranked),
        Filter("filed_since", MOMENT, "last processed at this time or later", "submission__finished_at__gte"),
    )
    orderings = (
        Ordering("received_at", ("submission__received_at", "submission_id")),
        Ordering("filed_at", ("submission__finished_at", "submission_id")),
    )
    order = "-received_at"
    everything = Run.objects.listed


class RunView(CachedView, StrictView):
    @extend_schema(operation_id="run", responses={200: WholeRunSerializer, 404: Error})
    def get(self, request: Request, public_id: str) -> Response:
        """Return one run with everything it measured; `public_id` is the id of its submission."""
        run = get_object_or_404(Run.objects.listed(), submission__public_id=public_id)
        return Response(WholeRunSerializer(run, context={"request": request}).data)


class HealthView(ListView):
    """The wear of cards as their runs reported it, the newest first."""

    operation_id = "health"
    shape = HealthSerializer
    filters = (
        *_select_filters("model", "card", "since"),
        Filter(
            "life_used_min", NUMBER, "percent of its life that the card says it has used", "life_used__gte"
        ),
    )
    orderings = RunsView.orderings[:1]
    order = "-received_at"
    everything = staticmethod(lambda: Run.objects.listed().filter(life_used__isnull=False))


class MeasurementsView(ListView):
    """Measurements of all runs, the oldest first, so that new ones are on the last page."""

    operation_id = "measurements"
    shape = MeasurementSerializer
    filters = (
        *_select_filters("model", "card", "interface", "source", "simulated", to_run="run__"),
        Filter("run", TEXT, "ID of the run", "run__submission__public_id"),
        Filter("figure", one_of(FIGURES), "figure by which measurements are compared", "figure"),
        Filter("workload", one_of(WORKLOADS), "", "workload"),
        Filter("metric", one_of(METRICS), "", "metric"),
        Filter("verdict", TEXT, "verdict on whether the measurement is plausible", "verdict"),
    )
    orderings = (Ordering("id", ("pk",)),)
    order = "id"
    everything = Measurement.objects.listed
