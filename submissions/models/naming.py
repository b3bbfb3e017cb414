"""Correction: a decision of people about the name of a model. FormerSlug: the new address of a moved page."""

from dataclasses import fields
from typing import Any

from django.db import models

from submissions.domain.identity.model_names import ModelName, VariantKey
from submissions.domain.identity.model_names import NameCorrection as Decision

_COLUMNS = [field.name for field in fields(ModelName) if field.name != "slug"]


def name_in(row: models.Model, *, slug: str) -> ModelName:
    """Return the name in the columns of a row."""
    return ModelName(slug=slug, **{column: getattr(row, column) for column in _COLUMNS})


class CorrectionQuerySet(models.QuerySet["Correction"]):
    def of(self, slug: str) -> list[Decision]:
        """Return every decision about a model and its silicon, the oldest first; one query."""
        return [row.decision for row in self.filter(slug=slug).order_by("pk")]


class Correction(models.Model):
    """Moves cards from the model `slug` of their reports to `to_slug`; if both are equal, it only fixes the name."""

    slug = models.SlugField(max_length=200)
    silicon = models.JSONField(
        null=True, help_text="bus, mid, oid, pnm, prv, capacity; null is the whole model"
    )
    to_slug = models.SlugField(max_length=200)
    name = models.CharField(max_length=600)
    brand = models.CharField(max_length=200, blank=True)
    line = models.CharField(max_length=200, blank=True)
    model_number = models.CharField(max_length=200, blank=True)
    capacity_gb = models.FloatField(null=True)
    named_from = models.CharField(max_length=9)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="one_decision_per_silicon", fields=["slug", "silicon"], nulls_distinct=False
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} → {self.to_slug}"

    @property
    def decision(self) -> Decision:
        to = name_in(self, slug=self.to_slug)
        silicon: Any = self.silicon
        return Decision(self.slug, VariantKey(*silicon) if silicon else None, to)


class FormerSlug(models.Model):
    """A former address of a model, which cards have left or would have without a correction."""

    slug = models.SlugField(max_length=200)
    to_slug = models.SlugField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(name="one_row_per_move", fields=["slug", "to_slug"])]

    def __str__(self) -> str:
        return f"{self.slug} → {self.to_slug}"
