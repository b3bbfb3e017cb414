"""Define Host, Run, the Measurements of a run, and its Geometry, stated by the client or inferred from measurements."""

from datetime import datetime
from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q, Value
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext_noop

from submissions.domain import geometry
from submissions.domain.identity.suspicions import Suspicion, find_foreign_reason
from submissions.domain.measuring.metrics import FIGURES, METRICS
from submissions.models.card import Card, CardModel
from submissions.models.submission import EMPTY, Submission, raw_fields

RANKABLE = ("ok", "at_least")
HOST_UNKNOWN = gettext_noop("host unknown")
_NO_FIGURE = (
    "it holds no figure that cards are compared by: those are reads and writes past the page cache, of 1 MiB in order"
    " and of 4 KiB at random. “cardbench run” measures them"
)
# The interface of the card, as the host states it.
INTERFACES = {
    "mmc": "in a card slot",
    "usb": "in a USB reader",
    "spi": "over SPI, one bit at a time",
    "express": "over PCIe, as an SD Express card",
    "other": "through something else",
    "unknown": "not known how",
    "simulated": "simulated",
}


class Host(models.Model):
    """The computer that measured a card; its bus limits the throughput. Identical hosts are one row."""

    board = models.CharField(max_length=200, blank=True)
    machine = models.CharField(max_length=200, blank=True)
    kernel = models.CharField(max_length=200, blank=True)
    interface = models.CharField(max_length=16)
    driver = models.CharField(max_length=200, blank=True)
    reader = models.CharField(max_length=200, blank=True)
    bus_mode = models.CharField(max_length=200, blank=True)
    clock_hz = models.BigIntegerField(null=True)
    width_bits = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="identical_hosts_are_one",
                fields=[
                    *("board", "machine", "kernel", "interface", "driver"),
                    *("reader", "bus_mode", "clock_hz", "width_bits"),
                ],
                nulls_distinct=False,
            ),
        ]

    def __str__(self) -> str:
        return self.board or self.machine or HOST_UNKNOWN

    @property
    def is_known(self) -> bool:
        return bool(self.board or self.machine)

    @cached_property
    def name_with_mode(self) -> str:
        """Return the host's name and bus mode: "Raspberry Pi 4 Model B, DDR50"."""
        return ", ".join(filter(None, [str(self), self.bus_mode]))


class RunQuerySet(models.QuerySet["Run"]):
    def of_model(self, model: CardModel) -> Self:
        """Return the runs of a model, the newest first, with card, host and submission loaded; one query."""
        return self.filter(card__variant__card_model=model).with_context()

    def sources_of(self, model: CardModel) -> list[tuple[str, str]]:
        """Return slug and title of every source that published runs of this model, by title; one query."""
        runs = self.filter(card__variant__card_model=model).exclude(source_slug="")
        return list(runs.order_by("source_title").values_list("source_slug", "source_title").distinct())

    def newest_first(self) -> Self:
        return self.order_by("-submission__received_at", "-submission")

    def example(self, pnm: str) -> "Run | None":
        """Return the first published run with an open-AU table of a card of this product name; one query."""
        shown = self.filter(card__variant__pnm=pnm, measurements__workload="open-au").exclude(source_url="")
        return shown.with_report().order_by("pk").first()

    def of_card(self, card: Card) -> Self:
        """Return the runs of a card, the newest first, with card, host and submission loaded; one query."""
        return self.filter(card=card).with_context()

    def telling_health(self, card_model: CardModel) -> Self:
        """Return runs of a model in which the card stated its used life, the oldest first; one query."""
        stating = self.filter(card__variant__card_model=card_model, life_used__isnull=False)
        return stating.with_submission().select_related("card").order_by("pk")

    def with_report(self) -> Self:
        """Return the runs with card, model, host, and submission with the raw report loaded; one query."""
        return self.select_related("card__variant__card_model", "host", "submission")

    def listed(self) -> Self:
        """Return the runs with card, variant, model, host and submission loaded; one query, in no order."""
        return self.with_report().defer(*raw_fields("submission__"))

    def with_context(self) -> Self:
        return self.listed().newest_first()

    def with_submission(self) -> Self:
        """Return the runs with the submission loaded, and without columns that only the page of a run shows."""
        shown = ("registers", "readings", "scan", "findings", "note")
        return self.select_related("submission").defer(*shown, *raw_fields("submission__"))


class Run(models.Model):
    """One execution of a test suite on one card in one host."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="run")
    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="runs")
    host = models.ForeignKey(Host, on_delete=models.PROTECT, related_name="runs")
    suite = models.CharField(max_length=64)
    tool = models.CharField(max_length=64)
    tool_version = models.CharField(max_length=200, blank=True)
    target = models.CharField(max_length=16)
    filesystem = models.CharField(max_length=200, blank=True)
    circumstances = models.JSONField(
        default=dict,
        db_default=Value({}, models.JSONField()),
        help_text="what else its report says of the host, of what was measured through, and of their state",
    )
    condition = models.CharField(max_length=16)
    label = models.JSONField(default=dict, help_text="what the box says, as far as this report tells")
    registers = models.JSONField(default=dict, help_text="decoded fields without the serial number")
    csd = models.CharField(max_length=30, blank=True, help_text="CSD as hex without its checksum byte")
    suspicions = models.JSONField(default=list, help_text="what this report alone says against its registers")
    excluded = models.TextField(blank=True, help_text="why nothing of this run is ranked")
    not_compared = models.CharField(
        max_length=200,
        **EMPTY,
        help_text="why nothing of it may be compared, as its report says",
    )
    facts = models.JSONField(
        default=dict, help_text="what the report alone gives the rules of `holds` to judge"
    )
    started_at = models.DateTimeField(
        null=True, help_text="when it began; with `started_by`, the earliest moment that its source allows"
    )
    started_by = models.DateTimeField(
        null=True, help_text="before when it began, if its source states no exact moment"
    )
    duration_ns = models.BigIntegerField(null=True)
    readings = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        help_text="what was read of the card or written about it, not measured by the clock",
    )
    scan = models.JSONField(
        null=True, help_text="which areas were read and are bad or slow, as in the report"
    )
    life_used = models.FloatField(null=True, help_text="percent of its life that the card says it has used")
    life_step = models.FloatField(null=True, help_text="… in steps of so many")
    source_slug = models.CharField(max_length=64, **EMPTY, help_text="its source among all others")
    source_place = models.CharField(max_length=500, **EMPTY, help_text="where in the source")
    source_dated = models.CharField(max_length=200, **EMPTY, help_text="when, in the words of the source")
    source_title = models.CharField(max_length=200, blank=True, help_text="where it was published first")
    source_author = models.CharField(max_length=200, blank=True)
    source_url = models.URLField(max_length=500, blank=True)
    source_licence = models.CharField(max_length=200, blank=True)
    note = models.TextField(blank=True)
    doubts = models.JSONField(default=list, help_text="what made the figures less sure, as the client saw it")
    findings = models.JSONField(
        default=list,
        db_default=Value([], models.JSONField()),
        help_text="what it tells, the gravest first: codes of data/findings.csv with their values",
    )
    lost_data = models.BooleanField(
        null=True, help_text="whether a test of it found that the card lost data; null is not tested"
    )
    says_of_model = models.BooleanField(
        default=False, db_default=False, help_text="a finding of it belongs on the page of the model"
    )
    result = ArrayField(
        models.BigIntegerField(),
        default=list,
        db_default=[],
        help_text="a number for each figure, equal where a result was sent again",
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        indexes = [
            # No list of pending entries: each of the many lookups of a batch would read it.
            GinIndex(name="run_result", fields=["result"], fastupdate=False),
            models.Index(
                name="run_describing",
                fields=["card"],
                condition=~Q(readings=[]) | Q(says_of_model=True),
            ),
        ]

    @property
    def is_foreign(self) -> bool:
        """Return whether the registers in the report of this run belong to another card."""
        return bool(find_foreign_reason([Suspicion(**row) for row in self.suspicions]))

    @property
    def tells_brand(self) -> bool:
        """Return whether the report of this run states the brand on the label."""
        return bool(self.label.get("brand", "").strip())

    @property
    def why_unranked(self) -> str:
        """Return why no figure of this run is ranked, and the next step; "" if a figure is ranked. One query."""
        if self.excluded:
            return self.excluded
        figures = [*self.measurements.exclude(figure="").values_list("verdict", "reason")]
        if any(verdict in RANKABLE for verdict, _ in figures):
            return ""
        return next((reason for _, reason in figures if reason), _NO_FIGURE)

    def get_absolute_url(self) -> str:
        """Return the URL of this run's page, with the id of the submission, which stays if it is processed again.

        The submission must be loaded.
        """
        return reverse("run", args=[self.submission.public_id])

    @property
    def ran_at(self) -> datetime:
        """Return the time of measurement: the middle of the period that the source states, else the time of arrival."""
        if self.started_at and self.started_by:
            return self.started_at + (self.started_by - self.started_at) / 2
        return self.started_at or self.started_by or self.submission.received_at


# Delays that people notice, apart from the figures by which cards are compared.
FELT_WORKLOADS, FELT_METRIC = ("chore", "photos"), "latency_max"
# The rows that the page of a model needs, a small part of a report.
DESCRIBING = Q(workload__in=("capacity", *FELT_WORKLOADS)) | Q(metric=FELT_METRIC) | ~Q(figure="")


class MeasurementQuerySet(models.QuerySet["Measurement"]):
    def not_rankable(self) -> Self:
        """Return measurements without a believable value, and all measurements of excluded runs."""
        return self.filter(~Q(verdict__in=RANKABLE) | Q(value=None) | ~Q(run__excluded=""))

    def listed(self) -> Self:
        """Return the measurements with run, card and model loaded; one query, in no order."""
        related = self.select_related("run__submission", "run__host", "run__card__variant__card_model")
        return related.defer(*raw_fields("run__submission__"))

    def by_card(self) -> Self:
        """Return the measurements by figure and card, then the oldest first, with run and host loaded; one query."""
        return self.listed().order_by("figure", "run__card_id", "run_id", "position")


class Measurement(models.Model):
    """One metric of one access pattern in a run: the median of its repeats, in the metric's base unit."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="measurements")
    position = models.PositiveIntegerField(help_text="order in the report")
    workload = models.CharField(max_length=64)
    metric = models.CharField(max_length=64)
    parameters = models.JSONField(default=dict)
    figure = models.CharField(max_length=64, blank=True, help_text="comparable figure it is, if any")
    repeats = ArrayField(models.FloatField(), help_text="every repeat, in base units")
    value = models.FloatField(null=True, help_text="median of the repeats; null when all failed")
    spread = models.FloatField(null=True, help_text="(highest - lowest) / median of the repeats")
    operations = models.BigIntegerField(null=True)
    verdict = models.CharField(max_length=16)
    reason = models.TextField(blank=True)

    objects = MeasurementQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_measurement_per_position", fields=["run", "position"]),
            models.CheckConstraint(
                name="a_missing_value_is_a_failure", condition=Q(value__isnull=False) | Q(verdict="failed")
            ),
        ]
        indexes = [models.Index(name="measurement_describing", fields=["run"], condition=DESCRIBING)]

    @property
    def base_unit(self) -> str:
        return METRICS[self.metric].base_unit

    @property
    def is_less_better(self) -> bool:
        """Return whether a lower value of the metric is better, as of a latency."""
        return METRICS[self.metric].better == "lower"

    @property
    def metric_title(self) -> str:
        return METRICS[self.metric].title

    @property
    def figure_title(self) -> str:
        return FIGURES[self.figure].title if self.figure else ""


class GeometryQuerySet(models.QuerySet["Geometry"]):
    def by_quantity(self) -> list["Geometry"]:
        """Return quantities of geometry in the order of `QUANTITIES`, inferred values before stated ones; one query."""
        order = {name: place for place, name in enumerate(geometry.QUANTITIES)}
        return sorted(self, key=lambda row: (order.get(row.quantity, len(order)), row.origin, row.quantity))


class Geometry(models.Model):
    """A quantity of the flash in a card, by one run.

    Without a value, `code` is the reason; with the code “at_least” the value is a lower bound.
    """

    class Origin(models.TextChoices):
        INFERRED = "inferred", "read off the tables"
        STATED = "stated", "stated by the client"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="geometry")
    quantity = models.CharField(max_length=32, help_text="metric of the workload geometry")
    origin = models.CharField(max_length=8, choices=Origin)
    value = models.FloatField(null=True, help_text="in the base unit of the metric")
    log_odds = models.FloatField(
        null=True, help_text="natural log of right against wrong; null when not told"
    )
    code = models.CharField(max_length=64, blank=True)
    reasoning = models.JSONField(default=list, help_text="sentences")

    objects = GeometryQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="one_answer_per_origin", fields=["run", "quantity", "origin"]),
        ]

    @property
    def title(self) -> str:
        return METRICS[self.quantity].title

    @property
    def answer(self) -> str:
        """Return the value of the quantity in words: "4 MiB", "at least 7", "cannot tell"."""
        return geometry.value_in_words(self.quantity, self.value, self.code)

    @property
    def confidence(self) -> float | None:
        """Return the probability that the value of the quantity is right."""
        return geometry.confidence_of(self.log_odds)
