"""Geometry: what one run tells of the inside of its card, stated by the client or read off its tables."""

from django.db import models

from submissions.domain import geometry
from submissions.domain.measuring.metrics import METRICS
from submissions.models.measurement import Run


class GeometryQuerySet(models.QuerySet["Geometry"]):
    def by_quantity(self) -> list["Geometry"]:
        """In the order in which quantities are told, what was inferred before what was stated; one query."""
        order = {name: place for place, name in enumerate(geometry.QUANTITIES)}
        return sorted(self, key=lambda one: (order.get(one.quantity, len(order)), one.origin, one.quantity))


class Geometry(models.Model):
    """One quantity. Without a value `code` says why; where it is at_least, the value is a lower bound."""

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

    def __str__(self) -> str:
        return f"{self.title}: {self.in_words}"

    @property
    def title(self) -> str:
        return METRICS[self.quantity].title

    @property
    def in_words(self) -> str:
        """ "4 MiB", "at least 7", "cannot tell"."""
        return geometry.value_in_words(self.quantity, self.value, self.code)

    @property
    def confidence(self) -> float | None:
        """Probability that it is right."""
        return geometry.confidence_of(self.log_odds)
