"""Serialize cards, runs and measurements. A run has the id of its submission, which never changes."""

from typing import Any

import msgspec
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.structs import describe_list
from api.v1 import answers
from submissions.domain.identity.suspicions import Suspicion
from submissions.models import Card, CardModel, Host, Measurement, Run, Variant


def address(request: Any, name: str, of: str) -> str:
    """Return the absolute URL of an object in the API, by the name of its list and its id."""
    url: str = request.build_absolute_uri(f"/api/v1/{name}/{of}/")
    return url


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string", "format": "uri"}})
class LinksField(serializers.SerializerMethodField):
    """A field with URLs by name, made by the serializer's `get_links`."""


class NamedModelSerializer(serializers.ModelSerializer[CardModel]):
    class Meta:
        model = CardModel
        fields = ["slug", "name", "capacity_gb", "simulated"]


class VariantSerializer(serializers.ModelSerializer[Variant]):
    class Meta:
        model = Variant
        fields = ["bus", "mid", "oid", "pnm", "prv", "capacity_bytes"]


class HostSerializer(serializers.ModelSerializer[Host]):
    class Meta:
        model = Host
        fields = [
            *("board", "machine", "kernel", "interface", "driver"),
            *("reader", "bus_mode", "clock_hz", "width_bits"),
        ]


@extend_schema_field(describe_list(Suspicion))
class SuspicionsField(serializers.ReadOnlyField):
    """A field with suspicions about a card. It restores the order of keys, which PostgreSQL's JSON does not keep."""

    def to_representation(self, value: Any) -> Any:
        return msgspec.to_builtins(msgspec.convert(value, tuple[Suspicion, ...]))


class CardSerializer(serializers.ModelSerializer[Card]):
    model = NamedModelSerializer(source="variant.card_model")
    variant = VariantSerializer()
    verdict = serializers.SerializerMethodField(
        help_text="verdict on the card's identity; null if not judged"
    )
    suspicions = SuspicionsField()
    runs = serializers.IntegerField(source="run_count")
    links = LinksField()

    class Meta:
        model = Card
        fields = [
            *("key", "model", "variant", "manufactured", "verdict", "suspicions"),
            *("runs", "created_at", "links"),
        ]

    def get_verdict(self, card: Card) -> str | None:
        return card.verdict or None

    def get_links(self, card: Card) -> dict[str, str]:
        request = self.context["request"]
        return {
            "self": address(request, "cards", card.key),
            "page": request.build_absolute_uri(card.get_absolute_url()),
            "runs": request.build_absolute_uri(f"/api/v1/runs/?card={card.key}"),
        }


class SourceSerializer(serializers.Serializer[Any]):
    """Where the run was published first; empty if its tester submitted it here."""

    id = serializers.CharField(source="source_slug", help_text="ID of the source in /api/v1/sources/")
    title = serializers.CharField(source="source_title")
    place = serializers.CharField(
        source="source_place", help_text="where in the source, such as a file and a commit"
    )
    dated = serializers.CharField(source="source_dated", help_text="date, in the words of the source")
    author = serializers.CharField(source="source_author")
    url = serializers.CharField(source="source_url")
    licence = serializers.CharField(source="source_licence")


class ConditionsSerializer(serializers.Serializer[Any]):
    """The state of a host before or after a run; unknown fields are left out."""

    load_average = serializers.FloatField(required=False)
    processors = serializers.IntegerField(required=False)
    governor = serializers.CharField(required=False)
    cpu_clock_hz = serializers.IntegerField(required=False)
    temperature_celsius = serializers.FloatField(required=False)
    throttled = serializers.BooleanField(required=False)


class CircumstancesSerializer(serializers.Serializer[Any]):
    """Further facts about the host, its file system and its state; unknown fields are left out."""

    size_bytes = serializers.IntegerField(
        required=False, help_text="size of the measured device, as the system reports it"
    )
    preferred_erase_size_bytes = serializers.IntegerField(required=False)
    memory_bytes = serializers.IntegerField(required=False)
    filesystem_block_bytes = serializers.IntegerField(
        required=False, help_text="size of the file system's blocks or clusters"
    )
    mount_options = serializers.CharField(required=False)
    scheduler = serializers.CharField(required=False)
    signal_voltage_mv = serializers.IntegerField(required=False)
    destructive = serializers.BooleanField(required=False, help_text="whether the test wrote to a raw device")
    before = ConditionsSerializer(required=False)
    after = ConditionsSerializer(required=False)


class RunSerializer(serializers.ModelSerializer[Run]):
    id = serializers.CharField(source="submission.public_id")
    model = NamedModelSerializer(source="card.variant.card_model")
    card = serializers.CharField(source="card.key")
    variant = VariantSerializer(source="card.variant")
    host = HostSerializer()
    not_ranked = serializers.CharField(
        source="excluded", help_text="why we do not rank the run; empty if we do"
    )
    received_at = serializers.DateTimeField(source="submission.received_at")
    filed_at = serializers.DateTimeField(
        source="submission.finished_at", help_text="when the report was last processed"
    )
    circumstances = CircumstancesSerializer()
    source = SourceSerializer(source="*")  # type: ignore[assignment]
    links = LinksField()

    class Meta:
        model = Run
        fields = [
            *("id", "model", "card", "variant", "host", "suite", "tool", "tool_version", "target"),
            *("filesystem", "circumstances", "doubts", "condition", "label", "registers", "not_ranked"),
            *("started_at", "started_by", "duration_ns", "received_at", "filed_at", "source", "note"),
            "links",
        ]

    def get_links(self, run: Run) -> dict[str, str]:
        request, name = self.context["request"], run.submission.public_id
        return {
            "self": address(request, "runs", name),
            "card": address(request, "cards", run.card.key),
            "model": address(request, "models", run.card.variant.card_model.slug),
            "submission": address(request, "submissions", name),
            "page": request.build_absolute_uri(run.submission.get_absolute_url()),
        }


class HealthSerializer(serializers.ModelSerializer[Run]):
    """The wear of a card as one run reported it."""

    run = serializers.CharField(source="submission.public_id")
    model = NamedModelSerializer(source="card.variant.card_model")
    card = serializers.CharField(source="card.key")
    life_used = serializers.FloatField(help_text="percent; more than 100 exceeds the maker's promise")
    received_at = serializers.DateTimeField(source="submission.received_at")

    class Meta:
        model = Run
        fields = ["run", "model", "card", "life_used", "started_at", "started_by", "received_at"]


class MeasuredSerializer(serializers.ModelSerializer[Measurement]):
    """A measurement: one metric of one access pattern."""

    unit = serializers.CharField(source="base_unit", help_text="unit of value and repeats")
    figure = serializers.CharField(help_text="the figure by which we compare it, or empty")
    value = serializers.FloatField(help_text="median of the repeats; null if all failed", allow_null=True)
    spread = serializers.FloatField(help_text="(highest - lowest) / median", allow_null=True)

    class Meta:
        model = Measurement
        fields = [
            *("position", "workload", "metric", "parameters", "figure", "unit", "value", "spread"),
            *("repeats", "operations", "verdict", "reason"),
        ]


class MeasurementSerializer(MeasuredSerializer):
    """A measurement with the run, card and model that it belongs to."""

    run = serializers.CharField(source="run.submission.public_id")
    card = serializers.CharField(source="run.card.key")
    model = serializers.CharField(source="run.card.variant.card_model.slug")
    board = serializers.CharField(source="run.host.board")
    interface = serializers.CharField(source="run.host.interface")
    source = serializers.CharField(  # type: ignore[assignment]
        source="run.source_slug", help_text="ID of the source that first published it, or empty"
    )
    place = serializers.CharField(source="run.source_place", help_text="where in the source, or empty")

    class Meta(MeasuredSerializer.Meta):
        of_run = ("run", "card", "model", "board", "interface", "source", "place")
        fields = [*of_run, *MeasuredSerializer.Meta.fields]


class ReadingSerializer(serializers.Serializer[Any]):
    """Something that was read from a card or written about it; `value` is a number in the base unit, or words."""

    name = serializers.CharField()
    value = serializers.JSONField(help_text="a number or words")
    unit = serializers.CharField(required=False)
    of = serializers.CharField(required=False, help_text="what the reading is about")
    tool = serializers.CharField(required=False)


class AreasField(serializers.ListField):
    """Areas of a card, each as its start and length in bytes."""

    child = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)


class ScanSerializer(serializers.Serializer[Any]):
    """How much of a card was read for errors, in bytes, and which areas are not as they should be."""

    size_bytes = serializers.IntegerField()
    block_bytes = serializers.IntegerField()
    read_bytes = serializers.IntegerField()
    largest_gap_bytes = serializers.IntegerField(help_text="the longest part that was not read")
    verified_bytes = serializers.IntegerField(
        help_text="bytes read twice: in a queue and one request at a time"
    )
    queue_depth = serializers.IntegerField()
    bad = AreasField(help_text="areas that cannot be read")
    slow = AreasField(help_text="areas that are slow each time they are read")
    changed = AreasField(help_text="areas that return different data each time they are read")
    changed_in_queue = AreasField(help_text="areas that return correct data only with one read at a time")


class WholeRunSerializer(RunSerializer):
    """A run with everything it measured."""

    readings = ReadingSerializer(
        many=True, help_text="values read from the card or written about it: health, bus mode, a verdict"
    )
    scan = ScanSerializer(
        allow_null=True, help_text="how much of the card was read for errors, and what was found; or null"
    )
    geometry = serializers.SerializerMethodField()
    measurements = serializers.SerializerMethodField()

    class Meta(RunSerializer.Meta):
        fields = [*RunSerializer.Meta.fields, "readings", "scan", "geometry", "measurements"]

    @extend_schema_field(describe_list(answers.Geometry))
    def get_geometry(self, run: Run) -> Any:
        return msgspec.to_builtins(answers.geometry(run))

    @extend_schema_field(MeasuredSerializer(many=True))
    def get_measurements(self, run: Run) -> Any:
        return MeasuredSerializer(run.measurements.order_by("position"), many=True).data
